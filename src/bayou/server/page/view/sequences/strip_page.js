/** The page of a model of sequences: the strip, what is asked above it, what is known beside it. */

import { commandFor } from "../../logic/keyboard.js";
import { canRedo, canUndo } from "../../logic/history.js";
import { counted } from "../../logic/numbers.js";
import { StripExplorer } from "../../logic/sequences/strip_explorer.js";
import { clearedAt, toggledAt } from "../../logic/sequences/step_findings.js";
import { button, html, setShown, setText } from "../elements.js";
import { cellMenu } from "./cell_menu.js";
import { SequenceForms } from "./sequence_forms.js";
import { StripControls } from "./strip_controls.js";
import { StripGrid } from "./strip_grid.js";
import { StripPanel } from "./strip_panel.js";

const BUSY_AFTER = 200;
const NONE_LEFT = "No state would be left. Keep at least one, or clear the finding.";

export class StripPage {
  /** `page` has menu and notices; `home()` leads to the gallery. */
  constructor(connection, memory, page, home) {
    this.page = page;
    this.explorer = new StripExplorer(connection, memory);
    const { explorer } = this;
    this.forms = new SequenceForms(explorer, (text) => page.notices.say(text));
    this.grid = new StripGrid(explorer, {
      menu: (row, step, beside) => this.menu(row, step, beside),
      toggle: (row, step, index) => explorer.change(toggledAt(explorer.findings, row, step, index)),
      clear: (row, step) => explorer.change(clearedAt(explorer.findings, row, step)),
      type: (row, step, begun) => this.forms.number(row, step, begun),
    });
    this.controls = new StripControls(explorer, () => this.forms.sequence());
    this.panel = new StripPanel(explorer, (row, step) => this.grid.go(explorer.model.rows.indexOf(row), step));
    this.undo = button("↶", () => explorer.undo(), { class: "icon", "aria-label": "Undo", title: "Undo (Ctrl+Z)" });
    this.redo = button("↷", () => explorer.redo(), {
      class: "icon",
      "aria-label": "Redo",
      title: "Do it again (Ctrl+Shift+Z)",
    });
    this.title = html("h1");
    this.about = html("span", { class: "hint" });
    const back = button("Networks", home, { class: "home", title: "All networks to start from" });
    const tools = html("div", { class: "toolbar" }, this.undo, this.redo);
    const bar = html("header", { class: "bar" }, back, this.title, this.about, tools);
    const views = html("div", { class: "strip-views" }, this.controls.root, this.grid.root, this.controls.hint);
    const work = html("main", { class: "work strip-work" }, views, this.panel.root);
    this.root = html("div", { class: "strip-page", hidden: true }, bar, work, this.forms.root);
    document.body.append(this.root);
    document.addEventListener("keydown", (event) => this.press(event));
    explorer.listen(() => this.update());
  }

  get isOpen() {
    return this.explorer.model !== null;
  }

  /** Open a model of sequences; `facts` has the source and, from a link, the place. */
  async open(revision, facts) {
    const { dropped } = await this.explorer.open(revision, facts);
    if (dropped > 0)
      this.page.notices.tell("Some findings of this link do not fit this model or its steps. They were left out.");
  }

  close() {
    this.explorer.close();
  }

  /** A file of values that was dropped on the page. */
  read(file) {
    return this.forms.read(file);
  }

  menu(row, step, beside) {
    const { explorer } = this;
    const items = cellMenu(explorer, row, step, {
      change: (findings) =>
        findings === null ? this.page.notices.say(NONE_LEFT) : explorer.change(findings),
      type: (...cell) => this.forms.number(...cell),
      sequence: (...cell) => this.forms.sequence(...cell),
      resize: (steps) => explorer.resize(steps),
    });
    this.page.menu.open(`${row.label} at ${step}`, items, beside);
  }

  update() {
    const { explorer } = this;
    this.showBusy();
    const shown = explorer.model !== null && (explorer.answer !== null || explorer.problem !== null);
    setShown(this.root, shown);
    document.body.classList.toggle("over-time", shown);
    if (!shown) return;
    document.body.classList.add("open");
    const name = explorer.source.name || "Sequence";
    setText(this.title, name);
    document.title = `${name} · bayou`;
    setText(this.about, `${explorer.model.kind}, ${counted(explorer.model.rows.length, "variable")}`);
    this.undo.disabled = !canUndo(explorer.history);
    this.redo.disabled = !canRedo(explorer.history);
    this.controls.update();
    this.grid.update();
    this.panel.update();
    this.tellProblem();
  }

  /** A sign of work appears only if the answer takes longer than a moment. */
  showBusy() {
    clearTimeout(this.busyTimer);
    if (!this.explorer.busy) document.body.classList.remove("busy");
    else this.busyTimer = setTimeout(() => document.body.classList.add("busy"), BUSY_AFTER);
  }

  tellProblem() {
    const { problem, history } = this.explorer;
    if (problem === this.told) return;
    this.told = problem;
    if (problem === null) this.page.notices.clear();
    else {
      const undo = canUndo(history) ? [["Undo", () => this.explorer.undo()]] : [];
      this.page.notices.tell(`${problem.message} The strip still shows what was known before.`, undo, "calm");
    }
  }

  /** The keys that work everywhere on this page. */
  press(event) {
    if (!this.isOpen || event.defaultPrevented || document.querySelector("dialog[open]")) return;
    const field = event.target.closest?.("input, select, textarea");
    const { explorer } = this;
    const work = {
      undo: () => explorer.undo(),
      redo: () => explorer.redo(),
      "clear-all": () => explorer.change([]),
      explanation: () => explorer.set({ path: !explorer.path }),
    }[commandFor(event, field ? "field" : "page")];
    if (!work) return;
    event.preventDefault();
    work();
  }
}
