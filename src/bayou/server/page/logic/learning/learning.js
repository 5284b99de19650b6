/**
 * Learning from a table, step by step: "reading" the file, "choosing" what to learn with the doctor's report in
 * view, "learning", "learned". The dialog listens and shows it.
 */

import { Latest } from "../latest.js";
import { keyOf } from "../values.js";
import { Job } from "./job.js";
import { columnOf, numbersOf, sendTable, tableReport, targetsOf, uselessColumns } from "./tables.js";
import { textOf } from "./words.js";

const NOTHING = { step: "none", table: null, way: "structure", target: null, job: null, problem: null };
const NONE = new Set();

/** Into how many ranges of numbers each way cuts at first; null: as the library does by itself. */
const RANGES = { structure: 4, "naive-bayes": null, tan: null };

export class Learning {
  constructor(explorer, changed = () => {}) {
    Object.assign(this, NOTHING, { explorer, changed, before: null, ignored: NONE, ranges: RANGES });
    this.reporting = new Latest();
  }

  get connection() {
    return this.explorer.connection;
  }

  /** Send a file and look at it; the network that is open now is the one to compare with. */
  async read(file) {
    const { model } = this.explorer;
    const before = model ? { revision: model.revision, name: nameOf(this.explorer), arcs: model.arcs.length } : null;
    this.set({ ...NOTHING, step: "reading", fileName: file.name, before, ignored: NONE, ranges: RANGES });
    try {
      const table = await sendTable(this.connection, file);
      this.set({ step: "choosing", table, ignored: uselessColumns(table) });
    } catch (problem) {
      this.set({ step: "none", problem });
    }
  }

  set(facts) {
    Object.assign(this, facts);
    this.changed();
  }

  get targets() {
    return this.table ? targetsOf(this.table).filter(({ name }) => !this.ignored.has(keyOf(name))) : [];
  }

  get needsTarget() {
    return this.way === "naive-bayes" || this.way === "tan";
  }

  /** Why it cannot be learned yet, or "". */
  get missing() {
    return this.needsTarget && this.target === null ? "Choose the column to predict." : "";
  }

  /** The columns of numbers that this way cuts into ranges. */
  get numbers() {
    if (!this.table || !(this.way in RANGES)) return [];
    return numbersOf(this.table, !this.needsTarget).filter(({ name }) => !this.ignored.has(keyOf(name)) && keyOf(name) !== this.target);
  }

  /** Into how many ranges with about as many rows each numbers are cut; null: as the library does by itself. */
  chooseRanges(ranges) {
    this.set({ ranges: { ...this.ranges, [this.way]: ranges } });
  }

  chooseWay(way) {
    this.set({ way });
  }

  /** Use a column, or leave it out; one that is left out is not predicted either. */
  useColumn(key, used) {
    const ignored = new Set(this.ignored);
    if (used) ignored.delete(key);
    else ignored.add(key);
    this.set({ ignored, target: ignored.has(this.target) ? null : this.target });
  }

  /** The column to predict, by the key of its name, or null; the doctor looks again with it. */
  async chooseTarget(target) {
    this.set({ target });
    const name = target === null ? null : columnOf(this.table, target).name;
    if (name !== null && typeof name !== "string") return;
    try {
      const work = (signal) => tableReport(this.connection, this.table, name, signal);
      const { current, answer } = await this.reporting.run(work);
      if (current) this.set({ table: answer });
    } catch (problem) {
      this.set({ problem });
    }
  }

  request() {
    const { table, way, target, before } = this;
    const request = { table: table.table, learn: way };
    if (this.needsTarget) request.target = columnOf(table, target).name;
    if (way === "parameters") request.arcs_of = before.revision;
    if (before) request.compare_with = before.revision;
    const ignore = table.columns.filter(({ name }) => this.ignored.has(keyOf(name))).map(({ name }) => name);
    const options = {};
    // With known arcs all other columns are left out anyway.
    if (ignore.length > 0 && way !== "parameters") options.ignore = ignore;
    if (this.numbers.length > 0 && this.ranges[way] !== null) options.ranges = this.ranges[way];
    return Object.keys(options).length > 0 ? { ...request, options } : request;
  }

  async learn() {
    if (this.missing) return;
    this.running = new Job(this.connection);
    this.set({ step: "learning", job: null, problem: null });
    try {
      const job = await this.running.run(this.request(), (told) => this.set({ job: told }));
      if (job.state === "done") this.set({ step: "learned", job });
      else this.set({ step: "choosing", problem: job.problem ? { message: job.problem.detail } : null });
    } catch (problem) {
      if (this.step === "learning") this.set({ step: "choosing", problem });
    }
  }

  /** Give up: the file that is being read, or the job, which ends on the server, too. */
  async cancel() {
    if (this.step !== "learning") {
      this.set(NOTHING);
      return;
    }
    const { running } = this;
    this.set({ step: "choosing", job: null });
    try {
      await running.cancel();
    } catch (problem) {
      this.set({ problem });
    }
  }

  back() {
    this.set({ step: "choosing", job: null, problem: null });
  }

  /** The most frequent value of the column to predict, as a text. */
  get mostFrequent() {
    const column = this.target === null ? null : columnOf(this.table, this.target);
    return column?.values.length > 0 ? textOf(column.values[0].value) : "the most frequent";
  }
}

function nameOf({ model, source, entry }) {
  return model.title || source.name || entry?.name || source.gallery || "the network before";
}
