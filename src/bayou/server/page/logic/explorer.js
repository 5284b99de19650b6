/**
 * The state of one tab, without any drawing: which network is open, the findings with undo and redo, the
 * beliefs that follow from them, and the scenario that is kept as A. Views listen and show it.
 */

import { addressOf } from "./address.js";
import { indexed } from "./beliefs.js";
import { fitting } from "./findings.js";
import { begun, recorded, redone, restored, undone } from "./history.js";
import { Latest } from "./latest.js";
import { Model } from "./model.js";
import { same } from "./values.js";

const NOTHING = {
  model: null,
  source: {},
  entry: null,
  history: begun([]),
  prior: null,
  beliefs: null,
  believed: [],
  logProbability: 0,
  surprise: null,
  problem: null,
  kept: null,
  explanation: null,
  explaining: false,
  chosen: null,
  centre: null,
  relation: null,
  dragStart: null,
  waiting: null,
};

export class Explorer {
  constructor(connection, memory) {
    this.connection = connection;
    this.memory = memory;
    this.listeners = new Set();
    this.asking = new Latest();
    this.explainer = new Latest();
    Object.assign(this, NOTHING);
  }

  /** Call `listener(explorer)` after every change. */
  listen(listener) {
    this.listeners.add(listener);
  }

  tell() {
    for (const listener of this.listeners) listener(this);
  }

  get findings() {
    return this.history.present;
  }

  get busy() {
    return this.asking.busy;
  }

  /** The beliefs of all variables with these findings, without changing anything. */
  async askBeliefs(findings, signal) {
    return this.connection.beliefs(this.model.revision, findings, signal);
  }

  /**
   * Open a model by revision or name. `source` says where it came from ({gallery, name}), so that a link
   * can open it again. Findings come from the link, history and view from the memory of this tab.
   */
  async open(revision, { source = {}, entry = null, findings = [], kept = null } = {}) {
    const answer = await this.connection.model(revision);
    const prior = await this.priorOf(answer.revision);
    const [model, memory] = [new Model(answer), this.memory.recall(answer.revision)];
    const known = fitting(model, findings);
    this.stop();
    Object.assign(this, NOTHING, { model, source, entry, history: restored(memory.history, known.kept) });
    Object.assign(this, { prior, beliefs: prior });
    this.chosen = model.byKey.has(memory.chosen) ? memory.chosen : null;
    this.centre = model.byKey.has(memory.centre) ? memory.centre : null;
    this.relation = this.centre ? (memory.relation ?? null) : null;
    if (model.isLarge && memory.relation === undefined) this.focusOn(mostConnected(model));
    if (kept) await this.keepAgain(fitting(model, kept).kept);
    await this.refresh();
    return { dropped: known.dropped };
  }

  /** The beliefs before any findings; none if the network is too hard or not complete: it can be seen all the same. */
  async priorOf(revision) {
    try {
      return indexed((await this.connection.beliefs(revision, [])).beliefs);
    } catch (problem) {
      if (!(problem.status >= 400) || problem.status === 404) throw problem;
      return new Map();
    }
  }

  stop() {
    this.asking.stop();
    this.explainer.stop();
    this.waiting = null;
  }

  /** Back to the gallery. */
  close() {
    this.stop();
    Object.assign(this, NOTHING);
    this.tell();
  }

  /** The part of the URL after "#" that opens this state again. */
  get address() {
    if (!this.model) return "";
    const kept = this.kept ? this.kept.findings : null;
    return addressOf({ model: this.model.revision, ...this.source, findings: this.findings, kept });
  }

  /** New findings, which can be undone. */
  async change(findings) {
    const base = this.dragStart ? { ...this.history, present: this.dragStart } : this.history;
    const settled = same(findings, this.findings) && !this.problem;
    this.history = recorded(base, findings);
    this.dragStart = null;
    this.waiting = null;
    if (!settled) await this.refresh();
    else if (this.history !== base) this.remember();
    this.tell();
  }

  /** Give up a drag: the findings are again as before it. */
  async cancelPreview() {
    if (this.dragStart) await this.change(this.dragStart);
  }

  /** Findings while the pointer is down: one question at a time, the newest next; one step of undo in all. */
  async preview(findings) {
    this.dragStart ??= this.findings;
    if (this.busy) {
      this.waiting = findings;
      return;
    }
    this.history = { ...this.history, present: findings };
    await this.refresh();
    if (this.waiting && this.dragStart) {
      const next = this.waiting;
      this.waiting = null;
      await this.preview(next);
    }
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

  /** Ask for the beliefs that follow from the findings; answers to older findings are dropped. */
  async refresh() {
    this.remember();
    const findings = this.findings;
    const run = this.asking.run((signal) => this.askBeliefs(findings, signal));
    this.tell();
    try {
      const { current, answer } = await run;
      if (!current) return;
      this.accept(findings, answer);
    } catch (problem) {
      this.problem = problem;
      this.tell();
      return;
    }
    if (this.explaining) await this.explain();
  }

  accept(findings, answer) {
    this.problem = null;
    this.beliefs = indexed(answer.beliefs);
    this.believed = findings;
    this.logProbability = answer.log_probability;
    this.surprise = answer.surprise ?? null;
    this.tell();
  }

  /** Keep the present scenario as A; what is changed from now on is B. */
  keep() {
    this.kept = { findings: this.believed, beliefs: this.beliefs, logProbability: this.logProbability };
    this.remember();
    this.tell();
  }

  async keepAgain(findings) {
    try {
      const answer = await this.askBeliefs(findings);
      this.kept = { findings, beliefs: indexed(answer.beliefs), logProbability: answer.log_probability };
    } catch {
      this.kept = null;
    }
  }

  dropKept() {
    this.kept = null;
    this.remember();
    this.tell();
  }

  /** A becomes the present scenario, and the present one becomes A. */
  async swap() {
    const before = this.kept.findings;
    this.keep();
    await this.change(before);
  }

  /** Switch the most probable explanation on or off; while it is on it follows the findings. */
  async toggleExplanation() {
    this.explaining = !this.explaining;
    this.explanation = null;
    this.tell();
    if (this.explaining) await this.explain();
    else this.explainer.stop();
  }

  async explain() {
    const [revision, findings] = [this.model.revision, this.believed];
    try {
      const work = (signal) => this.connection.mostProbable(revision, findings, signal);
      const { current, answer } = await this.explainer.run(work);
      if (!current || !this.explaining) return;
      const best = answer.explanations[0] ?? null;
      this.explanation = best && { states: best.states, probability: best.probability };
    } catch (problem) {
      this.explaining = false;
      this.explanation = null;
      this.problem = problem;
    }
    this.tell();
  }

  /** Choose a variable: it stands out, with its arcs. */
  choose(key) {
    if (this.chosen === key) return;
    this.chosen = key;
    this.remember();
    this.tell();
  }

  /** Show only what is around a variable. */
  focusOn(key, relation = this.relation ?? "blanket") {
    Object.assign(this, { chosen: key, centre: key, relation });
    this.remember();
    this.tell();
  }

  showWhole() {
    this.relation = null;
    this.remember();
    this.tell();
  }

  remember() {
    const { history, chosen, centre, relation } = this;
    this.memory.remember(this.model.revision, { history, chosen, centre, relation });
  }
}

/** The variable with most arcs: a good place to begin in a large network. */
function mostConnected(model) {
  const arcs = ({ key }) => model.parents.get(key).length + model.children.get(key).length;
  return model.variables.reduce((best, one) => (arcs(one) > arcs(best) ? one : best)).key;
}
