/** What is worth asking for next about a variable: a ranked list, and the decision if utilities are known. */

import { adviceText, askRows, expectedUtilities, outcomeRows } from "../../logic/what_next/decisions.js";
import { listed } from "../../logic/finding_words.js";
import { number } from "../../logic/numbers.js";
import { pageWords } from "../../logic/why/library_words.js";
import { breakable, button, html, setChildren, setShown, setText, wide } from "../elements.js";
import { AskablePart } from "./askable_part.js";

const SHOWN = 10;
const LEFT_OUT = 4;

/** What the bars and the numbers beside them are. */
const unitText = (name) =>
  `How much of the uncertainty about ${name} it is expected to remove; a full bar would remove all of it.`;

export class WhatNextPanel {
  /** `on` has show(key), which brings a variable into view, and decide(key), which opens the dialog. */
  constructor(questions, on) {
    Object.assign(this, { questions, on, seen: undefined });
    this.head = html("h3", { tabindex: -1 });
    this.advice = html("p", { "aria-live": "polite" });
    this.unit = html("p", { class: "hint" });
    this.decision = html("div");
    this.list = html("ol", { class: "asks", "aria-label": "What to ask next" });
    this.rest = html("p", { class: "hint" });
    this.apart = html("div", { class: "left-out" });
    this.askable = new AskablePart(questions);
    this.scale = { about: "", most: 0 };
    this.outcomes = html("div");
    this.decide = button("Utilities and costs…", () => on.decide(questions.key), {
      title: "What could be done, what it is worth, and what asking costs",
    });
    const buttons = html("div", { class: "buttons" }, this.decide);
    const parts = [this.head, this.advice, this.unit, this.decision, this.list, this.rest, this.apart, this.outcomes];
    this.root = html("div", { class: "answer next" }, ...parts, this.askable.root, buttons);
  }

  update() {
    const { variable, next, explorer } = this.questions;
    setText(this.head, `What to ask next about ${variable.text}`);
    this.updateApart();
    this.askable.update();
    const told = this.questions.told || (next.answer ?? next.problem);
    if (told === this.seen) return;
    this.seen = told;
    const { answer, problem } = next;
    const rows = answer ? this.scaled(answer) : [];
    const words = this.questions.told || (answer ? adviceText(answer, rows, variable) : (problem?.message ?? ""));
    setText(this.advice, pageWords(explorer.model, words));
    setText(this.unit, unitText(variable.text));
    setChildren(
      this.list,
      rows.slice(0, SHOWN).map((row) => this.row(row)),
    );
    setShown(this.list, rows.length > 0);
    setShown(this.unit, rows.length > 0 && this.questions.actionsOn(this.questions.key).length === 0);
    const more = rows.length - SHOWN;
    setText(this.rest, more > 0 ? `and ${more} more that tell less` : "");
    setShown(this.rest, more > 0);
    setChildren(this.decision, answer ? this.decisionContent(answer) : []);
    setChildren(this.outcomes, rows.length > 0 ? this.outcomeContent(answer, rows[0]) : []);
  }

  /** The rows on the scale that they had, as long as the question is the same: leaving one out changes no bar. */
  scaled(answer) {
    const { key, explorer, prices } = this.questions;
    const about = JSON.stringify([explorer.model.revision, key, explorer.believed, prices.costs, prices.utilities]);
    const most = this.scale.about === about ? this.scale.most : 0;
    const { variable: target, statePlace: place } = this.questions;
    const rows = askRows(explorer.model, answer, { target, place, most });
    this.scale = { about, most: Math.max(most, ...rows.map(({ value }) => value)) };
    return rows;
  }

  row({ key, text, worth, note, figures, outlook, size }) {
    const fill = html("span", { class: "fill", hidden: size === 0 });
    fill.style.width = `${(100 * size).toFixed(2)}%`;
    return html(
      "li",
      {},
      button(text, () => this.on.show(key), { class: "link", title: `Show ${text}` }),
      html("span", { class: "numbers", title: figures }, note === "" ? worth : `${worth} (${note})`),
      button("Leave out", () => this.setApart(key, true), {
        class: "quiet small",
        "aria-label": `Leave out ${text}`,
        title: `Nobody can look at ${text}, so do not ask for it`,
      }),
      html("span", { class: "track", "aria-hidden": "true" }, fill),
      outlook === "" ? null : html("p", { class: "hint outlook" }, outlook),
    );
  }

  setApart(key, apart) {
    const { questions } = this;
    const others = questions.prices.apart.filter((one) => one !== key);
    questions.setPrices({ apart: apart ? [...others, key] : others });
    if (apart) this.head.focus({ preventScroll: true });
  }

  /** What was left out, each with a way back. */
  updateApart() {
    const { explorer, prices } = this.questions;
    const seen = `${explorer.model.revision} ${this.questions.key} ${prices.apart}`;
    if (seen === this.seenApart) return;
    this.seenApart = seen;
    const { variable } = this.questions;
    const back = (key) => {
      const { text } = explorer.model.byKey.get(key);
      return button("Put back", () => this.setApart(key, false), { class: "small", "aria-label": `Put ${text} back` });
    };
    const shown = prices.apart.filter((key) => key !== variable.key);
    const line = (key) => html("p", {}, html("span", { class: "hint" }, apartText(explorer.model, key)), back(key));
    const rest = shown.length - LEFT_OUT;
    const more = rest > 0 ? [html("p", { class: "hint" }, `and ${rest} more left out`)] : [];
    setChildren(this.apart, [...shown.slice(0, LEFT_OUT).map(line), ...more]);
    setShown(this.apart, shown.length > 0);
  }

  /** The actions with their expected utilities as things are. */
  decisionContent({ best_action: best }) {
    const { questions } = this;
    const actions = questions.actionsOn(questions.key);
    const beliefs = questions.explorer.beliefs.get(questions.key)?.probabilities;
    if (!best || actions.length === 0 || !beliefs) return [];
    const rows = expectedUtilities(beliefs, actions).map(({ action, utility }) => {
      const name = action === best ? `${action} (best now)` : action;
      return html("tr", {}, html("th", { scope: "row" }, name), html("td", {}, number(utility)));
    });
    const caption = html("caption", {}, "Expected utility of each action, as things are");
    return [wide(html("table", { class: "actions" }, caption, html("tbody", {}, ...rows)))];
  }

  /** What the best finding would change, and which action would be best then. */
  outcomeContent(answer, { key, text }) {
    const { questions } = this;
    const { model } = questions.explorer;
    const place = questions.statePlace;
    const rows = outcomeRows(model, answer, key, place);
    if (!rows.some(({ action }) => action !== "")) return []; // the lines of the list tell it all
    const target = `${questions.variable.text} = ${questions.variable.labels[place]}`;
    const heads = [`if ${text} is`, "chance", `P(${target})`, "best action"];
    const body = rows.map((row) => {
      const texts = [row.chance, row.target, row.action].map((one) => html("td", {}, one));
      return html("tr", {}, html("th", { scope: "row" }, row.state), ...texts);
    });
    const table = html(
      "table",
      {},
      html("caption", {}, `What ${text} would tell`),
      html("thead", {}, html("tr", {}, ...heads.map((head) => html("th", { scope: "col" }, ...breakable(head))))),
      html("tbody", {}, ...body),
    );
    return [wide(table)];
  }
}

/** Why a variable is not in the list. */
function apartText(model, key) {
  const { text, deterministic } = model.byKey.get(key);
  if (!deterministic) return `${text} is left out.`;
  const parents = model.parents.get(key).map((one) => model.byKey.get(one).text);
  return `${text} is left out: it is computed from ${listed(parents)}, so it is no test.`;
}
