/** One variable in the drawing, at one of three levels of detail. */

import { winner } from "../../logic/beliefs.js";
import { HEAD, PAD, clipped, rowsOf, shownStates } from "../../logic/geometry.js";
import { percent } from "../../logic/numbers.js";
import { DensityRow } from "./density_row.js";
import { setAttribute, setText, svg } from "../elements.js";
import { momentsText } from "../node_marks.js";
import { StateRow } from "./state_row.js";
import { textWidth } from "./text_width.js";

const TITLE_SIZE = 13;
const MORE = 24;

export class NodeBox {
  constructor(variable, box) {
    this.variable = variable;
    this.box = box;
    this.frame = svg("rect", { class: "frame", width: box.width, height: box.height, rx: 7 });
    this.inside = svg("g");
    this.name = svg("title");
    this.root = svg("g", { class: "node", role: "group", tabindex: -1, "data-key": variable.key });
    this.root.append(this.name, this.frame, this.inside);
    setAttribute(this.root, "transform", `translate(${box.x} ${box.y})`);
    this.drawn = "";
    this.rows = [];
  }

  /** Show the facts; `detail` is {level, scale}. What is there already is only changed. */
  update(facts, detail, { chosen }) {
    const summary = this.summary(facts);
    setAttribute(this.root, "aria-label", summary);
    setText(this.name, this.variable.description ? `${summary}\n${this.variable.description}` : summary);
    this.root.classList.toggle("found", facts.hasFinding);
    this.root.classList.toggle("chosen", chosen);
    if (detail.level === "bars") this.showBars(facts);
    else this.showText(facts, detail);
  }

  /** "smoke: no 50.0%", with the name of the variable first. */
  summary(facts) {
    return `${this.variable.text}: ${this.answer(facts)}`;
  }

  answer({ belief }) {
    if (!belief) return "no distribution yet";
    if (!belief.probabilities) return momentsText(belief);
    const best = winner(belief);
    return `${this.variable.labels[best]} ${percent(belief.probabilities[best])}`;
  }

  showBars(facts) {
    const chances = facts.belief?.probabilities ?? [];
    const count = chances.length === 0 ? 0 : this.variable.states.length;
    const plan = rowsOf(this.box, count);
    const marked = (place) => facts.marks[place].sign !== "" || facts.marks[place].weight !== null;
    const shown = shownStates(count, plan.shown, chances, marked);
    const key = `bars ${plan.height} ${shown.join(" ")}`;
    if (this.drawn !== key) {
      this.drawn = key;
      this.drawBars(plan, shown);
    }
    for (const row of this.rows) row.update(facts);
  }

  drawBars(plan, shown) {
    const { variable, box } = this;
    const room = box.width - PAD - MORE - 4;
    const title = clipped(variable.text, room, (text) => textWidth(text, TITLE_SIZE, 600));
    this.inside.replaceChildren(svg("text", { class: "title", x: PAD, y: 18 }, title), this.moreButton());
    if (shown.length === 0) {
      this.rows = variable.kind === "continuous" ? [new DensityRow(box)] : [];
    } else {
      const row = (place, line) => new StateRow(variable, place, box.width, HEAD + line * plan.height, plan.height);
      this.rows = shown.map(row);
    }
    this.inside.append(...this.rows.map(({ root }) => root));
    if (plan.told) {
      const y = HEAD + shown.length * plan.height + 15;
      this.inside.append(svg("text", { class: "rest", x: PAD, y }, `… ${plan.more} more states`));
    }
  }

  moreButton() {
    const label = `More about ${this.variable.text}`;
    const left = this.box.width - MORE - 2;
    return svg(
      "g",
      { class: "more", role: "button", "aria-label": label, "aria-haspopup": "menu", tabindex: -1 },
      svg("rect", { x: left, y: 2, width: MORE, height: MORE, rx: 5 }),
      ...[-5, 0, 5].map((shift) => svg("circle", { cx: left + MORE / 2 + shift, cy: 14, r: 1.6 })),
    );
  }

  /** The name and the winning state, or a dot with the name: as large as can be read at this scale. */
  showText(facts, { level, scale }) {
    const sign = facts.marks.some(({ sign: one }) => one === "observed" || one === "set") ? "● " : "";
    const words = level === "dots" ? [this.variable.text] : [sign + this.variable.text, this.answer(facts)];
    const key = `${level} ${scale} ${words.join("\n")} ${facts.hasFinding}`;
    if (this.drawn === key) return;
    this.drawn = key;
    this.rows = [];
    this.inside.replaceChildren(...(level === "dots" ? this.dot(words[0], scale) : this.winner(words, scale)));
  }

  winner([title, answer], scale) {
    const size = Math.min(12.5 / scale, this.box.height / 2.6, 34);
    const room = this.box.width - 2 * PAD;
    const x = this.box.width / 2;
    const line = (text, className, y, weight) =>
      svg(
        "text",
        { class: className, x, y, "font-size": size, "text-anchor": "middle" },
        clipped(text, room, (part) => textWidth(part, size, weight)),
      );
    const middle = this.box.height / 2;
    return [line(title, "title", middle - size * 0.2, 600), line(answer, "answer", middle + size * 1.05, 400)];
  }

  dot(title, scale) {
    const [x, size] = [this.box.width / 2, 11 / scale];
    const text = clipped(title, this.box.width * 1.1, (part) => textWidth(part, size, 400));
    const radius = Math.min(5 / scale, this.box.height / 3);
    const nodes = [svg("circle", { class: "dot", cx: x, cy: this.box.height / 2 - radius / 2, r: radius })];
    if ([...text].length >= 4 || text === title) {
      const y = this.box.height / 2 + radius * 0.6 + size;
      nodes.push(svg("text", { class: "label", x, y, "font-size": size, "text-anchor": "middle" }, text));
    }
    return nodes;
  }
}
