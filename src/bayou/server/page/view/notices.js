/** What the page has to say: problems with a remedy, a lost connection, short confirmations. */

import { findingText, listed } from "../logic/finding_words.js";
import { canUndo } from "../logic/history.js";
import { button, html, setText } from "./elements.js";

const SHORT = 6000;

export class Notices {
  constructor() {
    this.alert = html("div", { class: "notices", role: "alert" });
    this.said = html("div", { class: "said", role: "status" });
    this.connection = html("div", { class: "notice lost", role: "alert", hidden: true });
    this.root = html("div", {}, this.connection, this.alert, this.said);
    this.shown = null;
  }

  /** A message that stays until it is closed or replaced; `choices` are [text, act]. */
  tell(text, choices = [], kind = "problem") {
    const buttons = choices.map(([label, act]) => button(label, act));
    const close = button("Dismiss", () => this.clear(), { class: "quiet" });
    const line = html("p", {}, text);
    this.alert.replaceChildren(
      html("div", { class: `notice ${kind}` }, line, html("div", { class: "choices" }, ...buttons, close)),
    );
    this.shown = null;
  }

  clear() {
    this.alert.replaceChildren();
    this.shown = null;
  }

  /** A short confirmation that goes away by itself. */
  say(text) {
    setText(this.said, text);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => setText(this.said, ""), SHORT);
  }

  /** Told by the connection: trial 0 means that it is back. */
  lost(trial) {
    this.connection.hidden = trial === 0;
    setText(
      this.connection,
      trial === 0
        ? ""
        : "The connection to the server is lost. Trying again; your findings are kept in this tab.",
    );
    if (trial === 0) this.say("The connection is back.");
  }

  /** The problem of the explorer's last question, with ways out; the bars stay as they were. */
  follow(explorer, actions) {
    const { problem } = explorer;
    if (problem === null && this.shown !== null) this.clear();
    if (problem === null || problem === this.shown) return;
    if (problem.type === "impossible-findings") this.tellImpossible(explorer, actions);
    else this.tell(problem.message, canUndo(explorer.history) ? [["Undo", () => explorer.undo()]] : []);
    this.shown = problem;
  }

  tellImpossible(explorer, actions) {
    const { problem, model } = explorer;
    const words = (set) => listed(set.map((finding) => findingText(model, finding)));
    const choices = problem.release
      .slice(0, 3)
      .map((set) => [`Release ${words(set)}`, () => actions.release(set)]);
    const detail = problem.message || "These findings cannot all be true.";
    this.tell(
      `${detail} The bars still show the findings before.`,
      [...choices, ["Undo", () => explorer.undo()]],
      "calm",
    );
  }
}
