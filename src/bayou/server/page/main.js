/** The start of the page: opens what the address names, keeps the address in step, and saves. */

import { placeOf } from "./logic/address.js";
import { Connection } from "./logic/connection.js";
import { Explorer } from "./logic/explorer.js";
import { TabMemory } from "./logic/tab_memory.js";
import { acceptDrops } from "./view/gallery.js";
import { Page } from "./view/page.js";

const HOME = "#gallery";

/** A sign of work appears only if opening takes longer than this, in milliseconds. */
const PATIENCE = 200;

class Start {
  constructor() {
    const lost = (trial) => this.page.notices.lost(trial);
    this.connection = new Connection(document.baseURI, { lost });
    this.explorer = new Explorer(this.connection, new TabMemory(sessionStorage));
    const doors = {
      exhibit: (name) => this.exhibit(name),
      served: (entry) => this.enter(() => this.open(entry.revision, { entry, source: { name: entry.name } })),
      file: (file) => this.file(file),
      gallery: () => this.goHome(),
      save: () => this.save(),
    };
    this.page = new Page(this.explorer, doors);
    this.explorer.listen(() => this.followAddress());
    window.addEventListener("hashchange", () => this.travel());
    acceptDrops(window, (file) => this.file(file));
    this.travel();
  }

  /** Do something that may fail; what went wrong is told with its remedy. */
  async enter(work) {
    const patience = setTimeout(() => document.body.classList.add("opening"), PATIENCE);
    try {
      this.page.notices.clear();
      await work();
    } catch (problem) {
      this.page.notices.tell(problem.message);
    } finally {
      clearTimeout(patience);
      document.body.classList.remove("opening");
    }
  }

  /** Open what the address names, the one served file if it names nothing, or the gallery. */
  async travel() {
    if (location.hash !== "" && location.hash === this.explorer.address) return;
    const place = placeOf(location.hash);
    await this.enter(async () => {
      this.listing = await this.connection.models();
      this.page.gallery.show(this.listing);
      const [only, ...others] = this.listing.models;
      const entry = this.listing.models.find(({ revision }) => revision === place.model) ?? null;
      if (place.model) await this.openPlace(place, entry);
      else if (location.hash === "" && only && others.length === 0) {
        await this.open(only.revision, { entry: only, source: { name: only.name } });
      } else this.showGallery();
    });
  }

  showGallery() {
    if (location.hash !== HOME) history.replaceState(null, "", HOME);
    this.explorer.close();
  }

  async openPlace(place, entry) {
    const source = { gallery: place.gallery, name: place.name };
    const facts = { entry, source, findings: place.findings, kept: place.kept };
    try {
      await this.open(place.model, facts);
    } catch (problem) {
      if (problem.status !== 404 || !place.gallery) {
        this.showGallery();
        throw problem;
      }
      const { revision } = await this.connection.openGallery(place.gallery);
      await this.open(revision, facts);
    }
    if (place.damaged)
      this.page.notices.tell("A part of this link could not be read, so some findings are missing.");
  }

  async open(revision, facts) {
    const { dropped } = await this.explorer.open(revision, facts);
    this.page.recallView();
    this.page.showRemarks(this.explorer.model.remarks);
    if (dropped > 0)
      this.page.notices.tell(
        "Some findings of this link are about variables or states that the network does not have. They were left out.",
      );
  }

  exhibit(name) {
    return this.enter(async () => {
      const { revision } = await this.connection.openGallery(name);
      const title = this.listing?.gallery.find((one) => one.name === name)?.title;
      await this.open(revision, { source: { gallery: name, name: title || name } });
    });
  }

  file(file) {
    return this.enter(async () => {
      const { revision } = await this.connection.upload(file.name, await file.arrayBuffer());
      await this.open(revision, { source: { name: file.name } });
    });
  }

  goHome() {
    this.explorer.close();
    history.pushState(null, "", HOME);
    this.travel();
  }

  /** The address names the state of this tab; opening a model is a step that "back" undoes. */
  followAddress() {
    const { model, address } = this.explorer;
    if (!model || address === location.hash) return;
    if (location.hash === HOME) history.pushState(null, "", address);
    else history.replaceState(null, "", address);
  }

  /** Write back to the file that the server was started with. */
  async save() {
    const { explorer, page } = this;
    const { entry, model } = explorer;
    if (!entry?.can_save) {
      page.notices.say("This server does not write files back. Use Download.");
      return;
    }
    try {
      await this.connection.save(model.revision, entry.revision);
      page.notices.say(`Saved to ${entry.path_name ?? entry.name}.`);
    } catch (problem) {
      page.notices.tell(problem.message, [["Download instead", () => page.downloads.open()]]);
    }
  }
}

new Start();
