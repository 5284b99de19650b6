/** The page of help: what can be done, the signs, and the keys. */

import { helpGroups } from "../logic/keyboard.js";
import { STATED_WORDS } from "../logic/stated_state.js";
import { button, html } from "./elements.js";

const WAYS = [
  "Click a bar to set a finding; click again to clear it.",
  "Drag along a bar for a likelihood: how well does what you saw fit this state?",
  "The button with three dots, or a right click, has the rest: not this state, one of some states, weights, do().",
  "Ask why a variable changed, what to ask next, or whether two are related: in the menu, or beside the drawing.",
  "Build: double-click an empty place or press V for a new variable, drag from “new arc” below a box to add an arc, drag a box to move it; click an arc, or open a variable's menu, to change it.",
  STATED_WORDS,
  "Thick arcs carry much information between parent and child.",
];

const SIGNS = [
  ["●", "observed"],
  ["▶", "set by intervention, do()"],
  ["✕", "excluded"],
  ["×0.3", "weight of a likelihood"],
  ["│", "the belief before any findings"],
  ["◆", "most probable explanation"],
  ["✓", "the true state in the row of a table"],
];

export class HelpDialog {
  constructor() {
    const lines = (pairs) =>
      pairs.flatMap(([key, text]) => [html("dt", {}, html("kbd", {}, key)), html("dd", {}, text)]);
    const keys = helpGroups().flatMap(([title, pairs]) => [html("h4", {}, title), html("dl", {}, ...lines(pairs))]);
    const signs = SIGNS.flatMap(([sign, text]) => [html("dt", {}, sign), html("dd", {}, text)]);
    this.root = html(
      "dialog",
      { class: "help", "aria-labelledby": "help-head" },
      html(
        "div",
        { class: "dialog-head" },
        html("h2", { id: "help-head", tabindex: -1 }, "Help"),
        button("Close", () => this.root.close(), { class: "primary" }),
      ),
      html("ul", {}, ...WAYS.map((text) => html("li", {}, text))),
      html("h3", {}, "Signs"),
      html("dl", {}, ...signs),
      html("h3", {}, "Keys"),
      ...keys,
    );
  }

  open() {
    this.root.showModal();
    this.root.querySelector("#help-head").focus(); // no autofocus: frames of another origin complain of it
  }
}
