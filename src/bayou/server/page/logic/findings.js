/**
 * Findings as immutable lists, in the form of the API. Every function returns a new list.
 * A variable has at most one finding, but for weights beside "in" or "not".
 */

import { keyOf, same } from "./values.js";

export const KINDS = ["state", "value", "in", "not", "weights", "do"];

export const kindOf = (finding) => KINDS.find((kind) => kind in finding) ?? null;

/** All findings about one variable. */
export const about = (findings, variable) => findings.filter((finding) => same(finding.variable, variable));

/** The findings without any about the variable. */
export const cleared = (findings, variable) =>
  findings.filter((finding) => !same(finding.variable, variable));

/** The findings without one of them. */
export const released = (findings, finding) => findings.filter((other) => !same(other, finding));

/** New findings about a variable take the place of its old ones; the order of the others stays. */
function replaced(findings, variable, fresh) {
  const place = findings.findIndex((finding) => same(finding.variable, variable));
  const rest = cleared(findings, variable);
  const at = place < 0 ? rest.length : place;
  return [...rest.slice(0, at), ...fresh, ...rest.slice(at)];
}

const weightsOf = (findings, variable) => about(findings, variable).filter((finding) => "weights" in finding);

/** The variable is observed in this state. */
export const observed = (findings, variable, state) => replaced(findings, variable, [{ variable, state }]);

/** Observed in this state, or cleared if it was (or was set to it) before. */
export function toggled(findings, variable, state) {
  const before = about(findings, variable);
  const held = before.some((finding) => same(finding.state, state) || same(finding.do, state));
  return held ? cleared(findings, variable) : observed(findings, variable, state);
}

/** Set to a state by intervention, or cleared if it was before. */
export function intervened(findings, variable, state) {
  const held = about(findings, variable).some((finding) => same(finding.do, state));
  return held ? cleared(findings, variable) : replaced(findings, variable, [{ variable, do: state }]);
}

/** The number that a continuous variable was observed to have. */
export const measured = (findings, variable, value) => replaced(findings, variable, [{ variable, value }]);

/** The states that findings leave possible: all of them but for "not", "in", observed and set states. */
export function possibleStates(findings, variable, states) {
  let left = states;
  for (const finding of about(findings, variable)) {
    if ("state" in finding) left = left.filter((state) => same(state, finding.state));
    if ("do" in finding) left = left.filter((state) => same(state, finding.do));
    if ("in" in finding) left = left.filter((state) => finding.in.some((other) => same(other, state)));
    if ("not" in finding) left = left.filter((state) => !finding.not.some((other) => same(other, state)));
  }
  return left;
}

/** One of the chosen states: nothing is known if all are chosen; none chosen is refused with null. */
export function oneOf(findings, variable, chosen, states) {
  if (chosen.length === 0) return null;
  const weights = weightsOf(findings, variable);
  if (chosen.length === states.length) return replaced(findings, variable, weights);
  if (chosen.length === 1) return observed(findings, variable, chosen[0]);
  return replaced(findings, variable, [{ variable, in: chosen }, ...weights]);
}

/** None of the given states; all of them is refused with null, none of them clears. */
export function noneOf(findings, variable, chosen, states) {
  if (chosen.length >= states.length) return null;
  const weights = weightsOf(findings, variable);
  const fresh = chosen.length === 0 ? weights : [{ variable, not: chosen }, ...weights];
  return replaced(findings, variable, fresh);
}

/** 'Not this state' switched on or off; null if no state would be left. */
export function excluded(findings, variable, state, states) {
  const before = about(findings, variable);
  const set = before.find((finding) => "in" in finding);
  if (set) {
    const without = set.in.filter((other) => !same(other, state));
    const chosen = without.length < set.in.length ? without : [...set.in, state];
    const inOrder = states.filter((one) => chosen.some((other) => same(other, one)));
    return oneOf(findings, variable, inOrder, states);
  }
  const out = before.find((finding) => "not" in finding)?.not ?? [];
  const without = out.filter((other) => !same(other, state));
  return noneOf(findings, variable, without.length < out.length ? without : [...out, state], states);
}

/** A weight for each state; equal weights say nothing and are no finding. Bad weights are refused with null. */
export function weighted(findings, variable, weights) {
  if (!weights.every((weight) => Number.isFinite(weight) && weight >= 0)) return null;
  if (!weights.some((weight) => weight > 0)) return null;
  const sets = about(findings, variable).filter((finding) => "in" in finding || "not" in finding);
  const fresh = weights.every((weight) => weight === weights[0]) ? [] : [{ variable, weights }];
  return replaced(findings, variable, [...sets, ...fresh]);
}

/** The weights of a variable's states with one of them changed: what dragging along a bar says. */
export function weightsWith(findings, variable, states, index, weight) {
  const before = weightsOf(findings, variable)[0]?.weights ?? states.map(() => 1);
  return before.map((old, place) => (place === index ? weight : old));
}

/** How each state is marked: {sign: "observed" | "set" | "out" | "", weight: number or null}. */
export function stateMarks(findings, variable, states) {
  const own = about(findings, variable);
  const weights = own.find((finding) => "weights" in finding)?.weights ?? null;
  const possible = new Set(possibleStates(own, variable, states).map(keyOf));
  return states.map((state, index) => {
    let sign = possible.has(keyOf(state)) ? "" : "out";
    if (own.some((finding) => "state" in finding)) sign = sign === "" ? "observed" : "";
    if (own.some((finding) => "do" in finding)) sign = sign === "" ? "set" : "";
    return { sign, weight: weights ? (weights[index] ?? null) : null };
  });
}

/** A finding that the model understands: a known variable, known states, as many weights as states. */
function fits(model, finding) {
  const variable = finding && typeof finding === "object" ? model.byKey.get(keyOf(finding.variable)) : null;
  const kind = variable ? kindOf(finding) : null;
  if (kind === null) return false;
  const known = (state) => variable.stateKeys.includes(keyOf(state));
  if (kind === "value") return variable.kind === "continuous" && Number.isFinite(finding.value);
  if (kind === "state" || kind === "do") return known(finding[kind]);
  if (!Array.isArray(finding[kind])) return false;
  if (kind !== "weights") return finding[kind].length > 0 && finding[kind].every(known);
  return finding.weights.length === variable.states.length && finding.weights.every((w) => w >= 0);
}

/** The findings of a link or an older session that this model understands, and how many it does not. */
export function fitting(model, findings) {
  const list = Array.isArray(findings) ? findings : [];
  const kept = list.filter((finding) => fits(model, finding));
  return { kept, dropped: list.length - kept.length };
}
