/** The keyboard on the drawing: from variable to variable along arcs, into the states, and what to do there. */

import { neighbour } from "../../logic/graph.js";
import { commandFor } from "../../logic/keyboard.js";
import { keyAt } from "./gestures.js";

const PAN = 60;
const PANS = { "pan-up": [0, PAN], "pan-down": [0, -PAN], "pan-left": [PAN, 0], "pan-right": [-PAN, 0] };

export class DrawingKeys {
  constructor(drawing, actions, on) {
    Object.assign(this, { drawing, actions, on });
    drawing.root.addEventListener("keydown", (event) => this.press(event));
    drawing.root.addEventListener("focusin", (event) => {
      const key = keyAt(event.target);
      if (key !== null && event.target.matches(":focus-visible")) drawing.explorer.choose(key);
    });
  }

  press(event) {
    const { target } = event;
    const state = target.closest(".state");
    const key = keyAt(target);
    const place = state ? "state" : key !== null ? "node" : "canvas";
    if (event.key === "ContextMenu" || (event.shiftKey && event.key === "F10")) {
      if (key !== null) this.done(event, () => this.menu(key, state));
      return;
    }
    if ((event.key === "Enter" || event.key === " ") && target.closest(".more, .density")) {
      this.done(event, () => target.dispatchEvent(new MouseEvent("click", { bubbles: true })));
      return;
    }
    const command = commandFor(event, place);
    const index = state ? Number(state.dataset.index) : null;
    const work = command && this.work(command, key, index);
    if (work) this.done(event, work);
  }

  done(event, work) {
    event.preventDefault();
    event.stopPropagation();
    work();
  }

  menu(key, state) {
    const index = state ? Number(state.dataset.index) : null;
    const box = this.drawing.boxes.get(key).root;
    this.on.menu(key, index, (state ?? box).getBoundingClientRect());
  }

  /** What a command does here, as a function, or null if it is not a command of the drawing. */
  work(command, key, index) {
    const { drawing, actions } = this;
    if (command in PANS) return () => drawing.pan(...PANS[command]);
    switch (command) {
      case "zoom-in":
        return () => drawing.zoom(1.25);
      case "zoom-out":
        return () => drawing.zoom(0.8);
      case "fit":
        return () => drawing.fit();
      case "parent":
      case "child":
      case "previous":
      case "next":
        return () => this.go(key, command);
      case "states":
        return () => this.enter(key);
      case "toggle":
        return () => actions.toggle(key, index);
      case "exclude":
        return () => actions.exclude(key, index);
      case "intervene":
        return () => actions.intervene(key, index);
      case "clear":
        return () => actions.clear(key);
      case "leave":
        return () => drawing.focus(key);
      case "focus":
        return () => this.on.around(key);
      case "menu":
        return () => this.menu(key, drawing.boxes.get(key).root.querySelector(`[data-index="${index}"]`));
      case "state-before":
      case "state-after":
        return () => this.step(key, index, command === "state-after" ? 1 : -1);
      default:
        return null;
    }
  }

  go(key, direction) {
    const { explorer, layout } = this.drawing;
    const next = neighbour(explorer.model, layout.boxes, key, direction);
    if (next === null) return;
    explorer.choose(next);
    this.drawing.focus(next);
  }

  /** Into the states: closer first, if bars are not shown at this scale. */
  enter(key) {
    if (this.drawing.root.dataset.level !== "bars") this.drawing.reveal(key, { centre: true });
    this.drawing.draw();
    const first = this.drawing.boxes.get(key).root.querySelector(".state");
    this.drawing.focus(key, first ? Number(first.dataset.index) : 0);
  }

  step(key, index, by) {
    const rows = this.drawing.boxes.get(key).rows.map((row) => row.index);
    const next = rows[rows.indexOf(index) + by];
    if (next !== undefined) this.drawing.focus(key, next);
  }
}
