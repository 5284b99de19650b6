/** What the page has to say: problems with a remedy, a lost connection, short confirmations. */

import { findingText, listed } from "../logic/finding_words.js";
import { canUndo } from "../logic/history.js";
import { pageWords } from "../logic/why/library_words.js";
import { button, html, setText } from "./elements.js";

const SHORT = 6000;

export class Notices {
  constructor() {
    this.alert = html("div", { class: "notices", role: "alert" });
    this.said = html("div", { class: "said", role: "status" });
    this.connection = html("div", { class: "notice lost", role: "alert", hidden: true });
    this.work = html("div", { class: "said", role: "status" });
    const short = html("div", { class: "short" }, this.said, this.work);
    this.root = html("div", {}, this.connection, this.alert, short);
    Object.assign(this, { shown: null, step: null });
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

  /** A short confirmation that goes away by itself; one about the last step of a history with the next step. */
  say(text, { step = null } = {}) {
    this.step = step;
    setText(this.said, text);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => setText(this.said, ""), SHORT);
  }

  /** What is being done, until it is done (an empty text). */
  working(text) {
    setText(this.work, text);
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
    if (this.step !== null && this.step !== explorer.history.present) this.say("");
    if (problem === null && this.shown !== null) this.clear();
    if (problem === null || problem === this.shown) return;
    if (problem.type === "impossible-findings") this.tellImpossible(explorer, actions);
    else this.tell(pageWords(explorer.model, problem.message), canUndo(explorer.history) ? [["Undo", () => explorer.undo()]] : []);
    this.shown = problem;
  }

  tellImpossible(explorer, actions) {
    const { problem, model, findings, believed } = explorer;
    const words = (set) => listed(set.map((finding) => findingText(model, finding)));
    const choices = problem.release
      .slice(0, 3)
      .map((set) => [`Release ${words(set)}`, () => actions.release(set)]);
    const alone = findings.length === 1 ? `${words(findings)} cannot occur in this network: its probability is 0.` : "";
    const detail = alone || pageWords(model, problem.message) || "These findings cannot all be true.";
    const before = believed.length > 0 ? "the findings before" : "the network without findings";
    this.tell(
      `${detail} The grey bars still show ${before}.`,
      [...choices, ["Undo", () => explorer.undo()]],
      "calm",
    );
  }
}
