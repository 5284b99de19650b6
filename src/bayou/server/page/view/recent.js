/** The first page: the networks of this tab that stand in no other list, by name and variables. */

import { namesText, recentOf } from "../logic/opening/recent.js";
import { html, setEntries, setShown } from "./elements.js";
import { exhibit } from "./gallery.js";

export class Recent {
  /** `open(entry)` opens one of them: {revision, source, kind}. */
  constructor(explorer, open) {
    Object.assign(this, { explorer, open });
    this.list = html("ul", { class: "exhibits", "aria-label": "Opened in this tab" });
    this.root = html("section", { hidden: true }, html("h2", {}, "Opened in this tab"), this.list);
    explorer.listen(() => explorer.model || this.show());
  }

  show() {
    const { memory, editing } = this.explorer;
    const unsaved = editing.logs.stored.filter(({ isUnsaved }) => isUnsaved).map(({ id }) => id);
    const entries = recentOf(memory, new Set(unsaved));
    setShown(this.root, entries.length > 0);
    setEntries(this.list, entries, (entry) => this.item(entry));
  }

  item(entry) {
    const { source, about, kind } = entry;
    const facts = about ? { ...about, kind } : { kind };
    return exhibit(about?.title || source.name, about ? namesText(about) : "", facts, () => this.open(entry));
  }
}
