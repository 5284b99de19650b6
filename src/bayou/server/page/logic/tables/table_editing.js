/** What is done with the chosen cells of a draft: filled, normalised, locked, copied, pasted; without a document. */

import { counted } from "../numbers.js";
import { wholeCell } from "./cell_rows.js";
import { placed } from "./pasted_table.js";
import { cellsOf, textOf } from "./pasted_text.js";
import { chosenCell, filledDown, rangeOf } from "./selection.js";

/** Numbers are copied with a comma where people write one. */
const COMMA = (1.5).toLocaleString().includes(",");

export class TableEditing {
  /** `variable` and `parents` are {text, labels} for people. */
  constructor(draft, variable, parents) {
    Object.assign(this, { draft, variable, parents, selection: chosenCell(0, 0) });
  }

  get range() {
    return rangeOf(this.selection);
  }

  get chosenRows() {
    const { top, bottom } = this.range;
    return Array.from({ length: bottom - top + 1 }, (_, at) => this.draft.rows.row(top + at));
  }

  get chosenCells() {
    const { left, right } = this.range;
    const columns = Array.from({ length: right - left + 1 }, (_, at) => left + at);
    return this.chosenRows.flatMap((row) => columns.map((column) => [row, column]));
  }

  /** Whether the active cell is locked. */
  get isLocked() {
    const { row, column } = this.selection;
    return this.draft.locked(this.draft.rows.row(row)).has(column);
  }

  clear() {
    this.draft.set(this.chosenCells.map(([row, column]) => [row, column, ""]));
  }

  fillDown() {
    const { draft } = this;
    draft.set(filledDown(this.range, draft.rows, (row, column) => draft.row(row)[column]));
  }

  /** Divide rows by their sums; returns what to say of those that cannot be. */
  normalise(rows = this.chosenRows) {
    const left = this.draft.normalise(rows);
    return left && `${counted(left, "row")} cannot be divided by the sum: a cell is no number, or all are 0.`;
  }

  toggleLock() {
    this.draft.setLocks(this.chosenCells, !this.isLocked);
  }

  /** Choose the next row to repair, below the chosen one or from the top. */
  chooseFault() {
    const { draft } = this;
    const places = () => draft.toRepair.map((row) => draft.rows.place(row)).filter((place) => place >= 0);
    if (places().length === 0) draft.find(draft.sizes.map(() => null));
    const sorted = places().sort((one, other) => one - other);
    this.selection = chosenCell(sorted.find((place) => place > this.selection.row) ?? sorted[0], 0);
  }

  get chosenText() {
    const { left, right } = this.range;
    return textOf(this.chosenRows.map((row) => this.texts(row).slice(left, right + 1)));
  }

  /** All rows that are seen, with the names of parents, of their states, and of the variable's states. */
  get wholeText() {
    const { draft, parents, variable } = this;
    const { rows, order } = draft;
    const lines = Array.from({ length: rows.count }, (_, place) => {
      const row = rows.row(place);
      const states = rows.states(row);
      return [...order.map((parent) => parents[parent].labels[states[parent]]), ...this.texts(row)];
    });
    return textOf([[...order.map((parent) => parents[parent].text), ...variable.labels], ...lines]);
  }

  texts(row) {
    return this.draft.row(row).map((cell) => wholeCell(cell, COMMA));
  }

  /** Put pasted text where it belongs; returns {problem} or {note, whole}. */
  paste(text) {
    const { draft, parents, variable } = this;
    const found = placed(cellsOf(text), { labels: variable.labels, parents, rows: draft.rows }, this.range);
    if (!found.problem) draft.set(found.cells);
    return found;
  }

  /** What is told about the draft: [words, words of a button that divides rows by their sums, or null]. */
  get words() {
    const { draft } = this;
    const faults = draft.toRepair;
    const numbers = faults.map((row) => draft.row(row)).filter((row) => row.every(Number.isFinite));
    const counts = numbers.some((row) => row.some((cell) => cell > 1));
    const divide = counts ? "These are counts: divide each row by its sum" : "Normalise all";
    if (faults.length > 0)
      return [
        `${counted(faults.length, "row")} to repair; the beliefs wait.`,
        numbers.length > 0 ? divide : null,
      ];
    return [draft.isChanged ? "Not applied yet." : `${counted(draft.rows.count, "row")}.`, null];
  }
}
