/** The connection of a page that is one file: the network is in it, and answers are computed here. */

import { Problem } from "../connection.js";
import { keyOf, same } from "../values.js";
import { CliqueTree } from "./clique_tree.js";
import { evidenceOf } from "./evidence.js";
import { mixture } from "./gaussians.js";
import { believed, logProbability, mostProbable } from "./messages.js";
import { releases } from "./releases.js";

export class OfflineConnection {
  /** `document` has the `model` as the API sends it, and the `tree` that Python compiled. */
  constructor({ model, tree }) {
    this.answer = model;
    this.variables = model.variables.map((variable) => ({
      ...variable,
      key: keyOf(variable.name),
      text: variable.title || variable.label,
      stateKeys: variable.states.map(keyOf),
    }));
    this.tree = new CliqueTree(tree);
    this.prior = null;
  }

  evidence(findings) {
    return evidenceOf(this.variables, this.tree, findings);
  }

  async model() {
    return this.answer;
  }

  async beliefs(model, findings) {
    const found = believed(this.tree, this.evidence(findings));
    if (found.logTotal === -Infinity) throw this.impossible(findings);
    return {
      log_probability: found.logTotal,
      surprise: this.surprise(findings, found.logTotal),
      beliefs: this.variables.map((_, number) => this.belief(number, findings, found)),
    };
  }

  /** The belief of one variable: of its states in order, or of a number. */
  belief(number, findings, { marginals, families }) {
    const variable = this.variables[number].name;
    const gaussian = this.tree.gaussians.get(number);
    if (!gaussian) return { variable, probabilities: marginals[number] };
    const known = findings.find((finding) => same(finding.variable, variable));
    if (known) return { variable, mean: known.value, deviation: 0 };
    return { variable, ...mixture(gaussian, families.get(number)) };
  }

  async mostProbable(model, findings) {
    const evidence = this.evidence(findings);
    const total = logProbability(this.tree, evidence);
    if (total === -Infinity) throw this.impossible(findings);
    const best = mostProbable(this.tree, evidence);
    const isKnown = ({ name }) =>
      findings.some((one) => same(one.variable, name) && ("state" in one || "do" in one));
    const states = this.variables.flatMap((variable, number) =>
      isKnown(variable) || variable.states.length === 0 ? [] : [{ variable: variable.name, state: variable.states[best.states[number]] }],
    );
    return { explanations: [{ states, probability: Math.min(Math.exp(best.logTotal - total), 1) }] };
  }

  /** Jensen's measure of conflict in bits, Σ log2 P(finding) − log2 P(all), of two or more observed states. */
  surprise(findings, logTotal) {
    if (findings.length < 2 || !findings.every((finding) => "state" in finding)) return null;
    this.prior ??= believed(this.tree, this.evidence([])).marginals;
    const alone = findings.reduce((sum, { variable, state }) => {
      const number = this.variables.findIndex(({ name }) => same(name, variable));
      return sum + Math.log(this.prior[number][this.variables[number].stateKeys.indexOf(keyOf(state))]);
    }, 0);
    return (alone - logTotal) / Math.LN2;
  }

  impossible(findings) {
    const chance = (some) => logProbability(this.tree, this.evidence(some));
    return new Problem({
      type: "impossible-findings",
      status: 422,
      detail: "These findings cannot occur together: their probability is 0. Release or correct one of them.",
      release: releases(findings, chance),
    });
  }
}
