/** The page as a whole: the parts, where they stand, and what they tell each other. */

import { FindingActions } from "../logic/finding_actions.js";
import { commandFor } from "../logic/keyboard.js";
import { Questions } from "../logic/why/questions.js";
import { BeliefTable } from "./belief_table.js";
import { Cards } from "./cards.js";
import { Contributions } from "./contributions.js";
import { DownloadDialog } from "./download_dialog.js";
import { DrawingView } from "./drawing/drawing_view.js";
import { button, html, setChildren, setShown, setText } from "./elements.js";
import { AboutPanel } from "./panels/about_panel.js";
import { ExplanationPanel } from "./panels/explanation_panel.js";
import { FindingForm } from "./finding_form.js";
import { FindingsPanel } from "./panels/findings_panel.js";
import { LeftFindings } from "./panels/left_findings.js";
import { Gallery } from "./gallery.js";
import { HelpDialog } from "./help_dialog.js";
import { Legend } from "./legend.js";
import { boxOf, Menu } from "./menu.js";
import { MovedPanel } from "./panels/moved_panel.js";
import { nodeMenu } from "./node_menu.js";
import { Notices } from "./notices.js";
import { Remarks } from "./panels/remarks.js";
import { ScenarioPanel } from "./panels/scenario_panel.js";
import { ScrollPlaces } from "./scroll_places.js";
import { SearchBox } from "./search_box.js";
import { Tabs } from "./tabs.js";
import { Toolbar } from "./toolbar.js";
import { DecisionDialog } from "./what_next/decision_dialog.js";
import { QuestionsSection } from "./why/questions_section.js";

const SMALL = "(max-width: 699px)";
const BUSY_AFTER = 200;

export class Page {
  /** `doors` has exhibit(name), served(entry), open(revision, facts), file(file), gallery(), save(); `makers`: see contributions.js. */
  constructor(explorer, doors, makers = []) {
    Object.assign(this, { explorer, doors });
    this.notices = new Notices();
    this.actions = new FindingActions(explorer, (text) => this.notices.say(text));
    this.menu = new Menu();
    this.form = new FindingForm(explorer, this.actions);
    this.help = new HelpDialog();
    this.downloads = new DownloadDialog(explorer);
    this.gallery = new Gallery(doors);
    this.contributions = new Contributions(this, makers);
    this.gallery.add(this.contributions.all("gallery"));
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
      why: (key) => this.question("why", key),
      table: (key) => this.edit("edit-table", key),
      stateKey: (event, key, index, beside) => this.pressState(event, key, index, beside),
      grab: (...given) => this.contributions.first("grab", ...given),
      pointed: (...given) => this.contributions.first("pointed", ...given),
    };
    this.drawing = new DrawingView(explorer, actions, on);
    this.cards = new Cards(explorer, on);
    this.table = new BeliefTable(explorer, on);
    this.tabs = new Tabs("Views of the network", (name) => this.showView(name), () => this.places?.leave());
    this.panel = html("aside", { class: "panel", "aria-label": "Findings and what follows" });
    this.legend = new Legend(explorer);
    const head = html("div", { class: "views-head" }, this.tabs.list, this.legend.root);
    this.views = html("div", { class: "views" }, head);
    this.views.append(
      this.tabs.add("drawing", "Drawing", this.drawing.root),
      this.tabs.add("cards", "Cards", this.cards.root),
      this.tabs.add("table", "Table", this.table.root),
    );
    this.places = new ScrollPlaces(this.views);
    this.byView = { drawing: this.drawing, cards: this.cards, table: this.table };
    for (const view of this.contributions.all("views")) {
      this.byView[view.name] = view;
      this.views.append(this.tabs.add(view.name, view.text, view.root));
    }
    this.panelTab = this.tabs.add("findings", "Findings", html("div"));
    this.views.append(this.panelTab);
  }

  makePanel() {
    const show = (key) => this.reveal(key);
    const { explorer, actions } = this;
    const questions = new Questions(explorer);
    this.decision = new DecisionDialog(questions);
    this.questions = new QuestionsSection(questions, { show, decide: (key) => this.decision.open(key) });
    this.parts = [
      new FindingsPanel(explorer, actions),
      this.questions,
      new MovedPanel(explorer, { show, why: (key) => this.question("why", key) }),
      new ScenarioPanel(explorer),
      new ExplanationPanel(explorer),
      new AboutPanel(explorer, { show }),
      ...this.contributions.all("parts"),
    ];
    this.remarks = new Remarks();
    this.panel.append(...this.parts.map(({ root }) => root), this.remarks.root);
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
      menu: (items, beside) => this.menu.open("More", items, beside),
      more: this.contributions.all("tools"),
    });
    const home = button("Networks", () => doors.gallery(), {
      class: "home server-only",
      title: "All networks to start from",
    });
    this.bar = html("header", { class: "bar" }, home, this.title, this.search.root, this.toolbar.root);
    this.work = html("main", { class: "work" }, this.views, this.panel);
    this.start = html("main", { class: "start" }, this.gallery.root);
    const layers = [this.menu.root, this.form.root, this.downloads.root, this.help.root, this.decision.root];
    layers.push(...this.contributions.all("dialogs").map(({ root }) => root));
    const above = [this.bar, new LeftFindings(explorer).root, this.notices.root];
    document.body.replaceChildren(...above, this.start, this.work, ...layers);
  }

  /** On small screens cards come first and the findings are a view of their own. */
  arrange() {
    const small = this.small.matches;
    setChildren(this.work, small ? [this.views] : [this.views, this.panel]);
    if (small) this.panelTab.append(this.panel);
    const more = this.contributions.all("views").map(({ name }) => name);
    const views = small ? ["cards", "drawing", "table", "findings"] : ["drawing", "cards", "table"];
    this.tabs.arrange([...views, ...more]);
    this.update();
  }

  /** The view of another session of this tab. */
  recallView() {
    const { view } = this.explorer.memory.recall(this.explorer.model.revision);
    this.places.forget();
    this.tabs.choose(this.tabs.order.includes(view) ? view : this.tabs.order[0]);
  }

  showView(name) {
    const { model, memory } = this.explorer;
    if (!model) return;
    memory.remember(model.revision, { view: name });
    this.updateView();
    if (this.small.matches) this.places.show(name);
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
    this.work.classList.toggle("stale", explorer.impossible);
    this.toolbar.update();
    for (const part of [...this.parts, this.legend]) part.update();
    this.contributions.update();
    const count = explorer.findings.length;
    this.tabs.rename("findings", count > 0 ? `Findings (${count})` : "Findings");
    this.notices.follow(explorer, this.actions);
    this.updateView();
  }

  /** Only the view that is seen is brought up to date. */
  updateView() {
    if (this.explorer.beliefs) this.byView[this.tabs.chosen]?.update();
  }

  /** A sign of work appears only if the answer takes longer than a moment. */
  showBusy() {
    if (!this.explorer.busy && !this.questions.busy) {
      clearTimeout(this.busyTimer);
      this.busyTimer = null;
      document.body.classList.remove("busy");
    } else {
      this.busyTimer ??= setTimeout(() => document.body.classList.add("busy"), BUSY_AFTER);
    }
  }

  openMenu(key, index, beside) {
    const on = {
      form: (name, kind) => this.form.open(name, kind),
      around: (name, relation) => this.around(name, relation),
      whole: () => this.explorer.showWhole(),
      question: (kind, name) => this.question(kind, name),
    };
    const variable = this.explorer.model.byKey.get(key);
    const label = index === null ? variable.text : `${variable.text} = ${variable.labels[index]}`;
    const items = nodeMenu(this.explorer, this.actions, on, key, index);
    const all = [...items, ...this.contributions.items({ kind: "node", key, index })];
    this.menu.open(label, all, beside, { clear: boxOf(key), about: variable.description });
  }

  /** Do what a contribution adds, about a variable; whether there is such a command. */
  edit(command, key) {
    const act = this.contributions.command(command, key);
    act?.();
    return act !== null;
  }

  /** Ask why, what next, or what is related, about a variable (none: the one that was chosen last). */
  question(kind, key) {
    if (!this.explorer.canExplain) return;
    if (!key) {
      this.notices.say("Choose a variable first.");
      return;
    }
    if (this.tabs.order.includes("findings")) this.tabs.choose("findings");
    this.questions.open(kind, key);
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
    if (!["drawing", "cards", "table"].includes(this.tabs.chosen)) this.tabs.choose(this.tabs.order[0]);
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
    const near = event.target.closest?.("[data-key]")?.dataset.key ?? explorer.chosen;
    const work = {
      search: () => this.search.focus(),
      undo: () => explorer.undo(),
      "undo-all": () => explorer.undoAll(),
      redo: () => explorer.redo(),
      "clear-all": () => this.actions.clearAll(),
      explanation: () => explorer.toggleExplanation(),
      keep: () => explorer.keep(),
      "ask-why": () => this.question("why", near),
      "ask-next": () => this.question("next", near),
      "ask-related": () => this.question("related", near),
      save: () => this.doors.save(),
      help: () => this.help.open(),
    }[command];
    const act = work ?? this.contributions.command(command, near);
    if (!act) return;
    event.preventDefault();
    act();
  }
}
