/** The start of a page that is one file: the network stands in it, and everything is computed here. */

import { placeOf } from "./logic/address.js";
import { Explorer } from "./logic/explorer.js";
import { OfflineConnection } from "./logic/offline/offline_connection.js";
import { storageOf, TabMemory } from "./logic/tab_memory.js";
import { Page } from "./view/page.js";

const ALONE = "This page is one file and does not change: it can show and ask. Use bayou explore for more.";

class OneFile {
  constructor() {
    const { name, ...content } = JSON.parse(document.getElementById("network").textContent);
    this.name = name;
    document.documentElement.classList.add("offline");
    this.connection = new OfflineConnection(content);
    this.explorer = new Explorer(this.connection, new TabMemory(storageOf(window)));
    const refuse = () => this.page.notices.say(ALONE);
    const doors = { exhibit: refuse, served: refuse, file: refuse, gallery: refuse, save: refuse };
    this.page = new Page(this.explorer, doors);
    this.explorer.listen(() => this.followAddress());
    window.addEventListener("hashchange", () => this.travel());
    this.travel();
  }

  /** Open the network with the findings that the address names. */
  async travel() {
    if (this.explorer.model && location.hash === this.explorer.address) return;
    const { findings, kept, damaged } = placeOf(location.hash);
    try {
      const source = { name: this.name };
      const { dropped } = await this.explorer.open(this.connection.answer.revision, { source, findings, kept });
      this.page.recallView();
      if (damaged || dropped > 0)
        this.page.notices.tell("Some findings of this link do not fit this network. They were left out.");
    } catch (problem) {
      this.page.notices.tell(problem.message);
    }
  }

  /** The address names the state of this tab; in a frame of a notebook it cannot be changed, and need not be. */
  followAddress() {
    const { model, address } = this.explorer;
    if (!model || address === location.hash) return;
    try {
      history.replaceState(null, "", address);
    } catch {
      this.followAddress = () => {};
    }
  }
}

new OneFile();
