/**
 * What the marks on bars, boxes and arcs mean, told while there are such marks: the belief before findings,
 * scenarios A and B, the most probable explanation, trails.
 */

import { html, setShown, setText } from "./elements.js";

const sign = (name) => html("span", { class: `key ${name}`, "aria-hidden": "true" });

export class Legend {
  constructor(explorer) {
    this.explorer = explorer;
    this.kept = html("span", {}, sign("key-kept"), " A, kept");
    this.now = html("span", {}, sign("key-now"), " B, now");
    this.before = html("span", {}, sign("key-before"), " before findings");
    this.best = html("span", {}, html("span", { "aria-hidden": "true" }, "◆"), " most probable explanation");
    this.trailText = html("span", {});
    this.trail = html("span", {}, sign("key-trail"), " ", this.trailText);
    const marks = [this.kept, this.now, this.before, this.best, this.trail];
    this.root = html("p", { class: "legend", "aria-label": "Marks in the drawing" }, ...marks);
  }

  update() {
    const { kept, believed, explanation, highlight, marked } = this.explorer;
    for (const one of [this.kept, this.now]) setShown(one, kept !== null);
    setShown(this.before, believed.length > 0);
    setShown(this.best, explanation !== null);
    setShown(this.trail, highlight !== null);
    setText(this.trailText, marked ? "cycle" : "trail in the answer");
    setShown(this.root, [kept, explanation, highlight].some((one) => one !== null) || believed.length > 0);
  }
}
