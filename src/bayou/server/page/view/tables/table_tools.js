/** The buttons above the grid, and their keys. */

import { button, html, setShown, setText } from "../elements.js";

/** What it does, its text, what it is for, its key. */
const TOOLS = [
  ["undo", "↶", "Undo typing", "Ctrl+z"],
  ["redo", "↷", "Redo typing", "Ctrl+y"],
  ["fillDown", "Fill down", "Copy the first chosen row into the others", "Ctrl+d"],
  ["normalise", "Normalise row", "Divide the chosen rows by their sums", "n"],
  ["lock", "Lock", "The chosen cells stay while the rest of their rows adapts", "l"],
  ["copy", "Copy with names", "The whole table for a spreadsheet, with the names of states and parents"],
  ["switchForm", "As a noisy-OR", "A chance for each parent and the leak, or every number by itself"],
];

/** The first ones change cells. */
const CELLS = 5;

/** What a key does in the grid. */
export const toolOf = (key) => TOOLS.find(([, , , own]) => own === key)?.[0];

export class TableTools {
  /** `act(name)` does what a button is for. */
  constructor(act) {
    const made = TOOLS.map(([name, text, title, key]) => {
      const sign = text.length === 1 ? { class: "icon", "aria-label": title } : {};
      const keys = key ? ` (${key.toUpperCase().replace("CTRL", "Ctrl")})` : "";
      return [name, button(text, () => act(name), { ...sign, title: title + keys })];
    });
    this.buttons = Object.fromEntries(made);
    this.root = html("div", { class: "tools", role: "toolbar", "aria-label": "Table" });
    this.root.append(...made.map(([, one]) => one));
    this.root.addEventListener("mousedown", (event) => event.preventDefault());
  }

  /** Show what can be done now: `cells` says that no cell can be typed, `all` that nothing can be changed. */
  show({ draft, isLocked }, cells, all) {
    const { undo, redo, lock, switchForm } = this.buttons;
    for (const [name] of TOOLS.slice(0, CELLS)) setShown(this.buttons[name], !cells);
    setShown(switchForm, !all && draft.answer.noisy_or !== null);
    setText(switchForm, draft.noisy ? "As a table" : "As a noisy-OR");
    undo.disabled = draft.past.length === 0;
    redo.disabled = draft.future.length === 0;
    setText(lock, isLocked ? "Unlock" : "Lock");
  }
}
