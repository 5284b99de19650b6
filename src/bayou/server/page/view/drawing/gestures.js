/** Mouse, pen and touch on the drawing: pan, wheel, pinch; click and drag on the bars. */

import { PAD, weightAt } from "../../logic/geometry.js";

const DRAG_STARTS = 5;

export class DrawingGestures {
  /**
   * `on` has what to do: toggle, dragged, dropped, menu, choose, value, table; and for networks that are edited grab,
   * which may take a drag over as {move(by), drop(by), cancel()}, and pointed, told of clicks beside variables.
   */
  constructor(drawing, on) {
    this.drawing = drawing;
    this.on = on;
    this.pointers = new Map();
    this.drag = null;
    const { root } = drawing;
    const events = { wheel: this.wheel, pointerdown: this.down, pointermove: this.move, pointerup: this.up };
    for (const [type, handler] of Object.entries(events)) {
      root.addEventListener(type, (event) => handler.call(this, event), { passive: false });
    }
    root.addEventListener("pointercancel", () => this.cancel());
    root.addEventListener("click", (event) => this.click(event));
    root.addEventListener("contextmenu", (event) => this.menu(event));
    root.addEventListener("dblclick", (event) => this.doubleClick(event));
  }

  point(event) {
    const frame = this.drawing.root.getBoundingClientRect();
    return [event.clientX - frame.left, event.clientY - frame.top];
  }

  wheel(event) {
    event.preventDefault();
    const unit = event.deltaMode === 1 ? 16 : 1;
    this.drawing.zoom(
      Math.exp(-Math.max(-80, Math.min(80, event.deltaY * unit)) / 320),
      ...this.point(event),
    );
  }

  down(event) {
    if (event.button !== 0) return;
    this.pointers.set(event.pointerId, this.point(event));
    const state = event.target.closest(".state");
    const start = this.point(event);
    const { target } = event;
    this.drag = { start, last: start, state, key: keyAt(target), target, moving: false, taken: null };
    if (this.pointers.size > 1) this.drag = null;
  }

  move(event) {
    if (!this.pointers.has(event.pointerId)) return;
    const point = this.point(event);
    if (this.pointers.size === 2) this.pinch(event.pointerId, point);
    this.pointers.set(event.pointerId, point);
    const { drag } = this;
    if (!drag) return;
    const far = Math.hypot(point[0] - drag.start[0], point[1] - drag.start[1]) > DRAG_STARTS;
    if (!drag.moving && far) {
      drag.moving = true;
      drag.taken = this.on.grab?.(this.drawing, drag.target, event) ?? null;
      this.drawing.root.setPointerCapture(event.pointerId);
      this.drawing.root.classList.toggle("panning", !drag.state && !drag.taken);
    }
    if (!drag.moving) return;
    if (drag.taken) drag.taken.move(this.path(drag, point), event);
    else if (drag.state)
      this.on.dragged(drag.key, Number(drag.state.dataset.index), this.weight(drag.state, event));
    else this.drawing.pan(point[0] - drag.last[0], point[1] - drag.last[1]);
    drag.last = point;
  }

  /** How far a drag has gone, in px of the drawing. */
  path(drag, point) {
    return [0, 1].map((axis) => (point[axis] - drag.start[axis]) / this.drawing.view.scale);
  }

  /** The weight that the place of the pointer along the bar means. */
  weight(state, event) {
    const frame = state.querySelector(".track").getBoundingClientRect();
    const left = frame.width > 0 ? frame.left : state.getBoundingClientRect().left + PAD;
    return weightAt(event.clientX, left, frame.width || 1);
  }

  up(event) {
    this.pointers.delete(event.pointerId);
    const { drag } = this;
    this.drag = null;
    this.drawing.root.classList.remove("panning");
    if (!drag?.moving) return;
    this.swallowClick();
    if (drag.taken) drag.taken.drop(this.path(drag, this.point(event)), event);
    else if (drag.state)
      this.on.dropped(drag.key, Number(drag.state.dataset.index), this.weight(drag.state, event));
  }

  cancel() {
    this.pointers.clear();
    if (this.drag?.taken) this.drag.taken.cancel();
    else if (this.drag?.moving && this.drag.state) this.on.cancelled();
    this.drag = null;
    this.drawing.root.classList.remove("panning");
  }

  /** The click that follows a drag is none. */
  swallowClick() {
    this.dragged = true;
    setTimeout(() => {
      this.dragged = false;
    }, 0);
  }

  pinch(moving, point) {
    const [other] = [...this.pointers].filter(([id]) => id !== moving).map(([, place]) => place);
    const before = this.pointers.get(moving);
    const length = (one) => Math.hypot(one[0] - other[0], one[1] - other[1]) || 1;
    this.drawing.zoom(length(point) / length(before), (point[0] + other[0]) / 2, (point[1] + other[1]) / 2);
  }

  click(event) {
    if (this.dragged) return;
    const key = keyAt(event.target);
    if (key === null) {
      this.on.pointed?.("click", event, this.drawing);
      return;
    }
    const state = event.target.closest(".state");
    const more = event.target.closest(".more");
    if (event.target.closest(".arc-handle")) this.on.pointed?.("handle", event, this.drawing);
    else if (state) this.on.toggle(key, Number(state.dataset.index));
    else if (more) this.on.menu(key, null, more.getBoundingClientRect());
    else if (event.target.closest(".density")) this.on.value(key);
    else {
      this.on.choose(key);
      const far = this.drawing.root.dataset.level !== "bars";
      if (far) this.on.menu(key, null, event.target.closest(".node").getBoundingClientRect());
    }
  }

  doubleClick(event) {
    const key = keyAt(event.target);
    if (key === null) this.on.pointed?.("double", event, this.drawing);
    if (key === null || event.target.closest(".state, .more, .density")) return;
    const near = this.drawing.root.dataset.level === "bars";
    if (!near || !this.on.table(key)) this.drawing.reveal(key, { centre: true });
  }

  menu(event) {
    const key = keyAt(event.target);
    if (key === null) {
      this.on.pointed?.("menu", event, this.drawing);
      return;
    }
    event.preventDefault();
    const state = event.target.closest(".state");
    const index = state ? Number(state.dataset.index) : null;
    this.on.menu(key, index, new DOMRect(event.clientX, event.clientY, 0, 0));
  }
}

export function keyAt(target) {
  return target.closest?.(".node")?.dataset.key ?? null;
}
