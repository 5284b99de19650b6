/** A small map of the whole network: all variables as dots, those shown, and the window on them. */

import { about } from "../../logic/findings.js";
import { shownFrame } from "../../logic/drawing/viewport.js";
import { setAttribute, setShown, svg } from "../elements.js";

const SIZE = 168;
/** From the map to the edge of the window on both sides, with its frame. */
const AROUND = 34;
const FEW = 8;

export class SmallMap {
  /** `on.go(key)` is called with the variable nearest to a click. */
  constructor(drawing, on) {
    this.drawing = drawing;
    this.dots = svg("path", { class: "map-dots" });
    this.shown = svg("path", { class: "map-shown" });
    this.found = svg("path", { class: "map-found" });
    this.window = svg("rect", { class: "map-window" });
    this.root = svg("svg", { class: "small-map", role: "img", "aria-label": "Map of the whole network" });
    this.root.append(this.dots, this.shown, this.found, this.window);
    this.root.addEventListener("click", (event) => on.go(this.nearest(event)));
    this.model = null;
  }

  update() {
    const { explorer, view, drawnSize: size, layout } = this.drawing;
    const { model, relation } = explorer;
    const whole =
      view.scale * Math.max(model.width, 1) <= size.width * 1.02 &&
      view.scale * model.height <= size.height * 1.02;
    setShown(this.root, Boolean(relation) || (!whole && model.variables.length > FEW));
    if (this.root.hasAttribute("hidden")) return;
    if (this.model !== model) this.measure(model);
    setAttribute(this.shown, "d", relation ? this.squares([...layout.boxes.keys()], 1.5) : "");
    const found = model.variables.filter(({ name }) => about(explorer.findings, name).length > 0);
    setAttribute(
      this.found,
      "d",
      this.squares(
        found.map(({ key }) => key),
        2.2,
      ),
    );
    setAttribute(this.window, "visibility", relation ? "hidden" : null);
    for (const [name, value] of Object.entries(shownFrame(view, size)))
      setAttribute(this.window, name, value);
  }

  /** The corner of the window that it takes, {width, height}; null where it is never shown. */
  corner() {
    const { model, relation } = this.drawing.explorer;
    if (!relation && model.variables.length <= FEW) return null;
    const { width, height } = sizeOf(model);
    return { width: width + AROUND, height: height + AROUND };
  }

  measure(model) {
    this.model = model;
    const longest = Math.max(model.width, model.height, 1);
    this.unit = longest / SIZE;
    setAttribute(this.root, "viewBox", `0 0 ${model.width} ${model.height}`);
    for (const [name, value] of Object.entries(sizeOf(model))) setAttribute(this.root, name, value);
    setAttribute(this.window, "stroke-width", this.unit * 1.5);
    setAttribute(this.dots, "d", this.squares([...model.byKey.keys()], 1));
  }

  /** Squares at the middles of boxes, at least some px large, as one path. */
  squares(keys, times) {
    return keys
      .map((key) => {
        const { x, y, width, height } = this.model.byKey.get(key).box;
        const half = times * Math.max(1.2 * this.unit, Math.min(width, height) / 4);
        const corner = [x + width / 2 - half, y + height / 2 - half].map(Math.round).join(" ");
        const side = Math.round(2 * half);
        return `M${corner}h${side}v${side}h${-side}z`;
      })
      .join("");
  }

  nearest(event) {
    const frame = this.root.getBoundingClientRect();
    const x = ((event.clientX - frame.left) / frame.width) * this.model.width;
    const y = ((event.clientY - frame.top) / frame.height) * this.model.height;
    const distance = ({ box }) => Math.hypot(box.x + box.width / 2 - x, box.y + box.height / 2 - y);
    return this.model.variables.reduce((best, one) => (distance(one) < distance(best) ? one : best)).key;
  }
}

/** The size of the map in px: that of the network, its longer side as long as the map can be. */
function sizeOf({ width, height }) {
  const unit = SIZE / Math.max(width, height, 1);
  return { width: Math.max(60, Math.round(width * unit)), height: Math.max(40, Math.round(height * unit)) };
}
