/** What is asked of a sequence: how many steps, given which findings, how far ahead, with which path. */

import { MOST_AHEAD, MOST_STEPS } from "../../logic/sequences/strip_explorer.js";
import { button, html, setAttribute, setText } from "../elements.js";

const WAYS = {
  smooth: ["all findings", "Smoothing: each step shows what is known of it given all findings, also later ones."],
  filter: ["findings so far", "Filtering: each step shows what was known then, given the findings up to it."],
};

export class StripControls {
  constructor(explorer, type) {
    this.explorer = explorer;
    this.steps = this.count("Steps", 1, MOST_STEPS, (value) => explorer.resize(value));
    this.ahead = this.count("Forecast", 0, MOST_AHEAD, (value) => explorer.set({ forecast: value }));
    this.ways = Object.entries(WAYS).map(([what, [text]]) =>
      button(`Given ${text}`, () => explorer.set({ what }), { "data-what": what }),
    );
    const ways = html("div", { class: "strip-ways", role: "group", "aria-label": "Given which findings" }, ...this.ways);
    this.path = button("◆ Most probable path", () => explorer.set({ path: !explorer.path }));
    this.hint = html("p", { class: "hint strip-hint" });
    const typed = button("Type a sequence…", type, { class: "primary" });
    this.root = html("div", { class: "strip-controls" }, typed, this.steps.root, ways, this.ahead.root, this.path);
  }

  count(label, least, most, act) {
    const input = html("input", { type: "number", min: least, max: most, step: 1, inputmode: "numeric" });
    input.addEventListener("change", () => {
      if (input.value.trim() !== "") act(Number(input.value));
      this.update();
    });
    return { input, root: html("label", { class: "strip-count" }, label, input) };
  }

  update() {
    const { steps, forecast, what, path, model } = this.explorer;
    for (const [field, value] of [
      [this.steps.input, steps],
      [this.ahead.input, forecast],
    ])
      if (document.activeElement !== field || field.value === "") field.value = value;
    for (const way of this.ways) setAttribute(way, "aria-pressed", String(way.dataset.what === what));
    setAttribute(this.path, "aria-pressed", String(path));
    setAttribute(this.path, "hidden", model.rows.every((row) => row.isNumber));
    const after = forecast > 0 ? " Steps behind the dashed line are forecasts: +1 is the first one ahead." : "";
    setText(this.hint, `${WAYS[what][1]}${after} Click a cell to say what was observed; or go there with the arrow keys and type the state’s first letter, or press Enter.`);
  }
}
