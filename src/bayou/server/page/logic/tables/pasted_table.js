/**
 * Where pasted cells belong: at the chosen cell, on the whole table, by the names of states and parents in
 * any order, or turned by a quarter as other programs show tables. What does not fit is refused in words.
 */

import { listed } from "../finding_words.js";
import { counted } from "../numbers.js";
import { readCell } from "./cell_rows.js";

const isNumber = (text) => typeof readCell(text) === "number";
const folded = (text) => text.trim().toLowerCase();
const turned = (grid) => grid[0].map((_, column) => grid.map((line) => line[column]));
const DROPPED =
  "Names that are not those of this table were left out; rows and columns were taken in its order.";

/**
 * The cells [[row, column, cell]] of the table for what was pasted, with `whole` (every row is covered) and
 * `note`; or {problem}. `table` has `labels` of the states, `parents` [{text, labels}] and `rows` (TableRows);
 * `at` is the chosen range {top, left, bottom, right}.
 */
export function placed(grid, table, at) {
  if (!grid.flat().some(isNumber)) return { problem: "There is no number in what was pasted." };
  const size = [table.rows.count, table.labels.length];
  const plain = grid.flat().every(isNumber);
  const stripped = withoutNames(grid);
  const found =
    (plain && inPlace(grid, table, at)) ||
    byNames(grid, table) ||
    byNames(turned(grid), table) ||
    (!plain && stripped !== grid && inPlace(stripped, table, at, DROPPED)) ||
    inPlace(grid, table, at) ||
    (fits(turned(stripped), size) && inPlace(turned(stripped), table, at, plain ? "" : DROPPED));
  return found || { problem: refusal(grid, table, at) };
}

const fits = (grid, [rows, columns]) => grid.length === rows && grid[0].length === columns;

/** Numbers without names: from the chosen cell on, the whole table if they have its size, or one for all. */
function inPlace(grid, { rows, labels }, at, note = "") {
  const [high, wide] = [grid.length, grid[0].length];
  const one = high === 1 && wide === 1;
  const whole = fits(grid, [rows.count, labels.length]);
  if (!one && !whole && (at.top + high > rows.count || at.left + wide > labels.length)) return null;
  const [top, left] = whole ? [0, 0] : [at.top, at.left];
  const [bottom, right] = one ? [at.bottom, at.right] : [top + high - 1, left + wide - 1];
  const cells = [];
  for (let place = top; place <= bottom; place += 1) {
    for (let column = left; column <= right; column += 1) {
      const text = one ? grid[0][0] : grid[place - top][column - left];
      cells.push([rows.row(place), column, readCell(text)]);
    }
  }
  return { cells, note, whole: whole && rows.free.length === rows.sizes.length };
}

/** Lines and columns at the beginning without any number are names. */
function withoutNames(grid) {
  const top = grid.findIndex((line) => line.some(isNumber));
  const below = grid.slice(top);
  const left = turned(below).findIndex((line) => line.some(isNumber));
  return top === 0 && left === 0 ? grid : below.map((line) => line.slice(left));
}

/** The place of a name: written exactly so, else in other capitals; -1 if it is not there. */
function placeOf(texts, name) {
  const exact = texts.lastIndexOf(name);
  return exact >= 0 ? exact : texts.map(folded).lastIndexOf(folded(name));
}

/** Where names put states and parents: {body, columns, beside}; `beside` is null if no parents stand there. */
function layoutOf(grid, { labels, parents, rows }) {
  const [head] = grid;
  const inOrder = (places) => parents.map((_, parent) => places[rows.order.indexOf(parent)]);
  const columns = labels.map((label) => placeOf(head, label));
  const others = head.map((_, column) => column).filter((column) => !columns.includes(column));
  const isName = (column) => !isNumber(head[column]) || parents.some(({ text }) => text === head[column]);
  const isHead = !columns.includes(-1) && new Set(columns).size === labels.length && others.every(isName);
  if (isHead) {
    const byName = parents.map(({ text }) => placeOf(head, text));
    const beside = others.length === parents.length ? inOrder(others) : null;
    return { body: grid.slice(1), columns, beside: byName.includes(-1) ? beside : byName };
  }
  if (parents.length === 0 || head.length !== parents.length + labels.length) return null;
  const places = labels.map((_, state) => parents.length + state);
  return { body: grid, columns: places, beside: inOrder(parents.map((_, column) => column)) };
}

/** A table with the names of its states above it, or with parents' states beside it; null if it has none. */
function byNames(grid, table) {
  const { body, columns, beside } = layoutOf(grid, table) ?? { body: [] };
  const { rows, parents } = table;
  if (body.length === 0 || (!beside && body.length !== rows.count)) return null;
  const found = new Map();
  let before = [];
  for (const [at, line] of body.entries()) {
    const given = (beside ?? []).map((column, parent) => line[column] || before[parent] || "");
    const states = given.map((text, parent) => placeOf(parents[parent].labels, text));
    const wrong = states.indexOf(-1);
    if (wrong >= 0 && body === grid && states.every((state) => state < 0)) return null;
    if (wrong >= 0) return { problem: unknown(given[wrong], parents[wrong], at) };
    const row = beside ? rows.rowOf(states) : rows.row(at);
    if (found.has(row))
      return { problem: `Line ${at + 1} is about the same row as one before: ${given.join(", ")}.` };
    found.set(
      row,
      columns.map((column, state) => [row, state, readCell(line[column])]),
    );
    before = given;
  }
  const all = rows.sizes.reduce((product, size) => product * size, 1);
  return { cells: [...found.values()].flat(), note: "", whole: found.size === all };
}

const unknown = (text, { text: name, labels }, line) =>
  `Line ${line + 1}: "${text}" is not a state of ${name} (${listed(labels)}).`;

function refusal(grid, { rows, labels }, at) {
  const [right, down] = [labels.length - at.left, rows.count - at.top];
  const from =
    at.top + at.left > 0 ? ` ${counted(down, "row")} of ${right} fit from the chosen cell on.` : "";
  return (
    `What was pasted has ${counted(grid.length, "row")} of ${counted(grid[0].length, "cell")}; here are ` +
    `${counted(rows.count, "row")} of ${counted(labels.length, "number")} (${listed(labels)}).${from} ` +
    "Paste at most that, or the table with the names of its states above and those of the parents' states beside it."
  );
}
