/** One variable in the drawing, at one of three levels of detail. */

import { WIDE } from "../../logic/drawing/arc_handle.js";
import { winner } from "../../logic/beliefs.js";
import {
  DOT_SIZE,
  MORE,
  TITLE_SIZE,
  WINNER_SIZES,
  largestLine,
} from "../../logic/drawing/shown_names.js";
import { HEAD, PAD, clipped, rowsOf, shownStates } from "../../logic/geometry.js";
import { percent, wholePercent } from "../../logic/numbers.js";
import { DensityRow } from "./density_row.js";
import { setAttribute, setText, svg } from "../elements.js";
import { momentsText } from "../node_marks.js";
import { StateRow } from "./state_row.js";
import { textWidth } from "./text_width.js";

export class NodeBox {
  /** `handle()` tells where the handle for a new arc stands. */
  constructor(variable, box, handle = () => ({ x: box.width - WIDE, y: box.height })) {
    Object.assign(this, { variable, box, handle });
    this.frame = svg("rect", { class: "frame", width: box.width, height: box.height, rx: 7 });
    this.inside = svg("g");
    this.name = svg("title");
    this.root = svg("g", { class: "node", role: "group", tabindex: -1, "data-key": variable.key });
    this.root.append(this.name, this.frame, this.inside);
    setAttribute(this.root, "transform", `translate(${box.x} ${box.y})`);
    this.drawn = "";
    this.rows = [];
  }

  /** Show the facts; `detail` is {level, scale, names}. What is there already is only changed. */
  update(facts, detail, { chosen, onTrail }) {
    const summary = this.summary(facts);
    setAttribute(this.root, "aria-label", summary);
    setText(this.name, this.variable.description ? `${summary}\n${this.variable.description}` : summary);
    this.root.classList.toggle("found", facts.hasFinding);
    this.root.classList.toggle("chosen", chosen);
    this.root.classList.toggle("on-trail", onTrail);
    this.told = detail.names.get(this.variable.key);
    if (detail.level === "bars") this.showBars(facts);
    else this.showText(facts, detail);
  }

  /** "smoke: no 50.0%", with the name of the variable first. */
  summary(facts) {
    return `${this.variable.text}: ${this.answer(facts)}`;
  }

  answer({ belief }, shown = percent) {
    if (!belief) return "no beliefs yet";
    if (!belief.probabilities) return momentsText(belief);
    const best = winner(belief);
    return `${this.variable.labels[best]} ${shown(belief.probabilities[best])}`;
  }

  showBars(facts) {
    const chances = facts.belief?.probabilities ?? [];
    const count = this.variable.states.length;
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
    this.inside.replaceChildren(svg("text", { class: "title", x: PAD, y: 18 }, this.told), this.moreButton());
    if (shown.length === 0) {
      this.rows = variable.kind === "continuous" ? [new DensityRow(box)] : [];
    } else {
      const row = (place, line) =>
        new StateRow(variable, place, box.width, HEAD + line * plan.height, plan.height);
      this.rows = shown.map(row);
    }
    this.inside.append(...this.rows.map(({ root }) => root), this.arcHandle());
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

  /** Where an arc is drawn from, if the network can be edited: at the edge of the box that is pointed at. */
  arcHandle() {
    const { x, y } = this.handle();
    const label = `Draw an arc from ${this.variable.text}`;
    return svg(
      "g",
      { class: "arc-handle", role: "button", "aria-label": label, transform: `translate(${x} ${y})` },
      svg("title", {}, "Drag to another variable to add an arc, or click to choose it from a list"),
      svg("rect", { class: "hit", y: -3, width: WIDE, height: 29 }),
      svg("rect", { class: "plate", y: 1, width: WIDE, height: 20, rx: 10 }),
      svg("path", { d: "M14 6v9m-4 -4l4 4l4 -4" }),
      svg("text", { x: 24, y: 15 }, "new arc"),
    );
  }

  /** The name and the winning state, or a dot with the name: as large as can be read at this scale. */
  showText(facts, { level, scale }) {
    const sign = facts.marks.some(({ sign: one }) => one === "observed" || one === "set") ? "● " : "";
    const words = level === "dots" ? [this.told] : [sign + this.told, this.answer(facts, wholePercent)];
    const key = `${level} ${scale} ${words.join("\n")} ${facts.hasFinding}`;
    if (this.drawn === key) return;
    this.drawn = key;
    this.rows = [];
    this.inside.replaceChildren(
      ...(level === "dots" ? this.dot(words[0], scale) : this.winner(words, scale)),
    );
  }

  /** Two lines, as large as fits between a smallest and a largest size; the percentage is never clipped. */
  winner([title, answer], scale) {
    const { width, height } = this.box;
    const room = width - PAD;
    const isWhole = this.told === this.variable.text;
    const fitting = isWhole ? Math.min(room / textWidth(title, 1, 600), room / textWidth(answer, 1)) : 0;
    const size = Math.min(largestLine(this.box, scale), Math.max(fitting, WINNER_SIZES[0] / scale));
    const end = answer.match(/ \S*%$/)?.[0] ?? "";
    const start = answer.slice(0, answer.length - end.length);
    const shown = clipped(start, room - textWidth(end, size), (part) => textWidth(part, size)) + end;
    const line = (text, className, y) =>
      svg("text", { class: className, x: width / 2, y, "font-size": size, "text-anchor": "middle" }, text);
    return [
      line(title, "title", height / 2 - size * 0.2),
      line(shown, "answer", height / 2 + size * 1.05),
    ];
  }

  dot(title, scale) {
    const { width, height } = this.box;
    const x = width / 2;
    const radius = Math.min(5 / scale, height / 3);
    const nodes = [svg("circle", { class: "dot", cx: x, cy: height / 2 - radius / 2, r: radius })];
    if (title !== "") {
      const size = DOT_SIZE / scale;
      const y = height / 2 + radius * 0.6 + size;
      nodes.push(svg("text", { class: "label", x, y, "font-size": size, "text-anchor": "middle" }, title));
    }
    return nodes;
  }
}
