/** One menu at a time, opened at a place of the page, with the keys of the ARIA menu pattern. */

import { html } from "./elements.js";

const MARGIN = 8;

export class Menu {
  constructor() {
    this.root = html("div", { class: "menu", role: "menu", hidden: true });
    this.root.addEventListener("keydown", (event) => this.press(event));
    document.addEventListener("pointerdown", (event) => {
      if (!this.root.hidden && !this.root.contains(event.target)) this.close();
    });
    window.addEventListener("blur", () => this.close());
    this.from = null;
  }

  /**
   * Show items [{text, act, pressed, disabled}] beside a rectangle; null items are lines between groups. `clear` is
   * a rectangle that stays in view if there is room: that of the variable that the menu is about.
   */
  open(label, items, beside, { clear = null, about = "" } = {}) {
    this.from = document.activeElement;
    this.root.setAttribute("aria-label", label);
    this.root.replaceChildren(
      html("p", { class: "menu-title", "aria-hidden": "true" }, label),
      ...(about ? [html("p", { class: "hint menu-about" }, about)] : []),
      ...items.map((item) => this.entry(item)),
    );
    this.root.hidden = false;
    const { offsetWidth: width, offsetHeight: height } = this.root;
    const { left, top } = placeOf({ width, height }, beside, clear);
    this.root.style.left = `${left}px`;
    this.root.style.top = `${top}px`;
    this.entries[0]?.focus();
  }

  entry(item) {
    if (item === null) return html("hr", { role: "separator" });
    const act = () => {
      this.close();
      item.act();
    };
    const role = item.pressed === undefined ? "menuitem" : "menuitemcheckbox";
    const attributes = { type: "button", role, tabindex: -1, "aria-checked": item.pressed?.toString() };
    const disabled = item.disabled === true;
    return html("button", { ...attributes, disabled, on: { click: act } }, item.text);
  }

  get entries() {
    return [...this.root.querySelectorAll("button:enabled")];
  }

  close() {
    if (this.root.hidden) return;
    this.root.hidden = true;
    if (this.from?.isConnected) this.from.focus({ preventScroll: true });
  }

  press(event) {
    const { entries } = this;
    const at = entries.indexOf(document.activeElement);
    const moves = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: entries.length - 1 };
    event.stopPropagation();
    if (event.key === "Escape" || event.key === "Tab") {
      event.preventDefault();
      this.close();
    } else if (event.key in moves) {
      event.preventDefault();
      entries[(moves[event.key] + entries.length) % entries.length].focus();
    }
  }
}

/** The rectangle of a variable in the drawing or on its card; null if it is not seen. */
export function boxOf(key) {
  const boxes = [...document.querySelectorAll(".node, .card")].filter((one) => one.dataset.key === key);
  const seen = boxes.map((one) => (one.querySelector(".frame") ?? one).getBoundingClientRect());
  return seen.find(({ width }) => width > 0) ?? null;
}

/** Where the menu stands: at the side of what is to stay in view, or else below or above the rectangle. */
function placeOf({ width, height }, beside, clear) {
  const [farthest, lowest] = [window.innerWidth - width - MARGIN, window.innerHeight - height - MARGIN];
  const within = (value, most) => Math.max(MARGIN, Math.min(value, most));
  if (clear && clear.right + MARGIN <= farthest)
    return { left: clear.right + MARGIN, top: within(clear.top, lowest) };
  if (clear && clear.left - MARGIN - width >= MARGIN)
    return { left: clear.left - MARGIN - width, top: within(clear.top, lowest) };
  const shown = clear ?? beside;
  const below = shown.bottom + 2 <= lowest;
  const top = below ? shown.bottom + 2 : shown.top - height - 2;
  return { left: within(beside.left, farthest), top: within(top, lowest) };
}
