/** A table and the doctor's report on it, in plain words. */

import { columnText, textOf } from "../../logic/learning/words.js";
import { counted } from "../../logic/numbers.js";
import { keyOf } from "../../logic/values.js";
import { html } from "../elements.js";

const SIGNS = { error: "Must be repaired", warning: "Doubtful", note: "Remark" };
const SHOWN = 8;

/** `used(key)` tells whether a column is used, `use(key, used)` changes it. */
export function reportContent({ report, columns }, used, use) {
  const { heading, gaps, findings } = report;
  const lines = findings.map(findingLine);
  const shown = html("ul", { class: "doctor", "aria-label": "The doctor's report" }, ...lines.slice(0, SHOWN));
  const rest = lines.slice(SHOWN);
  const more = html("details", { "data-part": "more" }, html("summary", {}, `${rest.length} more`), html("ul", { class: "doctor" }, ...rest));
  const list = columns.map((column) => columnLine(column, used, use));
  const out = columns.filter(({ name }) => !used(keyOf(name))).map(({ name }) => textOf(name));
  const left = out.length > 0 ? `, without ${out.join(", ")}` : "";
  const about = html("summary", {}, `Its ${counted(columns.length, "column")}${left}`);
  return [
    html("p", { class: "verdict" }, heading),
    gaps ? html("p", { class: "hint" }, gaps) : null,
    lines.length > 0 ? shown : null,
    rest.length > 0 ? more : null,
    html("details", { "data-part": "columns" }, about, html("ul", { class: "columns" }, ...list)),
  ].filter(Boolean);
}

/** A column with a box: learn from it or not. */
function columnLine(column, used, use) {
  const key = keyOf(column.name);
  const box = html("input", { type: "checkbox" });
  box.checked = used(key);
  box.addEventListener("change", () => use(key, box.checked));
  return html("li", {}, html("label", { class: "row" }, box, html("span", {}, columnText(column))));
}

function findingLine({ severity, sentence, fix }) {
  const words = html("span", {}, html("strong", {}, `${SIGNS[severity]}: `), sentence);
  return html("li", { class: severity, title: fix || null }, words);
}
