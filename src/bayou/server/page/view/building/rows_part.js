/** The probabilities of a new variable: a table to type in, and the same numbers as text behind a disclosure. */

import { Mistyped, typedStates, typedVariables } from "../../logic/building/typed_network.js";
import { cellsText, readRows, restOf, rowOrder, textCells, withCell } from "../../logic/building/typed_rows.js";
import { counted } from "../../logic/numbers.js";
import { html, setAttribute, setText } from "../elements.js";

const SHOWN = 32;
const HINT = "One number of each row may be left out. Leave all empty to begin with equal ones.";
const TEXT_HINT = "A line for each row, such as 0.8 0.2; a question mark stands for the number that is left out.";

export class RowsPart {
  constructor(explorer) {
    Object.assign(this, { explorer, about: null, cells: [], filled: new Map(), inputs: [] });
    this.table = html("div", { class: "rows-guide" });
    this.area = html("textarea", { id: "rows-text", rows: 5, spellcheck: "false", "aria-describedby": "rows-text-hint" });
    const label = html("label", { for: "rows-text" }, "Probabilities as text");
    const hint = html("p", { class: "hint", id: "rows-text-hint" }, TEXT_HINT);
    const field = html("div", { class: "field" }, html("div", { class: "field-head" }, label, hint), this.area);
    const summary = html("summary", {}, "Type or paste as text");
    const text = html("details", {}, summary, field);
    text.addEventListener("toggle", () => text.open && text.scrollIntoView({ block: "nearest" }));
    this.root = html("div", { class: "rows-part" }, this.table, text);
    this.table.addEventListener("input", ({ target }) => this.cellTyped(target));
    this.table.addEventListener("focusin", ({ target }) => target.select?.());
    this.table.addEventListener("focusout", ({ target }) => this.cellLeft(target));
    this.area.addEventListener("input", () => this.textTyped());
  }

  /** The rows as numbers for the variable that is typed; null if there are none, a Mistyped for what cannot be read. */
  rows() {
    const { states, above, height } = this;
    const given = (line) => rowOrder(above, line + 1)[line]?.map((state, at) => `${above[at].text} = ${state}`).join(", ") ?? "";
    try {
      return readRows(this.cells, { states, height, given });
    } catch (mistake) {
      this.mark(mistake);
      throw mistake;
    }
  }

  /** The keyboard goes to a cell that is wrong, if the table shows it. */
  mark({ line, place }) {
    const input = this.inputs[line]?.[place];
    if (!input) return;
    setAttribute(input, "aria-invalid", "true");
    input.focus();
  }

  /** Follow what is typed: {name, states, parents}. */
  update({ name, states: typed, parents = "" }) {
    try {
      const [states, above] = [typedStates(typed).map(String), typedVariables(this.explorer.model, parents)];
      const about = JSON.stringify([states, above.map(({ key }) => key)]);
      if (about !== this.about) this.begin(states, above);
      this.about = about;
      const who = name.trim() || "this variable";
      const more = this.height > SHOWN ? ` Rows ${SHOWN + 1} to ${this.height} are typed as text, in this order.` : "";
      setText(this.caption, `Probabilities of ${who}: ${counted(this.height, "row")}.${more} ${HINT}`);
      this.show();
    } catch (mistake) {
      if (!(mistake instanceof Mistyped)) throw mistake;
      this.about = null;
      this.table.replaceChildren(html("p", { class: "hint" }, mistake.message));
    }
  }

  /** Another table; the numbers that were typed stay, those that were filled in go. */
  begin(states, above) {
    for (const [line, place] of this.filled) this.cells = withCell(this.cells, line, place, "");
    this.filled.clear();
    const height = above.reduce((product, parent) => product * parent.states.length, 1);
    Object.assign(this, { states, above, height });
    this.table.replaceChildren(this.tableOf(states, above));
  }

  tableOf(states, parents) {
    const heads = [...parents.map(({ text }) => text), ...states.map((state) => `P(${state})`)];
    this.inputs = [];
    const body = rowOrder(parents, SHOWN).map((labels, line) => {
      const start = labels.map((text) => html("th", { scope: "row" }, text));
      const inputs = states.map((state, place) => this.input(line, place, [state, ...labels]));
      this.inputs.push(inputs);
      return html("tr", {}, ...start, ...inputs.map((input) => html("td", {}, input)));
    });
    this.caption = html("caption", { "aria-live": "polite" });
    const head = html("tr", {}, ...heads.map((text) => html("th", { scope: "col" }, text)));
    return html("table", {}, this.caption, html("thead", {}, head), html("tbody", {}, ...body));
  }

  input(line, place, [state, ...given]) {
    const label = given.length > 0 ? `P(${state}) if ${given.join(", ")}` : `P(${state})`;
    const facts = { type: "text", inputmode: "decimal", autocomplete: "off", "aria-label": label };
    return html("input", { ...facts, "data-line": line, "data-place": place });
  }

  /** The cells and the text show the numbers; what was left out stands there in grey. */
  show() {
    this.inputs.forEach((inputs, line) => {
      const row = this.cells[line] ?? [];
      const rest = restOf(row, inputs.length);
      inputs.forEach((input, place) => {
        const text = row[place] ?? "";
        if (input.value.trim() !== text && input !== document.activeElement) input.value = text;
        setAttribute(input, "placeholder", rest?.place === place ? String(rest.value) : null);
      });
    });
    const text = cellsText(this.cells);
    if (this.area !== document.activeElement && this.area.value !== text) this.area.value = text;
  }

  /** A number that was filled in gives way to what is typed beside it. */
  cellTyped({ dataset, value }) {
    const [line, place] = [Number(dataset.line), Number(dataset.place)];
    const filled = this.filled.get(line);
    if (filled !== undefined && filled !== place) this.cells = withCell(this.cells, line, filled, "");
    this.filled.delete(line);
    this.cells = withCell(this.cells, line, place, value);
    for (const input of this.inputs[line]) setAttribute(input, "aria-invalid", null);
    this.show();
  }

  /** What was grey stays as a number when the keyboard goes on. */
  cellLeft({ dataset }) {
    const line = Number(dataset.line);
    const rest = restOf(this.cells[line] ?? [], this.states.length);
    if (rest === null) return;
    this.cells = withCell(this.cells, line, rest.place, String(rest.value));
    this.filled.set(line, rest.place);
    const input = this.inputs[line][rest.place];
    input.value = String(rest.value);
    this.show();
  }

  textTyped() {
    this.cells = this.area.value.trim() === "" ? [] : textCells(this.area.value, this.height);
    this.filled.clear();
    this.show();
  }
}
