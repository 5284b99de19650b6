/** The drawing with its small map and its controls: zoom, and how much of the network is shown. */

import { RELATIONS } from "../../logic/graph.js";
import { same } from "../../logic/values.js";
import { Drawing } from "./drawing.js";
import { DrawingGestures } from "./gestures.js";
import { DrawingKeys } from "./keys.js";
import { button, html, setAttribute, setShown } from "../elements.js";
import { SmallMap } from "./small_map.js";

export class DrawingView {
  /** `on` has menu(key, index, rectangle), value(key), around(key, relation), table(key). */
  constructor(explorer, actions, on) {
    Object.assign(this, { explorer, on });
    this.drawing = new Drawing(explorer);
    this.gestures = new DrawingGestures(this.drawing, {
      ...on,
      toggle: (key, index) => actions.toggle(key, index),
      choose: (key) => explorer.choose(key),
      dragged: (key, index, weight) => this.preview(actions.dragged(key, index, weight)),
      dropped: (key, index, weight) => this.drop(actions.dragged(key, index, weight)),
      cancelled: () => explorer.cancelPreview(),
    });
    this.keys = new DrawingKeys(this.drawing, actions, on);
    this.map = new SmallMap(this.drawing, { go: (key) => this.show(key) });
    this.drawing.moved = () => {
      this.map.update();
      this.remember();
    };
    this.drawing.corner = () => this.map.corner();
    this.drawing.recall = (name) => this.recall(name);
    this.root = html("div", { class: "drawing" }, this.drawing.root, this.map.root, this.controls());
    new ResizeObserver(() => this.resized()).observe(this.drawing.root);
  }

  /** The window on the drawing is kept in the tab, a moment after it was last moved. */
  remember() {
    clearTimeout(this.timer);
    const { explorer, drawing } = this;
    const facts = { window: { name: drawing.layoutName, size: drawing.drawnSize, view: drawing.view } };
    this.timer = setTimeout(
      () => explorer.model && explorer.memory.remember(explorer.model.revision, facts),
      200,
    );
  }

  /** The window as it was before a reload, if the layout and the size are the same. */
  recall(name) {
    const { window: stored } = this.explorer.memory.recall(this.explorer.model.revision);
    return stored?.name === name && same(stored.size, this.drawing.size) ? stored.view : null;
  }

  preview(findings) {
    if (findings) this.explorer.preview(findings);
  }

  drop(findings) {
    if (findings) this.explorer.change(findings);
    else this.explorer.cancelPreview();
  }

  controls() {
    const { drawing } = this;
    const zoom = [
      button("+", () => drawing.zoom(1.25), { class: "icon", "aria-label": "Zoom in", title: "Zoom in (+)" }),
      button("−", () => drawing.zoom(0.8), {
        class: "icon",
        "aria-label": "Zoom out",
        title: "Zoom out (−)",
      }),
      button("Fit", () => drawing.fit(), { title: "Fit the drawing into the window (0)" }),
    ];
    const options = [html("option", { value: "" }, "Whole network")];
    options.push(...RELATIONS.map(([name]) => html("option", { value: name })));
    this.part = html("select", { "aria-label": "Show", on: { change: () => this.showPart() } }, ...options);
    return html("div", { class: "controls" }, ...zoom, this.part);
  }

  showPart() {
    const { explorer } = this;
    const centre = explorer.chosen ?? explorer.centre;
    if (this.part.value === "" || centre === null) explorer.showWhole();
    else explorer.focusOn(centre, this.part.value);
  }

  update() {
    const { chosen, centre, relation, model } = this.explorer;
    const middle = model.byKey.get(relation ? centre : chosen);
    RELATIONS.forEach(([name, text], place) => {
      const option = this.part.options[place + 1];
      option.textContent = middle ? `${text[0].toUpperCase()}${text.slice(1)} of ${middle.text}` : text;
      setAttribute(option, "disabled", !middle);
    });
    this.part.value = relation ?? "";
    setShown(this.part, model.variables.length > 12 || relation !== null);
    this.drawing.refresh();
  }

  /** A new size of the window: fitted again, as long as the user has not moved the drawing. */
  resized() {
    const { drawing } = this;
    if (!this.explorer.model || drawing.root.clientWidth === 0) return;
    const before = this.lastSize;
    this.lastSize = drawing.size;
    if (drawing.layout && before && drawing.isFitted(before)) drawing.fit();
    else drawing.soon();
  }

  /** Bring a variable into view: in a focus the drawing goes around it, unless it is shown already. */
  show(key) {
    const { explorer, drawing } = this;
    if (explorer.relation && !drawing.layout?.boxes.has(key)) this.on.around(key, explorer.relation);
    else {
      explorer.choose(key);
      drawing.draw();
      drawing.reveal(key, { centre: drawing.root.dataset.level !== "bars" });
    }
  }
}
