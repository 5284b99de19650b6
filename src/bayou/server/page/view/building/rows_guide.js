/** Which line of typed probabilities is about which states of the parents; its cells can be typed in, too. */

import {
  lineCells,
  linesSoFar,
  Mistyped,
  rowOrder,
  typedStates,
  typedVariables,
  withCell,
} from "../../logic/building/typed_network.js";
import { counted } from "../../logic/numbers.js";
import { html, setAttribute, setText } from "../elements.js";

const SHOWN = 32;

export class RowsGuide {
  /** `typed(text)` is told the lines when a cell was typed in. */
  constructor(explorer, typed) {
    Object.assign(this, { explorer, typed, about: null, rows: "" });
    this.root = html("div", { class: "rows-guide" });
    this.root.addEventListener("input", (event) => {
      event.stopPropagation(); // the lines follow the cell, and the form the lines
      this.cellTyped(event.target);
    });
  }

  /** Follow what is typed: {name, states, parents, rows}. */
  update({ name, states: typed, parents = "", rows }) {
    this.rows = rows;
    try {
      const [states, above] = [typedStates(typed).map(String), typedVariables(this.explorer.model, parents)];
      const about = JSON.stringify([states, above.map(({ key }) => key)]);
      if (about !== this.about) this.root.replaceChildren(this.table(states, above));
      this.about = about;
      setText(this.caption, this.captionText(name.trim() || "this variable", states, above));
      this.fill(states.length);
    } catch (mistake) {
      if (!(mistake instanceof Mistyped)) throw mistake;
      this.about = null;
      this.root.replaceChildren(html("p", { class: "hint" }, mistake.message));
    }
  }

  captionText(name, states, parents) {
    const height = parents.reduce((product, { states: own }) => product * own.length, 1);
    const more = height > SHOWN ? ` Lines ${SHOWN + 1} to ${height} go on in this order.` : "";
    return `Probabilities of ${name}: ${counted(height, "line")}, numbers in the order ${states.join(", ")}.${more}`;
  }

  table(states, parents) {
    const heads = ["Line", ...parents.map(({ text }) => text), ...states.map((state) => `P(${state})`)];
    this.cells = [];
    const body = rowOrder(parents, SHOWN).map((labels, line) => {
      const start = [String(line + 1), ...labels].map((text) => html("th", { scope: "row" }, text));
      const cells = states.map((state, place) => this.cell(line, place, [state, ...labels]));
      this.cells.push(cells);
      return html("tr", {}, ...start, ...cells.map((cell) => html("td", {}, cell)));
    });
    this.caption = html("caption", { "aria-live": "polite" });
    const head = html("tr", {}, ...heads.map((text) => html("th", { scope: "col" }, text)));
    return html("table", {}, this.caption, html("thead", {}, head), html("tbody", {}, ...body));
  }

  cell(line, place, [state, ...given]) {
    const label = given.length > 0 ? `P(${state}) if ${given.join(", ")}` : `P(${state})`;
    const facts = { type: "text", inputmode: "decimal", autocomplete: "off", "aria-label": label };
    return html("input", { ...facts, "data-line": line, "data-place": place });
  }

  /** What the lines say is in the cells: as typed, and in grey what was left out. */
  fill(width) {
    const [typed, read] = [lineCells(this.rows), linesSoFar(this.rows, width)];
    this.cells.forEach((cells, line) =>
      cells.forEach((cell, place) => {
        const text = typed[line]?.[place] ?? "";
        if (cell.value.trim() !== text && cell !== document.activeElement) cell.value = text;
        const rest = text === "" ? read[line]?.[place] : undefined;
        setAttribute(cell, "placeholder", rest === undefined ? null : String(rest));
      }),
    );
  }

  cellTyped({ dataset, value }) {
    this.typed(withCell(this.rows, Number(dataset.line), Number(dataset.place), value));
  }
}
