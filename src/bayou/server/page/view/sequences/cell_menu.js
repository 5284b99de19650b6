/** The menu of a cell: the states, 'not' a state, a number, and the way to clear it. */

import { cellMarks, clearedAt, excludedAt, inCell, toggledAt } from "../../logic/sequences/step_findings.js";

const MOST_EXCLUSIONS = 12;

/** Items for menu.js; `on` has change(findings), type(row, step) and sequence(row, step). */
export function cellMenu(explorer, row, step, on) {
  const { findings, steps } = explorer;
  if (step >= steps) return [{ text: `Make the sequence ${step + 1} steps long`, act: () => on.resize(step + 1) }];
  if (!row.canFind) return [{ text: "This is never observed", act: () => {} }];
  const marks = cellMarks(findings, row, step);
  const states = row.labels.map((label, index) => ({
    text: label,
    pressed: marks[index].sign === "observed",
    act: () => on.change(toggledAt(findings, row, step, index)),
  }));
  const exclusions = row.labels.slice(0, MOST_EXCLUSIONS).map((label, index) => ({
    text: `Not ${label}`,
    pressed: marks[index].sign === "out",
    act: () => on.change(excludedAt(findings, row, step, index)),
  }));
  const known = inCell(findings, row, step).length > 0;
  return [
    ...states,
    ...(row.states.length > 2 ? [null, ...exclusions] : []),
    ...(row.isNumber ? [{ text: "A number…", act: () => on.type(row, step) }] : []),
    null,
    { text: "Type or paste values from here…", act: () => on.sequence(row, step) },
    ...(known ? [{ text: "Clear", act: () => on.change(clearedAt(findings, row, step)) }] : []),
  ];
}
