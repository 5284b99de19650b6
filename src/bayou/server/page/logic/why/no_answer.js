/** Questions that have no answer, told in the words of the page: what is in the way, and what to do. */

import { findingText } from "../finding_words.js";
import { about } from "../findings.js";

/** The finding by which a variable is known; undefined if it is not. */
export const knownBy = (findings, { name }) =>
  about(findings, name).find((one) => "state" in one || "value" in one || "do" in one);

/** Why "why" or "next" cannot be asked about a variable; "" if it can. */
export function withoutAnswer(kind, model, variable, findings, apart = []) {
  const known = knownBy(findings, variable);
  if (known)
    return `${findingText(model, known)}: that is known. Choose a variable that is not, or remove this finding.`;
  if (variable.states.length === 0)
    return `${variable.text} is a number. This is told of variables with states: choose one of them.`;
  if (kind !== "next" || askedFor(model, variable.key, findings, apart).length > 0) return "";
  return apart.length > 0
    ? "Everything is left out: put something back."
    : "Nothing is left that could be asked for: all other variables are known, or numbers.";
}

/** The variables that can be asked for to learn more about one: with states, not known, not left out. */
export function askedFor(model, key, findings, apart) {
  const can = (one) => one.states.length > 0 && one.key !== key && !apart.includes(one.key);
  return model.variables.filter((one) => can(one) && !knownBy(findings, one));
}
