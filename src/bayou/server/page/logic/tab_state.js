/** What one tab shows, apart from what it asks: who listens, the chosen variable, the focus, the address. */

import { addressOf } from "./address.js";
import { aboutOf } from "./opening/recent.js";

export class TabState {
  constructor(memory) {
    this.memory = memory;
    this.listeners = new Set();
  }

  /** Call `listener(explorer)` after every change. */
  listen(listener) {
    this.listeners.add(listener);
  }

  tell() {
    for (const listener of this.listeners) listener(this);
  }

  get findings() {
    return this.history.present.findings;
  }

  /** The part of the URL after "#" that opens this state again. */
  get address() {
    if (!this.model) return "";
    const kept = this.kept ? this.kept.findings : null;
    return addressOf({ model: this.model.revision, ...this.source, findings: this.findings, kept });
  }

  /** Choose a variable: it stands out, with its arcs. */
  choose(key) {
    if (this.chosen === key && this.chosenArc === null) return;
    Object.assign(this, { chosen: key, chosenArc: null });
    this.remember();
    this.tell();
  }

  /** Choose an arc, {from, to} by keys: it stands out, and the keys and the menu of arcs are about it. */
  chooseArc(arc) {
    this.chosenArc = arc;
    this.tell();
  }

  /** The state of a variable that is told wherever one is: a place, or null for the usual one. */
  state(key, place) {
    const { [key]: _, ...others } = this.stated;
    this.stated = place === null ? others : { ...others, [key]: place };
    this.remember();
    this.tell();
  }

  /** Show only what is around a variable. */
  focusOn(key, relation = this.relation ?? "blanket") {
    Object.assign(this, { chosen: key, centre: key, relation });
    this.remember();
    this.tell();
  }

  showWhole() {
    this.relation = null;
    this.remember();
    this.tell();
  }

  /** What this tab left here before is offered no longer. */
  dropLeft() {
    this.left = null;
    this.remember();
    this.tell();
  }

  remember() {
    const { history, chosen, centre, relation, stated, left } = this;
    const kept = this.kept?.findings ?? null;
    const about = aboutOf(this.model);
    this.memory.remember(this.model.revision, { history, chosen, centre, relation, stated, kept, left, about });
  }
}
