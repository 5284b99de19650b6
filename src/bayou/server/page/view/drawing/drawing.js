/** The network as a drawing: a window on it, and only what is in the window is in the document. */

import { relatives } from "../../logic/graph.js";
import { arcFrame } from "../../logic/geometry.js";
import { focusLayout, wholeLayout } from "../../logic/focus_layout.js";
import * as viewport from "../../logic/viewport.js";
import { ArcLine } from "./arc_line.js";
import { setAttribute, svg } from "../elements.js";
import { NodeBox } from "./node_box.js";
import { nodeFacts } from "../node_marks.js";

const BORDER = 120;

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
    this.waiting = false;
    this.stale = true;
    this.detailName = "";
  }

  get size() {
    return { width: this.root.clientWidth || 1, height: this.root.clientHeight || 1 };
  }

  /** The variable that Tab goes to: the chosen one if it is drawn, else the first. */
  get current() {
    const { chosen } = this.explorer;
    return this.layout?.boxes.has(chosen) ? chosen : (this.layout?.boxes.keys().next().value ?? null);
  }

  /** Lay out what is to be shown, if that has changed; a new layout is fitted into the window. */
  arrange() {
    const { model, centre, relation } = this.explorer;
    const name = `${model.revision} ${relation ? `${relation} ${centre}` : "whole"}`;
    if (name === this.layoutName || this.root.clientWidth === 0) return;
    this.layoutName = name;
    this.layout = relation ? focusLayout(model, relatives(model, centre, relation)) : wholeLayout(model);
    this.frames = this.layout.arcs.map(({ points }) => arcFrame(points));
    this.arcLayer.replaceChildren();
    this.nodeLayer.replaceChildren();
    this.boxes.clear();
    this.arcs.clear();
    this.look(this.recall(name) ?? viewport.opening(this.layout, this.size));
  }

  fit() {
    this.look(viewport.fitted(this.layout, this.size));
  }

  /** Whether the window shows the whole drawing just as `fit` does for a size. */
  isFitted(size) {
    const wanted = viewport.fitted(this.layout, size);
    const near = (name) => Math.abs(wanted[name] - this.view[name]) * this.view.scale < 1;
    return near("x") && near("y") && Math.abs(wanted.scale / this.view.scale - 1) < 1e-6;
  }

  zoom(factor, px = this.size.width / 2, py = this.size.height / 2) {
    this.look(viewport.zoomed(this.view, factor, px, py));
  }

  pan(dx, dy) {
    this.look(viewport.panned(this.view, dx, dy));
  }

  /** Bring a variable into the window. */
  reveal(key, { centre = false } = {}) {
    const box = this.layout?.boxes.get(key);
    if (!box) return;
    this.look(
      centre ? viewport.centred(this.view, box, this.size) : viewport.revealing(this.view, box, this.size),
    );
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
      this.draw();
    });
  }

  draw() {
    if (!this.explorer.model || !this.explorer.beliefs || this.root.clientWidth === 0) return;
    this.arrange();
    const { x, y, scale } = this.view;
    setAttribute(this.world, "transform", `scale(${scale}) translate(${-x} ${-y})`);
    const level = viewport.levelOf(scale);
    setAttribute(this.root, "data-level", level);
    this.root.classList.toggle("focused", this.explorer.relation !== null);
    const frame = viewport.shownFrame(this.view, this.size, BORDER);
    const detail = { level, scale: stepped(scale, level) };
    this.stale ||= this.detailName !== `${level} ${detail.scale}`;
    this.detailName = `${level} ${detail.scale}`;
    this.drawNodes(frame, detail);
    this.drawArcs(frame, level);
    this.stale = false;
    this.moved(this);
  }

  drawNodes(frame, detail) {
    const held = this.root.contains(document.activeElement)
      ? document.activeElement.closest(".node")?.dataset.key
      : undefined;
    const fresh = [];
    for (const [key, box] of this.layout.boxes) {
      const shown = key === held || key === this.current || viewport.touches(frame, box);
      const node = this.boxes.get(key);
      if (!shown && node) {
        node.root.remove();
        this.boxes.delete(key);
      }
      if (shown && !node) {
        this.boxes.set(key, new NodeBox(this.explorer.model.byKey.get(key), box));
        fresh.push(key);
      }
    }
    this.nodeLayer.append(...fresh.map((key) => this.boxes.get(key).root));
    for (const key of this.stale ? this.boxes.keys() : fresh) {
      const node = this.boxes.get(key);
      const facts = nodeFacts(this.explorer, node.variable);
      node.update(facts, detail, { chosen: key === this.explorer.chosen });
      setAttribute(node.root, "tabindex", key === this.current ? 0 : -1);
    }
  }

  drawArcs(frame, level) {
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
        fresh.mark(near);
      }
    });
    if (this.stale) for (const line of this.arcs.values()) line.mark(near);
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

/** Texts are made anew when the scale has changed by a step, not for every pixel of the wheel. */
function stepped(scale, level) {
  return level === "bars" ? 1 : 1.15 ** Math.round(Math.log(scale) / Math.log(1.15));
}
