/** A network tested with the rows of a table: one answer, the cell that is looked at, and its rows. */

import { Latest } from "../latest.js";
import { keyOf } from "../values.js";
import { rowList } from "./row_walk.js";

export class CaseTest {
  constructor(explorer, changed = () => {}) {
    Object.assign(this, { explorer, changed, table: null, target: null });
    Object.assign(this, { answer: null, problem: null, cell: null, rows: null, total: 0 });
    this.asking = new Latest();
    this.listing = new Latest();
  }

  /** The variables with states that the table has a column for: what can be predicted and compared. */
  get targets() {
    const { model } = this.explorer;
    const columns = new Set((this.table?.columns ?? []).map(({ name }) => keyOf(name)));
    return model.variables.filter(({ key, states }) => states.length > 0 && columns.has(key));
  }

  /** Test with a table; `target` stays if the table has it, else it is the chosen variable or the last column. */
  async begin(table, target = this.target) {
    this.table = table;
    const keys = this.targets.map(({ key }) => key);
    const wanted = [target, this.explorer.chosen].find((key) => keys.includes(key));
    await this.run(wanted ?? lastColumn(table, keys));
  }

  async run(target) {
    Object.assign(this, { target, answer: null, problem: null, cell: null, rows: null });
    this.changed();
    if (target === null) return;
    const { connection, model } = this.explorer;
    const request = { table: this.table.table, target: model.byKey.get(target).name };
    try {
      const work = (signal) => connection.ask(model.revision, "test", request, signal);
      const { current, answer } = await this.asking.run(work);
      if (!current) return;
      this.answer = answer;
    } catch (problem) {
      this.problem = problem;
    }
    this.changed();
  }

  /** The rows of a cell: {true, predicted} by place. */
  async look(cell) {
    Object.assign(this, { cell, rows: null });
    this.changed();
    try {
      const asked = { table: this.table, target: this.target, order: "target", cell };
      const { current, answer } = await this.listing.run((signal) => rowList(this.explorer, asked, 0, signal));
      if (!current) return;
      Object.assign(this, { rows: answer.rows, total: answer.rows_in_all });
    } catch (problem) {
      this.problem = problem;
    }
    this.changed();
  }
}

/** The last of the columns that can be predicted: tables often end with what they are about. */
export function lastColumn(table, keys) {
  const names = table.columns.map(({ name }) => keyOf(name)).filter((key) => keys.includes(key));
  return names.at(-1) ?? null;
}
