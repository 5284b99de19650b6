/**
 * What folders of the page add to it, so that the page need not know them. Each is a function that takes the page
 * and returns an object with any of these members:
 *
 *   tools     [{root, update()}]       buttons of the toolbar
 *   parts     [{root, update()}]       sections of the panel beside the drawing
 *   dialogs   [{root}]                 dialogs, closed at first
 *   gallery   [{root, way, show(listing)}]  sections of the first page; `way`: a button beside "Open a file…"
 *   views     [{name, text, root, update(), reveal(key)}]  tabs beside Drawing, Cards and Table
 *   items     (place) => [{text, act, pressed} or null]  items of the menu of a place, which is
 *             {kind: "node", key, index} or, in the menu of edits of a variable, {kind: "edit", key}
 *   commands  {name: (key) => …}       what commands of logic/keyboard.js do; `key` is the variable near the keyboard
 *   files     [{takes(name), open(file)}]  files that are no networks, chosen or dropped
 *   grab      (drawing, target, event) => {move(by), drop(by), cancel()} or null  takes over a drag in the drawing
 *   pointed   (how, event, drawing)    told of a "click", "double" click or "menu" beside variables, or on a "handle"
 *   update    () => …                  called after every change of the explorer while a network is open
 */

export class Contributions {
  constructor(page, makers) {
    this.made = makers.map((make) => make(page));
  }

  /** All members of one kind, in the order of the contributions. */
  all(kind) {
    return this.made.flatMap((one) => one[kind] ?? []);
  }

  /** The items of a menu, a line before those of each contribution. */
  items(place) {
    const groups = this.made.map((one) => one.items?.(place) ?? []).filter((items) => items.length > 0);
    return groups.flatMap((items) => [null, ...items]);
  }

  /** What a command does, as a function, or null. */
  command(name, key) {
    const act = this.made.map((one) => one.commands?.[name]).find(Boolean);
    return act ? () => act(key) : null;
  }

  /** The first answer of a function of the contributions. */
  first(name, ...given) {
    for (const one of this.made) {
      const answer = one[name]?.(...given);
      if (answer) return answer;
    }
    return null;
  }

  update() {
    for (const one of this.made) one.update?.();
  }
}
