/** Findings in the form of the API as numbers: weights of states by variable, and tables that they replace. */

import { Problem } from "../connection.js";
import { keyOf } from "../values.js";
import { densityRatios } from "./gaussians.js";

const refused = (detail) => new Problem({ type: "bad-question", status: 422, detail });

/**
 * `{vectors, replaced, logScale}` of the findings; `variables` have a key and stateKeys, in the order of the
 * tree. The table of a variable that is set is replaced by null, that of an observed number by the `logs` of
 * its densities, but for a number that is in logScale.
 */
export function evidenceOf(variables, tree, findings) {
  const numbers = new Map(variables.map(({ key }, number) => [key, number]));
  const vectors = new Map();
  const replaced = new Map();
  let logScale = 0;
  for (const finding of findings) {
    const number = numbers.get(keyOf(finding.variable));
    if (number === undefined) throw refused("A finding is about a variable that this network does not have.");
    if ("value" in finding) {
      const { logs, peak } = measured(variables[number], tree.gaussians.get(number), finding.value);
      replaced.set(number, { logs });
      logScale += peak;
      continue;
    }
    const weights = weightsOf(variables[number], finding);
    const before = vectors.get(number);
    vectors.set(number, before ? before.map((weight, k) => weight * weights[k]) : Float64Array.from(weights));
    if ("do" in finding) replaced.set(number, null);
  }
  return { vectors, replaced, logScale };
}

function measured({ text }, gaussian, value) {
  if (!gaussian || !Number.isFinite(value)) throw refused(`${text} has no value ${value}.`);
  return densityRatios(gaussian, value);
}

function weightsOf({ stateKeys, text }, finding) {
  if ("weights" in finding) {
    const good = finding.weights.length === stateKeys.length && finding.weights.every((weight) => weight >= 0);
    if (!good) throw refused(`${text} needs one weight for each of its states, from 0 upwards.`);
    return finding.weights;
  }
  const named = "in" in finding ? finding.in : "not" in finding ? finding.not : [finding.do ?? finding.state];
  const keys = new Set(named.map(keyOf));
  if ([...keys].some((key) => !stateKeys.includes(key)))
    throw refused(`A finding about ${text} names a state that it does not have.`);
  return stateKeys.map((key) => (keys.has(key) === !("not" in finding) ? 1 : 0));
}
