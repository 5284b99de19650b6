/** What the network is about, and what the names of its variables mean, where it tells. */

import { button, html, setChildren, setShown, setText } from "../elements.js";

/** Networks with more variables keep the list closed at first. */
const FEW = 12;

export class AboutPanel {
  /** `on.show(key)` brings a variable into view. */
  constructor(explorer, on) {
    Object.assign(this, { explorer, on, model: null });
    this.text = html("p", { class: "hint about-text" });
    this.names = html("dl", { class: "meanings" });
    this.list = html("details", {}, html("summary", {}, "What the names mean"), this.names);
    const head = html("h2", { id: "about-head" }, "About this network");
    this.root = html("section", { "aria-labelledby": "about-head" }, head, this.text, this.list);
  }

  update() {
    const { model } = this.explorer;
    if (model === this.model) return;
    this.model = model;
    const told = model.variables.filter(({ description }) => description);
    setShown(this.root, model.description !== "" || told.length > 0);
    setText(this.text, model.description);
    setShown(this.text, model.description !== "");
    setShown(this.list, told.length > 0);
    this.list.open = told.length <= FEW;
    setChildren(
      this.names,
      told.flatMap(({ key, text, description }) => [
        html("dt", {}, button(text, () => this.on.show(key), { class: "link", title: `Show ${text}` })),
        html("dd", {}, description),
      ]),
    );
  }
}
