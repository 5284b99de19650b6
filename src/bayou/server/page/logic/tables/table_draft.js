/** A table while it is edited: cells, locks, the order of parents, undo, and the edits that follow from it. */

import { same } from "../values.js";
import { adapted, faultOf, normalised, shownCell } from "./cell_rows.js";
import { nearestNoisyOr, noisyRows, readNoisyOr } from "./noisy_or.js";
import { TableRows } from "./table_rows.js";

/** With at most so many changed rows they are sent one by one, and all others stay to the bit. */
const FEW_ROWS = 100;
const NO_LOCKS = new Set();

/** What must stay as it is for a draft to fit a table: the variable, its parents, and their states. */
export const shapeOf = ({ variable, parents }) => JSON.stringify([variable, parents]);

export class TableDraft {
  /** `answer` is the server's table, `stored` what `stored()` once returned. */
  constructor(answer, stored = null) {
    this.answer = answer;
    this.sizes = answer.parents.map(({ states }) => states.length);
    this.original = this.sizes.map((_, parent) => parent);
    Object.assign(this, { changed: new Map(), locks: new Map(), order: this.original, past: [], future: [] });
    this.faulty = new Set();
    this.rows = new TableRows(this.sizes);
    const { chances, leak } = answer.noisy_or ?? {};
    /** The typed numbers of a noisy-OR, the leak last; null: it is a table. */
    this.noisy = this.noisyBefore = chances ? [...chances, leak].map(String) : null;
    /** Whether nothing that was stored had to be left out. */
    this.isWhole = !stored || stored.shape === shapeOf(answer);
    if (stored && this.isWhole) this.recall(stored);
  }

  recall({ rows, locks, order, noisy }) {
    for (const [row, cells] of rows) this.put(row, cells);
    this.setNoisy(noisy);
    this.locks = new Map(locks.map(([row, columns]) => [row, new Set(columns)]));
    this.reorder(order);
    this.past = [];
  }

  /** What the tab remembers. */
  stored() {
    const locks = [...this.locks].map(([row, columns]) => [row, [...columns]]);
    return {
      shape: shapeOf(this.answer),
      rows: [...this.changed],
      locks,
      order: this.order,
      noisy: this.noisy,
    };
  }

  get isChanged() {
    return this.changed.size > 0 || !same(this.order, this.original) || !same(this.noisy, this.noisyBefore);
  }

  row(row) {
    return this.followed?.[row] ?? this.changed.get(row) ?? this.answer.rows[row];
  }

  /** The numbers of a noisy-OR as they are typed, whose table is shown if they can be read; null: a table. */
  setNoisy(texts) {
    const { noisy_or: form } = this.answer;
    this.noisy = texts;
    const read = texts && readNoisyOr(texts);
    if (!texts) this.followed = null;
    else if (read.chances) this.followed = noisyRows(form, read.chances, read.leak);
    return read?.wrong ?? [];
  }

  /** From a table to the noisy-OR that is nearest to it, or back: its numbers go into the table if they were typed. */
  switchForm() {
    if (this.noisy === null) {
      const { chances, leak } = nearestNoisyOr(
        this.answer.noisy_or,
        this.answer.rows.map((_, row) => this.row(row)),
      );
      this.offered = [...chances, leak].map(shownCell);
      this.setNoisy(this.noisyBefore ?? this.offered);
      return;
    }
    const typed = !same(this.noisy, this.noisyBefore ?? this.offered);
    const rows = (this.followed ?? []).map((cells, row) => [row, cells]);
    this.setNoisy(null);
    if (typed) this.change(rows);
  }

  locked(row) {
    return this.locks.get(row) ?? NO_LOCKS;
  }

  /** The rows to repair, from the top. */
  get toRepair() {
    if (this.noisy) return [];
    return [...this.faulty].sort((one, other) => one - other);
  }

  put(row, cells) {
    if (same(cells, this.answer.rows[row])) this.changed.delete(row);
    else this.changed.set(row, cells);
    if (faultOf(cells)) this.faulty.add(row);
    else this.faulty.delete(row);
  }

  /** Put rows [[row, cells]] in place as one step. */
  change(rows) {
    const moving = rows.filter(([row, cells]) => cells && !same(cells, this.row(row)));
    if (moving.length === 0) return;
    this.past.push({ rows: moving.map(([row]) => [row, this.row(row)]) });
    this.future = [];
    for (const [row, cells] of moving) this.put(row, cells);
  }

  /** Set cells [[row, column, cell]], and let their rows adapt. */
  set(cells) {
    const byRow = new Map();
    for (const [row, column, cell] of cells) {
      if (!byRow.has(row)) byRow.set(row, { row: [...this.row(row)], typed: new Set() });
      byRow.get(row).row[column] = cell;
      byRow.get(row).typed.add(column);
    }
    this.change([...byRow].map(([row, made]) => [row, adapted(made.row, made.typed, this.locked(row))]));
  }

  /** Divide rows by their sums; returns how many could not be. */
  normalise(rows) {
    const made = rows.map((row) => [row, normalised(this.row(row), this.locked(row))]);
    this.change(made);
    return made.filter(([, cells]) => cells === null).length;
  }

  /** Lock cells [[row, column]], or unlock them. */
  setLocks(cells, lock) {
    for (const [row, column] of cells) {
      const columns = new Set(this.locked(row));
      if (lock) columns.add(column);
      else columns.delete(column);
      if (columns.size > 0) this.locks.set(row, columns);
      else this.locks.delete(row);
    }
  }

  /** The parents in another order, the last fastest; no probability changes. */
  reorder(order) {
    if (same(order, this.order)) return;
    this.past.push({ rows: [], order: this.order });
    this.future = [];
    this.see(order, this.rows.wanted);
  }

  /** Only rows with these states of the parents are seen. */
  find(wanted) {
    this.see(this.order, wanted);
  }

  see(order, wanted) {
    this.order = order;
    this.rows = new TableRows(this.sizes, order, wanted);
  }

  undo() {
    return this.travel(this.past, this.future);
  }

  redo() {
    return this.travel(this.future, this.past);
  }

  travel(from, to) {
    const step = from.pop();
    if (!step) return false;
    to.push({ rows: step.rows.map(([row]) => [row, this.row(row)]), order: step.order && this.order });
    for (const [row, cells] of step.rows) this.put(row, cells);
    if (step.order) this.see(step.order, this.rows.wanted);
    return true;
  }

  /** The edits that make the network's table this one; all rows must be in order. */
  edits() {
    const { variable, parents } = this.answer;
    const edits = [];
    const oneByOne = this.answer.form === "table" && this.changed.size <= FEW_ROWS;
    if (this.noisy) edits.push(...this.toNoisyOr(variable.name, parents));
    else if (oneByOne) edits.push(...this.toRows(variable.name, parents));
    else if (this.changed.size > 0 || this.noisyBefore) {
      const rows = this.answer.rows.map((_, row) => this.row(row));
      edits.push({ edit: "set_table", variable: variable.name, rows });
    }
    if (!same(this.order, this.original)) {
      const order = this.order.map((parent) => parents[parent].name);
      edits.push({ edit: "reorder_parents", variable: variable.name, order });
    }
    return edits;
  }

  toRows(variable, parents) {
    return [...this.changed].map(([row, cells]) => {
      const given = this.rows.states(row).map((state, parent) => parents[parent].states[state]);
      return { edit: "set_row", variable, given, row: cells };
    });
  }

  toNoisyOr(variable, parents) {
    if (same(this.noisy, this.noisyBefore)) return [];
    const { chances, leak } = readNoisyOr(this.noisy);
    const causes = chances.map((chance, parent) => ({ parent: parents[parent].name, chance }));
    return [{ edit: "set_noisy_or", variable, causes, leak }];
  }
}
