/** Are two variables related? The open trails between them, marked in the drawing, and what closes them. */

import { pageWords } from "../../logic/why/library_words.js";
import { trailText, trailWords } from "../../logic/why/trails.js";
import { closingText, relatedText } from "../../logic/why/words.js";
import { html, setChildren, setText } from "../elements.js";

export class SeparationPanel {
  constructor(questions) {
    this.questions = questions;
    this.head = html("h3", { tabindex: -1 });
    const change = () => questions.chooseOther(this.other.value || null);
    this.other = html("select", { "aria-label": "Related to", on: { change } });
    const label = html("label", { class: "row text-row" }, html("span", {}, "to"), this.other);
    this.hint = html("p", { class: "hint" });
    this.body = html("div", { class: "sentences", "aria-live": "polite" });
    this.root = html("div", { class: "answer related" }, this.head, label, this.hint, this.body);
    Object.assign(this, { seen: undefined, filled: null });
  }

  update() {
    const { variable, other, related, explorer } = this.questions;
    if (this.filled !== variable) this.fill(variable, explorer.model);
    this.other.value = other ?? "";
    setText(this.head, `Is ${variable.text} related`);
    const start = "Choose another variable here, or click it in the drawing.";
    const how = "By the arcs alone, given the findings about other variables.";
    setText(this.hint, other === null ? start : how);
    const told = related.answer ?? related.problem;
    if (told === this.seen) return;
    this.seen = told;
    setChildren(this.body, this.content(related, explorer.model));
  }

  fill(variable, model) {
    this.filled = variable;
    const others = model.variables.filter(({ key }) => key !== variable.key);
    const options = others.map(({ key, text }) => html("option", { value: key }, text));
    setChildren(this.other, [html("option", { value: "" }, "…"), ...options]);
  }

  content({ answer, problem }, model) {
    if (problem) return [html("p", { class: "hint" }, pageWords(model, problem.message))];
    if (!answer) return [];
    const { key, other } = this.questions;
    const [, ...reasons] = answer.text.split("\n");
    const lines = [html("p", { class: "verdict" }, relatedText(model, key, other, answer))];
    const closing = closingText(model, answer);
    if (closing !== "") lines.push(html("p", {}, closing));
    if (answer.trails.length > 0) lines.push(...trailList(model, answer.trails));
    const why = reasons.map((line) => html("li", {}, line.trim()));
    lines.push(html("details", {}, html("summary", {}, "Why"), html("ul", {}, ...why)));
    return lines;
  }
}

function trailList(model, trails) {
  const items = trails.map((names) =>
    html(
      "li",
      {},
      html("span", { "aria-hidden": "true" }, trailText(model, names)),
      html("span", { class: "spoken" }, trailWords(model, names)),
    ),
  );
  return [
    html("h4", { id: "open-head" }, "Open trails, marked in the drawing"),
    html("ul", { class: "trails", "aria-labelledby": "open-head" }, ...items),
  ];
}
