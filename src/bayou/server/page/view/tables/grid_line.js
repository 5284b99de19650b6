/** One line of the grid: the states of the parents, the numbers with their marks, and the sum. */

import { number, percent } from "../../logic/numbers.js";
import { faultOf, shownCell, wholeCell } from "../../logic/tables/cell_rows.js";
import { button, html } from "../elements.js";

/** The name or a state of a parent, which stays in view at `left` if that is given. */
export function givenHead(scope, text, left) {
  const pinned = left === undefined ? "given" : "given pinned";
  const head = html("th", { scope, class: pinned, title: text }, text);
  if (left !== undefined) head.style.left = `${left}px`;
  return head;
}

/** The row that is seen at a place; `pins` are the places of the parents' states, `normalise(row)` repairs it, null where nothing is edited. */
export function gridLine({ draft, parents }, place, pins, normalise) {
  const row = draft.rows.row(place);
  const [cells, states] = [draft.row(row), draft.rows.states(row)];
  const fault = faultOf(cells);
  const heads = draft.order.map((parent, at) =>
    givenHead("row", parents[parent].labels[states[parent]], pins[at]),
  );
  const facts = { "aria-rowindex": place + 2, class: fault ? "faulty" : null };
  const numbers = cells.map((cell, column) => {
    const isWrong = fault !== null && (typeof cell !== "number" || "sum" in fault);
    const marks = [lockOf(draft, row, column), shownCell(cell), behind(draft.answer, row, column)];
    return html(
      "td",
      { ...cellFacts(place, column, cell), "aria-invalid": isWrong ? "true" : null },
      ...marks,
    );
  });
  return html("tr", facts, ...heads, ...numbers, sumOf(fault, place, normalise && (() => normalise(row))));
}

const cellFacts = (place, column, cell) => ({
  role: "gridcell",
  "data-place": place,
  "data-column": column,
  title: wholeCell(cell),
});

const lockOf = (draft, row, column) =>
  draft.locked(row).has(column)
    ? html("span", { class: "lock", role: "img", "aria-label": "locked", title: "Locked" }, "▪")
    : null;

/** The rows behind a learned number, and its interval. */
function behind({ counts, lower, upper }, row, column) {
  if (!counts) return null;
  const ends = lower ? `, ${percent(lower[row][column])}–${percent(upper[row][column])}` : "";
  return html("span", { class: "behind" }, `${number(counts[row][column])} rows${ends}`);
}

function sumOf(fault, place, repair) {
  const cell = (...parts) => html("td", { role: "gridcell", class: "sum" }, ...parts);
  if (fault === null) return cell("1");
  if (!("sum" in fault)) return cell("not a number");
  const facts = {
    "aria-label": `Normalise row ${place + 1}`,
    title: "Divide the row by its sum",
    tabindex: -1,
  };
  return cell(number(fault.sum), repair && button("Normalise", repair, facts));
}
