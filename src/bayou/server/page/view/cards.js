/** The variables as cards: the way of small screens, with the same bars as the drawing. */

import { relatives } from "../logic/graph.js";
import { about } from "../logic/findings.js";
import { LARGE } from "../logic/model.js";
import { html, setAttribute, setChildren, setShown, setText } from "./elements.js";
import { momentsText, nodeFacts, signText, stateName, valueText } from "./node_marks.js";
import { whyButton } from "./why/why_button.js";

export class Cards {
  /** `on` has toggle(key, index), menu(key, index, rectangle), value(key), why(key). */
  constructor(explorer, on) {
    Object.assign(this, { explorer, on });
    this.note = html("p", { class: "hint" });
    this.list = html("div", { class: "cards" });
    this.root = html("div", {}, this.note, this.list);
    this.cards = new Map();
    this.model = null;
  }

  /** All variables; of large networks those around the focus and those with findings. */
  get members() {
    const { model, centre, relation, findings } = this.explorer;
    if (!model.isLarge && relation === null) return model.variables;
    const near = centre ? relatives(model, centre, relation ?? "blanket") : new Set();
    const shown = ({ key, name }) => near.has(key) || about(findings, name).length > 0;
    return model.variables.filter(shown).slice(0, LARGE);
  }

  update() {
    const { model } = this.explorer;
    if (this.model !== model) {
      this.model = model;
      this.cards.clear();
    }
    const { members } = this;
    const all = members.length === model.variables.length;
    setShown(this.note, !all);
    setText(
      this.note,
      `${members.length} of ${model.variables.length} variables. Search for another one to see what is around it.`,
    );
    for (const variable of members) {
      if (!this.cards.has(variable.key)) this.cards.set(variable.key, new Card(variable, this.on));
    }
    setChildren(
      this.list,
      members.map(({ key }) => this.cards.get(key).root),
    );
    for (const { key } of members) this.cards.get(key).update(this.explorer);
  }

  reveal(key) {
    this.cards.get(key)?.root.scrollIntoView({ block: "center" });
    this.cards.get(key)?.root.querySelector("button")?.focus({ preventScroll: true });
  }
}

class Card {
  constructor(variable, on) {
    this.variable = variable;
    const { key, text, meaning, description } = variable;
    const more = html("button", {
      type: "button",
      class: "more",
      "aria-label": `More about ${text}`,
      "aria-haspopup": "menu",
      on: { click: () => on.menu(key, null, more.getBoundingClientRect()) },
    });
    more.append("⋯");
    this.why = whyButton(variable, on);
    const meant = meaning ? html("span", { class: "meaning" }, meaning) : null;
    const name = html("div", { class: "card-name", title: description || null }, html("h3", {}, text), meant);
    const head = html("div", { class: "card-head" }, name, this.why, more);
    this.moments = html("button", {
      type: "button",
      class: "moments",
      hidden: true,
      on: { click: () => on.value(key) },
    });
    this.states = variable.labels.map((_, index) => new CardState(variable, index, on));
    const facts = { class: "card", role: "group", "aria-label": text, "data-key": key };
    this.root = html("div", facts, head, this.moments);
    this.root.append(...this.states.map(({ root }) => root));
  }

  update(explorer) {
    const facts = nodeFacts(explorer, this.variable);
    setShown(this.why, explorer.canExplain && !explorer.impossible && facts.changed && !facts.hasFinding && this.states.length > 0);
    setShown(this.moments, Boolean(facts.belief && !facts.belief.probabilities));
    setText(this.moments, `${facts.hasFinding ? "● " : ""}${momentsText(facts.belief)}`);
    setAttribute(this.root, "class", `card${facts.hasFinding ? " found" : ""}`);
    for (const state of this.states) {
      state.update(facts);
    }
  }
}

class CardState {
  constructor(variable, index, on) {
    Object.assign(this, { variable, index });
    this.label = html("span", { class: "label" });
    this.value = html("span", { class: "value" });
    this.fill = html("span", { class: "fill" });
    this.kept = html("span", { class: "kept" });
    this.ghost = html("span", { class: "ghost" });
    const bar = html("span", { class: "track" }, this.fill, this.kept, this.ghost);
    this.root = html("button", { type: "button", class: "state" }, this.label, this.value, bar);
    this.root.addEventListener("click", () => on.toggle(variable.key, index));
    this.root.addEventListener("contextmenu", (event) => {
      event.preventDefault();
      on.menu(variable.key, index, new DOMRect(event.clientX, event.clientY, 0, 0));
    });
    this.root.addEventListener("keydown", (event) => on.stateKey(event, variable.key, index, this.root));
  }

  update(facts) {
    const mark = facts.marks[this.index];
    const chance = facts.belief?.probabilities?.[this.index];
    const sign = signText(mark);
    const pressed = mark.sign === "observed" || mark.sign === "set";
    setAttribute(this.root, "class", `state ${mark.sign}${facts.best === this.index ? " best" : ""}`);
    setAttribute(this.root, "aria-pressed", String(pressed));
    setAttribute(this.root, "aria-label", stateName(this.variable, this.index, facts));
    setText(this.label, `${sign === "" ? "" : `${sign} `}${this.variable.labels[this.index]}`);
    setText(this.value, valueText(facts, this.index));
    this.fill.style.width = `${(100 * (chance ?? 0)).toFixed(2)}%`;
    const kept = facts.kept?.probabilities?.[this.index];
    setShown(this.kept, kept !== undefined);
    if (kept !== undefined) this.kept.style.width = `${(100 * kept).toFixed(2)}%`;
    setShown(this.ghost, facts.changed);
    this.ghost.style.left = `${(100 * (facts.prior?.probabilities?.[this.index] ?? 0)).toFixed(2)}%`;
  }
}
