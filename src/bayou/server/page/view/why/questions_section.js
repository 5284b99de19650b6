/** Ask about a variable: which one, three questions as buttons, and the answer to the one that is open. */

import { moved } from "../../logic/beliefs.js";
import { about } from "../../logic/findings.js";
import { button, html, setAttribute, setChildren, setShown, setText } from "../elements.js";
import { WhatNextPanel } from "../what_next/what_next_panel.js";
import { SeparationPanel } from "./separation_panel.js";
import { WhyPanel } from "./why_panel.js";

/** The questions: the name, the button, its key, and what the answer tells about a variable. */
const KINDS = [
  ["why", "Why?", "W", (name) => `what moved ${name}, by finding`],
  ["next", "What next?", "A", (name) => `which test or question tells most about ${name}`],
  ["related", "Related?", "R", (name) => `whether another variable tells about ${name}`],
];

/** The line above the section is out of view when its answer is brought into view: alone it would say nothing. */
const LINE = 2;

export class QuestionsSection {
  /** `on` has show(key) and decide(key). */
  constructor(questions, on) {
    this.questions = questions;
    this.pick = html("select", { "aria-labelledby": "questions-head", on: { change: () => this.picked() } });
    const choice = ([kind, text]) =>
      button(text, () => questions.ask(kind, this.pick.value, { toggle: true }), {
        "aria-describedby": `about-${kind}`,
      });
    this.buttons = new Map(KINDS.map((one) => [one[0], choice(one)]));
    this.tells = new Map(KINDS.map(([kind]) => [kind, html("span", { class: "hint", id: `about-${kind}` })]));
    const ways = KINDS.map(([kind]) => html("div", {}, this.buttons.get(kind), this.tells.get(kind)));
    this.kinds = html("div", { class: "questions-kinds", role: "group" }, ...ways);
    this.panels = {
      why: new WhyPanel(questions, on),
      next: new WhatNextPanel(questions, on),
      related: new SeparationPanel(questions),
    };
    const head = html("h2", { id: "questions-head" }, "Ask about");
    this.root = html(
      "section",
      { class: "questions", "aria-labelledby": "questions-head" },
      html("div", { class: "questions-head" }, head, this.pick),
      this.kinds,
      ...Object.values(this.panels).map(({ root }) => root),
    );
    this.root.addEventListener("keydown", (event) => this.press(event));
    Object.assign(this, { model: null, from: null, named: null, seen: null, top: null });
  }

  /** An answer is on its way. */
  get busy() {
    return this.questions.all.some(({ busy }) => busy);
  }

  picked() {
    const { questions } = this;
    this.named = this.pick.value;
    if (questions.kind) questions.ask(questions.kind, this.pick.value);
    else questions.explorer.choose(this.named);
  }

  /**
   * What to ask about: as named, the chosen variable, the one that moved most, the first; none that is known, and
   * one that is computed from others only if it was chosen.
   */
  suggested() {
    const { model, chosen, prior, beliefs, believed } = this.questions.explorer;
    if (this.named !== null && this.named === chosen) return chosen;
    if (this.seen !== beliefs) {
      this.seen = beliefs;
      const rows = believed.length > 0 ? moved(model, prior, beliefs, believed) : [];
      this.top = rows.find(({ variable }) => !variable.deterministic)?.variable.key;
    }
    const open = (key) => model.byKey.has(key) && about(believed, model.byKey.get(key).name).length === 0;
    return [chosen, this.top, ...model.variables.map(({ key }) => key)].find(open) ?? model.variables[0].key;
  }

  /** What is asked about now, or would be; null in an empty network. */
  get key() {
    const { kind, key, explorer } = this.questions;
    if (explorer.model.variables.length === 0) return null;
    return kind ? key : this.suggested();
  }

  /** Open a question and put the keyboard on its answer; Escape goes back. */
  open(kind, key) {
    if (!this.root.contains(document.activeElement)) this.from = document.activeElement;
    this.questions.ask(kind, key);
    const above = document.querySelector(".views-head"); // stays at the top of a phone's page
    const sticky = above && getComputedStyle(above).position === "sticky" ? above.offsetHeight : 0;
    this.root.style.scrollMarginTop = `${sticky - LINE}px`;
    this.root.scrollIntoView({ block: "start" });
    this.panels[kind].head.focus({ preventScroll: true });
  }

  press(event) {
    if (event.key !== "Escape" || this.questions.kind === null || event.target.matches("select")) return;
    event.preventDefault();
    event.stopPropagation();
    this.questions.close();
    if (this.from?.isConnected) this.from.focus({ preventScroll: true });
    else this.pick.focus();
  }

  update() {
    const { kind, key, explorer } = this.questions;
    const { model, canExplain, impossible } = explorer;
    const asks = canExplain && model.variables.length > 0 && !impossible;
    setShown(this.root, asks);
    if (!asks) return;
    if (this.model !== model) this.fill(model);
    const shown = kind ? key : this.suggested();
    if (this.pick.value !== shown) this.pick.value = shown;
    this.kinds.classList.toggle("asked", kind !== null);
    for (const [name, , letter, tells] of KINDS) {
      const words = tells(model.byKey.get(shown).text);
      setText(this.tells.get(name), words);
      setAttribute(this.buttons.get(name), "title", `${words[0].toUpperCase()}${words.slice(1)} (${letter})`);
    }
    for (const [name, one] of this.buttons) setAttribute(one, "aria-pressed", String(name === kind));
    for (const [name, panel] of Object.entries(this.panels)) {
      setShown(panel.root, name === kind);
      if (name === kind) panel.update();
    }
  }

  fill(model) {
    this.model = model;
    const options = model.variables.map(({ key, text }) => html("option", { value: key }, text));
    setChildren(this.pick, options);
  }
}
