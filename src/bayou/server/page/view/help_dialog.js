/** The page of help: what can be done, the signs, and the keys. */

import { helpLines } from "../logic/keyboard.js";
import { button, html } from "./elements.js";

const WAYS = [
  "Click a bar to set a finding; click again to clear it.",
  "Drag along a bar for a likelihood: how well does what you saw fit this state?",
  "The button with three dots, or a right click, has the rest: not this state, one of some states, weights, do().",
  "Thick arcs carry much information between parent and child.",
];

const SIGNS = [
  ["●", "observed"],
  ["▶", "set by intervention, do()"],
  ["✕", "excluded"],
  ["×0.3", "weight of a likelihood"],
  ["│", "the belief before any findings"],
  ["◆", "most probable explanation"],
];

export class HelpDialog {
  constructor() {
    const keys = helpLines().flatMap(([key, text]) => [
      html("dt", {}, html("kbd", {}, key)),
      html("dd", {}, text),
    ]);
    const signs = SIGNS.flatMap(([sign, text]) => [html("dt", {}, sign), html("dd", {}, text)]);
    this.root = html(
      "dialog",
      { class: "help", "aria-labelledby": "help-head" },
      html("h2", { id: "help-head", tabindex: -1, autofocus: true }, "Help"),
      html("ul", {}, ...WAYS.map((text) => html("li", {}, text))),
      html("h3", {}, "Signs"),
      html("dl", {}, ...signs),
      html("h3", {}, "Keys"),
      html("dl", {}, ...keys),
      html(
        "div",
        { class: "buttons" },
        button("Close", () => this.root.close(), { class: "primary" }),
      ),
    );
  }

  open() {
    this.root.showModal();
  }
}
