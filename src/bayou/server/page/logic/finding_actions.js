/** What a person does with one variable, by its key and the place of a state, as changes of the findings. */

import {
  cleared,
  excluded,
  intervened,
  measured,
  noneOf,
  observed,
  oneOf,
  released,
  toggled,
  weighted,
  weightsWith,
} from "./findings.js";

export const NONE_LEFT = "No state would be left. Keep at least one, or clear the finding.";

export class FindingActions {
  /** `refuse(text)` is told why something was not done. */
  constructor(explorer, refuse = () => {}) {
    this.explorer = explorer;
    this.refuse = refuse;
  }

  variable(key) {
    return this.explorer.model.byKey.get(key);
  }

  async apply(findings, reason = NONE_LEFT) {
    if (findings === null) this.refuse(reason);
    else await this.explorer.change(findings);
  }

  toggle(key, index) {
    const { name, states } = this.variable(key);
    return this.apply(toggled(this.explorer.findings, name, states[index]));
  }

  /** Observed in this state, whatever was known before. */
  observe(key, index) {
    const { name, states } = this.variable(key);
    return this.apply(observed(this.explorer.findings, name, states[index]));
  }

  exclude(key, index) {
    const { name, states } = this.variable(key);
    return this.apply(excluded(this.explorer.findings, name, states[index], states));
  }

  /** Set to a state by intervention, whatever was known before. */
  setTo(key, index) {
    const { name, states } = this.variable(key);
    return this.apply(intervened(cleared(this.explorer.findings, name), name, states[index]));
  }

  intervene(key, index) {
    const { name, states } = this.variable(key);
    return this.apply(intervened(this.explorer.findings, name, states[index]));
  }

  clear(key) {
    return this.apply(cleared(this.explorer.findings, this.variable(key).name));
  }

  clearAll() {
    return this.apply([]);
  }

  release(findings) {
    return this.apply(findings.reduce(released, this.explorer.findings));
  }

  chooseStates(key, indices) {
    const { name, states } = this.variable(key);
    return this.apply(
      oneOf(
        this.explorer.findings,
        name,
        indices.map((index) => states[index]),
        states,
      ),
    );
  }

  excludeStates(key, indices) {
    const { name, states } = this.variable(key);
    return this.apply(
      noneOf(
        this.explorer.findings,
        name,
        indices.map((index) => states[index]),
        states,
      ),
    );
  }

  weigh(key, weights) {
    const reason = "Weights are numbers from 0 upwards, at least one of them above 0.";
    return this.apply(weighted(this.explorer.findings, this.variable(key).name, weights), reason);
  }

  measure(key, value) {
    const known = Number.isFinite(value);
    const reason = "Type a number, such as 1.7.";
    return this.apply(
      known ? measured(this.explorer.findings, this.variable(key).name, value) : null,
      reason,
    );
  }

  /** The findings while a bar is dragged to a weight; null where no weight would be above 0. */
  dragged(key, index, weight) {
    const { name, states } = this.variable(key);
    const { findings } = this.explorer;
    return weighted(findings, name, weightsWith(findings, name, states, index, weight));
  }
}
