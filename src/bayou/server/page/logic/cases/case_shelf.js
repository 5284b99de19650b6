/** The cases of a tab: saved, switched, compared, kept across a reload, exported and imported. */

import { indexed } from "../beliefs.js";
import { keyOf } from "../values.js";
import { caseWith, fittingCase, joined, nextName, removed, renamed, saved, wholeCases } from "./case_list.js";

const NAME = "bayou cases";
const MOST_MODELS = 10;

export class CaseShelf {
  /** `asked()` is the key of the variable that is asked about beside the cases; null: none. */
  constructor(explorer, asked = () => null) {
    this.asked = asked;
    Object.assign(this, { explorer, revision: null, opened: null, cases: [] });
    Object.assign(this, { compared: new Set(), target: null, answers: new Map(), problem: null });
    explorer.listen(() => this.follow());
  }

  /** The cases of the model that is open; an edit takes them along to the new revision. */
  follow() {
    const { model, opened } = this.explorer;
    if (!model || model.revision === this.revision) return;
    const edited = this.revision !== null && opened === this.opened;
    const stored = this.stored()[model.revision];
    const cases = edited ? this.cases : wholeCases(stored?.cases);
    Object.assign(this, { revision: model.revision, opened, cases });
    const kept = edited ? [...this.compared] : (stored?.compared ?? []);
    this.compared = new Set(kept.filter((name) => cases.some((one) => one.name === name)));
    this.target = model.byKey.has(this.target ?? stored?.target) ? (this.target ?? stored.target) : null;
    this.answers = new Map();
    if (edited) this.remember();
    this.ask();
  }

  stored() {
    try {
      return JSON.parse(this.explorer.memory.storage.getItem(NAME) ?? "{}") ?? {};
    } catch {
      return {};
    }
  }

  remember() {
    const { revision, cases, target } = this;
    const others = Object.entries(this.stored()).filter(([name]) => name !== revision);
    const kept = [...others.slice(-MOST_MODELS + 1), [revision, { cases, target, compared: [...this.compared] }]];
    try {
      this.explorer.memory.storage.setItem(NAME, JSON.stringify(Object.fromEntries(kept)));
    } catch {
      // a full or forbidden storage is no reason to stop
    }
  }

  changed(cases = this.cases) {
    this.cases = cases;
    for (const name of this.compared) if (!cases.some((one) => one.name === name)) this.compared.delete(name);
    this.remember();
    this.ask();
    this.explorer.tell();
  }

  /** The case that is shown now: the one with the present findings. */
  get current() {
    const { findings } = this.explorer;
    return findings.length === 0 ? null : caseWith(this.fitting, findings);
  }

  /** The cases with the findings that the network understands as it is now. */
  get fitting() {
    return this.cases.map((one) => fittingCase(this.explorer.model, one));
  }

  get suggestedName() {
    return nextName(this.cases);
  }

  save(name) {
    this.changed(saved(this.cases, name.trim() || this.suggestedName, this.explorer.findings));
  }

  /** The findings of a case become the present ones; undo goes back. */
  async show(name) {
    const one = this.fitting.find((other) => other.name === name);
    if (one) await this.explorer.change(one.findings);
  }

  /** Returns whether the name could be given. */
  rename(name, wanted) {
    const cases = renamed(this.cases, name, wanted);
    if (cases === null) return false;
    if (this.compared.delete(name)) this.compared.add(wanted.trim());
    this.changed(cases);
    return true;
  }

  remove(name) {
    this.changed(removed(this.cases, name));
  }

  compare(name, on) {
    if (on) this.compared.add(name);
    else this.compared.delete(name);
    this.changed();
  }

  chooseTarget(key) {
    this.target = key;
    this.changed();
  }

  /** The variable whose beliefs are compared: as picked, the one that is asked about, or one that no compared case has a finding about. */
  get comparedVariable() {
    const { model, chosen } = this.explorer;
    const wanted = this.target ?? this.asked() ?? chosen;
    if (model.byKey.has(wanted)) return model.byKey.get(wanted);
    const found = new Set(this.chosenCases.flatMap(({ findings }) => findings.map((one) => keyOf(one.variable))));
    return model.variables.find(({ key }) => !found.has(key)) ?? model.variables[0];
  }

  get chosenCases() {
    return this.fitting.filter(({ name }) => this.compared.has(name));
  }

  /** The beliefs in each of the compared cases: {name, belief, logProbability, problem}; none in an empty network. */
  get columns() {
    const key = this.comparedVariable?.key;
    if (key === undefined) return [];
    return this.chosenCases.map(({ name, findings }) => {
      const answer = this.answers.get(keyOf(findings));
      return { name, belief: answer?.beliefs?.get(key) ?? null, ...answer };
    });
  }

  /** Ask for the beliefs of compared cases that are not known yet. */
  ask() {
    const { revision } = this;
    for (const { findings } of this.chosenCases) {
      const key = keyOf(findings);
      if (this.answers.has(key)) continue;
      this.answers.set(key, {});
      this.explorer.askBeliefs(findings).then(
        ({ beliefs, log_probability }) =>
          this.arrived(revision, key, { beliefs: indexed(beliefs), logProbability: log_probability }),
        (problem) => this.arrived(revision, key, { problem }),
      );
    }
  }

  arrived(revision, key, answer) {
    if (revision !== this.revision) return;
    this.answers.set(key, answer);
    this.explorer.tell();
  }

  /** The text of a file of all cases, and what it cannot hold. */
  write(format) {
    return this.explorer.connection.ask(this.revision, "write-cases", { cases: this.fitting, format });
  }

  /** Add the cases of a file; returns how many there were, and what was left out. */
  async read(text, format) {
    const { cases, remarks } = await this.explorer.connection.ask(this.revision, "read-cases", { text, format });
    this.changed(joined(this.cases, cases));
    return { count: cases.length, remarks };
  }
}

/** The format of a file of cases by its name. */
export const caseFormat = (name) => (/\.cas$/i.test(name) ? "cas" : "csv");
