/** A noisy-OR by its few numbers: P(absent) = (1 − leak) · Π (1 − chance) over the parents that are present. */

import { readCell } from "./cell_rows.js";
import { TableRows } from "./table_rows.js";

/** The rows of the table that follows; `present` and `parents` are the states that mean present. */
export function noisyRows({ present, parents }, chances, leak) {
  const rows = new TableRows(parents.map(() => 2));
  return Array.from({ length: rows.count }, (_, row) => {
    const absent = rows
      .states(row)
      .reduce(
        (rest, state, parent) => (state === parents[parent] ? rest * (1 - chances[parent]) : rest),
        1 - leak,
      );
    return present === 1 ? [absent, 1 - absent] : [1 - absent, absent];
  });
}

/** The numbers of the noisy-OR that has the same leak, and the same rows in which one parent is present. */
export function nearestNoisyOr({ present, parents }, rows) {
  const places = new TableRows(parents.map(() => 2));
  const none = parents.map((state) => 1 - state);
  const chance = (states) => Math.min(1, Number(rows[places.rowOf(states)][present]) || 0);
  const leak = chance(none);
  const alone = (parent) => chance(none.map((state, at) => (at === parent ? parents[at] : state)));
  const chances = parents.map((_, parent) =>
    leak < 1 ? Math.max(0, 1 - (1 - alone(parent)) / (1 - leak)) : 0,
  );
  return { chances, leak };
}

/** The typed numbers, each from 0 to 1: {chances, leak}, or {wrong} with the places of those that are not. */
export function readNoisyOr(texts) {
  const values = texts.map(readCell);
  const wrong = values.flatMap((value, place) => (typeof value === "number" && value <= 1 ? [] : [place]));
  return wrong.length > 0 ? { wrong } : { chances: values.slice(0, -1), leak: values.at(-1) };
}
