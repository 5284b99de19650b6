/**
 * The state of one tab, without any drawing: which network is open, its edits and findings with undo and redo,
 * the beliefs that follow from them, and the scenario that is kept as A. Views listen and show it.
 */

import { indexed } from "./beliefs.js";
import { Editing } from "./building/editing.js";
import { fitting } from "./findings.js";
import { begun, recorded, redone, restored, rewound, undone } from "./history.js";
import { Latest } from "./latest.js";
import { leftOf } from "./opening/left_findings.js";
import { fittingStated } from "./stated_state.js";
import { TabState } from "./tab_state.js";
import { same } from "./values.js";

const NOTHING = {
  model: null,
  source: {},
  entry: null,
  history: begun({ revision: null, findings: [] }),
  prior: null,
  beliefs: null,
  believed: [],
  logProbability: 0,
  surprise: null,
  problem: null,
  kept: null,
  left: null,
  explanation: null,
  explaining: false,
  highlight: null,
  marked: null,
  chosen: null,
  chosenArc: null,
  centre: null,
  relation: null,
  stated: {},
  dragStart: null,
  waiting: null,
};

export class Explorer extends TabState {
  constructor(connection, memory) {
    super(memory);
    this.connection = connection;
    this.asking = new Latest();
    this.explainer = new Latest();
    this.editing = new Editing(this);
    Object.assign(this, NOTHING, { canEdit: false, opened: 0, keepings: 0 });
  }

  get busy() {
    return this.asking.busy || this.editing.busy;
  }

  /** Whether the findings cannot all be true: nothing follows from them, and the beliefs are those before. */
  get impossible() {
    return this.problem?.type === "impossible-findings";
  }

  /** Whether why, what next and the like can be asked: not in a page that has no server. */
  get canExplain() {
    return typeof this.connection.ask === "function";
  }

  /** The beliefs of all variables with these findings, without changing anything. */
  async askBeliefs(findings, signal) {
    return this.connection.beliefs(this.model.revision, findings, signal);
  }

  /**
   * Open a model by revision or name. `source` says where it came from ({gallery, name}), so that a link
   * can open it again. Findings come from the link, history and view from the memory of this tab. With `again`
   * there is no link: the network begins without findings, and those with which this tab left it are offered.
   */
  async open(revision, { source = {}, entry = null, findings = [], kept = null, again = false } = {}) {
    const { model, prior } = await this.editing.opened(revision);
    const memory = this.memory.recall(model.revision);
    const known = fitting(model, again ? [] : findings);
    this.stop();
    const first = { revision: model.revision, findings: known.kept };
    const left = again ? leftOf(model, memory) : (memory.left ?? null);
    const history = again ? begun(first) : restored(memory.history, first);
    Object.assign(this, NOTHING, { model, source, entry, history, opened: this.opened + 1 });
    Object.assign(this, { prior, beliefs: prior, left });
    this.editing.begin(memory);
    this.stated = fittingStated(model, memory.stated);
    this.chosen = model.byKey.has(memory.chosen) ? memory.chosen : null;
    this.centre = model.byKey.has(memory.centre) ? memory.centre : null;
    this.relation = this.centre ? (memory.relation ?? null) : null;
    if (model.isLarge && memory.relation === undefined) this.focusOn(mostConnected(model));
    if (kept && !again) await this.keepAgain(fitting(model, kept).kept);
    await this.refresh();
    return { dropped: known.dropped };
  }

  /**
   * Edit the network: `edits` in the form of the API, all of them or none. The new revision is opened in place
   * and is one step of undo. Returns null, or the problem if the server refused (shown, unless `tell` is false).
   */
  edit(edits, how) {
    return this.editing.edit(edits, how);
  }

  stop() {
    this.asking.stop();
    this.explainer.stop();
    this.waiting = null;
  }

  /** Back to the gallery. */
  close() {
    this.stop();
    this.editing.end();
    Object.assign(this, NOTHING);
    this.tell();
  }

  /** A step of undo with these findings. */
  step(findings) {
    return { revision: this.model.revision, findings };
  }

  /** New findings, which can be undone. */
  async change(findings) {
    const base = this.dragStart ? { ...this.history, present: this.step(this.dragStart) } : this.history;
    const settled = same(findings, this.findings) && !this.problem;
    this.history = recorded(base, this.step(findings));
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
    this.history = { ...this.history, present: this.step(findings) };
    await this.refresh();
    if (this.waiting && this.dragStart) {
      const next = this.waiting;
      this.waiting = null;
      await this.preview(next);
    }
  }

  /** The step before, of findings or of edits. */
  async undo() {
    await this.editing.travel(undone);
  }

  /** Back to how it was opened: all findings and edits, which can be redone. */
  async undoAll() {
    await this.editing.travel(rewound);
  }

  async redo() {
    await this.editing.travel(redone);
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

  /** Another revision is shown: with the answer to the findings, or the problem that they are. */
  arrive(findings, answer, prior) {
    if (answer.problem) {
      Object.assign(this, { beliefs: prior, believed: [], logProbability: 0, surprise: null });
      this.problem = answer.problem;
      this.remember();
      this.tell();
    } else {
      this.remember();
      this.accept(findings, answer);
    }
    if (this.explaining) this.explain();
  }

  /** Keep the present scenario as A, also while its beliefs are on their way; what is changed from now on is B. */
  async keep() {
    this.keepings += 1;
    const { findings, believed, beliefs, logProbability, problem } = this;
    if (problem || same(findings, believed)) this.kept = { findings: believed, beliefs, logProbability };
    else await this.keepAgain(findings);
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

  /** The findings with which this tab left the network are those of now: with their undo, if there are no others yet. */
  async takeUp() {
    const { findings, kept, history } = this.left;
    const fits = this.findings.length === 0 && history?.present?.revision === this.model.revision;
    this.left = null;
    if (kept) await this.keepAgain(fitting(this.model, kept).kept);
    if (!fits) return this.change(fitting(this.model, findings).kept);
    this.history = restored(history, this.step(findings));
    return this.refresh();
  }

  dropKept() {
    this.kept = null;
    this.remember();
    this.tell();
  }

  /** A becomes the present scenario, and the present one becomes A. */
  async swap() {
    const before = this.kept.findings;
    await this.keep();
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
}

/** The variable with most arcs: a good place to begin in a large network. */
function mostConnected(model) {
  const arcs = ({ key }) => model.parents.get(key).length + model.children.get(key).length;
  return model.variables.reduce((best, one) => (arcs(one) > arcs(best) ? one : best)).key;
}
