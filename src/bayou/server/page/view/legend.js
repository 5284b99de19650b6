/**
 * What the marks on bars, boxes and arcs mean, told while there are such marks: the belief before findings,
 * scenarios A and B, interventions, the most probable explanation, trails. Its line has its place also while it is
 * empty, so that the first finding moves nothing.
 */

import { html, setShown, setText } from "./elements.js";

const sign = (name) => html("span", { class: `key ${name}`, "aria-hidden": "true" });

export class Legend {
  constructor(explorer) {
    this.explorer = explorer;
    this.kept = html("span", {}, sign("key-kept"), " A, kept");
    this.now = html("span", {}, sign("key-now"), " B, now");
    this.before = html("span", {}, sign("key-before"), " before findings");
    this.set = html("span", { class: "key-set" }, html("span", { "aria-hidden": "true" }, "▶"), " set by intervention");
    this.best = html("span", {}, html("span", { "aria-hidden": "true" }, "◆"), " most probable explanation");
    this.trailText = html("span", {});
    this.trail = html("span", {}, sign("key-trail"), " ", this.trailText);
    const marks = [this.kept, this.now, this.before, this.set, this.best, this.trail];
    this.root = html("p", { class: "legend", "aria-label": "Marks in the drawing" }, ...marks);
  }

  update() {
    const { kept, findings, believed, explanation, highlight, marked } = this.explorer;
    for (const one of [this.kept, this.now]) setShown(one, kept !== null);
    setShown(this.before, believed.length > 0);
    setShown(this.set, findings.some((finding) => "do" in finding));
    setShown(this.best, explanation !== null);
    setShown(this.trail, highlight !== null);
    setText(this.trailText, marked ? "cycle" : "trail in the answer");
    const any = [...this.root.children].some((mark) => !mark.hidden);
    this.root.classList.toggle("idle", !any);
  }
}
