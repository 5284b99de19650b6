/**
 * What is asked beside the beliefs: why, what next, are these related. One of them at a time, about one
 * variable, and it follows the findings. Costs and utilities that are typed belong to the tab.
 */

import { statedPlace } from "../stated_state.js";
import { NO_PRICES, askable, fittingPrices, sentCosts } from "../what_next/decisions.js";
import { FollowedQuestion } from "./followed_question.js";
import { withoutAnswer } from "./no_answer.js";
import { highlightOf } from "./trails.js";

const NOTHING = { kind: null, key: null, other: null, prices: NO_PRICES };

export class Questions {
  constructor(explorer) {
    this.explorer = explorer;
    Object.assign(this, NOTHING, { revision: null, chosen: null, opened: new Set() });
    const followed = (operation, request) => new FollowedQuestion(explorer, operation, request);
    this.why = followed("explain", () => this.explainRequest());
    this.working = followed("working", () => this.workingRequest());
    this.tornado = followed("sensitivity", () => this.tornadoRequest());
    this.table = followed("table", () => this.tableRequest());
    this.next = followed("what-to-ask", () => this.nextRequest());
    this.related = followed("separation", () => this.relatedRequest());
    explorer.listen(() => this.follow());
  }

  get all() {
    return [this.why, this.working, this.tornado, this.table, this.next, this.related];
  }

  get variable() {
    return this.explorer.model?.byKey.get(this.key) ?? null;
  }

  /** Why there is no answer to "why" or "next", as things are; "" if there is one. */
  get told() {
    const { kind, variable, explorer, prices } = this;
    if (kind !== "why" && kind !== "next") return "";
    return withoutAnswer(kind, explorer.model, variable, explorer.believed, prices.apart);
  }

  /** Ask "why", "next" or "related" about a variable; the same again closes it. */
  ask(kind, key, { toggle = false } = {}) {
    if (toggle && this.kind === kind && this.key === key) {
      this.close();
      return;
    }
    Object.assign(this, { kind, key, other: null });
    this.explorer.choose(key);
    this.chosen = this.explorer.chosen;
    this.changed();
  }

  close() {
    Object.assign(this, { kind: null, other: null });
    this.changed();
  }

  /** The state that was asked about: a place, or null for the usual one. */
  get state() {
    return this.explorer.stated[this.key] ?? null;
  }

  chooseState(state) {
    this.explorer.state(this.key, state);
  }

  chooseOther(key) {
    this.other = key;
    this.changed();
  }

  /** A part that is asked for only while it is open: "working", "tornado" or "table". */
  openPart(name, open) {
    if (this.opened.has(name) === open) return;
    if (open) this.opened.add(name);
    else this.opened.delete(name);
    this.changed();
  }

  /** Some of: costs, utilities, and the variables that are left out of what to ask. */
  setPrices(prices) {
    this.prices = { ...this.prices, ...prices };
    this.changed();
  }

  changed() {
    const { kind, key, prices, explorer } = this;
    explorer.memory.remember(explorer.model.revision, { question: kind && { kind, key }, prices });
    explorer.tell();
  }

  /** Everything that is open is brought up to date. */
  follow() {
    const { model, chosen } = this.explorer;
    if (model && model.revision !== this.revision) this.recall(model);
    if (!model?.byKey.has(this.key)) Object.assign(this, { kind: null, key: null });
    if (!model?.byKey.has(this.other)) this.other = null;
    if (this.kind === "related" && chosen !== this.chosen && chosen !== this.key) this.other = chosen;
    this.chosen = chosen;
    for (const question of this.all) question.follow();
    this.explorer.highlight = this.explorer.marked ?? (model ? highlightOf(model, this.trails) : null);
  }

  /** What this tab had asked about a model. */
  recall(model) {
    const { question, prices } = this.explorer.memory.recall(model.revision);
    const known = question && model.byKey.has(question.key) ? question : {};
    Object.assign(this, NOTHING, { kind: known.kind ?? null, key: known.key ?? null });
    Object.assign(this, { revision: model.revision, prices: fittingPrices(model, prices) });
  }

  /** The trails of the answer that is shown. */
  get trails() {
    if (this.kind === "why") return (this.why.answer?.trails ?? []).map(({ names }) => names);
    if (this.kind === "related") return this.related.answer?.trails ?? [];
    return [];
  }

  /** The utilities of actions on a variable, as the API takes them. */
  actionsOn(key) {
    return this.prices.utilities[key] ?? [];
  }

  /** The place of the state that the numbers are about. */
  get statePlace() {
    const { prior, beliefs, stated } = this.explorer;
    return statedPlace(this.variable, prior?.get(this.key), beliefs?.get(this.key), stated);
  }

  explainRequest() {
    const { believed } = this.explorer;
    if (this.kind !== "why" || believed.length === 0 || this.told) return null;
    const { name, states } = this.variable;
    return { target: name, state: states[this.statePlace], findings: believed, percent: true };
  }

  workingRequest() {
    if (this.kind !== "why" || !this.opened.has("working") || this.told) return null;
    return { targets: [this.variable.name], findings: this.explorer.believed };
  }

  tornadoRequest() {
    const { variable } = this;
    if (this.kind !== "why" || !this.opened.has("tornado") || this.told) return null;
    const state = variable.states[this.statePlace];
    const utilities = this.actionsOn(this.key);
    return { target: variable.name, state, findings: this.explorer.believed, utilities, most: 12, percent: true };
  }

  tableRequest() {
    if (this.kind !== "why" || !this.opened.has("table")) return null;
    return { variable: this.variable.name };
  }

  nextRequest() {
    if (this.kind !== "next" || this.told) return null;
    const { model, believed } = this.explorer;
    const { costs, apart } = this.prices;
    const among = askable(model, this.key, believed, apart);
    const [target, utilities] = [this.variable.name, this.actionsOn(this.key)];
    return { target, findings: believed, costs: sentCosts(model, costs), utilities, among };
  }

  relatedRequest() {
    if (this.kind !== "related" || this.other === null || this.other === this.key) return null;
    const other = this.explorer.model.byKey.get(this.other).name;
    return { one: this.variable.name, other, findings: this.explorer.believed };
  }
}
