/** What a strip says in words: the name of a cell, its short text, a finding, how probable a sequence is. */

import { number, oneIn, wholePercent } from "../numbers.js";
import { winner } from "../beliefs.js";
import { cellMarks, inCell } from "./step_findings.js";

/** How a step is called: its number, and in the forecast how far it is ahead. */
export const stepText = (step, steps) => (step < steps ? String(step) : `+${step - steps + 1}`);

/** A belief in a few letters: "yes 71%", "1.7 ± 0.4", "–" where nothing can be told. */
export function beliefText(row, belief) {
  if (row.isNumber) {
    if (belief?.mean === null || belief?.mean === undefined) return "–";
    return belief.deviation > 0 ? `${number(belief.mean)} ± ${number(belief.deviation)}` : number(belief.mean);
  }
  if (!belief?.probabilities) return "–";
  const best = winner(belief);
  return `${row.labels[best]} ${wholePercent(belief.probabilities[best])}`;
}

/** The finding of a cell in words, or "". */
export function findingOf(list, row, step) {
  const texts = inCell(list, row, step).map((finding) => {
    const label = (state) => row.labels[row.stateKeys.indexOf(JSON.stringify(state))];
    if ("value" in finding) return number(finding.value);
    if ("state" in finding) return label(finding.state);
    return "not" in finding ? `not ${finding.not.map(label).join(", ")}` : finding.in.map(label).join(" or ");
  });
  return texts.join("; ");
}

/** The whole name of a cell: "Rain at 3: yes 71%, most probable path no". */
export function cellName(explorer, row, step) {
  const { findings, steps } = explorer;
  const found = step < steps ? findingOf(findings, row, step) : "";
  const parts = [`${row.label} at ${stepText(step, steps)}: ${beliefText(row, explorer.belief(row, step))}`];
  if (found) parts.push(cellMarks(findings, row, step).some(({ sign }) => sign === "out") ? found : "observed");
  if (step >= steps) parts.push("forecast");
  const best = explorer.pathState(row, step);
  if (best !== null && !(found && !row.hidden)) parts.push(`most probable path ${row.labels[best]}`);
  return parts.join(", ");
}

/** How probable the sequence is, in words. */
export function likelihoodText(explorer) {
  const { logProbability, findings, model } = explorer;
  if (findings.length === 0) return "Nothing is known yet: the strip shows what to expect.";
  const log = number(logProbability);
  const isDensity = findings.some((finding) => "value" in finding && model !== null);
  if (isDensity) return `Log-likelihood of this sequence: ${log} (a density, as it has numbers).`;
  return `Log-likelihood of this sequence: ${log}, that is ${oneIn(logProbability)}.`;
}
