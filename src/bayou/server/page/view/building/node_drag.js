/** Drags in the drawing that change the network: a box to another place, an arc from box to box. */

import { curve } from "../../logic/drawing/focus_layout.js";
import { middleOf } from "../../logic/building/places.js";
import { svg } from "../elements.js";
import { keyAt } from "../drawing/gestures.js";

/** What takes over a drag that begins on a target, or null: then it pans, or weighs a state. */
export function grabbed(tools, drawing, target, event) {
  const key = keyAt(target);
  if (key === null || !tools.explorer.canEdit) return null;
  if (target.closest(".arc-handle")) return new ArcDrag(tools, drawing, key);
  if (target.closest(".state, .density, .more") || tools.explorer.relation !== null) return null;
  const byTouch = event.pointerType === "touch" && tools.explorer.chosen !== key;
  return byTouch || drawing.root.dataset.level === "dots" ? null : new BoxDrag(tools, drawing, key);
}

/** A box that follows the pointer, with its arcs; one edit when it is dropped. */
export class BoxDrag {
  constructor(tools, drawing, key) {
    Object.assign(this, { tools, drawing, key });
    drawing.root.classList.add("moving");
  }

  move(by) {
    const { drawing, key } = this;
    const { boxes } = drawing.layout;
    const box = { ...boxes.get(key), x: boxes.get(key).x + by[0], y: boxes.get(key).y + by[1] };
    drawing.boxes.get(key)?.root.setAttribute("transform", `translate(${box.x} ${box.y})`);
    for (const line of drawing.arcs.values()) {
      const { from, to } = line.arc;
      if (from !== key && to !== key) continue;
      line.follow(curve(from === key ? box : boxes.get(from), to === key ? box : boxes.get(to)));
    }
  }

  async drop(by) {
    const { drawing, key } = this;
    const { model } = this.tools.explorer;
    drawing.root.classList.remove("moving");
    const { name, box } = model.byKey.get(key);
    const position = middleOf(model, { ...box, x: box.x + by[0], y: box.y + by[1] });
    if (await this.tools.explorer.edit([{ edit: "move", variable: name, position }])) drawing.restore();
  }

  cancel() {
    this.drawing.root.classList.remove("moving");
    this.drawing.restore();
  }
}

/** A line from a box to the pointer; an arc if it ends on another box. */
class ArcDrag {
  constructor(tools, drawing, key) {
    Object.assign(this, { tools, drawing, key, over: null });
    this.line = svg("path", { class: "draft" });
    drawing.world.append(this.line);
  }

  move(by, event) {
    const box = this.drawing.layout.boxes.get(this.key);
    const [x, y] = this.drawing.pointAt(event);
    this.line.setAttribute("d", `M${box.x + box.width / 2} ${box.y + box.height}L${x} ${y}`);
    this.aim(this.keyUnder(event));
  }

  keyUnder(event) {
    const key = keyAt(document.elementFromPoint(event.clientX, event.clientY) ?? document.body);
    return key === this.key ? null : key;
  }

  aim(key) {
    if (key === this.over) return;
    this.drawing.boxes.get(this.over)?.root.classList.remove("aimed");
    this.drawing.boxes.get(key)?.root.classList.add("aimed");
    this.over = key;
  }

  drop(by, event) {
    const key = this.keyUnder(event);
    this.cancel();
    if (key !== null) this.tools.addArc(this.key, key);
  }

  cancel() {
    this.aim(null);
    this.line.remove();
  }
}

/** Steps of the keyboard: the box moves at once, and the edit is made when no key came for a moment. */
export class Nudges {
  constructor(tools) {
    Object.assign(this, { tools, drag: null, by: [0, 0] });
  }

  step(key, dx, dy) {
    const { explorer, page } = this.tools;
    if (explorer.relation !== null || !explorer.model.byKey.has(key)) return;
    const { drawing } = page.drawing;
    if (this.drag?.key !== key) {
      this.finish();
      this.drag = new BoxDrag(this.tools, drawing, key);
      this.by = [0, 0];
    }
    this.by = [this.by[0] + dx, this.by[1] + dy];
    if (drawing.layout?.boxes.has(key)) this.drag.move(this.by);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.finish(), 500);
  }

  finish() {
    const { drag } = this;
    this.drag = null;
    drag?.drop(this.by);
  }
}
