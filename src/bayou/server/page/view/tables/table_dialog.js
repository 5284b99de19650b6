/** The editor of a table, as in a spreadsheet: what is typed stays a draft until it is applied as one edit. */

import { keyName } from "../../logic/keyboard.js";
import { readCell } from "../../logic/tables/cell_rows.js";
import { TableDraft } from "../../logic/tables/table_draft.js";
import { TableEditing } from "../../logic/tables/table_editing.js";
import { formWords, noTableWords } from "../../logic/tables/table_words.js";
import { keyOf } from "../../logic/values.js";
import { button, html, setAttribute, setShown, setText } from "../elements.js";
import { NoisyOrForm } from "./noisy_or_form.js";
import { RowFinder } from "./row_finder.js";
import { TableGrid } from "./table_grid.js";
import { TableTools, toolOf } from "./table_tools.js";

const HINT = "Type 0.25, 25 %, 1/4 or 0,25. Paste from a spreadsheet, with or without names.";
const LARGE = "This draft is too large to outlive a reload of the page: apply it before you leave.";
const LEFT_OUT =
  "A draft of this table was left out: its states or parents have changed since. Undo that to get it back.";
const REPAIR = "Repair these rows first: each must have numbers that sum to 1. What you typed is kept.";
const LEAST = 700;

export class TableDialog {
  /** `applied(words)` is told when a table was applied and the dialog closed. */
  constructor(explorer, drafts, applied) {
    Object.assign(this, { explorer, drafts, applied, draft: null });
    this.title = html("h2", { id: "table-title" });
    this.words = html("p", { class: "hint" });
    this.grid = new TableGrid({
      typed: (row, column, text) => this.change(() => this.draft.set([[row, column, readCell(text)]])),
      normalise: (row) => this.normalise([row]),
      chose: () => this.showTools(),
    });
    this.finder = new RowFinder({
      find: (wanted) => this.find(wanted),
      reorder: (order) => this.reorder(order),
    });
    this.tools = new TableTools((name) => this[name]());
    this.noisy = new NoisyOrForm((texts) => this.typeNoisy(texts));
    this.problem = html("p", { class: "typed-problem", role: "alert" });
    this.work = html(
      "div",
      { class: "table-work" },
      this.finder.root,
      this.noisy.root,
      this.tools.root,
      this.grid.hint,
      this.grid.root,
    );
    this.root = html("dialog", { class: "table-editor", "aria-labelledby": "table-title" });
    this.root.append(this.title, this.words, this.work, this.problem, this.foot());
    this.root.addEventListener("keydown", (event) => this.press(event));
    for (const type of ["copy", "cut", "paste"])
      document.addEventListener(type, (event) => this.root.open && this.clip(event));
  }

  foot() {
    this.told = html("span", { role: "status" });
    this.next = button("Show next", () => this.showFault(), { "aria-label": "Show the next row to repair" });
    this.divide = button("", () => this.normalise(this.draft.toRepair));
    this.discard = button("Discard", () => this.drop(), { title: "Back to the table of the network" });
    this.close = button("Close", () => this.root.close());
    this.apply = button("Apply", () => this.send(), { class: "primary", title: "Ctrl+Enter" });
    const told = html("div", { class: "told" }, this.told, this.next, this.divide);
    return html("div", { class: "buttons" }, told, this.discard, this.close, this.apply);
  }

  get readOnly() {
    return !this.explorer.canEdit;
  }

  /** Open the table of a variable, with its draft if there is one. */
  async open(key) {
    const variable = this.explorer.model.byKey.get(key);
    const isTable = variable.kind === "discrete";
    Object.assign(this, { key, draft: null });
    setText(this.title, `Table of ${variable.text}`);
    setText(this.words, isTable ? "" : noTableWords(variable));
    for (const part of [this.problem, this.told]) setText(part, "");
    for (const part of [this.work, this.apply, this.discard, this.next, this.divide]) setShown(part, false);
    this.root.showModal();
    if (isTable) await this.load(variable.name);
    else this.close.focus();
  }

  async load(name) {
    const { explorer, key } = this;
    try {
      const answer = await explorer.connection.ask(explorer.model.revision, "table", { variable: name });
      if (this.key === key) this.show(answer);
    } catch (problem) {
      this.say(problem.message);
    }
  }

  show(answer) {
    const { byKey } = this.explorer.model;
    const text = (name) => byKey.get(keyOf(name)).text;
    const [variable, ...parents] = [answer.variable, ...answer.parents].map(({ name, labels }) => ({
      text: text(name),
      labels,
    }));
    this.draft = new TableDraft(answer, this.drafts.all[this.key]);
    this.editing = new TableEditing(this.draft, variable, parents);
    const words = [formWords(answer, answer.shared_with.map(text), this.readOnly), this.readOnly ? "" : HINT];
    setText(this.words, words.join(" ").trim());
    if (!this.draft.isWhole) this.say(LEFT_OUT);
    setShown(this.work, true);
    this.showForm();
    this.grid.table.focus();
  }

  /** The grid, and above it the numbers of a noisy-OR if it is one. */
  showForm() {
    const { draft } = this;
    const { variable, parents } = this.editing;
    setShown(this.noisy.root, draft.noisy !== null);
    if (draft.noisy) {
      const present = draft.answer.noisy_or.parents;
      const names = parents.map(({ text, labels }, place) => `${text} = ${labels[present[place]]}`);
      this.noisy.show([...names, "Leak"], draft.noisy, this.readOnly);
    }
    const given = parents.map(({ text }) => text).join(", ");
    const name = given ? `P(${variable.text} | ${given})` : `P(${variable.text})`;
    this.grid.show(this.editing, name, this.readOnly || draft.noisy !== null);
    this.root.style.width = `${Math.max(LEAST, this.grid.wide + 62)}px`;
    this.update();
  }

  say(text) {
    setText(this.problem, text || "");
  }

  /** Change the draft: it is kept in the tab, and everything follows it. */
  change(work) {
    this.grid.commit();
    this.say("");
    const result = work();
    if (!this.drafts.keep(this.key, this.draft)) this.say(LARGE);
    this.grid.rearrange();
    this.update();
    return result;
  }

  update() {
    const { draft, editing } = this;
    this.finder.show(draft, editing.parents, this.grid.readOnly);
    const [words, divide] = editing.words;
    setText(this.told, words);
    setText(this.divide, divide ?? "");
    setShown(this.divide, divide !== null);
    setShown(this.next, draft.toRepair.length > 0);
    for (const part of [this.apply, this.discard]) setShown(part, draft.isChanged);
    this.showTools();
  }

  showTools() {
    this.tools.show(this.editing, this.grid.readOnly, this.readOnly);
  }

  press(event) {
    const name = keyName(event).replace("Ctrl+Shift+z", "Ctrl+y");
    const inGrid = event.target === this.grid.table;
    if (event.defaultPrevented || !this.draft) return;
    const mine = !this.grid.readOnly && (inGrid || (name.startsWith("Ctrl") && event.target.type !== "text"));
    const tool = mine && toolOf(name);
    if (name === "Ctrl+Enter") this.send();
    else if (tool) this[tool]();
    else if (mine && ["Delete", "Backspace"].includes(name)) this.change(() => this.editing.clear());
    else return;
    event.preventDefault();
  }

  undo() {
    this.change(() => this.draft.undo());
  }

  redo() {
    this.change(() => this.draft.redo());
  }

  fillDown() {
    this.change(() => this.editing.fillDown());
  }

  normalise(rows) {
    this.say(this.change(() => this.editing.normalise(rows)));
  }

  lock() {
    this.change(() => this.editing.toggleLock());
    setText(
      this.told,
      this.editing.isLocked ? "Locked: type another cell of the row, and the rest adapts." : "Unlocked.",
    );
  }

  async copy() {
    try {
      await navigator.clipboard.writeText(this.editing.wholeText);
      setText(this.told, "Copied.");
    } catch {
      this.say("The browser forbids this here: choose all cells with Ctrl+A, and copy them with Ctrl+C.");
    }
  }

  switchForm() {
    this.change(() => this.draft.switchForm());
    this.showForm();
  }

  find(wanted) {
    this.draft.find(wanted);
    this.grid.begin();
    this.update();
  }

  reorder(order) {
    this.change(() => this.draft.reorder(order));
  }

  typeNoisy(texts) {
    const wrong = this.change(() => this.draft.setNoisy(texts));
    if (wrong.length > 0) this.say("Type a number from 0 to 1 in each field.");
    return wrong;
  }

  showFault() {
    this.editing.chooseFault();
    this.grid.select(this.editing.selection);
    this.grid.table.focus();
    this.update();
  }

  /** Copy and paste of ranges; while a cell is being typed only what is more than one cell. */
  clip(event) {
    const { grid, editing } = this;
    const held = document.activeElement;
    if (!this.draft || (held.tagName === "INPUT" && held !== grid.input)) return;
    if (event.type === "paste") {
      const text = event.clipboardData.getData("text/plain");
      if (grid.readOnly || (grid.isTyping && !/[\t;\n]/.test(text.trim()))) return;
      grid.leave(event);
      this.paste(text);
    } else if (!grid.isTyping) {
      event.preventDefault();
      event.clipboardData.setData("text/plain", editing.chosenText);
      if (event.type === "cut" && !grid.readOnly) this.change(() => editing.clear());
    }
  }

  /** Put cells where they belong; a whole table whose rows are in order is applied at once. */
  paste(text) {
    const found = this.change(() => this.editing.paste(text));
    if (found.whole && this.draft.toRepair.length === 0) this.send({ close: false, note: found.note });
    else this.say(found.problem ?? found.note);
  }

  /** Make the draft the table of the network: one edit, one step of undo. */
  async send({ close = true, note = "" } = {}) {
    this.grid.commit();
    const { draft, explorer } = this;
    if (draft.toRepair.length > 0) {
      this.showFault();
      this.say(REPAIR);
    }
    const waits = draft.toRepair.length > 0 || (draft.noisy && draft.setNoisy(draft.noisy).length > 0);
    if (waits || !draft.isChanged) return;
    const problem = await explorer.edit(draft.edits(), { tell: false });
    if (problem) {
      this.say(problem.message);
      return;
    }
    this.drafts.keep(this.key, null);
    if (close) {
      this.root.close();
      this.applied(`${this.title.textContent}: applied. Ctrl+Z takes it back.`);
      return;
    }
    await this.load(draft.answer.variable.name);
    this.say(note);
    setText(this.told, "Applied: the beliefs follow this table.");
  }

  /** Forget the draft of a variable. */
  drop(key = this.key) {
    this.drafts.keep(key, null);
    if (this.root.open) this.show(this.draft.answer);
  }
}
