/** The buttons above the network. */

import { canRedo, canUndo } from "../logic/history.js";
import { button, html, setAttribute, setShown, setText } from "./elements.js";

export class Toolbar {
  /** `on` has save, download, help, menu(items, rectangle), and `more`: tools of contributions, {root, update}. */
  constructor(explorer, on) {
    this.explorer = explorer;
    this.undo = button("↶", () => explorer.undo(), {
      "aria-label": "Undo",
      title: "Undo (Ctrl+Z)",
      class: "icon",
    });
    this.redo = button("↷", () => explorer.redo(), {
      "aria-label": "Redo",
      title: "Redo (Ctrl+Shift+Z)",
      class: "icon",
    });
    this.explain = button("Most probable explanation", () => explorer.toggleExplanation(), {
      title: "The most probable states of all variables together (E)",
    });
    this.keep = button("Compare", () => explorer.keep(), {
      title: "Keep these findings as A, then change them: A and B stand side by side (K)",
      class: "keep",
    });
    this.download = button("Download…", () => on.download(), { class: "server-only" });
    this.save = button("Save", () => on.save(), {
      title: "Write back to the file (Ctrl+S)",
      hidden: true,
      class: "server-only",
    });
    this.help = button("?", () => on.help(), {
      "aria-label": "Help",
      title: "Help and keys (?)",
      class: "icon",
    });
    this.root = html("div", { class: "toolbar", role: "toolbar", "aria-label": "Network" });
    this.more = on.more ?? [];
    this.rest = [...this.more.map(({ root }) => root), this.explain, this.download, this.help];
    for (const tool of this.rest) tool.classList.add("in-menu");
    this.others = button("More…", () => on.menu(this.items, this.others.getBoundingClientRect()), {
      "aria-haspopup": "menu",
      class: "others",
    });
    this.root.append(this.undo, this.redo, ...this.more.map(({ root }) => root), this.explain, this.keep);
    this.root.append(this.download, this.save, this.help, this.others);
  }

  /** What small screens have in a menu: there the buttons take one row. */
  get items() {
    const here = this.rest.filter((tool) => !tool.hidden && !tool.matches(".offline .server-only"));
    return here.map((tool) => {
      const pressed = tool.getAttribute("aria-pressed");
      const text = tool.getAttribute("aria-label") ?? tool.textContent;
      return { text, act: () => tool.click(), ...(pressed !== null && { pressed: pressed === "true" }) };
    });
  }

  /** Where a tool stands, or the menu that has it. */
  placeOf(tool) {
    const place = tool.getBoundingClientRect();
    return place.width > 0 ? place : this.others.getBoundingClientRect();
  }

  update() {
    const { history, explaining, kept, entry } = this.explorer;
    this.undo.disabled = !canUndo(history);
    this.redo.disabled = !canRedo(history);
    setAttribute(this.explain, "aria-pressed", String(explaining));
    setText(this.keep, kept ? "Replace A" : "Compare");
    setShown(this.save, Boolean(entry?.can_save));
    for (const tool of this.more) tool.update?.();
  }
}
