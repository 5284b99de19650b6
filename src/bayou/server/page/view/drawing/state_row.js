/** One state in the drawing: its label and percentage above a bar, with the prior as a mark on the bar. */

import { PAD, clipped } from "../../logic/geometry.js";
import { setAttribute, setText, svg } from "../elements.js";
import { signText, stateName, valueText } from "../node_marks.js";
import { textWidth } from "./text_width.js";

const SIZE = 12;
const [USUAL, BOLD] = [500, 600];
const BAR = 4.5;
const GAP = 6;

export class StateRow {
  constructor(variable, index, width, top, height) {
    Object.assign(this, { variable, index, width, height });
    const [track, bar] = [width - 2 * PAD, Math.min(BAR, height - 13)];
    const y = height - bar - 3;
    const base = Math.min(y - 5.5, 11);
    this.track = track;
    this.label = svg("text", { class: "label", x: PAD, y: base });
    this.value = svg("text", { class: "value", x: width - PAD, y: base, "text-anchor": "end" });
    this.fill = svg("rect", { class: "fill", x: PAD, y, width: track, height: bar, rx: 1.5 });
    this.kept = svg("rect", { class: "kept", x: PAD, y: y + bar + 0.5, width: track, height: 2.5 });
    this.ghost = svg("path", { class: "ghost", d: `M0 ${y - 1.5}v${bar + 3}` });
    this.weight = svg("path", { class: "weight", d: `M0 ${y + bar / 2}m-5 -6h10l-5 7z` });
    this.root = svg(
      "g",
      { class: "state", role: "button", tabindex: -1, "data-index": index, transform: `translate(0 ${top})` },
      svg("rect", { class: "hit", x: 3, width: width - 6, height, rx: 4 }),
      svg("rect", { class: "track", x: PAD, y, width: track, height: bar, rx: 1.5 }),
      this.fill,
      this.kept,
      this.ghost,
      this.weight,
      this.label,
      this.value,
    );
  }

  update(facts) {
    const { index, variable } = this;
    const chance = facts.belief?.probabilities?.[index] ?? null;
    const mark = facts.marks[index];
    setAttribute(this.root, "class", `state ${mark.sign}${facts.best === index ? " best" : ""}`);
    setAttribute(this.root, "aria-pressed", mark.sign === "observed" || mark.sign === "set");
    setAttribute(this.root, "aria-label", stateName(variable, index, facts));
    const value = valueText(facts, index);
    setText(this.value, value);
    const weight = mark.sign === "" && facts.best !== index ? USUAL : BOLD;
    this.showLabel(signText(mark), weight, this.track - textWidth(value, SIZE, weight) - GAP);
    this.showBar(this.fill, chance);
    this.showBar(this.kept, facts.kept?.probabilities?.[index] ?? null);
    const before = facts.changed ? (facts.prior?.probabilities?.[index] ?? null) : null;
    this.showMark(this.ghost, before);
    this.showMark(this.weight, mark.weight === null ? null : Math.min(mark.weight, 1));
  }

  showLabel(sign, weight, room) {
    const start = sign === "" ? "" : `${sign} `;
    const label = this.variable.labels[this.index];
    const text = clipped(start + label, room, (part) => textWidth(part, SIZE, weight));
    setText(this.label, text);
  }

  /** A bar grows from the left; it is scaled, so that it can move smoothly. */
  showBar(bar, share) {
    setAttribute(bar, "visibility", share === null ? "hidden" : null);
    if (share !== null) bar.style.transform = `scaleX(${Math.max(share, 0).toFixed(4)})`;
  }

  showMark(mark, share) {
    setAttribute(mark, "visibility", share === null ? "hidden" : null);
    if (share !== null)
      setAttribute(mark, "transform", `translate(${(PAD + share * this.track).toFixed(1)} 0)`);
  }
}
