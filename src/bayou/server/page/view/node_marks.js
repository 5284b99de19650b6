/** The signs and words of marks on states, the same in the drawing, on cards and in the table. */

import { percent, number } from "../logic/numbers.js";
import { about, stateMarks } from "../logic/findings.js";
import { keyOf, same } from "../logic/values.js";

export const SIGNS = { observed: "●", set: "▶", out: "✕", "": "" };

const SAID = { observed: "observed", set: "set by intervention", out: "excluded", "": "" };

/**
 * Everything that the views show of one variable: {belief, prior, kept, marks, best, truth, hasFinding,
 * changed}. `best` is the place of its state in the most probable explanation, `truth` that in the row of a table
 * that is looked at; −1 if there is none. While the findings are impossible the beliefs are those before: a variable
 * whose finding is a new one has none, so that no bar contradicts its mark.
 */
export function nodeFacts(explorer, variable) {
  const { findings, believed, beliefs, prior, kept, explanation, impossible } = explorer;
  const best = impossible ? undefined : explanation?.states.find((one) => keyOf(one.variable) === variable.key);
  const stale = impossible && !same(about(findings, variable.name), about(believed, variable.name));
  return {
    belief: (stale ? null : beliefs.get(variable.key)) ?? null,
    prior: prior.get(variable.key) ?? null,
    kept: kept?.beliefs.get(variable.key) ?? null,
    marks: stateMarks(findings, variable.name, variable.states),
    best: best ? variable.stateKeys.indexOf(keyOf(best.state)) : -1,
    truth: explorer.truth?.key === variable.key ? explorer.truth.place : -1,
    hasFinding: about(findings, variable.name).length > 0,
    changed: explorer.believed.length > 0,
  };
}

/** The sign before the label of a state, with its weight. */
export function signText(mark) {
  return mark.weight === null ? SIGNS[mark.sign] : `${SIGNS[mark.sign]}×${number(mark.weight)}`;
}

/** The percentage of a state, with ✓ if it is the true one and ◆ if it is in the most probable explanation. */
export function valueText(facts, index) {
  const signs = `${facts.truth === index ? "✓ " : ""}${facts.best === index ? "◆ " : ""}`;
  return signs + percent(facts.belief?.probabilities?.[index] ?? NaN);
}

/** What a screen reader says of a state: "xray = yes: 98.0%, observed, before 11.0%". */
export function stateName(variable, index, facts) {
  const mark = facts.marks[index];
  const parts = [percent(facts.belief?.probabilities?.[index])];
  if (SAID[mark.sign]) parts.push(SAID[mark.sign]);
  if (mark.weight !== null) parts.push(`weight ${number(mark.weight)}`);
  if (facts.truth === index) parts.push("true in the row");
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
