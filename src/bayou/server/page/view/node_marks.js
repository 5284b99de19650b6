/** The signs and words of marks on states, the same in the drawing, on cards and in the table. */

import { percent, number } from "../logic/numbers.js";
import { about, stateMarks } from "../logic/findings.js";
import { keyOf } from "../logic/values.js";

export const SIGNS = { observed: "●", set: "▶", out: "✕", "": "" };

const SAID = { observed: "observed", set: "set by intervention", out: "excluded", "": "" };

/**
 * Everything that the views show of one variable: {belief, prior, kept, marks, best, hasFinding, changed}. `best` is
 * the place of its state in the most probable explanation, or −1.
 */
export function nodeFacts(explorer, variable) {
  const { findings, beliefs, prior, kept, explanation } = explorer;
  const best = explanation?.states.find((one) => keyOf(one.variable) === variable.key);
  return {
    belief: beliefs.get(variable.key) ?? null,
    prior: prior.get(variable.key) ?? null,
    kept: kept?.beliefs.get(variable.key) ?? null,
    marks: stateMarks(findings, variable.name, variable.states),
    best: best ? variable.stateKeys.indexOf(keyOf(best.state)) : -1,
    hasFinding: about(findings, variable.name).length > 0,
    changed: explorer.believed.length > 0,
  };
}

/** The sign before the label of a state, with its weight. */
export function signText(mark) {
  return mark.weight === null ? SIGNS[mark.sign] : `${SIGNS[mark.sign]}×${number(mark.weight)}`;
}

/** What a screen reader says of a state: "xray = yes: 98.0%, observed, before 11.0%". */
export function stateName(variable, index, facts) {
  const mark = facts.marks[index];
  const parts = [percent(facts.belief?.probabilities?.[index])];
  if (SAID[mark.sign]) parts.push(SAID[mark.sign]);
  if (mark.weight !== null) parts.push(`weight ${number(mark.weight)}`);
  if (facts.best === index) parts.push("in the most probable explanation");
  if (facts.changed) parts.push(`before ${percent(facts.prior?.probabilities?.[index])}`);
  if (facts.kept?.probabilities) parts.push(`A ${percent(facts.kept.probabilities[index])}`);
  return `${variable.text} = ${variable.labels[index]}: ${parts.join(", ")}`;
}

/** Mean ± standard deviation of a continuous belief. */
export function momentsText(belief) {
  if (!belief || belief.mean === undefined || belief.mean === null) return "";
  return `${number(belief.mean)} ± ${number(belief.deviation)}`;
}
