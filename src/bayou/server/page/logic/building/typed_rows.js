/** Rows of probabilities as people type them, in the cells of a table or as lines of text. Mistakes name row and cell. */

import { typedNumber } from "../numbers.js";
import { Mistyped } from "./typed_network.js";

/** Stands in a text for the number of a row that is left out: it is what is missing to 1. */
const GAP = "?";

/** The parts of a line: with spaces, semicolons, tabs or commas between them; "0,8 0,2" has decimal commas. */
function partsOf(line) {
  const whole = line
    .trim()
    .split(/[\s;]+/)
    .map((part) => part.replace(/,$/, ""))
    .map((part) => (part === GAP ? "" : part));
  const isRead = whole.every((part) => part === "" || Number.isFinite(typedNumber(part)));
  return isRead ? whole : whole.flatMap((part) => part.split(",")).map((part) => (part === GAP ? "" : part));
}

/**
 * The cells that a text fills, a list of texts for each line; "" is a cell that is left out. Empty lines are rows
 * without numbers, but for those that are too many: they only part the others.
 */
export function textCells(text, height = Infinity) {
  const lines = text.trimEnd().split("\n");
  const kept = lines.length > height ? lines.filter((line) => line.trim() !== "") : lines;
  return kept.map(partsOf);
}

/** The cells as lines of text, which `textCells` reads back. */
export const cellsText = (cells) => cells.map(lineText).join("\n").trimEnd();

function lineText(cells) {
  const last = cells.findLastIndex((cell) => cell !== "");
  return cells
    .slice(0, last + 1)
    .map((cell) => cell || GAP)
    .join(" ");
}

/** The cells with another text in one of them. */
export function withCell(cells, line, place, value) {
  const rows = cells.map((row) => [...row]);
  while (rows.length <= line) rows.push([]);
  while (rows[line].length <= place) rows[line].push("");
  rows[line][place] = value.trim().replaceAll(/\s+/g, "");
  return rows;
}

/** The place of the one cell of a row that is left out; −1 if none is, or more than one. */
export function gapOf(row, width) {
  if (row.length > width) return -1;
  const gaps = Array.from({ length: width }, (_, place) => place).filter((place) => (row[place] ?? "") === "");
  return gaps.length === 1 && width > 1 ? gaps[0] : -1;
}

/** What the one cell that is left out would be, {place, value}; null if the row does not tell it. */
export function restOf(row, width) {
  const place = gapOf(row, width);
  if (place < 0) return null;
  const numbers = row.filter((cell) => (cell ?? "") !== "").map(typedNumber);
  const sum = total(numbers);
  const isPart = numbers.every((one) => Number.isFinite(one) && one >= 0) && sum <= 1 + SAME;
  return isPart ? { place, value: Math.max(0, Math.round((1 - sum) * 1e12) / 1e12) } : null;
}

const SAME = 1e-9;
const total = (numbers) => numbers.reduce((sum, one) => sum + one, 0);

/** A mistake in a row: `line` and `place` say where it is. */
function wrong(message, line, place) {
  return Object.assign(new Mistyped(message), { line, place });
}

/**
 * The rows of a table in its cells; null: nothing was typed. One cell of a row may be left out: it is what is missing to
 * 1. Whole numbers are counts, and are divided by their sum. `table` has the labels of the states, and `given(line)`,
 * the states of the parents in words ("" without parents).
 */
export function readRows(cells, { states, height, given }) {
  if (cells.every((row) => row.every((cell) => cell === ""))) return null;
  const name = (line) => {
    const words = given(line);
    if (words !== "") return `row ${line + 1} (${words})`;
    return height > 1 ? `row ${line + 1}` : "the row";
  };
  if (cells.length > height)
    throw wrong(`The table has ${height} row${height === 1 ? "" : "s"}, but ${cells.length} lines were typed.`, height, 0);
  const lines = Array.from({ length: height }, (_, line) => line);
  const numbers = lines.map((line) => readCells(cells[line] ?? [], states, line, name(line)));
  return lines.map((line) => readRow(cells[line] ?? [], numbers[line], states, line, name(line)));
}

const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/** The cells of a row as numbers: what is no number is told before what is missing. */
function readCells(row, states, line, name) {
  const width = states.length;
  if (row.length > width)
    throw wrong(`${capital(name)} has ${row.length} numbers; the variable has ${width} states.`, line, width - 1);
  return states.map((state, place) => readCell(row[place] ?? "", state, line, place, name));
}

function readRow(row, numbers, states, line, name) {
  const width = states.length;
  const places = Array.from({ length: width }, (_, place) => place);
  const missing = places.filter((place) => (row[place] ?? "") === "");
  if (missing.length === width) throw wrong(`${capital(name)} has no numbers yet.`, line, 0);
  if (missing.length > 1) {
    const list = missing.map((place) => `P(${states[place]})`).join(", ");
    throw wrong(`${capital(name)}: ${list} are missing; only one number of a row may be left out.`, line, missing[0]);
  }
  const rest = restOf(row, width);
  if (rest) return numbers.map((one, place) => (place === rest.place ? rest.value : one));
  const sum = total(numbers.filter(Number.isFinite));
  if (missing.length === 1)
    throw wrong(`${capital(name)}: P(${states[missing[0]]}) is missing, and the others add up to ${shown(sum)}.`, line, missing[0]);
  const counts = sum > 1 && numbers.every(Number.isInteger);
  if (!counts && Math.abs(sum - 1) > SAME)
    throw wrong(`The numbers of ${name} add up to ${shown(sum)}, not to 1.`, line, 0);
  return counts ? numbers.map((count) => count / sum) : numbers;
}

const shown = (sum) => Number(sum.toPrecision(6));

/** A cell as a number; NaN for one that is left out. */
function readCell(text, state, line, place, name) {
  if (text === "") return NaN;
  const value = typedNumber(text);
  const where = `${capital(name)}, P(${state})`;
  if (!Number.isFinite(value))
    throw wrong(`${where}: "${text}" is not a number. Type for example 0.2, 20% or 1/5.`, line, place);
  if (value < 0) throw wrong(`${where}: ${text} is negative. Type a number from 0 on.`, line, place);
  return value;
}

/** The states of the parents of the first `most` rows of a table: those of the last parent change fastest. */
export function rowOrder(parents, most) {
  const height = parents.reduce((product, { labels }) => product * labels.length, 1);
  return Array.from({ length: Math.min(height, most) }, (_, row) => {
    let rest = row;
    const labels = [...parents].reverse().map(({ labels: own }) => {
      const place = rest % own.length;
      rest = (rest - place) / own.length;
      return own[place];
    });
    return labels.reverse();
  });
}
