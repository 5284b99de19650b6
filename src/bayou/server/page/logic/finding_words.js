/** Findings, and what they add up to, in words. */

import { kindOf } from "./findings.js";
import { number, oneIn } from "./numbers.js";
import { keyOf } from "./values.js";

/** The text of a state of a variable of the model. */
export function stateText(variable, state) {
  const place = variable.stateKeys.indexOf(keyOf(state));
  return place < 0 ? String(state) : variable.labels[place];
}

/** One finding as a short sentence: "smoke = yes", "age is not 40", "xray set to yes". */
export function findingText(model, finding) {
  const variable = model.byKey.get(keyOf(finding.variable));
  if (!variable) return String(finding.variable);
  const name = variable.text;
  const text = (state) => stateText(variable, state);
  switch (kindOf(finding)) {
    case "state":
      return `${name} = ${text(finding.state)}`;
    case "value":
      return `${name} = ${number(finding.value)}`;
    case "in":
      return `${name} is ${listed(finding.in.map(text), "or")}`;
    case "not":
      return `${name} is not ${listed(finding.not.map(text), "or")}`;
    case "do":
      return `${name} set to ${text(finding.do)}`;
    default:
      return `${name} weighed ${weightsText(variable, finding.weights)}`;
  }
}

/** The weights of the states, those of 1 left out if there are many. */
function weightsText(variable, weights) {
  const parts = weights.map((weight, index) => `${variable.labels[index]} ×${number(weight)}`);
  const telling = weights.length > 3 ? parts.filter((_, index) => weights[index] !== 1) : parts;
  return (telling.length > 0 ? telling : parts).join(", ");
}

/** "a", "a and b", "a, b and c". */
export function listed(texts, last = "and") {
  if (texts.length < 2) return texts.join("");
  return `${texts.slice(0, -1).join(", ")} ${last} ${texts[texts.length - 1]}`;
}

/** How probable the findings are together; interventions are no observations and have no probability. */
export function rarityText(findings, logProbability) {
  const set = findings.filter((finding) => "do" in finding).length;
  if (set > 0 && set === findings.length)
    return "An intervention is no observation, so it has no probability of its own.";
  const told = `${oneIn(logProbability)} (log P = ${number(logProbability)})`;
  return set > 0 ? `Probability of what was observed, after the intervention: ${told}` : `Probability of these findings: ${told}`;
}

/** Jensen's conflict measure in words: positive bits mean that the findings do not go together. */
export function conflictText(bits) {
  if (bits === null || bits === undefined || !Number.isFinite(bits)) return "";
  const size = `${number(Math.abs(bits))} bits`;
  if (Math.abs(bits) < 0.05) return "The findings neither support nor contradict each other.";
  if (bits < 0) return `The findings support each other (conflict −${size}).`;
  if (bits < 1) return `The findings fit together a little less than by chance (conflict ${size}).`;
  return `The findings contradict each other (conflict ${size}): check them, or this is a rare case.`;
}
