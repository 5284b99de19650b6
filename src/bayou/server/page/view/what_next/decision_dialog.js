/** The dialog in which actions on a variable with their utilities, and the costs of asking, are typed. */

import { readActions, readCosts } from "../../logic/what_next/decisions.js";
import { keyOf } from "../../logic/values.js";
import { button, html, setChildren, setText } from "../elements.js";

const WORTH = "Name what could be done, and what it is worth in each state: more is better.";
const COSTS = "In the unit of the utilities. Left empty, asking costs nothing (1 if there are no utilities).";
const LISTED = 12;
const EMPTY_ROWS = 2;

export class DecisionDialog {
  constructor(questions) {
    Object.assign(this, { questions, key: null });
    this.title = html("h2", { id: "decision-title" });
    this.heads = html("tr");
    this.rows = html("tbody");
    this.costs = html("div", { class: "fields" });
    this.problem = html("p", { class: "typed-problem", role: "alert" });
    const table = html("table", {}, html("thead", {}, this.heads), this.rows);
    this.form = html(
      "form",
      {},
      this.title,
      html("p", { class: "hint" }, WORTH),
      html("div", { class: "wide" }, table),
      button("Add an action", () => this.addRow(), { class: "quiet" }),
      html("h3", {}, "What asking costs"),
      html("p", { class: "hint" }, COSTS),
      this.costs,
      this.problem,
      this.buttons(),
    );
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.submit();
    });
    this.root = html("dialog", { class: "decision", "aria-labelledby": "decision-title" }, this.form);
  }

  buttons() {
    return html(
      "div",
      { class: "buttons" },
      button("Remove all", () => this.keep([], {})),
      button("Cancel", () => this.root.close()),
      html("button", { type: "submit", class: "primary" }, "Use these"),
    );
  }

  open(key) {
    const { explorer, prices } = this.questions;
    this.variable = explorer.model.byKey.get(key);
    this.key = key;
    setText(this.title, `Decision about ${this.variable.text}`);
    setText(this.problem, "");
    const heads = ["Action", ...this.variable.labels.map((label) => `if ${label}`)];
    setChildren(this.heads, heads.map((text) => html("th", { scope: "col" }, text)));
    this.rows.replaceChildren();
    const actions = this.questions.actionsOn(key);
    for (const one of actions) this.addRow(one);
    for (let place = actions.length; place < EMPTY_ROWS; place += 1) this.addRow();
    setChildren(this.costs, this.asked().map((variable) => costRow(variable, prices.costs[variable.key])));
    this.root.showModal();
    this.rows.querySelector("input").focus();
  }

  /** The variables with a cost, and the best of those that could be asked for. */
  asked() {
    const { explorer, next, prices } = this.questions;
    const ranked = (next.answer?.asks ?? []).slice(0, LISTED).map(({ variable }) => keyOf(variable));
    const keys = new Set([...Object.keys(prices.costs), ...ranked]);
    keys.delete(this.key);
    return [...keys].map((key) => explorer.model.byKey.get(key));
  }

  addRow(given = { action: "", utilities: [] }) {
    const place = this.rows.rows.length + 1;
    const label = `Name of action ${place}`;
    const name = html("input", { type: "text", value: given.action, "aria-label": label });
    const numbers = this.variable.labels.map((text, state) =>
      html("input", {
        type: "text",
        inputmode: "decimal",
        class: "short",
        value: given.utilities[state] ?? "",
        "aria-label": `Utility of action ${place} if ${text}`,
      }),
    );
    this.rows.append(html("tr", {}, ...[name, ...numbers].map((input) => html("td", {}, input))));
  }

  submit() {
    const rows = [...this.rows.rows].map((row) => {
      const [action, ...utilities] = [...row.querySelectorAll("input")].map((input) => input.value);
      return { action, utilities };
    });
    const typed = [...this.costs.querySelectorAll("input")].map((input) => ({
      key: input.dataset.key,
      text: input.dataset.text,
      cost: input.value,
    }));
    const [read, priced] = [readActions(rows, this.variable.labels), readCosts(typed)];
    const problem = read.problem ?? priced.problem;
    if (problem) setText(this.problem, problem);
    else this.keep(read.actions, priced.costs);
  }

  /** Nothing is kept before all of it can be read. */
  keep(actions, costs) {
    const { prices } = this.questions;
    const utilities = { ...prices.utilities, [this.key]: actions };
    if (actions.length === 0) delete utilities[this.key];
    this.root.close();
    this.questions.setPrices({ costs, utilities });
  }
}

function costRow({ key, text }, cost) {
  const input = html("input", {
    type: "text",
    inputmode: "decimal",
    autocomplete: "off",
    value: cost ?? "",
    "data-key": key,
    "data-text": text,
  });
  return html("label", { class: "row text-row" }, html("span", {}, text), input);
}
