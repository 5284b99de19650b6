/** The state of a tab that shows a model of sequences: steps and findings with undo, and what follows from them. */

import { begun, recorded, redone, restored, undone } from "../history.js";
import { Latest } from "../latest.js";
import { keyOf, same } from "../values.js";
import { stripAddress } from "./strip_address.js";
import { fittingSteps } from "./step_findings.js";
import { StripModel } from "./strip_model.js";

export const MOST_STEPS = 10_000;
export const MOST_AHEAD = 1_000;
const STEPS = 10;

const NOTHING = {
  model: null,
  source: {},
  history: begun({ steps: STEPS, findings: [] }),
  what: "smooth",
  forecast: 0,
  path: true,
  answer: null,
  answered: null,
  problem: null,
};

const between = (value, low, high) => Math.min(Math.max(Math.round(value), low), high);

export class StripExplorer {
  constructor(connection, memory) {
    Object.assign(this, { connection, memory }, NOTHING);
    this.asking = new Latest();
    this.listeners = new Set();
  }

  listen(listener) {
    this.listeners.add(listener);
  }

  tell() {
    for (const listener of this.listeners) listener(this);
  }

  get busy() {
    return this.asking.busy;
  }

  get findings() {
    return this.history.present.findings;
  }

  get steps() {
    return this.history.present.steps;
  }

  /** The columns of the strip: the steps of the sequence, and those of the forecast. */
  get columns() {
    return this.steps + this.forecast;
  }

  get logProbability() {
    return this.answer?.log_probability ?? 0;
  }

  /** The part of the URL after "#" that opens this state again. */
  get address() {
    if (!this.model) return "";
    const { findings, steps, what, forecast, path } = this;
    const { gallery, name } = this.source;
    return stripAddress({ sequence: this.model.revision, gallery, name, steps, findings, what, forecast, path });
  }

  /** Open a model by revision; `place` is what a link says, the rest is what this tab remembers (`again`: all of it). */
  async open(revision, { source = {}, place: told = {}, again = false } = {}) {
    const answer = await this.connection.model(revision);
    const model = new StripModel(answer);
    const memory = this.memory.recall(model.revision);
    const place = again ? { ...memory.history?.present, ...told } : told;
    const steps = between(place.steps ?? STEPS, 1, MOST_STEPS);
    const known = fittingSteps(model, steps, place.findings ?? []);
    this.asking.stop();
    const history = restored(memory.history, { steps, findings: known.kept });
    Object.assign(this, NOTHING, { model, source, history });
    this.forecast = between(place.forecast ?? 0, 0, MOST_AHEAD);
    this.what = place.what === "filter" ? "filter" : "smooth";
    this.path = place.path ?? true;
    await this.refresh();
    return { dropped: known.dropped };
  }

  close() {
    this.asking.stop();
    if (!this.model) return;
    Object.assign(this, NOTHING);
    this.tell();
  }

  /** New findings, which can be undone; null (nothing possible is left) changes nothing. */
  async change(findings, steps = this.steps) {
    if (findings === null) return;
    const history = recorded(this.history, { steps, findings });
    if (history === this.history) return;
    this.history = history;
    await this.refresh();
  }

  /** Another number of steps; findings behind the last one go, and undo brings them back. */
  async resize(steps) {
    if (!Number.isFinite(steps)) return;
    const most = between(steps, 1, MOST_STEPS);
    await this.change(
      this.findings.filter(({ step }) => step < most),
      most,
    );
  }

  /** What is asked: {what, forecast, path}. These are views of one sequence, and no steps of undo. */
  async set(settings) {
    const before = [this.what, this.forecast, this.path];
    Object.assign(this, settings);
    this.forecast = between(this.forecast || 0, 0, MOST_AHEAD);
    if (!same(before, [this.what, this.forecast, this.path])) await this.refresh();
  }

  async undo() {
    await this.travel(undone(this.history));
  }

  async redo() {
    await this.travel(redone(this.history));
  }

  async travel(history) {
    if (history === this.history) return;
    this.history = history;
    await this.refresh();
  }

  remember() {
    this.memory.remember(this.model.revision, { history: this.history });
  }

  /** Ask for the beliefs; answers to older questions are dropped, and a problem leaves the strip as it was. */
  async refresh() {
    this.remember();
    const { steps, findings, what, forecast } = this;
    const path = this.path && this.model.rows.some((row) => !row.isNumber);
    const body = { steps, findings, what, forecast, path };
    const run = this.asking.run((signal) =>
      this.connection.ask(this.model.revision, "over-time", body, signal),
    );
    this.tell();
    try {
      const { current, answer } = await run;
      if (!current) return;
      this.answer = answer;
      this.answered = body;
      this.tracks = new Map(answer.tracks.map((track) => [keyOf(track.variable), track]));
      this.paths = new Map((answer.path ?? []).map((one) => [keyOf(one.variable), one]));
      this.problem = null;
    } catch (problem) {
      this.problem = problem;
    }
    this.tell();
  }

  /** What is known of a row at a step: {probabilities} or {mean, deviation}; null before there is an answer. */
  belief(row, step) {
    const track = this.answer ? this.tracks.get(row.key) : null;
    if (!track) return null;
    if (row.isNumber) return { mean: track.means[step] ?? null, deviation: track.deviations[step] ?? null };
    return { probabilities: track.probabilities[step] ?? null };
  }

  /** The place of a row's state on the most probable path, or null. */
  pathState(row, step) {
    const states = this.answer ? this.paths.get(row.key)?.states : null;
    return states?.[step] ?? null;
  }
}
