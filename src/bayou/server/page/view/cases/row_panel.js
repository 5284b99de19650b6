/** The row of a table that is looked at: the truth, the prediction, and the way to the next row. */

import { ORDERS } from "../../logic/cases/row_walk.js";
import { rowText } from "../../logic/cases/test_words.js";
import { grouped, oneIn, percent } from "../../logic/numbers.js";
import { button, html, setChildren, setShown, setText } from "../elements.js";

export class RowPanel {
  constructor(walk) {
    this.walk = walk;
    this.head = html("h2", { id: "row-head", tabindex: -1 });
    this.where = html("p", { class: "hint" });
    this.said = html("p", { "aria-live": "polite" });
    this.states = html("ul", { class: "row-states", "aria-label": "Prediction" });
    this.rarity = html("p", { class: "rarity" });
    this.problem = html("p", { class: "typed-problem", role: "alert" });
    this.order = html("select", { "aria-label": "Order of the rows" });
    this.order.addEventListener("change", () => walk.reorder(this.order.value));
    this.back = button("Previous row", () => walk.previous());
    this.forth = button("Next row", () => walk.next());
    this.again = button("Set its findings again", () => walk.go(walk.place), { hidden: true });
    this.why = button("Show the working", () => walk.showWorking(!walk.showsWorking), { class: "primary" });
    this.working = html("pre", { class: "working", tabindex: 0, role: "group", "aria-label": "Working" });
    const close = button("Close", () => walk.end(), { "aria-label": "Close the rows" });
    this.root = html(
      "section",
      { class: "row-section", "aria-labelledby": "row-head", hidden: true },
      html("div", { class: "section-head" }, this.head, close),
      this.where,
      this.said,
      this.states,
      this.rarity,
      this.problem,
      html("div", { class: "buttons" }, this.why, this.again),
      this.working,
      html("div", { class: "buttons" }, this.back, this.forth),
      this.order,
    );
    this.target = null;
  }

  focus() {
    this.root.scrollIntoView({ block: "start" });
    this.head.focus({ preventScroll: true });
  }

  update() {
    const { walk } = this;
    const { row, variable } = walk;
    const active = walk.active && variable !== null;
    setShown(this.root, active);
    if (!active) return;
    if (this.target !== variable.text) this.offer(variable);
    this.order.value = walk.order;
    setText(this.head, row ? `Row ${grouped(row.row + 1)}` : "Rows");
    setText(this.where, this.whereText());
    setText(this.problem, walk.problem?.message ?? "");
    this.back.disabled = !(walk.place > 0);
    this.forth.disabled = walk.place === null || walk.place + 1 >= walk.total;
    setShown(this.again, row !== null && !walk.isShown);
    setShown(this.why, row !== null);
    setText(this.why, walk.showsWorking ? "Hide the working" : "Show the working");
    const { answer, problem } = walk.working;
    const told = answer?.text ?? problem?.message ?? "";
    setShown(this.working, walk.showsWorking && told !== "");
    if (this.told !== told) setChildren(this.working, told.split("\n").map(workingLine));
    this.told = told;
    setText(this.said, row ? predictionText(variable, row) : "");
    setText(this.rarity, row ? rarityText(row) : "");
    setChildren(this.states, row?.probabilities ? stateRows(variable, row) : []);
  }

  offer(variable) {
    this.target = variable.text;
    const options = ORDERS.map(([value, text]) => html("option", { value }, text(variable.text)));
    setChildren(this.order, options);
  }

  whereText() {
    const { table, place, total, cell, variable, row } = this.walk;
    const of = cell
      ? `, ${variable.text} = ${variable.labels[cell.true]} predicted as ${variable.labels[cell.predicted]}`
      : "";
    if (row === null) return `${table.name}: no such rows${of}`;
    return `${table.name}${of}: ${grouped(place + 1)} of ${grouped(total)}`;
  }
}

/** A line of the working: what does not fit goes on further in than it began. */
function workingLine(line) {
  const start = line.length - line.trimStart().length;
  const node = html("span", { class: "line" }, `${line.trimStart()}\n`);
  node.style.paddingInlineStart = `${start + 4}ch`;
  return node;
}

function predictionText(variable, row) {
  const text = rowText(variable.labels, row).replace(/^[^:]*: /, "");
  if (row.true === null) return `${variable.text} is not known: ${text}.`;
  return `${variable.text} is ${text}.`;
}

const rarityText = ({ log_probability: log }) =>
  `Probability of the whole row: ${log === null ? "never" : oneIn(log)}`;

/** The states of the target with their probabilities; the true one is marked. */
function stateRows(variable, { probabilities, true: truth, predicted }) {
  return variable.labels.map((label, place) => {
    const marks = [place === truth ? "✓ true" : "", place === predicted ? "predicted" : ""];
    const fill = html("span", { class: "fill" });
    fill.style.width = `${100 * probabilities[place]}%`;
    return html(
      "li",
      { class: place === truth ? "true" : null },
      html("span", {}, label),
      html("span", { class: "mark" }, marks.filter(Boolean).join(", ")),
      html("span", { class: "numbers" }, percent(probabilities[place])),
      html("span", { class: "track" }, fill),
    );
  });
}
