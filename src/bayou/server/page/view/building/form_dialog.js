/** A dialog of a few typed fields. What is refused is told inside of it, and nothing typed is lost. */

import { notTyped } from "../../logic/building/typed_network.js";
import { html, button, setText } from "../elements.js";

const [LEAST_LINES, MOST_LINES] = [3, 12];

const AGAIN = "Press Esc again to throw away what you typed.";

const linesOf = (text) => text.split("\n").length + 1;

/**
 * A choice from a list that adds to what was typed, with a comma between; what is there already is not offered. Keys
 * find the same list in the field.
 */
function picker(input, list) {
  const pick = html("select", { "aria-label": "Add one of the network", tabindex: -1 });
  const option = (text) => html("option", { value: text }, text);
  const offer = () => pick.replaceChildren(html("option", { value: "" }, "Add…"), ...notTyped(list, input.value).map(option));
  offer();
  input.addEventListener("input", offer);
  pick.addEventListener("change", () => {
    const before = input.value.trim().replace(/,$/, "");
    input.value = before === "" ? pick.value : `${before}, ${pick.value}`;
    pick.value = "";
    input.dispatchEvent(new Event("input", { bubbles: true }));
  });
  return pick;
}

export class FormDialog {
  constructor(name) {
    this.title = html("h2", { id: `${name}-title` });
    this.hint = html("p", { class: "hint" });
    this.fields = html("div", { class: "fields stacked" });
    this.problem = html("p", { class: "typed-problem", role: "alert" });
    this.submit = html("button", { type: "submit", class: "primary" });
    const cancel = button("Cancel", () => this.root.close());
    const buttons = html("div", { class: "buttons" }, cancel, this.submit);
    this.form = html("form", {}, this.title, this.hint, this.fields, this.problem, buttons);
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.send();
    });
    this.form.addEventListener("input", () => {
      setText(this.problem, ""); // it was about what was there before
      this.asked = false;
      this.follow();
    });
    this.form.addEventListener("keydown", (event) => {
      const held = event.ctrlKey || event.metaKey;
      if (event.key === "Enter" && held && event.target.matches("textarea")) this.send();
    });
    this.root = html("dialog", { class: "building", "aria-labelledby": `${name}-title` }, this.form);
    this.root.addEventListener("cancel", (event) => this.ask(event));
  }

  /**
   * Show the form. `fields` are elements or {name, label, value, kind, hint, list, several}; `act(values)` does what was
   * asked for and returns a problem to be shown, or null; a mistake that it throws is shown, too. `after()` is
   * called when all is done, and `watch(values)` whenever something was typed. A field for `several` of its list has
   * a choice beside it, by which they are added.
   */
  open({ title, hint = "", fields, submit, act, after = () => {}, watch = () => {} }) {
    setText(this.title, title);
    setText(this.hint, hint);
    setText(this.problem, "");
    setText(this.submit, submit);
    Object.assign(this, { act, after, watch });
    this.inputs = new Map();
    this.fields.replaceChildren(...fields.map((field) => (field instanceof Node ? field : this.row(field))));
    this.follow();
    Object.assign(this, { asked: false, begun: JSON.stringify(this.values) });
    this.root.showModal();
    const first = this.fields.querySelector("input, select, textarea");
    first?.focus();
    first?.select?.();
  }

  follow() {
    for (const input of this.inputs.values())
      if (input.matches("textarea")) input.rows = Math.min(MOST_LINES, Math.max(LEAST_LINES, linesOf(input.value)));
    this.watch(this.values);
  }

  row({ name, label, value = "", kind = "text", hint = "", list = null, several = false }) {
    const id = `field-${name}`;
    const facts = {
      id,
      autocomplete: "off",
      spellcheck: "false",
      "aria-describedby": hint ? `${id}-hint` : null,
    };
    const input =
      kind === "long"
        ? html("textarea", { rows: 3, ...facts })
        : html("input", { type: "text", ...facts, list: list && `${id}-list` });
    input.value = value;
    this.inputs.set(name, input);
    const head = html("div", { class: "field-head" }, html("label", { for: id }, label));
    if (hint) head.append(html("p", { class: "hint", id: `${id}-hint` }, hint));
    const choice = several ? picker(input, list) : null;
    const row = html("div", { class: "field" }, head, html("div", { class: "field-input" }, input, choice));
    const options = (list ?? []).map((text) => html("option", { value: text }));
    if (list) row.append(html("datalist", { id: `${id}-list` }, ...options));
    return row;
  }

  /** Esc: what was typed is not thrown away before it was said once. */
  ask(event) {
    if (this.asked || JSON.stringify(this.values) === this.begun) return;
    event.preventDefault();
    this.asked = true;
    setText(this.problem, AGAIN);
  }

  get values() {
    return Object.fromEntries([...this.inputs].map(([name, input]) => [name, input.value]));
  }

  async send() {
    setText(this.problem, "");
    this.submit.disabled = true;
    let problem = null;
    try {
      problem = await this.act(this.values);
    } catch (mistake) {
      problem = mistake;
    } finally {
      this.submit.disabled = false;
    }
    if (problem) {
      setText(this.problem, problem.message);
      return;
    }
    this.root.close();
    this.after();
  }
}
