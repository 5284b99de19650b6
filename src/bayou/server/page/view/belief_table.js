/** All beliefs as a table: the equal of the drawing for screen readers, and a way to read exact numbers. */

import { percent, points } from "../logic/numbers.js";
import { breakable, button, html, setShown, setText } from "./elements.js";
import { momentsText, nodeFacts } from "./node_marks.js";

const PAGE = 100;
const HEADS = ["Variable", "State", "Now", "Before findings", "Now − before", "Finding"];
const COMPARED = ["Variable", "State", "A, kept", "B, now", "B − A", "Before findings", "Finding"];
const WORDS = { observed: "observed", set: "set, do()", out: "excluded", "": "" };

export class BeliefTable {
  /** `on.toggle(key, index)` sets or clears a finding. */
  constructor(explorer, on) {
    Object.assign(this, { explorer, on, page: 0, model: null });
    this.caption = html("caption", {}, "Beliefs of all variables");
    this.body = html("tbody");
    this.heads = html("tr");
    this.table = html("table", { class: "beliefs" }, this.caption, html("thead", {}, this.heads), this.body);
    this.before = button("Earlier variables", () => this.turn(-1));
    this.after = button("More variables", () => this.turn(1));
    this.where = html("span", { class: "hint" });
    this.pages = html(
      "nav",
      { class: "buttons", "aria-label": "Pages of the table" },
      this.before,
      this.where,
      this.after,
    );
    this.root = html("div", { class: "table-view" }, this.table, this.pages);
  }

  turn(by) {
    this.page += by;
    this.update();
    this.root.scrollTop = 0;
  }

  /** Turn to the page of a variable and bring its rows into view. */
  reveal(key) {
    const place = this.explorer.model.variables.findIndex((variable) => variable.key === key);
    this.page = Math.floor(place / PAGE);
    this.update();
    const row = [...this.body.rows].find(({ dataset }) => dataset.key === key);
    row?.scrollIntoView({ block: "center" });
    row?.querySelector("button")?.focus({ preventScroll: true });
  }

  update() {
    const { model, kept } = this.explorer;
    if (this.model !== model) Object.assign(this, { model, page: 0 });
    const heads = kept ? COMPARED : HEADS;
    this.heads.replaceChildren(...heads.map((text) => html("th", { scope: "col" }, text)));
    const start = this.page * PAGE;
    const shown = model.variables.slice(start, start + PAGE);
    const held = this.heldPlace();
    this.body.replaceChildren(...shown.flatMap((variable) => this.rows(variable)));
    if (held)
      this.body.querySelector(`button[data-place="${CSS.escape(held)}"]`)?.focus({ preventScroll: true });
    const count = model.variables.length;
    setShown(this.pages, count > PAGE);
    setText(this.where, `Variables ${start + 1} to ${start + shown.length} of ${count}`);
    this.before.disabled = this.page === 0;
    this.after.disabled = start + PAGE >= count;
  }

  /** The button that has the keyboard, so that it keeps it when the rows are made anew. */
  heldPlace() {
    const active = document.activeElement;
    return this.body.contains(active) ? active.dataset.place : null;
  }

  rows(variable) {
    const facts = nodeFacts(this.explorer, variable);
    const chances = facts.belief?.probabilities ?? [];
    if (variable.states.length === 0) return [this.continuousRow(variable, facts)];
    return variable.labels.map((label, index) => {
      const mark = facts.marks[index];
      const [now, before] = [chances[index], facts.prior?.probabilities?.[index]];
      const toggle = button(label, () => this.on.toggle(variable.key, index), {
        class: "link",
        "aria-pressed": String(mark.sign === "observed" || mark.sign === "set"),
        "aria-label": `${variable.text} = ${label}`,
        "data-place": `${variable.key} ${index}`,
      });
      const finding = WORDS[mark.sign] + (mark.weight === null ? "" : ` weight ${mark.weight}`);
      const first = facts.kept?.probabilities?.[index];
      const numbers = this.explorer.kept
        ? [percent(first), percent(now), points(now - first), percent(before)]
        : [percent(now), percent(before), points(now - before)];
      const texts = [...numbers, finding.trim()];
      const head = index === 0 ? [rowHead(variable, variable.labels.length)] : [];
      const row = html("tr", { "data-key": variable.key }, ...head, html("td", {}, toggle));
      row.append(...texts.map((text) => html("td", {}, text)));
      return row;
    });
  }

  continuousRow(variable, facts) {
    const [now, before] = [momentsText(facts.belief), momentsText(facts.prior)];
    const numbers = this.explorer.kept ? [momentsText(facts.kept), now, "", before] : [now, before, ""];
    const texts = ["", ...numbers, facts.hasFinding ? "observed" : ""];
    const cells = texts.map((text) => html("td", {}, text));
    return html("tr", { "data-key": variable.key }, rowHead(variable, 1), ...cells);
  }
}

const rowHead = (variable, rows) => html("th", { scope: "rowgroup", rowspan: rows }, ...breakable(variable.text));
