/** The network as a drawing: a window on it, and only what is in the window is in the document. */

import { handlePlace } from "../../logic/drawing/arc_handle.js";
import { relatives } from "../../logic/graph.js";
import { arcFrame } from "../../logic/geometry.js";
import { focusLayout, wholeLayout } from "../../logic/drawing/focus_layout.js";
import { shownNames } from "../../logic/drawing/shown_names.js";
import * as viewport from "../../logic/drawing/viewport.js";
import { ArcLine } from "./arc_line.js";
import { setAttribute, svg } from "../elements.js";
import { NodeBox } from "./node_box.js";
import { nodeFacts } from "../node_marks.js";
import { textWidth } from "./text_width.js";

const BORDER = 120;

/** Milliseconds in which a frame may make new boxes; those that are left come with the next frames. */
const MAKING = 8;

export class Drawing {
  constructor(explorer) {
    this.explorer = explorer;
    this.arcLayer = svg("g", { class: "arcs", "aria-hidden": "true" });
    this.nodeLayer = svg("g", { class: "nodes" });
    this.world = svg("g", {}, this.arcLayer, this.nodeLayer);
    this.root = svg("svg", { class: "canvas", role: "group", tabindex: 0 }, this.world);
    setAttribute(
      this.root,
      "aria-label",
      "Drawing of the network. Arrow keys move it; Tab goes to the variables",
    );
    this.boxes = new Map();
    this.arcs = new Map();
    this.view = { x: 0, y: 0, scale: 1 };
    this.layout = null;
    this.layoutName = "";
    this.moved = () => {};
    this.recall = () => null;
    this.corner = () => null;
    this.waiting = false;
    this.stale = true;
    this.detail = null;
    this.drawnSize = { width: 1, height: 1 };
  }

  get size() {
    return { width: this.root.clientWidth || 1, height: this.root.clientHeight || 1 };
  }

  /** The variable that Tab goes to: the chosen one if it is drawn, else the first. */
  get current() {
    const { chosen } = this.explorer;
    return this.layout?.boxes.has(chosen) ? chosen : (this.layout?.boxes.keys().next().value ?? null);
  }

  /**
   * Lay out what is to be shown, if that has changed. The whole network is fitted into the window if it was asked
   * for, not if it is what a network opens with. After an edit everything stays where it was on the screen.
   */
  arrange() {
    const { model, centre, relation, opened } = this.explorer;
    const part = relation ? `${relation} ${centre}` : "whole";
    const name = `${model.revision} ${part}`;
    if (name === this.layoutName || this.root.clientWidth === 0) return;
    this.wasWhole = this.layout !== null && viewport.showsWhole(this.view, this.layout, this.size);
    const before = this.shownPart === `${opened} ${part}` && this.layout.boxes.size > 0 ? this.layout : null;
    const asked = relation === null && (model.isLarge || this.shownPart?.startsWith(`${opened} `));
    Object.assign(this, { layoutName: name, shownPart: `${opened} ${part}`, lost: heldIn(this.root) });
    this.layout = relation ? focusLayout(model, relatives(model, centre, relation)) : wholeLayout(model);
    this.frames = this.layout.arcs.map(({ points }) => arcFrame(points));
    this.arcLayer.replaceChildren();
    this.nodeLayer.replaceChildren();
    this.boxes.clear();
    this.arcs.clear();
    if (before) this.look(viewport.shifted(this.view, before, this.layout));
    else this.look(this.recall(name) ?? (asked ? this.fitting(this.size) : this.opening()));
  }

  /** Everything is drawn again, where it was: a drag was given up. */
  restore() {
    this.layoutName = "";
    this.refresh();
  }

  /** The place of an event in px of the drawing. */
  pointAt(event) {
    const frame = this.root.getBoundingClientRect();
    const { x, y, scale } = this.view;
    return [x + (event.clientX - frame.left) / scale, y + (event.clientY - frame.top) / scale];
  }

  /** The keyboard is again where it was before the boxes were made anew. */
  holdAgain() {
    const { key, index } = this.lost ?? {};
    this.lost = null;
    const node = this.boxes.get(key)?.root;
    (node?.querySelector(`[data-index="${index}"]`) ?? node)?.focus({ preventScroll: true });
  }

  /** How it is first shown; in a focus with the variable that it is around. */
  opening() {
    const { relation, centre } = this.explorer;
    const view = viewport.opening(this.layout, this.size, this.clear);
    return relation ? viewport.revealing(view, this.layout.boxes.get(centre), this.size) : view;
  }

  fit() {
    this.look(this.fitting(this.size));
  }

  /** What stands in the corner of the window, and the boxes that shall not be under it. */
  get clear() {
    const whole = this.explorer.relation !== null; // otherwise the corner is empty where the whole network is shown
    return { corner: this.corner(), boxes: [...this.layout.boxes.values()], whole };
  }

  /** All of the drawing. */
  fitting(size) {
    const { corner, boxes, whole } = this.clear;
    return viewport.fittedClear(this.layout, size, whole ? corner : null, boxes);
  }

  /** Whether the window shows the whole drawing just as `fit` does for a size. */
  isFitted(size) {
    const wanted = this.fitting(size);
    const near = (name) => Math.abs(wanted[name] - this.view[name]) * this.view.scale < 1;
    return near("x") && near("y") && Math.abs(wanted.scale / this.view.scale - 1) < 1e-6;
  }

  zoom(factor, px = this.size.width / 2, py = this.size.height / 2) {
    this.wasWhole = false;
    this.look(viewport.zoomed(this.view, factor, px, py));
  }

  pan(dx, dy) {
    this.wasWhole = false;
    this.look(viewport.panned(this.view, dx, dy));
  }

  /** Bring a variable into the window; who saw the whole network before an edit sees all of it again. */
  reveal(key, { centre = false } = {}) {
    const box = this.layout?.boxes.get(key);
    if (!box) return;
    const { view, layout, size } = this;
    if (centre) this.look(viewport.centred(view, box, size));
    else this.look(viewport.revealingAll(view, box, layout, size, this.wasWhole));
  }

  look(view) {
    this.view = viewport.kept(view, this.layout, this.size);
    this.soon();
  }

  /** What is known has changed: all that is shown is brought up to date with the next frame. */
  refresh() {
    this.stale = true;
    this.soon();
  }

  /** Draw with the next frame, once for all changes until then. */
  soon() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.draw(performance.now() + MAKING);
    });
  }

  /** Bring the document up to date: all of it, or what is made `until` a time, and the rest soon. */
  draw(until = Infinity) {
    if (!this.explorer.model || !this.explorer.beliefs || this.root.clientWidth === 0) return;
    this.arrange();
    this.drawnSize = this.size; // asked once, before anything changes: each later time all would be laid out again
    const { x, y, scale } = this.view;
    setAttribute(this.world, "transform", `scale(${scale}) translate(${-x} ${-y})`);
    const level = viewport.levelOf(scale);
    setAttribute(this.root, "data-level", level);
    this.root.classList.toggle("focused", this.explorer.relation !== null);
    this.root.classList.toggle("editable", this.explorer.canEdit);
    this.root.classList.toggle("tracing", this.explorer.highlight !== null);
    const frame = viewport.shownFrame(this.view, this.drawnSize, BORDER);
    this.detail = this.detailAt(level, stepped(scale, level));
    this.drawNodes(frame, this.detail, until);
    this.drawArcs(frame, level);
    this.stale = false;
    if (this.lost) this.holdAgain();
    this.moved(this);
  }

  /** How boxes are drawn at a level and a scale, with the names that are left of theirs. */
  detailAt(level, scale) {
    const { detail, layout } = this;
    if (detail?.level === level && detail.scale === scale && detail.layout === layout) return detail;
    this.stale = true;
    const { byKey } = this.explorer.model;
    const measure = (text) => textWidth(text, 1, level === "dots" ? 400 : 600);
    const names = shownNames(layout.boxes, (key) => byKey.get(key).text, { level, scale }, measure);
    return { level, scale, layout, names };
  }

  drawNodes(frame, detail, until) {
    const { current } = this;
    const held = this.root.contains(document.activeElement)
      ? document.activeElement.closest(".node")?.dataset.key
      : undefined;
    if (this.stale) for (const node of this.boxes.values()) this.updateBox(node, detail, current);
    const fresh = [];
    for (const [key, box] of this.layout.boxes) {
      const first = [held, current, this.lost?.key].includes(key);
      const shown = first || viewport.touches(frame, box);
      const node = this.boxes.get(key);
      if (!shown && node) {
        node.root.remove();
        this.boxes.delete(key);
      }
      if (!shown || node) continue;
      if (!first && performance.now() > until) {
        this.soon();
        continue;
      }
      this.boxes.set(key, this.newBox(key, box, detail, current));
      fresh.push(key);
    }
    this.nodeLayer.append(...fresh.map((key) => this.boxes.get(key).root));
  }

  newBox(key, box, detail, current) {
    const node = new NodeBox(this.explorer.model.byKey.get(key), box, () => handlePlace(box, this.layout, this.frames));
    this.updateBox(node, detail, current);
    return node;
  }

  updateBox(node, detail, current) {
    const { explorer } = this;
    const { key } = node.variable;
    const onTrail = explorer.highlight?.nodes.has(key) ?? false;
    node.update(nodeFacts(explorer, node.variable), detail, { chosen: key === explorer.chosen, onTrail });
    setAttribute(node.root, "tabindex", key === current ? 0 : -1);
  }

  drawArcs(frame, level) {
    const { highlight, chosenArc } = this.explorer;
    const near = level === "dots" ? null : this.explorer.chosen;
    this.layout.arcs.forEach((arc, place) => {
      const shown = viewport.touches(frame, this.frames[place]);
      const line = this.arcs.get(place);
      if (!shown && line) {
        line.root.remove();
        this.arcs.delete(place);
      }
      if (shown && !line) {
        const fresh = new ArcLine(arc, this.explorer.model);
        this.arcs.set(place, fresh);
        this.arcLayer.append(fresh.root);
        fresh.mark(near, highlight, chosenArc);
      }
    });
    if (this.stale) for (const line of this.arcs.values()) line.mark(near, highlight, chosenArc);
  }

  /** Put the keyboard on a variable, or on one of its states. */
  focus(key, index = null) {
    this.reveal(key);
    this.draw();
    const node = this.boxes.get(key);
    const target =
      index === null ? node?.root : node?.root.querySelector(`[data-index="${index}"], .density`);
    (target ?? node?.root)?.focus({ preventScroll: true });
  }
}

/** What has the keyboard inside of the drawing: a variable, perhaps one of its states; or null. */
function heldIn(root) {
  if (!root.contains(document.activeElement)) return null;
  const key = document.activeElement.closest(".node")?.dataset.key;
  return key === undefined ? null : { key, index: document.activeElement.dataset.index ?? null };
}

/** Texts are made anew when the scale has changed by a step, not for every pixel of the wheel. */
function stepped(scale, level) {
  return level === "bars" ? 1 : 1.15 ** Math.round(Math.log(scale) / Math.log(1.15));
}
