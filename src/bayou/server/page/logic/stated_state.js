/**
 * Which state of a variable a line of a table is about, so that it is the same in all tables: the one that was
 * asked about; of two states the first that does not mean "no"; of more the one that rose most.
 */

/** The rule, as the help of the page says it. */
export const STATED_WORDS =
  "Lists and tables tell one state of each variable: of two the one that does not mean “no”, of more the one that rose most, or the one you asked about.";

const NO = /^(?:no|none|not|false|f|n|absent|negative|never|normal|healthy|off|0|[-−]|(?:no|not|non)[ _-].*)$/i;

/** The place of the first state that does not mean "no"; 0 if all of them do. */
export const positivePlace = (labels) =>
  Math.max(
    0,
    labels.findIndex((label) => !NO.test(label)),
  );

/** The place of the state whose probability rose most; of equal ones the first. */
export function rosePlace(before, after) {
  const gaps = (after ?? []).map((chance, place) => chance - (before?.[place] ?? 0));
  return gaps.reduce((best, gap, place) => (gap > gaps[best] + 1e-12 ? place : best), 0);
}

/** The place of the state that is told; `stated` are the places that were asked for, by key. */
export function statedPlace(variable, before, after, stated = {}) {
  const asked = stated[variable.key];
  if (asked !== undefined) return asked;
  const { labels } = variable;
  const moved = rosePlace(before?.probabilities, after?.probabilities);
  const rose = (after?.probabilities?.[moved] ?? 0) - (before?.probabilities?.[moved] ?? 0) > 1e-12;
  return labels.length > 2 && rose ? moved : positivePlace(labels);
}

/** The places that were asked for, as far as a model has such states. */
export function fittingStated(model, stored) {
  const fits = ([key, place]) => Number.isInteger(place) && model.byKey.get(key)?.labels[place] !== undefined;
  return Object.fromEntries(Object.entries(stored ?? {}).filter(fits));
}
