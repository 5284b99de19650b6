/** Findings, and what they add up to, in words. */

import { kindOf } from "./findings.js";
import { number, oneIn, shortBits } from "./numbers.js";
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

/** How many cases have the findings, in words; interventions are no observations and have no probability. */
export function rarityText(findings, logProbability) {
  const set = findings.filter((finding) => "do" in finding).length;
  if (set > 0 && set === findings.length)
    return "An intervention is no observation, so it has no probability of its own.";
  const seen = findings.length - set === 1 ? "this finding" : "all of these findings";
  const share = casesText(oneIn(logProbability));
  return set > 0 ? `With the intervention, ${share} what was observed.` : `${capital(share)} ${seen}.`;
}

/** "about 1 in 13 cases has", "about 60.0% of cases have", "every case has". */
function casesText(share) {
  if (share === "certain") return "every case has";
  if (share === "never") return "no case has";
  return share.endsWith("%") ? `about ${share} of cases have` : `about ${share} cases has`;
}

const capital = (text) => text[0].toUpperCase() + text.slice(1);

/** Whether the findings go together, by Jensen's conflict measure: positive bits mean that they do not. */
export function conflictText(bits) {
  if (bits === null || bits === undefined || !Number.isFinite(bits)) return "";
  if (Math.abs(bits) < 0.05) return "These findings neither support nor contradict each other.";
  if (bits < 0) return "These findings fit together: they support each other.";
  if (bits < 1) return "These findings fit together a little less well than by chance.";
  return "These findings contradict each other: check them, or this is a rare case.";
}

/** The same in numbers, for who wants them: the logarithm of the probability, and the conflict in bits. */
export function figuresText(findings, logProbability, bits) {
  const figures = [];
  if (findings.some((finding) => !("do" in finding)))
    figures.push(`Natural logarithm of their probability: log P = ${number(logProbability)}.`);
  if (bits !== null && bits !== undefined && Number.isFinite(bits))
    figures.push(`Conflict (Jensen): ${shortBits(bits)}; below 0 the findings support each other, above 0 they contradict each other.`);
  return figures;
}

/** Why to set a variable tells the same as to observe it: nothing influences it. An empty text where that is not so. */
export function sameAsSeenText(model, findings) {
  const roots = findings
    .filter((finding) => "do" in finding)
    .map(({ variable }) => model.byKey.get(keyOf(variable)))
    .filter((variable) => variable && model.parents.get(variable.key).length === 0)
    .map(({ text }) => text);
  if (roots.length === 0) return "";
  return `Nothing in this network influences ${listed(roots, "or")}, so setting ${roots.length > 1 ? "them" : "it"} tells the same as observing ${roots.length > 1 ? "them" : "it"}.`;
}
