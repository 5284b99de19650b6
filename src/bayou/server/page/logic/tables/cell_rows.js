/** The cells of one row: numbers, or what was typed instead. What is wrong with a row, and how it adapts. */

import { typedNumber } from "../numbers.js";

/** How far the sum of a row may be from 1, because of rounded decimals (the library's ROUNDING). */
const ROUNDING = 1e-6;
const DIGITS = 6;

/** What was typed, as a number from 0 on; the text itself where it is none. */
export function readCell(text) {
  const value = typedNumber(text);
  return Number.isFinite(value) && value >= 0 ? value : text.trim();
}

/** A cell with six digits, for reading. */
export const shownCell = (cell) =>
  typeof cell === "number" ? String(Number(cell.toPrecision(DIGITS))) : cell;

/** A cell with all its digits, for typing and for spreadsheets. */
export const wholeCell = (cell, comma = false) => {
  const text = String(cell);
  return comma && typeof cell === "number" ? text.replace(".", ",") : text;
};

const total = (cells) => cells.reduce((sum, cell) => sum + cell, 0);
const areNumbers = (cells) => cells.every((cell) => typeof cell === "number");

/** What is wrong with a row: null, {text} that is no number, or {sum} that is not 1. */
export function faultOf(cells) {
  const text = cells.find((cell) => typeof cell !== "number");
  if (text !== undefined) return { text };
  const sum = total(cells);
  return Math.abs(sum - 1) <= ROUNDING ? null : { sum };
}

/**
 * The row after cells of it were typed. The others adapt in proportion if some of them are locked, and in a
 * row of two (unless counts are typed); otherwise states are typed one after the other, so nothing moves.
 */
export function adapted(cells, typed, locked) {
  const fixed = cells.map((_, column) => typed.has(column) || locked.has(column));
  const free = cells.flatMap((_, column) => (fixed[column] ? [] : [column]));
  const held = cells.filter((_, column) => fixed[column]);
  const adapts = locked.size > 0 || (cells.length === 2 && typed.size === 1 && !(cells[free[0]] > 1));
  if (!adapts || free.length === 0 || !areNumbers(held)) return cells;
  const rest = 1 - total(held);
  return rest < -ROUNDING ? cells : shared(cells, free, Math.max(rest, 0));
}

/** The row divided by its sum, but for locked cells; null if it cannot be. */
export function normalised(cells, locked) {
  if (!areNumbers(cells)) return null;
  const free = cells.flatMap((_, column) => (locked.has(column) ? [] : [column]));
  const rest = 1 - total(cells.filter((_, column) => locked.has(column)));
  if (locked.size > 0 && free.length > 0 && rest >= 0) return shared(cells, free, rest);
  const sum = total(cells);
  return sum > 0 ? cells.map((cell) => cell / sum) : null;
}

/** Some cells share what is left, in proportion to what they have; evenly if that is nothing. */
function shared(cells, free, rest) {
  const have = free.map((column) => (typeof cells[column] === "number" ? cells[column] : 0));
  const sum = total(have);
  const result = [...cells];
  free.forEach((column, place) => {
    result[column] = sum > 0 ? (have[place] / sum) * rest : rest / free.length;
  });
  return result;
}
