/** The beliefs of one variable in several cases, side by side, with the present findings first. */

import { oneIn, percent } from "../../logic/numbers.js";
import { html, setChildren, setShown } from "../elements.js";
import { momentsText } from "../node_marks.js";

export class CompareTable {
  constructor(shelf) {
    this.shelf = shelf;
    this.pick = html("select", { on: { change: () => shelf.chooseTarget(this.pick.value) } });
    const label = html("label", { class: "row text-row" }, html("span", {}, "Beliefs of"), this.pick);
    this.table = html("table", { class: "compared" });
    const wide = html("div", { class: "wide" }, this.table);
    this.root = html("div", { hidden: true }, label, wide);
    this.model = null;
  }

  update() {
    const { shelf } = this;
    const { model, beliefs, findings, logProbability, impossible } = shelf.explorer;
    const cases = shelf.columns;
    setShown(this.root, cases.length > 0);
    if (cases.length === 0) return;
    const variable = shelf.comparedVariable;
    if (this.model !== model) {
      this.model = model;
      setChildren(this.pick, model.variables.map(({ key, text }) => html("option", { value: key }, text)));
    }
    this.pick.value = variable.key;
    const rarity = findings.length ? logProbability : 0;
    const now = { name: "Now", belief: beliefs.get(variable.key), logProbability: rarity, problem: impossible };
    this.fill(variable, [now, ...cases]);
  }

  fill(variable, columns) {
    const heads = ["", ...columns.map(({ name }) => name)].map((text) => html("th", { scope: "col" }, text));
    const cells = (show) => columns.map((one) => html("td", {}, one.problem ? "–" : show(one)));
    const states = variable.labels.map((label, place) =>
      row(label, cells(({ belief }) => percent(belief?.probabilities?.[place]))),
    );
    const numbers = variable.states.length === 0 ? [row("mean", cells(({ belief }) => momentsText(belief)))] : [];
    const rarity = row("P(findings)", cells(({ logProbability }) => oneIn(logProbability ?? NaN)));
    setChildren(this.table, [
      html("caption", {}, `${variable.text} in each case`),
      html("thead", {}, html("tr", {}, ...heads)),
      html("tbody", {}, ...states, ...numbers, rarity),
    ]);
  }
}

const row = (head, cells) => html("tr", {}, html("th", { scope: "row" }, head), ...cells);
