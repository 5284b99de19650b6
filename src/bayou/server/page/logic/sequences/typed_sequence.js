/** Sequences as people type and paste them: "umbrella, umbrella, none", a column of numbers, a table with names. */

import { typedNumber } from "../numbers.js";

/** What stands for a value that is not known, unless a state is called so. */
const GAPS = new Set(["", "?", "-", "–", "_", "na", "nan", "null"]);

const plain = (text) => text.trim().toLowerCase();

/** The place of the state that a text means: exactly, or without regard to case; −1 if there is none. */
export function stateIndex(row, text) {
  const exact = row.labels.indexOf(text.trim());
  return exact >= 0 ? exact : row.labels.findIndex((label) => plain(label) === plain(text));
}

/** One value: {index}, {not}, {value}, or null for a gap. Throws what is wrong with it, in words. */
export function typedCell(row, text) {
  if (row.isNumber) {
    if (GAPS.has(plain(text))) return null;
    const value = typedNumber(text);
    if (Number.isFinite(value)) return { value };
    throw new Error(`“${text.trim()}” is not a number, which ${row.label} needs.`);
  }
  const index = stateIndex(row, text);
  if (index >= 0) return { index };
  if (GAPS.has(plain(text))) return null;
  const negated = text.trim().match(/^(?:not\s+|!|≠\s*)(.+)$/i);
  const out = negated ? stateIndex(row, negated[1]) : -1;
  if (out >= 0 && row.states.length === 2) return { index: 1 - out };
  if (out >= 0 && row.states.length > 2) return { not: [out] };
  throw new Error(`“${text.trim()}” is not a state of ${row.label}: ${row.labels.join(", ")}.`);
}

/** The cells of a line of CSV, with quotes. */
export function splitLine(line, mark) {
  const cells = [""];
  let quoted = false;
  for (let k = 0; k < line.length; k += 1) {
    const letter = line[k];
    if (quoted && letter === '"' && line[k + 1] === '"') {
      cells[cells.length - 1] += '"';
      k += 1;
    } else if (letter === '"' && (quoted || cells[cells.length - 1].trim() === "")) {
      quoted = !quoted;
      cells[cells.length - 1] = cells[cells.length - 1].trim();
    } else if (!quoted && letter === mark) cells.push("");
    else cells[cells.length - 1] += letter;
  }
  return cells.map((cell) => cell.trim());
}

const markOf = (line) => ["\t", ";", ","].find((mark) => line.includes(mark)) ?? ",";

/** Whether a first line names rows of the strip: then the text is a table, one line for each step. */
function namedColumns(rows, cells) {
  return cells.map((cell) => rows.find((row) => row.canFind && plain(row.label) === plain(cell)) ?? null);
}

function cellsOf(row, texts, numbered) {
  return texts.map((text, place) => {
    try {
      return typedCell(row, text);
    } catch (mistake) {
      throw new Error(`${numbered(place)}: ${mistake.message}`);
    }
  });
}

/**
 * What a text says: [{row, cells}], a list of cells for each row of the strip. With a header that names rows it is
 * a table; otherwise all values belong to `row`, on one line or on many.
 */
export function typedSequence(rows, row, text) {
  const lines = text.replace(/\r\n?/g, "\n").replace(/\n+$/, "").split("\n");
  if (text.trim() === "") throw new Error("Type some values, such as those in the example.");
  const mark = markOf(lines[0]);
  const columns = namedColumns(rows, splitLine(lines[0], mark));
  if (columns.some(Boolean) && lines.length > 1) {
    const table = lines.slice(1).map((line) => splitLine(line, mark));
    return columns.flatMap((own, at) => {
      if (own === null) return [];
      const texts = table.map((cells) => cells[at] ?? "");
      return [{ row: own, cells: cellsOf(own, texts, (place) => `${own.label}, line ${place + 2}`) }];
    });
  }
  const wide = lines.length > 1 && lines.some((line) => splitLine(line, mark).length > 1);
  if (wide) {
    const names = rows.filter(({ canFind }) => canFind).map(({ label }) => label);
    throw new Error(`Several columns need names in the first line: ${names.join(", ")}.`);
  }
  const list = row.isNumber && mark === "," && lines[0].includes(", ") ? lines[0].split(", ") : null;
  const texts = lines.length > 1 ? lines.map((line) => splitLine(line, mark)[0]) : (list ?? splitLine(lines[0], mark));
  return [{ row, cells: cellsOf(row, texts, (place) => `Value ${place + 1}`) }];
}
