/** Findings at single steps as immutable lists, in the form of the API. A cell has at most one of a kind. */

import * as findings from "../findings.js";
import { keyOf } from "../values.js";

const isAt = (row, step) => (finding) => finding.step === step && keyOf(finding.variable) === row.key;

/** The findings of one cell. */
export const inCell = (list, row, step) => list.filter(isAt(row, step));

/** The list in which the findings of a cell are these; null (nothing possible is left) stays null. */
function withCell(list, row, step, fresh) {
  if (fresh === null) return null;
  const others = list.filter((finding) => !isAt(row, step)(finding));
  const own = fresh.map((finding) => ({ ...finding, step }));
  return [...others, ...own].sort((one, other) => one.step - other.step);
}

export const observedAt = (list, row, step, index) =>
  withCell(list, row, step, findings.observed([], row.variable, row.states[index]));

export const measuredAt = (list, row, step, value) =>
  withCell(list, row, step, findings.measured([], row.variable, value));

/** 'Not this state' switched on or off; null if no state would be left. */
export function excludedAt(list, row, step, index) {
  const sets = inCell(list, row, step).filter((finding) => "not" in finding || "in" in finding);
  const fresh = findings.excluded(sets, row.variable, row.states[index], row.states);
  return withCell(list, row, step, fresh);
}

export const clearedAt = (list, row, step) => withCell(list, row, step, []);

/** A state set, or cleared if it was set already. */
export function toggledAt(list, row, step, index) {
  const isSet = inCell(list, row, step).some(
    (finding) => "state" in finding && keyOf(finding.state) === row.stateKeys[index],
  );
  return isSet ? clearedAt(list, row, step) : observedAt(list, row, step, index);
}

/** All values of one row at once: cells are {index}, {not}, {value} or null for a gap, from a step on. */
export function withValues(list, row, cells, first = 0) {
  let found = list.filter(
    ({ variable, step }) => keyOf(variable) !== row.key || step < first || step >= first + cells.length,
  );
  const fresh = cells.flatMap((cell, place) => {
    if (cell === null) return [];
    const at = { variable: row.variable, step: first + place };
    if ("value" in cell) return [{ ...at, value: cell.value }];
    return [
      "not" in cell
        ? { ...at, not: cell.not.map((index) => row.states[index]) }
        : { ...at, state: row.states[cell.index] },
    ];
  });
  found = [...found, ...fresh];
  return found.sort((one, other) => one.step - other.step);
}

/** How the states of a cell are marked: see findings.js. */
export const cellMarks = (list, row, step) =>
  findings.stateMarks(inCell(list, row, step), row.variable, row.states);

/** The findings of a link or an older session that this model and number of steps have. */
export function fittingSteps(model, steps, list) {
  const fits = (finding) => {
    const row = finding && typeof finding === "object" ? model.byKey.get(keyOf(finding.variable)) : null;
    if (!row?.canFind || !Number.isInteger(finding.step)) return false;
    if (finding.step < 0 || finding.step >= steps) return false;
    if ("value" in finding) return row.isNumber && Number.isFinite(finding.value);
    const told = "state" in finding ? [finding.state] : (finding.in ?? finding.not);
    return Array.isArray(told) && told.length > 0 && told.every((one) => row.stateKeys.includes(keyOf(one)));
  };
  const kept = (Array.isArray(list) ? list : []).filter(fits);
  return { kept, dropped: (Array.isArray(list) ? list.length : 0) - kept.length };
}
