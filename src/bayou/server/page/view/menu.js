/** One menu at a time, opened at a place of the page, with the keys of the ARIA menu pattern. */

import { html } from "./elements.js";

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

  /** Show items [{text, act, pressed}] beside a rectangle; null items are lines between groups. */
  open(label, items, beside) {
    this.from = document.activeElement;
    this.root.setAttribute("aria-label", label);
    this.root.replaceChildren(
      html("p", { class: "menu-title", "aria-hidden": "true" }, label),
      ...items.map((item) => this.entry(item)),
    );
    this.root.hidden = false;
    const { offsetWidth, offsetHeight } = this.root;
    const left = Math.min(beside.left, window.innerWidth - offsetWidth - 8);
    const below = beside.bottom + offsetHeight + 8 <= window.innerHeight;
    const top = below ? beside.bottom + 2 : Math.max(8, beside.top - offsetHeight - 2);
    this.root.style.left = `${Math.max(8, left)}px`;
    this.root.style.top = `${Math.min(top, Math.max(8, window.innerHeight - offsetHeight - 8))}px`;
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
    return html("button", { ...attributes, on: { click: act } }, item.text);
  }

  get entries() {
    return [...this.root.querySelectorAll("button")];
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
