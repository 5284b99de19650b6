/** The grid of a table: only the rows in view are in the document; cells are chosen, typed and marked. */

import { wholeCell } from "../../logic/tables/cell_rows.js";
import { chosenCell, isInside, movedBy, rangeOf } from "../../logic/tables/selection.js";
import { textWidth } from "../drawing/text_width.js";
import { html, setAttribute, setShown } from "../elements.js";
import { givenHead, gridLine } from "./grid_line.js";

const [LINE, LEARNED_LINE] = [32, 48];
const SPARE = 4;
/** The parents' states stay in view if they take at most this part of the grid. */
const PINNED_SHARE = 0.55;
const STARTS_TYPING = /^[\d.,%/]$/;

const room = (texts, least, most = 172) =>
  Math.min(most, Math.max(least, ...texts.slice(0, 200).map((text) => textWidth(text, 14, 500) + 24)));

/** How far from the left the parents' states stay when the numbers scroll, and where these begin; empty: nowhere. */
function pinsOf(widths, room) {
  const pins = widths.reduce((lefts, width) => [...lefts, lefts.at(-1) + width], [0]);
  return pins.at(-1) > PINNED_SHARE * room ? [] : pins;
}

export class TableGrid {
  /** `on` has typed(row, column, text), normalise(row), chose(). */
  constructor(on) {
    this.on = on;
    const spacer = () => html("tbody", { "aria-hidden": "true" }, html("tr", {}, html("td")));
    Object.assign(this, { above: spacer(), body: html("tbody"), below: spacer() });
    this.columns = html("colgroup");
    this.head = html("tr", { "aria-rowindex": 1 });
    const parts = [this.columns, html("thead", {}, this.head), this.above, this.body, this.below];
    this.table = html(
      "table",
      { class: "grid", role: "grid", tabindex: 0, "aria-multiselectable": "true" },
      ...parts,
    );
    this.input = html("input", {
      type: "text",
      inputmode: "decimal",
      class: "cell-input",
      autocomplete: "off",
      hidden: true,
    });
    this.root = html("div", { class: "grid-box" }, this.table, this.input);
    this.hint = html("p", { class: "hint grid-hint", "aria-hidden": "true" }, "More columns on the right →");
    this.root.addEventListener("scroll", () => this.draw());
    this.table.addEventListener("keydown", (event) => this.press(event));
    this.input.addEventListener("keydown", (event) => this.pressInput(event));
    this.input.addEventListener("blur", () => this.commit());
    for (const type of ["pointerdown", "mousedown", "mouseover", "click", "dblclick"])
      this.table.addEventListener(type, (event) => this.point(event));
    new ResizeObserver(() => this.draft && this.rearrange()).observe(this.root);
  }

  /** Show what is edited (TableEditing), with the name of the table. */
  show(editing, name, readOnly) {
    const { draft, variable, parents } = editing;
    Object.assign(this, { editing, draft, parents, readOnly, labels: variable.labels });
    const learned = draft.answer.counts !== null;
    this.high = learned ? LEARNED_LINE : LINE;
    this.root.style.setProperty("--line-height", `${this.high}px`);
    setAttribute(this.table, "aria-label", name);
    setAttribute(this.table, "aria-readonly", String(readOnly));
    this.widths = [
      ...parents.map(({ text, labels: states }) => room([text, ...states], 44)),
      ...this.labels.map((label) => room([label], learned ? 168 : 96)),
      168,
    ];
    this.rearrange();
    this.begin();
  }

  /** From the first cell on. */
  begin() {
    this.selection = chosenCell(0, 0);
    this.root.scrollTo(0, 0);
    this.draw();
  }

  get selection() {
    return this.editing.selection;
  }

  set selection(selection) {
    this.editing.selection = selection;
  }

  /** The heads and the rows, after a change. */
  rearrange() {
    const { order } = this.draft;
    const across = this.widths.map((_, place) => this.widths[order[place] ?? place]);
    this.columns.replaceChildren(
      ...across.map((width) => {
        const column = html("col");
        column.style.width = `${width}px`;
        return column;
      }),
    );
    this.wide = across.reduce((sum, width) => sum + width, 0);
    this.table.style.width = `${this.wide}px`;
    this.pins = pinsOf(across.slice(0, order.length), this.root.clientWidth);
    const given = order.map((parent, place) => givenHead("col", this.parents[parent].text, this.pins[place]));
    const heads = [...this.labels, "Sum"].map((text) => html("th", { scope: "col", title: text }, text));
    this.head.replaceChildren(...given, ...heads);
    this.draw();
  }

  /** The rows in view and a few more: from the first to before the last. */
  get inView() {
    const lines = Math.ceil((this.root.clientHeight || 400) / this.high);
    const first = Math.max(0, Math.floor(this.root.scrollTop / this.high) - SPARE);
    return [first, Math.min(this.draft.rows.count, first + lines + 2 * SPARE)];
  }

  draw() {
    const [first, last] = this.inView;
    const { count } = this.draft.rows;
    setShown(this.hint, this.root.scrollLeft + this.root.clientWidth < this.wide - 1);
    setAttribute(this.table, "aria-rowcount", count + 1);
    for (const [spacer, rows] of [
      [this.above, first],
      [this.below, count - last],
    ]) {
      spacer.rows[0].cells[0].style.height = `${rows * this.high}px`;
      setShown(spacer, rows > 0);
    }
    const repair = this.readOnly ? null : this.on.normalise;
    const line = (_, at) => gridLine(this.editing, first + at, this.pins, repair);
    this.body.replaceChildren(...Array.from({ length: last - first }, line));
    this.drawn = first;
    this.mark();
  }

  /** Mark the chosen cells; the elements stay, so that a second click finds them. */
  mark() {
    const range = rangeOf(this.selection);
    for (const cell of this.body.querySelectorAll("[data-column]")) {
      const [place, column] = [Number(cell.dataset.place), Number(cell.dataset.column)];
      setAttribute(cell, "aria-selected", String(isInside(range, place, column)));
      setAttribute(cell, "id", null);
    }
    const active = this.activeCell;
    if (active) active.id = "active-cell";
    setAttribute(this.table, "aria-activedescendant", active ? "active-cell" : null);
  }

  get activeCell() {
    const { row, column } = this.selection;
    return this.body.querySelector(`[data-place="${row}"][data-column="${column}"]`);
  }

  /** Choose cells, and bring the active one into view. */
  select(selection) {
    this.selection = selection;
    this.reveal();
    if (this.inView[0] === this.drawn) this.mark();
    else this.draw();
    this.revealAcross();
    this.on.chose();
  }

  reveal() {
    const { root, high } = this;
    const top = this.selection.row * high;
    const lowest = top + high + this.head.offsetHeight - root.clientHeight;
    root.scrollTop = Math.min(top, Math.max(root.scrollTop, lowest));
  }

  revealAcross() {
    const { root, activeCell: cell, pins } = this;
    if (!cell) return;
    const end = cell.offsetLeft + cell.offsetWidth - root.clientWidth;
    root.scrollLeft = Math.min(cell.offsetLeft - (pins.at(-1) ?? 0), Math.max(root.scrollLeft, end));
  }

  get size() {
    const page = Math.max(1, Math.floor(this.root.clientHeight / this.high) - 2);
    return { rows: this.draft.rows.count, columns: this.labels.length, page };
  }

  press(event) {
    if (this.move(event)) return;
    const { key, ctrlKey, metaKey, altKey } = event;
    const typing = STARTS_TYPING.test(key) && !ctrlKey && !metaKey && !altKey;
    if (!this.readOnly && (typing || key === "F2")) {
      event.preventDefault();
      this.edit(typing ? key : null);
    }
  }

  /** Whether the key moves the selection, which it then has. */
  move(event) {
    const { key, shiftKey: shift, ctrlKey, metaKey } = event;
    const moved = movedBy(this.selection, { key, shift, ctrl: ctrlKey || metaKey }, this.size);
    if (moved === null) return false;
    event.preventDefault();
    this.select(moved);
    return true;
  }

  /** Type into the active cell: its number with all digits, or a new text. */
  edit(text = null) {
    this.reveal();
    this.draw();
    const { row, column } = this.selection;
    const { offsetLeft, offsetTop, offsetWidth, offsetHeight } = this.activeCell;
    const place = { left: offsetLeft, top: offsetTop, width: offsetWidth, height: offsetHeight };
    for (const [side, length] of Object.entries(place)) this.input.style[side] = `${length}px`;
    this.before = wholeCell(this.draft.row(this.draft.rows.row(row))[column]);
    setAttribute(this.input, "aria-label", `${this.rowName(row)}${this.labels[column]}`);
    this.input.hidden = false;
    this.input.value = text ?? this.before;
    this.input.focus({ preventScroll: true });
    if (text === null) this.input.select();
  }

  rowName(place) {
    const states = this.draft.rows.states(this.draft.rows.row(place));
    return this.draft.order
      .map((p) => `${this.parents[p].text} = ${this.parents[p].labels[states[p]]}, `)
      .join("");
  }

  pressInput(event) {
    if (event.key === "Escape") this.leave(event);
    else if (["Enter", "Tab", "ArrowUp", "ArrowDown"].includes(event.key)) {
      this.commit();
      this.table.focus({ preventScroll: true });
      this.move(event);
    }
  }

  /** Give up what is being typed. */
  leave(event) {
    event.preventDefault();
    event.stopPropagation();
    this.input.hidden = true;
    this.table.focus({ preventScroll: true });
  }

  get isTyping() {
    return !this.input.hidden;
  }

  commit() {
    if (!this.isTyping) return;
    this.input.hidden = true;
    const { row, column } = this.selection;
    if (this.input.value !== this.before) this.on.typed(this.draft.rows.row(row), column, this.input.value);
  }

  /** Mouse: choose, drag for a range, twice to type; touch: type at once. */
  point(event) {
    const { type, target, buttons, shiftKey } = event;
    const cell = target.closest("[data-column]");
    if (type === "pointerdown") this.touched = event.pointerType === "touch";
    if (type === "mousedown") event.preventDefault();
    if (!cell) return;
    const [row, column] = [Number(cell.dataset.place), Number(cell.dataset.column)];
    if (type === "dblclick" || (type === "click" && this.touched)) {
      this.commit();
      this.selection = chosenCell(row, column);
      if (!this.readOnly) this.edit();
    } else if (type === "mousedown" && buttons === 1 && !this.touched) {
      this.commit();
      this.select(shiftKey ? { ...this.selection, row, column } : chosenCell(row, column));
      this.table.focus({ preventScroll: true });
    } else if (type === "mouseover" && buttons === 1) {
      this.select({ ...this.selection, row, column });
    }
  }
}
