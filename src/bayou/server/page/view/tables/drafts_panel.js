/** The section that tells which tables have drafts that are not applied yet. */

import { button, html, setShown } from "../elements.js";

export class DraftsPanel {
  /** `on` has open(key) and drop(key). */
  constructor(explorer, drafts, on) {
    Object.assign(this, { explorer, drafts, on });
    this.list = html("ul", { "aria-label": "Tables in work" });
    this.root = html("section", { class: "table-drafts" }, html("h2", {}, "Tables in work"), this.list);
  }

  update() {
    const entries = Object.entries(this.drafts.all);
    setShown(this.root, entries.length > 0);
    const lines = entries.map(([key, { told }]) => {
      const { text } = this.explorer.model.byKey.get(key);
      const name = button(text, () => this.on.open(key), { class: "link" });
      const drop = button("Discard", () => this.on.drop(key), {
        "aria-label": `Discard the draft of ${text}`,
      });
      return html("li", {}, name, html("span", {}, told), drop);
    });
    this.list.replaceChildren(...lines);
  }
}
