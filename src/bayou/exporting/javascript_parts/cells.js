/** Cells of a row as codes of states and numbers. */

import { amountOf, isGapText } from "./amounts.js";

/** The cells of a row that the model knows, as codes and numbers; null where one is missing. */
export function cellsOf(model, row) {
  return model.columns.map((column) => cellOf(column, valueIn(row, column.name)));
}

function valueIn(row, name) {
  if (row instanceof Map) return row.get(name);
  return Object.hasOwn(row, name) ? row[name] : null;
}

/** The code of a state or a number; null for a gap, and for a value that the model does not know. */
function cellOf(column, cell) {
  if (cell === null || cell === undefined || Number.isNaN(cell)) return null;
  if (!column.states && typeof cell === "string" && isGapText(cell)) return null;
  const found = column.states ? (stateCodes(column).get(keyOf(cell)) ?? null) : numberIn(column, cell);
  if (found === null && column.unknown === "error")
    throw new Error(`${String(cell)} is no value of ${String(column.name)}.`);
  if (found === null && column.unknown === "smooth")
    return column.states ? column.states.length : column.points ? column.points.length + 1 : null;
  if (column.marked !== undefined && found !== null) return Number(found === column.marked);
  return found;
}

const keyOf = (value) => `${typeof value}:${value}`;

/** The code of each state, by its type and value: true, 1 and "1" are three states. */
function stateCodes(column) {
  column.codes ??= new Map(column.states.map((state, code) => [keyOf(state), code]));
  return column.codes;
}

function numberIn(column, cell) {
  const number = typeof cell === "boolean" ? Number(cell) : typeof cell === "string" ? amountOf(cell) : cell;
  if (typeof number !== "number") return null;
  if (!column.points) {
    if (!Number.isFinite(number)) throw new Error(`${String(column.name)} is infinite.`);
    return number;
  }
  if (number < column.low || number > column.high) return null;
  const place = column.points.findIndex((point) => number <= point);
  return place < 0 ? column.points.length : place;
}

const highest = (numbers) => numbers.reduce((top, one) => (one > top ? one : top), -Infinity);

/** The logarithm of a sum of numbers that are given by their logarithms. */
export function logSum(logs) {
  const top = highest(logs);
  if (top === -Infinity) return top;
  return top + Math.log(exactSum(logs.map((log) => Math.exp(log - top))));
}

/** Numbers that are given by their logarithms, divided by their sum. */
export function sharesOf(logs) {
  const top = highest(logs);
  const parts = logs.map((log) => Math.exp(log - top));
  const total = exactSum(parts);
  return parts.map((part) => part / total);
}

/** A sum whose rounding errors are added up apart (Neumaier). */
export function exactSum(numbers) {
  let sum = 0;
  let lost = 0;
  for (const one of numbers) {
    const next = sum + one;
    if (Number.isFinite(next)) lost += Math.abs(sum) >= Math.abs(one) ? sum - next + one : one - next + sum;
    sum = next;
  }
  return sum + lost;
}

export const largestOf = highest;
