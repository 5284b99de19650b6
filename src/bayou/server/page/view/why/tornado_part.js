/** The tornado: which entries of which tables the answer hangs on, and where the decision turns. */

import { percent } from "../../logic/numbers.js";
import { pageWords } from "../../logic/why/library_words.js";
import { mattersMost, tornadoRows } from "../../logic/why/words.js";
import { button, html } from "../elements.js";

const NAME = "Entries that matter most";

/** The elements of an answer; `on.show(key)` brings the variable of an entry into view. */
export function tornadoContent(model, answer, on) {
  const rows = tornadoRows(model, answer);
  const change = percent(answer.change).replace(".0%", "%");
  const about = `Each entry ${change} lower and higher, the others of its row in proportion.`;
  const lines = [html("p", {}, mattersMost(model, answer))];
  if (answer.sentence) lines.push(html("p", { class: "turning" }, pageWords(model, answer.sentence)));
  if (rows.length === 0) return lines;
  return [
    ...lines,
    html("p", { class: "hint" }, about),
    html("ol", { class: "tornado", "aria-label": NAME }, ...rows.map((row) => line(row, on))),
  ];
}

function line(row, on) {
  const range = html("span", { class: "range" });
  range.style.left = `${(100 * row.low).toFixed(2)}%`;
  range.style.width = `${(100 * (row.high - row.low)).toFixed(2)}%`;
  const now = html("span", { class: "now" });
  now.style.left = `${(100 * row.now).toFixed(2)}%`;
  const numbers = [`${row.value}: ${row.ends}`, row.turns].filter((text) => text !== "").join("; ");
  return html(
    "li",
    {},
    button(row.text, () => on.show(row.key), { class: "link" }),
    html("span", { class: "numbers" }, numbers),
    html("span", { class: "track", "aria-hidden": "true" }, range, now),
  );
}
