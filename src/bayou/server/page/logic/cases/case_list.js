/** Named cases as immutable lists of {name, findings, weight}. Every function returns a new list. */

import { fitting } from "../findings.js";
import { same } from "../values.js";

/** A name that no case has: the wanted one, or with a number behind it. */
export function freeName(cases, wanted) {
  const taken = new Set(cases.map(({ name }) => name));
  if (!taken.has(wanted)) return wanted;
  let number = 2;
  while (taken.has(`${wanted} (${number})`)) number += 1;
  return `${wanted} (${number})`;
}

/** The first of "Case 1", "Case 2", … that is free. */
export function nextName(cases) {
  const taken = new Set(cases.map(({ name }) => name));
  let number = cases.length + 1;
  while (taken.has(`Case ${number}`)) number += 1;
  return `Case ${number}`;
}

/** The cases with these findings under a name; a case of this name gets them. */
export function saved(cases, name, findings) {
  const place = cases.findIndex((one) => one.name === name);
  if (place < 0) return [...cases, { name, findings, weight: 1 }];
  return cases.map((one, at) => (at === place ? { ...one, findings } : one));
}

/** A case under another name; null if the name is empty or another case has it. */
export function renamed(cases, name, wanted) {
  const text = wanted.trim();
  if (text === name) return cases;
  if (text === "" || cases.some((one) => one.name === text)) return null;
  return cases.map((one) => (one.name === name ? { ...one, name: text } : one));
}

export const removed = (cases, name) => cases.filter((one) => one.name !== name);

/** More cases behind those that are there; names that are taken get a number. */
export const joined = (cases, more) =>
  more.reduce((list, one) => [...list, { ...one, name: freeName(list, one.name) }], cases);

/** The first case with exactly these findings, in any order; null if there is none. */
export function caseWith(cases, findings) {
  const sorted = (list) => list.map((finding) => JSON.stringify(finding)).sort();
  const wanted = sorted(findings);
  return cases.find((one) => same(sorted(one.findings), wanted)) ?? null;
}

/** The cases in a storage; what is no case is left out. */
export function wholeCases(stored) {
  if (!Array.isArray(stored)) return [];
  const whole = stored.filter((one) => one && typeof one.name === "string" && Array.isArray(one.findings));
  return whole.map(({ name, findings, weight }) => ({ name, findings, weight: weight > 0 ? weight : 1 }));
}

/**
 * A case with the findings that the model understands. The others stay in the list: undoing the edit that has
 * taken their variable away brings them back.
 */
export const fittingCase = (model, one) => ({ ...one, findings: fitting(model, one.findings).kept });
