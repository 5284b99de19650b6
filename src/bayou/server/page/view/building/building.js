/** Building a network on the page: forms, menus, drags and keys; what is refused is told, a cycle is marked. */

import { pathBetween } from "../../logic/building/cycles.js";
import { keyOf } from "../../logic/values.js";
import { arcName } from "../../logic/why/trails.js";
import { button, html, setShown } from "../elements.js";
import { keyAt } from "../drawing/gestures.js";
import { newArcForm } from "./arc_forms.js";
import { arcItems, networkItems, oneArcItems, variableItems } from "./build_menus.js";
import { Clipboard } from "./clipboard.js";
import { FormDialog } from "./form_dialog.js";
import { boxOf } from "../menu.js";
import { grabbed, Nudges } from "./node_drag.js";
import { Unsaved } from "./unsaved.js";
import { newVariableForm, textsForm } from "./variable_forms.js";

const GRID = 20;

/** The contribution of this folder to the page. */
export const building = (page) => new Building(page);

class Building {
  constructor(page) {
    const { explorer } = page;
    Object.assign(this, { page, explorer, lastStates: null, shown: null });
    this.form = new FormDialog("build");
    this.clipboard = new Clipboard(this);
    this.nudges = new Nudges(this);
    explorer.editing.refuse = (problem, edits) => this.refuse(problem, edits);
    this.dialogs = [this.form];
    const add = button("New variable…", () => newVariableForm(this), { title: "Add a variable (V)" });
    const menu = button("Edit…", () => this.openNetwork(page.toolbar.placeOf(menu)), {
      "aria-haspopup": "menu",
    });
    const shown = (root) => ({ root, update: () => setShown(root, explorer.canEdit) });
    this.tools = [shown(add), shown(menu)];
    this.commands = this.allCommands();
    this.unsaved = new Unsaved(page, page.doors);
    this.gallery = [this.start()];
    this.empty = this.emptyText();
  }

  /** What an empty network shows above every view: cards come first on a phone. */
  emptyText() {
    return html(
      "p",
      { class: "empty-network", hidden: true },
      "Nothing here yet. Add a variable with its states and probabilities, then what depends on it. ",
      button("Add the first variable…", () => newVariableForm(this), { class: "primary" }),
    );
  }

  /** The first page: a button for a new network, and what was not saved. */
  start() {
    const way = button("New network", () => this.page.doors.begin());
    const show = ({ can_edit: canEdit }) => {
      setShown(way, canEdit === true);
      this.unsaved.show();
    };
    return { way, root: this.unsaved.root, show };
  }

  allCommands() {
    const { explorer } = this;
    const about = (act) => (key) => {
      if (!explorer.canEdit) return;
      if (explorer.model.byKey.has(key)) act(key);
      else this.page.notices.say("Choose a variable first.");
    };
    const move = (dx, dy) => about((key) => this.nudges.step(key, dx, dy));
    const copy = about((key) => this.clipboard.copy([key]));
    return {
      "new-variable": () => explorer.canEdit && newVariableForm(this),
      "add-arc": about((key) => newArcForm(this, key)),
      arcs: about((key) => this.openArcs(key)),
      rename: about((key) => textsForm(this, key)),
      "edit-variable": about((key) => this.openEdit(key)),
      "remove-variable": about((key) => explorer.edit([{ edit: "remove_node", variable: JSON.parse(key) }])),
      "remove-arc": () => this.removeArc(),
      "move-left": move(-GRID, 0),
      "move-right": move(GRID, 0),
      "move-up": move(0, -GRID),
      "move-down": move(0, GRID),
      /** Texts that are marked are copied as everywhere. */
      get copy() {
        return getSelection().isCollapsed ? copy : null;
      },
    };
  }

  items({ kind, key }) {
    if (kind !== "node" || !this.explorer.canEdit) return [];
    return [{ text: "Edit this variable…", act: () => this.openEdit(key) }];
  }

  grab(drawing, target, event) {
    return grabbed(this, drawing, target, event);
  }

  /** Clicks on arcs and on the empty part of the drawing. */
  pointed(how, event, drawing) {
    const { explorer } = this;
    if (!explorer.canEdit) return;
    const arc = event.target.closest(".arc")?.dataset;
    if (how === "handle") newArcForm(this, keyAt(event.target));
    else if (arc && how !== "double") {
      event.preventDefault();
      this.openArc(arc, new DOMRect(event.clientX, event.clientY, 0, 0));
    } else if (how === "click") explorer.chooseArc(null);
    else if (explorer.relation === null) {
      event.preventDefault();
      const place = drawing
        .pointAt(event)
        .map((at, axis) => Math.round(at + [explorer.model.left, explorer.model.top][axis]));
      if (how === "double") newVariableForm(this, place);
      else this.openNetwork(new DOMRect(event.clientX, event.clientY, 0, 0), place);
    }
  }

  openNetwork(beside, position = null) {
    this.page.menu.open("The network", networkItems(this, position), beside);
  }

  openEdit(key) {
    const { page, explorer } = this;
    const more = page.contributions.items({ kind: "edit", key });
    page.menu.open(
      `Edit ${explorer.model.byKey.get(key).text}`,
      [...variableItems(this, key), ...more],
      this.beside(key),
      { clear: boxOf(key) },
    );
  }

  openArcs(key) {
    const items = arcItems(this, key);
    if (items.length === 0) this.page.notices.say("This variable has no arcs.");
    else this.page.menu.open(`Arcs of ${this.explorer.model.byKey.get(key).text}`, items, this.beside(key), { clear: boxOf(key) });
  }

  openArc({ from, to }, beside = this.beside(from)) {
    const { byKey } = this.explorer.model;
    this.explorer.chooseArc({ from, to });
    this.page.menu.open(
      `${byKey.get(from).text} → ${byKey.get(to).text}`,
      oneArcItems(this, { from, to }),
      beside,
    );
  }

  /** Where a menu about a variable opens: beside its box or its card. */
  beside(key) {
    const found = [...document.querySelectorAll("[data-key]")].find(
      (one) => one.dataset.key === key && one.getClientRects().length > 0,
    );
    return (found ?? this.page.bar).getBoundingClientRect();
  }

  addArc(from, to, how) {
    const [parent, child] = [from, to].map((key) => this.explorer.model.byKey.get(key).name);
    return this.explorer.edit([{ edit: "add_arc", parent, child }], how).then((problem) => {
      if (problem && how?.tell === false) this.markCycle(parent, child);
      return problem;
    });
  }

  removeArc() {
    const { chosenArc, model, canEdit } = this.explorer;
    if (!canEdit || !chosenArc) return;
    const [parent, child] = [chosenArc.from, chosenArc.to].map((key) => model.byKey.get(key).name);
    this.explorer.edit([{ edit: "remove_arc", parent, child }]);
  }

  /** Bring a variable into view after a form about it, with the keyboard on it. */
  show(key) {
    const { page, explorer } = this;
    if (!explorer.model.byKey.has(key)) return;
    page.reveal(key);
    if (page.tabs.chosen === "drawing") page.drawing.drawing.focus(key);
  }

  refuse(problem, edits) {
    const arc = edits.find(({ edit }) => edit === "add_arc");
    if (arc) this.markCycle(arc.parent, arc.child);
    this.page.notices.tell(problem.message);
    this.explorer.tell();
  }

  /** The way that an arc would close to a cycle is drawn as a trail until the network changes. */
  markCycle(parent, child) {
    const { explorer } = this;
    const path = pathBetween(explorer.model, keyOf(child), keyOf(parent));
    if (!path) return;
    const arcs = path.slice(1).map((key, place) => arcName(path[place], key));
    explorer.marked = { nodes: new Set(path), arcs: new Set(arcs) };
    explorer.tell();
  }

  update() {
    const { explorer, page } = this;
    const { model } = explorer;
    if (!this.empty.isConnected) page.views.firstChild.after(this.empty);
    setShown(this.empty, explorer.canEdit && model.variables.length === 0);
    this.markUnsaved();
    if (explorer.opened !== this.opened) {
      this.opened = explorer.opened;
      this.shown = model.revision;
      this.unsaved.offer();
    } else if (model.revision !== this.shown) {
      this.shown = model.revision;
      explorer.marked = null;
      page.notices.clear();
    }
  }

  markUnsaved() {
    const { page } = this;
    const { isUnsaved } = this.explorer.editing;
    if (isUnsaved) document.title = `• ${document.title}`;
    for (const mark of [page.title, page.toolbar.save]) mark.classList.toggle("unsaved", isUnsaved);
    page.title.title = isUnsaved ? "There are changes that are not saved" : "";
  }
}
