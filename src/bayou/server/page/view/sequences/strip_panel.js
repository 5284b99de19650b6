/** The panel beside the strip: how probable the sequence is, what is known, and the template. */

import { clearedAt } from "../../logic/sequences/step_findings.js";
import { findingOf, likelihoodText } from "../../logic/sequences/strip_words.js";
import { counted } from "../../logic/numbers.js";
import { keyOf } from "../../logic/values.js";
import { button, html, setShown, setText } from "../elements.js";
import { templateDrawing } from "./template_drawing.js";

const MOST = 40;

export class StripPanel {
  /** `show(row, step)` brings a cell into view. */
  constructor(explorer, show) {
    Object.assign(this, { explorer, show, drawn: null });
    this.likelihood = html("p", { class: "rarity", role: "status" });
    this.clear = button("Clear all", () => explorer.change([]), { class: "quiet" });
    this.list = html("ul", { class: "findings", "aria-label": "Findings" });
    this.more = html("p", { class: "hint" });
    this.template = html("div", { class: "template-frame" });
    this.notes = html("ul", { class: "hint" });
    const head = html("div", { class: "section-head" }, html("h2", {}, "Findings"), this.clear);
    this.root = html(
      "aside",
      { class: "panel", "aria-label": "Findings and the template" },
      html("section", {}, head, this.likelihood, this.notes, this.list, this.more),
      html("section", {}, html("h2", {}, "From step to step"), this.template),
    );
  }

  update() {
    const { explorer } = this;
    const { findings, model } = explorer;
    setText(this.likelihood, explorer.answer ? likelihoodText(explorer) : "");
    const said = [...(explorer.answer?.notes ?? [])];
    if (explorer.answer?.approximate) said.unshift("These numbers are estimated by particles.");
    this.notes.replaceChildren(...said.map((text) => html("li", {}, text)));
    setShown(this.clear, findings.length > 0);
    this.list.replaceChildren(...findings.slice(0, MOST).map((finding) => this.line(finding)));
    setShown(this.list, findings.length > 0);
    const left = findings.length - MOST;
    setText(this.more, left > 0 ? `… and ${counted(left, "more finding")}` : "");
    if (model === this.drawn) return;
    this.drawn = model;
    this.template.replaceChildren(templateDrawing(model));
  }

  line(finding) {
    const { explorer } = this;
    const row = explorer.model.byKey.get(keyOf(finding.variable));
    const { step } = finding;
    const text = `${row.label} at ${step}: ${findingOf([finding], row, step)}`;
    const clear = () => explorer.change(clearedAt(explorer.findings, row, step));
    return html(
      "li",
      {},
      button(text, () => this.show(row, step), { class: "link" }),
      button("Clear", clear, { "aria-label": `Clear ${row.label} at ${step}` }),
    );
  }
}
