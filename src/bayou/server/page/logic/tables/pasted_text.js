/** Text from a spreadsheet or a file as rows of cells: tabs, semicolons or commas between them. */

const DECIMAL_COMMA = /^\s*\d*,\d+\s*%?\s*$/;

/** What stands between the cells of a text; a comma only if it is not a decimal comma everywhere. */
function separatorIn(text) {
  if (text.includes("\t")) return "\t";
  if (text.includes(";")) return ";";
  const lines = text.split("\n").filter((line) => line.includes(","));
  return lines.every((line) => DECIMAL_COMMA.test(line)) ? "\t" : ",";
}

/** The cells, line by line, all lines equally long; quotes around cells are taken off, empty lines left out. */
export function cellsOf(text) {
  const plain = text.replace(/\r\n?/g, "\n");
  const separator = separatorIn(plain);
  const lines = plain.includes('"')
    ? quotedLines(plain, separator)
    : plain.split("\n").map((line) => line.split(separator));
  const filled = lines
    .map((line) => line.map((cell) => cell.trim()))
    .filter((line) => line.some((cell) => cell !== ""));
  const width = filled.reduce((most, line) => Math.max(most, line.length), 0);
  return filled.map((line) => [...line, ...Array(width - line.length).fill("")]);
}

/** Inside quotes separators and ends of lines are text, and a quote is doubled. */
function quotedLines(text, separator) {
  const lines = [[]];
  const cell = new RegExp(`("(?:[^"]|"")*"|[^${separator}\n]*)(${separator}|\n|$)`, "y");
  while (cell.lastIndex < text.length) {
    const [, found, end] = cell.exec(text);
    lines.at(-1).push(/^".*"$/s.test(found) ? found.slice(1, -1).replaceAll('""', '"') : found);
    if (end === "\n") lines.push([]);
  }
  return lines;
}

/** Rows of cells as text for a spreadsheet. */
export const textOf = (rows) => rows.map((cells) => cells.join("\t")).join("\n");
