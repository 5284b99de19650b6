/** A walk through the rows of an uploaded table: the most surprising first, or those of a cell of the confusion. */

import { Latest } from "../latest.js";
import { same } from "../values.js";
import { FollowedQuestion } from "../why/followed_question.js";

export const PAGE = 50;

export const ORDERS = [
  ["table", () => "As in the table"],
  ["row", () => "Least probable row first"],
  ["target", (target) => `Least expected ${target} first`],
];

const NOTHING = { table: null, target: null, order: "table", cell: null, total: 0, place: null, row: null };

export class RowWalk {
  constructor(explorer) {
    this.explorer = explorer;
    this.asking = new Latest();
    Object.assign(this, NOTHING, { pages: new Map(), problem: null, showsWorking: false, seen: null });
    this.working = new FollowedQuestion(explorer, "working", () => this.workingRequest());
    explorer.listen(() => this.follow());
  }

  /** Another network ends the walk; after an edit the row is predicted anew, by the new revision. */
  follow() {
    const { model, opened } = this.explorer;
    if (model && opened !== this.seen) this.recall(model, opened);
    if (this.table !== null && model && model.revision !== this.revision) {
      this.revision = model.revision;
      this.pages = new Map();
      if (this.variable === null) Object.assign(this, NOTHING);
      else if (this.place !== null) this.look(this.place).then(() => this.explorer.tell());
    }
    this.explorer.truth = this.truth;
    this.working.follow();
  }

  /** The state that the row tells, {key, place}, while its findings are set; null else. */
  get truth() {
    const known = this.active && this.isShown && this.row.true !== null && this.variable !== null;
    return known ? { key: this.target, place: this.row.true } : null;
  }

  /** Show or hide the calculation behind the prediction; it follows the findings. */
  showWorking(shown) {
    this.showsWorking = shown;
    this.remember();
    this.explorer.tell();
  }

  workingRequest() {
    const { variable, row, explorer } = this;
    if (!this.showsWorking || !this.active || variable === null || row === null) return null;
    return { targets: [variable.name], findings: explorer.believed };
  }

  get active() {
    return this.table !== null && this.explorer.model !== null;
  }

  /** The variable that the rows tell, and the network is to predict; null if it has gone by an edit. */
  get variable() {
    return this.explorer.model?.byKey.get(this.target) ?? null;
  }

  /** Begin: `table` is {table, name, rows}, `target` the key of a variable, `cell` {true, predicted} or null. */
  async begin(table, target, { order = "table", cell = null, place = 0 } = {}) {
    const { model, opened } = this.explorer;
    Object.assign(this, NOTHING, { table, target, order, cell, pages: new Map(), problem: null });
    Object.assign(this, { revision: model.revision, seen: opened });
    await this.go(place);
  }

  end() {
    this.asking.stop();
    Object.assign(this, NOTHING, { pages: new Map(), problem: null });
    this.remember();
    this.explorer.tell();
  }

  /** A reload goes on with the same row. */
  remember() {
    const { table, target, order, cell, place, showsWorking } = this;
    const kept = table && { table: { table: table.table, name: table.name }, target, order, cell, place, showsWorking };
    this.explorer.memory.remember(this.explorer.model.revision, { walk: kept });
  }

  recall(model, opened) {
    const { walk } = this.explorer.memory.recall(model.revision);
    Object.assign(this, NOTHING, { seen: opened });
    if (!walk || !model.byKey.has(walk.target) || walk.place === null) return;
    Object.assign(this, walk, { pages: new Map(), problem: null, revision: model.revision });
    this.look(walk.place).then(() => this.explorer.tell());
  }

  async reorder(order) {
    await this.begin(this.table, this.target, { order, cell: this.cell });
  }

  /** Whether the findings are still those of the row. */
  get isShown() {
    return this.row !== null && same(this.explorer.findings, this.row.findings);
  }

  next() {
    return this.go(this.place + 1);
  }

  previous() {
    return this.go(this.place - 1);
  }

  /** Show the row at a place of the walk: its findings become the present ones. */
  async go(place) {
    if (place < 0 || (this.total > 0 && place >= this.total)) return;
    if (await this.look(place)) await this.explorer.change(this.row.findings);
    this.explorer.tell();
  }

  /** Ask for the row at a place; returns whether it is there. */
  async look(place) {
    try {
      const rows = await this.page(Math.floor(place / PAGE));
      if (rows === null) return false;
      const row = rows[place % PAGE] ?? null;
      Object.assign(this, { problem: null, row, place: row && place });
      this.remember();
      return row !== null;
    } catch (problem) {
      this.problem = problem;
      return false;
    }
  }

  /** The rows of a page; null if another walk has begun since. */
  async page(number) {
    if (this.pages.has(number)) return this.pages.get(number);
    const { pages } = this;
    const work = (signal) => rowList(this.explorer, this, number * PAGE, signal);
    const { current, answer } = await this.asking.run(work);
    if (!current || pages !== this.pages) return null;
    this.total = answer.rows_in_all;
    pages.set(number, answer.rows);
    return answer.rows;
  }
}

/** Rows of a table in an order, those of a cell of the confusion if one is named. */
export function rowList(explorer, { table, target, order, cell }, first, signal) {
  const { model, connection } = explorer;
  const request = { table: table.table, target: model.byKey.get(target).name, order, first, count: PAGE };
  if (cell) Object.assign(request, cell);
  return connection.ask(model.revision, "row-list", request, signal);
}
