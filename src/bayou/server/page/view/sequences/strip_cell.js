/** One cell of the strip: the belief of a variable at a step, as a stacked bar or a mean with its band. */

import { winner } from "../../logic/beliefs.js";
import { cellMarks, inCell } from "../../logic/sequences/step_findings.js";
import { bandOf, stacked } from "../../logic/sequences/strip_layout.js";
import { beliefText, cellName } from "../../logic/sequences/strip_words.js";
import { number, wholePercent } from "../../logic/numbers.js";
import { html, setAttribute, setText } from "../elements.js";

const share = (value) => `${(100 * value).toFixed(2)}%`;

export class StripCell {
  constructor(row, step, width) {
    Object.assign(this, { row, step });
    this.bar = html("span", { class: row.isNumber ? "strip-band" : "strip-bar" });
    this.parts = row.isNumber
      ? [html("i", { class: "band" }), html("i", { class: "mean" })]
      : row.states.map(() => html("i"));
    row.labels.forEach((_, place) => this.parts[place]?.style.setProperty("--tint", tintOf(row, place)));
    this.mark = html("b", { class: "strip-path", "aria-hidden": "true" }, "◆");
    this.bar.append(...this.parts, this.mark);
    this.head = html("span", { class: "strip-state" });
    this.value = html("span", { class: "strip-share" });
    const attributes = { role: "gridcell", class: "strip-cell", tabindex: -1, "aria-colindex": step + 2 };
    this.root = html("div", { ...attributes, "data-step": step }, this.bar, this.head, this.value);
    this.root.style.left = `${step * width}px`;
  }

  update(explorer, range) {
    const { row, step } = this;
    const belief = explorer.belief(row, step);
    const isAhead = step >= explorer.steps;
    const known = isAhead ? [] : inCell(explorer.findings, row, step);
    const seen = known.some((finding) => "state" in finding || "value" in finding);
    const kind = known.length === 0 ? "" : seen ? " seen" : " partly";
    setAttribute(this.root, "class", `strip-cell${kind}${step === explorer.steps ? " ahead" : ""}`);
    const name = cellName(explorer, row, step);
    setAttribute(this.root, "aria-label", name);
    setAttribute(this.root, "title", name);
    setAttribute(this.root, "aria-selected", known.length > 0 ? "true" : "false");
    if (row.isNumber) this.showNumber(belief, range, seen);
    else this.showStates(explorer, belief, seen, known.length > 0);
  }

  showStates(explorer, belief, seen, isKnown) {
    const { row, step } = this;
    const shares = belief?.probabilities ?? null;
    const places = stacked(shares ?? row.states.map(() => 0));
    this.parts.forEach((part, place) => {
      part.style.top = share(places[place].from);
      part.style.height = share(places[place].to - places[place].from);
    });
    const best = explorer.pathState(row, step);
    this.mark.hidden = best === null || shares === null;
    if (!this.mark.hidden) this.mark.style.top = share((places[best].from + places[best].to) / 2);
    const top = shares ? winner(belief) : null;
    const out = isKnown && !seen && cellMarks(explorer.findings, row, step).some(({ sign }) => sign === "out");
    setText(this.head, top === null ? "–" : `${seen ? "● " : out ? "✕ " : ""}${row.labels[top]}`);
    setText(this.value, top === null || seen ? "" : wholePercent(shares[top]));
  }

  showNumber(belief, range, seen) {
    const [band, mean] = this.parts;
    const isThere = belief !== null && belief.mean !== null;
    for (const part of this.parts) part.hidden = !isThere;
    this.mark.hidden = true;
    setText(this.head, isThere ? `${seen ? "● " : ""}${number(belief.mean)}` : beliefText(this.row, belief));
    setText(this.value, isThere && !seen ? `± ${number(Number(belief.deviation.toPrecision(2)))}` : "");
    if (!isThere) return;
    const { top, bottom, middle } = bandOf(belief.mean, belief.deviation, range);
    band.style.top = share(top);
    band.style.height = share(bottom - top);
    mean.style.top = share(middle);
  }
}

/** How strongly the colour of a state is mixed: the last state is the strongest. */
export const tintOf = (row, place) =>
  share(row.states.length === 1 ? 1 : (place / (row.states.length - 1)) ** 0.8);
