/** The strip itself: a grid with a row for each variable and a column for each step; only columns in view exist. */

import { columnsInView, rangeOf, scrollFor } from "../../logic/sequences/strip_layout.js";
import { stateIndex } from "../../logic/sequences/typed_sequence.js";
import { stepText } from "../../logic/sequences/strip_words.js";
import { html, setAttribute, setText } from "../elements.js";
import { StripCell, tintOf } from "./strip_cell.js";

export const WIDTH = 62;
const MOST_LABELS = 8;
const PAGE = 10;

export class StripGrid {
  /** `on` has menu(row, step, beside), toggle(row, step, index), clear(row, step), type(row, step). */
  constructor(explorer, on) {
    Object.assign(this, { explorer, on, model: null, lines: [], place: { line: 0, step: 0 } });
    this.grid = html("div", { class: "strip-grid", role: "grid", "aria-label": "Beliefs over time" });
    this.root = html("div", { class: "strip-scroll" }, this.grid);
    this.root.addEventListener("scroll", () => this.render(), { passive: true });
    new ResizeObserver(() => this.render()).observe(this.root);
    this.grid.addEventListener("click", (event) => this.click(event));
    this.grid.addEventListener("contextmenu", (event) => this.click(event));
    this.grid.addEventListener("keydown", (event) => this.press(event));
    this.grid.addEventListener("focusin", ({ target }) => this.held(target));
  }

  get room() {
    return this.root.clientWidth - (this.lines[0]?.head.offsetWidth ?? 0);
  }

  update() {
    const { explorer } = this;
    if (explorer.model !== this.model) this.build();
    const { rows } = explorer.model;
    setAttribute(this.grid, "aria-colcount", explorer.columns + 1);
    setAttribute(this.grid, "aria-rowcount", rows.length + 1);
    this.place.step = Math.min(this.place.step, explorer.columns - 1);
    for (const line of this.lines) {
      line.track.style.width = `${explorer.columns * WIDTH}px`;
      line.range = line.row?.isNumber ? rangeOf(explorer.tracks?.get(line.row.key)) : null;
    }
    this.axis.track.style.width = `${explorer.columns * WIDTH}px`;
    this.render();
  }

  build() {
    const { model } = this.explorer;
    this.model = model;
    this.lines = model.rows.map((row, place) => this.line(row, place));
    this.axis = this.axisLine(model.rows.length);
    this.grid.replaceChildren(...this.lines.map(({ root }) => root), this.axis.root);
    const first = Math.max(model.rows.indexOf(model.firstSeen), 0);
    this.place = { line: first, step: 0 };
    this.root.scrollLeft = 0;
  }

  line(row, place) {
    const legend = row.labels.slice(0, MOST_LABELS).map((label, index) => {
      const swatch = html("i", { class: "swatch" });
      swatch.style.setProperty("--tint", tintOf(row, index));
      return html("span", { class: "legend-state" }, swatch, label);
    });
    if (row.labels.length > MOST_LABELS) legend.push(html("span", {}, `+ ${row.labels.length - MOST_LABELS}`));
    const kind = row.hidden ? "hidden" : { constant: "constant", first: "at the start", last: "at the end" }[row.role];
    const about = html("span", { class: "strip-about" }, row.isNumber ? "mean ± deviation" : null, ...legend.reverse());
    const head = html(
      "div",
      { class: "strip-head", role: "rowheader" },
      html("strong", {}, row.label),
      kind ? html("span", { class: "strip-kind" }, kind) : null,
      about,
    );
    const track = html("div", { class: "strip-track", role: "presentation" });
    const root = html("div", { class: "strip-row", role: "row", "aria-rowindex": place + 1 }, head, track);
    return { row, head, track, root, cells: new Map(), range: null };
  }

  axisLine(place) {
    const head = html("div", { class: "strip-head", role: "rowheader" }, "step");
    const track = html("div", { class: "strip-track", role: "presentation" });
    const attributes = { class: "strip-row strip-axis", role: "row", "aria-rowindex": place + 1 };
    return { head, track, root: html("div", attributes, head, track), cells: new Map() };
  }

  /** Bring the columns in view up to date; those out of view are taken away, but for the one with the keyboard. */
  render() {
    const { explorer } = this;
    if (!explorer.model || explorer.model !== this.model) return;
    const { first, last } = columnsInView(explorer.columns, WIDTH, this.root.scrollLeft, this.room);
    const keep = (step) => step < explorer.columns && ((step >= first && step < last) || step === this.place.step);
    for (const line of [...this.lines, this.axis]) {
      for (const [step, cell] of line.cells) {
        if (keep(step)) continue;
        cell.root.remove();
        line.cells.delete(step);
      }
    }
    const wanted = [...new Set([this.place.step, ...Array.from({ length: last - first }, (_, k) => first + k)])];
    for (const step of wanted.sort((one, other) => one - other)) {
      this.lines.forEach((line, at) => this.cell(line, at, step));
      this.tick(step);
    }
  }

  cell(line, at, step) {
    let cell = line.cells.get(step);
    if (!cell) {
      cell = new StripCell(line.row, step, WIDTH);
      cell.root.dataset.line = at;
      line.cells.set(step, cell);
      insertInOrder(line.track, cell.root);
    }
    cell.update(this.explorer, line.range);
    const isHere = at === this.place.line && step === this.place.step;
    setAttribute(cell.root, "tabindex", isHere ? 0 : -1);
  }

  tick(step) {
    let tick = this.axis.cells.get(step);
    if (!tick) {
      tick = { root: html("div", { class: "strip-tick", role: "columnheader", "data-step": step }) };
      setAttribute(tick.root, "aria-colindex", step + 2);
      tick.root.style.left = `${step * WIDTH}px`;
      this.axis.cells.set(step, tick);
      insertInOrder(this.axis.track, tick.root);
    }
    setText(tick.root, stepText(step, this.explorer.steps));
    tick.root.classList.toggle("ahead", step >= this.explorer.steps);
  }

  placeOf(target) {
    const cell = target.closest?.(".strip-cell");
    return cell ? { line: Number(cell.dataset.line), step: Number(cell.dataset.step) } : null;
  }

  held(target) {
    const place = this.placeOf(target);
    if (!place) return;
    this.place = place;
    this.render();
  }

  click(event) {
    const place = this.placeOf(event.target);
    if (!place) return;
    event.preventDefault();
    this.go(place.line, place.step);
    this.menu();
  }

  /** Give the keyboard to a cell, and bring it into view. */
  go(line, step) {
    const { explorer } = this;
    this.place = {
      line: Math.min(Math.max(line, 0), this.lines.length - 1),
      step: Math.min(Math.max(step, 0), explorer.columns - 1),
    };
    this.root.scrollLeft = scrollFor(this.place.step, WIDTH, this.root.scrollLeft, this.room);
    this.render();
    this.here.focus({ preventScroll: true });
  }

  get here() {
    return this.lines[this.place.line].cells.get(this.place.step).root;
  }

  menu() {
    const { line, step } = this.place;
    this.on.menu(this.lines[line].row, step, this.here.getBoundingClientRect());
  }

  press(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || !this.placeOf(event.target)) return;
    const { line, step } = this.place;
    const { row } = this.lines[line];
    const work = {
      ArrowLeft: () => this.go(line, step - 1),
      ArrowRight: () => this.go(line, step + 1),
      ArrowUp: () => this.go(line - 1, step),
      ArrowDown: () => this.go(line + 1, step),
      PageUp: () => this.go(line, step - PAGE),
      PageDown: () => this.go(line, step + PAGE),
      Home: () => this.go(line, 0),
      End: () => this.go(line, this.explorer.columns - 1),
      Enter: () => this.menu(),
      " ": () => this.menu(),
      Delete: () => this.on.clear(row, step),
      Backspace: () => this.on.clear(row, step),
    }[event.key];
    const act = work ?? this.typed(event.key, row, step);
    if (!act) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  }

  /** A typed letter: the state called so, or the only one that begins so; of numbers a field opens. */
  typed(key, row, step) {
    if (key.length !== 1 || !row.canFind || step >= this.explorer.steps) return null;
    if (row.isNumber) return /[\d.,−-]/.test(key) ? () => this.on.type(row, step, key) : null;
    const named = stateIndex(row, key);
    const begins = row.labels.flatMap((label, at) => (label.toLowerCase().startsWith(key.toLowerCase()) ? [at] : []));
    const index = named >= 0 ? named : begins.length === 1 ? begins[0] : -1;
    return index < 0 ? null : () => this.on.toggle(row, step, index);
  }
}

/** Cells stand in the order of their steps, for those who hear them one after the other. */
function insertInOrder(track, node) {
  const after = [...track.children].find((other) => Number(other.dataset.step) > Number(node.dataset.step));
  track.insertBefore(node, after ?? null);
}
