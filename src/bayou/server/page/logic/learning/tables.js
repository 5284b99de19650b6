/** Uploaded tables: which files are tables, how they are sent, and what the server says about them. */

import { keyOf } from "../values.js";

const ENDINGS = [".csv", ".tsv", ".parquet", ".jsonl", ".ndjson", ".arrow", ".feather", ".cas"];

/** What a chooser of files offers. */
export const ACCEPTED = [...ENDINGS, ".gz", "text/csv"].join(",");

/** Whether the name of a file is that of a table, also if it is packed. */
export function isTable(name) {
  const plain = name.toLowerCase().replace(/\.gz$/, "");
  return ENDINGS.some((ending) => plain.endsWith(ending));
}

/** Send a file; the answer has the table's id, its columns and the doctor's report, and the file's name. */
export async function sendTable(connection, file) {
  const headers = { "Content-Type": "application/octet-stream" };
  const options = { method: "POST", headers, body: await file.arrayBuffer() };
  const response = await connection.send("v1/tables", options, { again: false });
  return { ...(await response.json()), name: file.name };
}

/** The same table again, with what concerns the target; `target` is a name. */
export async function tableReport(connection, table, target, signal) {
  const asked = target === null ? "" : `?target=${encodeURIComponent(target)}`;
  const answer = await connection.read(`v1/tables/${table.table}${asked}`, signal);
  return { ...answer, name: table.name };
}

/** The columns that can be predicted: those with some states, few beside the rows. */
export function targetsOf(table) {
  const few = ({ distinct }) => distinct > 1 && distinct <= 50 && distinct < table.rows;
  return table.columns.filter((column) => column.kind !== "numbers" && few(column));
}

/** Numbers with more different values than this are cut into ranges (MANY_VALUES of the server's jobs/ranges.py). */
const MANY_VALUES = 10;

/** The columns of many numbers; in a network of all columns those of fractions stay real numbers. */
export function numbersOf(table, onlyWhole) {
  const isNumber = ({ kind }) => kind === "whole numbers" || (kind === "numbers" && !onlyWhole);
  return table.columns.filter((column) => isNumber(column) && column.distinct > MANY_VALUES);
}

const USELESS = new Set(["empty column", "constant column", "id-like column", "free text"]);

/** The keys of columns that nothing can be learned from: ids, constants, free text. */
export function uselessColumns({ report }) {
  const found = report.findings.filter(({ check, column }) => column !== null && USELESS.has(check));
  return new Set(found.map(({ column }) => keyOf(column)));
}

/** A column by the key of its name. */
export const columnOf = (table, key) => table.columns.find(({ name }) => keyOf(name) === key) ?? null;
