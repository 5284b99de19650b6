/** The buttons above the network. */

import { canRedo, canUndo } from "../logic/history.js";
import { button, html, setAttribute, setShown, setText } from "./elements.js";

export class Toolbar {
  /** `on` has save, download, help. */
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
    this.keep = button("Keep as A", () => explorer.keep(), {
      title: "Keep these findings as scenario A and compare with others (K)",
    });
    this.download = button("Download…", () => on.download());
    this.save = button("Save", () => on.save(), { title: "Write back to the file (Ctrl+S)", hidden: true });
    this.help = button("?", () => on.help(), {
      "aria-label": "Help",
      title: "Help and keys (?)",
      class: "icon",
    });
    this.root = html("div", { class: "toolbar", role: "toolbar", "aria-label": "Network" });
    this.root.append(this.undo, this.redo, this.explain, this.keep, this.download, this.save, this.help);
  }

  update() {
    const { history, explaining, kept, entry } = this.explorer;
    this.undo.disabled = !canUndo(history);
    this.redo.disabled = !canRedo(history);
    setAttribute(this.explain, "aria-pressed", String(explaining));
    setText(this.keep, kept ? "Keep as A instead" : "Keep as A");
    setShown(this.save, Boolean(entry?.can_save));
  }
}
