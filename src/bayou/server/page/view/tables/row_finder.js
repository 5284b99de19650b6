/** Above the grid: rows are found by the states of parents, and parents change places. */

import { button, html } from "../elements.js";

export class RowFinder {
  /** `on` has find(wanted) and reorder(order). */
  constructor(on) {
    this.on = on;
    this.root = html("div", { class: "row-finder", role: "group", "aria-label": "Rows with" });
  }

  show(draft, parents, readOnly) {
    const { order } = draft;
    this.root.hidden = parents.length === 0;
    const parts = order.flatMap((parent, place) => [
      this.choice(draft, parents[parent], parent),
      place + 1 < order.length && !readOnly ? this.swap(order, place, parents) : null,
    ]);
    this.root.replaceChildren(html("span", {}, "Rows with"), ...parts.filter(Boolean));
  }

  choice(draft, { text, labels }, parent) {
    const options = ["any state", ...labels].map((label, at) => html("option", { value: at - 1 }, label));
    const select = html("select", {}, ...options);
    select.value = String(draft.rows.wanted[parent] ?? -1);
    select.addEventListener("change", () => {
      const state = Number(select.value);
      this.on.find(draft.rows.wanted.map((old, at) => (at !== parent ? old : state < 0 ? null : state)));
    });
    return html("label", {}, html("span", {}, text), select);
  }

  swap(order, place, parents) {
    const swapped = [...order];
    [swapped[place], swapped[place + 1]] = [order[place + 1], order[place]];
    const [one, other] = [parents[order[place]].text, parents[order[place + 1]].text];
    return button("⇄", () => this.on.reorder(swapped), {
      class: "icon quiet",
      "aria-label": `Swap ${one} and ${other}`,
      title: `Swap the columns of ${one} and ${other}; no probability changes`,
    });
  }
}
