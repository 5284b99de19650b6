/** The page as a whole: the parts, where they stand, and what they tell each other. */

import { FindingActions } from "../logic/finding_actions.js";
import { commandFor } from "../logic/keyboard.js";
import { BeliefTable } from "./belief_table.js";
import { Cards } from "./cards.js";
import { DownloadDialog } from "./download_dialog.js";
import { DrawingView } from "./drawing/drawing_view.js";
import { button, html, setChildren, setShown, setText } from "./elements.js";
import { ExplanationPanel } from "./explanation_panel.js";
import { FindingForm } from "./finding_form.js";
import { FindingsPanel } from "./findings_panel.js";
import { Gallery } from "./gallery.js";
import { HelpDialog } from "./help_dialog.js";
import { Menu } from "./menu.js";
import { MovedPanel } from "./moved_panel.js";
import { nodeMenu } from "./node_menu.js";
import { Notices } from "./notices.js";
import { ScenarioPanel } from "./scenario_panel.js";
import { SearchBox } from "./search_box.js";
import { Tabs } from "./tabs.js";
import { Toolbar } from "./toolbar.js";

const SMALL = "(max-width: 699px)";
const BUSY_AFTER = 200;

export class Page {
  /** `doors` has exhibit(name), served(entry), file(file), gallery(), save(). */
  constructor(explorer, doors) {
    Object.assign(this, { explorer, doors });
    this.notices = new Notices();
    this.actions = new FindingActions(explorer, (text) => this.notices.say(text));
    this.menu = new Menu();
    this.form = new FindingForm(explorer, this.actions);
    this.help = new HelpDialog();
    this.downloads = new DownloadDialog(explorer);
    this.gallery = new Gallery(doors);
    this.makeViews();
    this.makePanel();
    this.makeFrame();
    this.small = matchMedia(SMALL);
    this.small.addEventListener("change", () => this.arrange());
    document.addEventListener("keydown", (event) => this.press(event));
    explorer.listen(() => this.update());
    this.arrange();
  }

  makeViews() {
    const { explorer, actions } = this;
    const on = {
      menu: (key, index, beside) => this.openMenu(key, index, beside),
      value: (key) => this.form.open(key, "value"),
      around: (key, relation) => this.around(key, relation),
      toggle: (key, index) => actions.toggle(key, index),
      stateKey: (event, key, index, beside) => this.pressState(event, key, index, beside),
    };
    this.drawing = new DrawingView(explorer, actions, on);
    this.cards = new Cards(explorer, on);
    this.table = new BeliefTable(explorer, on);
    this.tabs = new Tabs("Views of the network", (name) => this.showView(name));
    this.panel = html("aside", { class: "panel", "aria-label": "Findings and what follows" });
    this.views = html("div", { class: "views" }, this.tabs.list);
    this.views.append(
      this.tabs.add("drawing", "Drawing", this.drawing.root),
      this.tabs.add("cards", "Cards", this.cards.root),
      this.tabs.add("table", "Table", this.table.root),
    );
    this.panelTab = this.tabs.add("findings", "Findings", html("div"));
    this.views.append(this.panelTab);
  }

  makePanel() {
    const show = (key) => this.reveal(key);
    const { explorer, actions } = this;
    this.parts = [
      new FindingsPanel(explorer, actions),
      new MovedPanel(explorer, { show }),
      new ScenarioPanel(explorer),
      new ExplanationPanel(explorer),
    ];
    this.remarks = html("details", { class: "remarks", hidden: true });
    this.panel.append(...this.parts.map(({ root }) => root), this.remarks);
  }

  makeFrame() {
    const { explorer, doors } = this;
    this.title = html("h1");
    this.search = new SearchBox(explorer, {
      variable: (key) => this.reveal(key, { search: true }),
      state: (key, index) => this.reveal(key, { search: true, index }),
    });
    this.toolbar = new Toolbar(explorer, {
      save: () => doors.save(),
      download: () => this.downloads.open(),
      help: () => this.help.open(),
    });
    const home = button("Networks", () => doors.gallery(), {
      class: "home",
      title: "All networks to start from",
    });
    this.bar = html("header", { class: "bar" }, home, this.title, this.search.root, this.toolbar.root);
    this.work = html("main", { class: "work" }, this.views, this.panel);
    this.start = html("main", { class: "start" }, this.gallery.root);
    const layers = [this.menu.root, this.form.root, this.downloads.root, this.help.root];
    document.body.replaceChildren(this.bar, this.notices.root, this.start, this.work, ...layers);
  }

  /** On small screens cards come first and the findings are a view of their own. */
  arrange() {
    const small = this.small.matches;
    setChildren(this.work, small ? [this.views] : [this.views, this.panel]);
    if (small) this.panelTab.append(this.panel);
    this.tabs.arrange(small ? ["cards", "drawing", "table", "findings"] : ["drawing", "cards", "table"]);
    this.update();
  }

  /** The view of another session of this tab. */
  recallView() {
    const { view } = this.explorer.memory.recall(this.explorer.model.revision);
    this.tabs.choose(this.tabs.order.includes(view) ? view : this.tabs.order[0]);
  }

  showView(name) {
    const { model, memory } = this.explorer;
    if (!model) return;
    memory.remember(model.revision, { view: name });
    this.updateView();
  }

  update() {
    const { explorer } = this;
    const open = explorer.model !== null && explorer.beliefs !== null;
    for (const part of [this.bar, this.work]) setShown(part, open);
    setShown(this.start, !open);
    document.body.classList.toggle("open", open);
    this.showBusy();
    if (!open) return;
    const name =
      explorer.model.title || explorer.source.name || explorer.entry?.name || explorer.source.gallery;
    setText(this.title, name || "Network");
    document.title = `${name || "Network"} · bayou`;
    this.toolbar.update();
    for (const part of this.parts) part.update();
    const count = explorer.findings.length;
    this.tabs.rename("findings", count > 0 ? `Findings (${count})` : "Findings");
    this.notices.follow(explorer, this.actions);
    this.updateView();
  }

  /** Only the view that is seen is brought up to date. */
  updateView() {
    const views = { drawing: this.drawing, cards: this.cards, table: this.table };
    if (this.explorer.beliefs) views[this.tabs.chosen]?.update();
  }

  /** A sign of work appears only if the answer takes longer than a moment. */
  showBusy() {
    if (!this.explorer.busy) {
      clearTimeout(this.busyTimer);
      this.busyTimer = null;
      document.body.classList.remove("busy");
    } else {
      this.busyTimer ??= setTimeout(() => document.body.classList.add("busy"), BUSY_AFTER);
    }
  }

  /** What was noted when the model was opened. */
  showRemarks(remarks) {
    setShown(this.remarks, remarks.length > 0);
    const lines = remarks.map((text) => html("li", {}, text));
    this.remarks.replaceChildren(
      html("summary", {}, `Remarks on opening (${remarks.length})`),
      html("ul", {}, ...lines),
    );
  }

  openMenu(key, index, beside) {
    const on = {
      form: (name, kind) => this.form.open(name, kind),
      around: (name, relation) => this.around(name, relation),
      whole: () => this.explorer.showWhole(),
    };
    const variable = this.explorer.model.byKey.get(key);
    const label = index === null ? variable.text : `${variable.text} = ${variable.labels[index]}`;
    this.menu.open(label, nodeMenu(this.explorer, this.actions, on, key, index), beside);
  }

  around(key, relation) {
    this.explorer.focusOn(key, relation);
    if (this.tabs.chosen === "table") this.tabs.choose("drawing");
  }

  /** Bring a variable into view, and set a state of it as a finding if one was picked. */
  reveal(key, { search = false, index = null } = {}) {
    const { explorer } = this;
    if (index !== null) this.actions.observe(key, index);
    if (search && explorer.model.isLarge && explorer.relation !== null) explorer.focusOn(key);
    if (this.tabs.chosen === "findings") this.tabs.choose("cards");
    explorer.choose(key);
    const view = this.tabs.chosen;
    if (view === "cards") this.cards.update();
    if (view === "drawing") this.drawing.show(key);
    else this[view].reveal(key);
    if (search && view === "drawing") this.drawing.drawing.focus(key);
  }

  pressState(event, key, index, beside) {
    const command = commandFor(event, "state");
    if (command === "exclude") this.actions.exclude(key, index);
    else if (command === "intervene") this.actions.intervene(key, index);
    else if (command === "clear") this.actions.clear(key);
    else if (command === "menu") this.openMenu(key, index, beside.getBoundingClientRect());
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** The keys that work everywhere. */
  press(event) {
    if (event.defaultPrevented || document.querySelector("dialog[open]")) return;
    const field = event.target.closest?.("input, select, textarea");
    const command = commandFor(event, field ? "field" : "page");
    const { explorer } = this;
    if (!explorer.model) return;
    const work = {
      search: () => this.search.focus(),
      undo: () => explorer.undo(),
      redo: () => explorer.redo(),
      "clear-all": () => this.actions.clearAll(),
      explanation: () => explorer.toggleExplanation(),
      keep: () => explorer.keep(),
      save: () => this.doors.save(),
      help: () => this.help.open(),
    }[command];
    if (!work) return;
    event.preventDefault();
    work();
  }
}
