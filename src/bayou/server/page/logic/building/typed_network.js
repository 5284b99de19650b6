/** What people type to build a network, read: states, names of parents, rows of probabilities. Mistakes are sentences. */

import { typedNumber } from "../numbers.js";

/** A mistake in what was typed: its message is shown beside the fields. */
export class Mistyped extends Error {}

const parts = (text) =>
  text
    .split(/[,;\n]/)
    .map((part) => part.trim())
    .filter((part) => part !== "");

/** States in a text with commas. If all of them are numbers they are numbers, as in a column of data. */
export function typedStates(text) {
  const found = parts(text);
  if (found.length === 0) throw new Mistyped("Type the states with commas between them, such as: no, yes.");
  const twice = found.find((state, place) => found.indexOf(state) < place);
  if (twice !== undefined) throw new Mistyped(`The state ${twice} is there twice.`);
  const plain = found.every((state) => String(Number(state)) === state && Number.isFinite(Number(state)));
  return plain ? found.map(Number) : found;
}

/** The name of a new state, of the kind that the others are of. */
export function typedState(text, others) {
  const name = text.trim();
  if (name === "") throw new Mistyped("A state needs a name.");
  const number = Number(name);
  const counts = others.length > 0 && others.every((state) => typeof state === "number");
  return counts && String(number) === name ? number : name;
}

/** The variable of a model that a text names, by its label or its title; in other letter case if only one fits. */
export function typedVariable(model, text) {
  const name = text.trim();
  const found =
    model.variables.find((one) => one.label === name) ?? model.variables.find((one) => one.text === name);
  const small = name.toLowerCase();
  const alike = ({ label, text: title }) => label.toLowerCase() === small || title.toLowerCase() === small;
  const others = found ? [] : model.variables.filter(alike);
  if (others.length === 1) return others[0];
  if (others.length > 1)
    throw new Mistyped(
      `${name} could be ${others.map(({ label }) => label).join(" or ")}: type capital and small letters as there.`,
    );
  if (!found) throw new Mistyped(`There is no variable ${name || "without a name"}. ${nearest(model, name)}`);
  return found;
}

/** The variables that a text with commas names; a name with a comma in it is understood, too. */
export function typedVariables(model, text) {
  if (text.trim() === "") return [];
  const whole = model.variables.find((one) => one.label === text.trim() || one.text === text.trim());
  if (whole) return [whole];
  const found = parts(text).map((part) => typedVariable(model, part));
  const twice = found.find((one, place) => found.indexOf(one) < place);
  if (twice) throw new Mistyped(`The parent ${twice.text} is there twice.`);
  return found;
}

function nearest(model, name) {
  const small = name.toLowerCase();
  const near = model.variables.find(
    ({ label }) => label.toLowerCase().startsWith(small) || small.startsWith(label.toLowerCase()),
  );
  return near && small !== "" ? `Did you mean ${near.label}?` : "Choose one of the network's.";
}

/** A row of numbers: with spaces, semicolons, tabs or commas between them; "0,8 0,2" has decimal commas. */
export function typedRow(text) {
  const whole = text
    .trim()
    .split(/[\s;]+/)
    .map((part) => part.replace(/,$/, ""));
  const numbers = whole.map(typedNumber);
  if (numbers.every(Number.isFinite)) return numbers;
  const split = whole.flatMap((part) => part.split(",")).map(typedNumber);
  const wrong = split.findIndex((number) => !Number.isFinite(number));
  if (wrong >= 0)
    throw new Mistyped(`"${text.trim()}" has a part that is not a number. Type for example: 0.8 0.2`);
  return split;
}

/**
 * The rows of a table in a text, a line for each combination of the parents' states; null: nothing was typed. The
 * last number of a row may be left out: it is what is missing to 1. Whole numbers are counts, and are divided by
 * their sum.
 */
export function typedRows(text, width, height) {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  if (lines.length === 0) return null;
  if (lines.length !== height)
    throw new Mistyped(
      `The table has ${height} row${height === 1 ? "" : "s"}: type a line for each, there are ${lines.length}.`,
    );
  return lines.map((line) => completed(typedRow(line), width, line.trim()));
}

function completed(row, width, line) {
  const sum = row.reduce((total, number) => total + number, 0);
  if (row.length === width - 1 && sum <= 1 && row.every((number) => number >= 0))
    return [...row, Math.round((1 - sum) * 1e12) / 1e12];
  if (row.length !== width)
    throw new Mistyped(`"${line}" has ${row.length} numbers; the variable has ${width} states.`);
  if (row.some((number) => number < 0)) throw new Mistyped(`"${line}" has a negative number.`);
  const counts = sum > 1 && row.every(Number.isInteger);
  if (!counts && Math.abs(sum - 1) > 1e-9)
    throw new Mistyped(`The numbers of "${line}" add up to ${Number(sum.toPrecision(6))}, not to 1.`);
  return counts ? row.map((count) => count / sum) : row;
}

/** What each line says that was typed so far; null for a line that cannot be read yet. */
export function linesSoFar(text, width) {
  return text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => {
      try {
        return completed(typedRow(line), width, line.trim());
      } catch (mistake) {
        if (mistake instanceof Mistyped) return null;
        throw mistake;
      }
    });
}

/** The numbers of each line as they were typed, for a table beside them; empty lines count. */
export const lineCells = (text) =>
  text.split("\n").map((line) =>
    line
      .trim()
      .split(/[\s;]+/)
      .map((part) => part.replace(/,$/, ""))
      .map((part) => (part === GAP ? "" : part)),
  );

/** Stands for a number before others that is not typed yet; it is no number, so that the line waits. */
const GAP = "?";

/** The lines with another number in a cell of the table beside them. */
export function withCell(text, line, place, value) {
  const lines = lineCells(text);
  while (lines.length <= line) lines.push([]);
  const cells = Array.from({ length: Math.max(place + 1, lines[line].length) }, (_, at) => lines[line][at] ?? "");
  cells[place] = value.trim().replaceAll(/\s+/g, "");
  lines[line] = cells;
  return lines.map(lineText).join("\n").trimEnd();
}

function lineText(cells) {
  const last = cells.findLastIndex((cell) => cell !== "");
  return cells
    .slice(0, last + 1)
    .map((cell) => cell || GAP)
    .join(" ");
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
