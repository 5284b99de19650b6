/** The table of a variable: probabilities, and where it was learned the rows behind each and its interval. */

import { tableRows } from "../../logic/why/words.js";
import { html } from "../elements.js";

const SHOWN = 100;

export function tableContent(answer) {
  const rows = tableRows(answer);
  const heads = [...answer.parents.map(parentText), ...answer.variable.labels];
  const head = html("tr", {}, ...heads.map((text) => html("th", { scope: "col" }, text)));
  const caption = answer.counts
    ? "Probabilities, the rows behind them, and their 95% credible intervals"
    : "Probabilities; this table was given, not counted";
  const table = html(
    "table",
    { class: "cpt" },
    html("caption", {}, caption),
    html("thead", {}, head),
    html("tbody", {}, ...rows.slice(0, SHOWN).map(row)),
  );
  const more = rows.length - SHOWN;
  const rest = more > 0 ? [html("p", { class: "hint" }, `and ${more} more rows`)] : [];
  return [html("div", { class: "wide", tabindex: 0, role: "group", "aria-label": "Table" }, table), ...rest];
}

const parentText = ({ name }) => (typeof name === "object" ? JSON.stringify(name.value) : String(name));

function row({ parents, cells }) {
  const heads = parents.map((text) => html("th", { scope: "row" }, text));
  return html("tr", {}, ...heads, ...cells.map(cell));
}

function cell({ value, count, interval }) {
  const behind = count === "" ? null : html("span", { class: "behind" }, `${count} rows`);
  return html("td", {}, value, behind, interval === "" ? null : html("span", { class: "behind" }, interval));
}
