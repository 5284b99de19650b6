/** Tabs with the keys of the ARIA pattern; each has a button and a panel. */

import { html, setAttribute, setChildren, setShown, setText } from "./elements.js";

export class Tabs {
  /** `changed(name)` is told of the chosen tab, `leaving(name)` of the one that is shown still. */
  constructor(label, changed, leaving = () => {}) {
    Object.assign(this, { changed, leaving });
    this.list = html("div", { class: "tabs", role: "tablist", "aria-label": label });
    this.list.addEventListener("keydown", (event) => this.press(event));
    this.tabs = new Map();
    this.order = [];
    this.chosen = null;
  }

  add(name, text, content) {
    const ids = { tab: `tab-${name}`, panel: `view-${name}` };
    const tab = html(
      "button",
      { type: "button", id: ids.tab, role: "tab", "aria-controls": ids.panel },
      text,
    );
    tab.addEventListener("click", () => this.choose(name));
    const panel = html(
      "div",
      { id: ids.panel, class: `view view-${name}`, role: "tabpanel", "aria-labelledby": ids.tab },
      content,
    );
    this.tabs.set(name, { tab, panel });
    return panel;
  }

  /** Which tabs there are, in which order; the others are not shown. */
  arrange(names) {
    this.order = names;
    setChildren(
      this.list,
      names.map((name) => this.tabs.get(name).tab),
    );
    this.choose(names.includes(this.chosen) ? this.chosen : names[0]);
  }

  rename(name, text) {
    setText(this.tabs.get(name).tab, text);
  }

  choose(name) {
    if (this.chosen !== name) this.leaving(this.chosen);
    this.chosen = name;
    for (const [other, { tab, panel }] of this.tabs) {
      setAttribute(tab, "aria-selected", String(other === name));
      setAttribute(tab, "tabindex", other === name ? 0 : -1);
      setShown(panel, other === name);
    }
    this.changed(name);
  }

  press(event) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const at = this.order.indexOf(this.chosen) + step;
    const name = this.order[(at + this.order.length) % this.order.length];
    this.choose(name);
    this.tabs.get(name).tab.focus();
  }
}
