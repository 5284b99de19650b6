/** The dialog in which a finding is typed: an observed state or value, one of some states, none of them, weights, do(). */

import { NONE_LEFT } from "../logic/finding_actions.js";
import { sameAsSeenText } from "../logic/finding_words.js";
import { about, possibleStates } from "../logic/findings.js";
import { typedNumber } from "../logic/numbers.js";
import { keyOf } from "../logic/values.js";
import { button, html } from "./elements.js";

const TITLES = {
  state: "Observed state of",
  value: "Observed value of",
  in: "One of these states of",
  not: "Not these states of",
  weights: "Likelihood: weights of the states of",
  do: "Set by intervention, do():",
};

const HINTS = {
  state: "The state that was observed.",
  in: "Tick the states that are possible. All others get probability 0.",
  not: "Tick the states that are ruled out.",
  weights:
    "How well does what you saw fit each state? Only the ratios count: 1 and 0.2 say that it fits the first five times better.",
  do: "You change the variable yourself, from outside. What it acts on changes with it; what acts on it stays as it was.",
  value: "The number that was observed.",
};

export class FindingForm {
  constructor(explorer, actions) {
    Object.assign(this, { explorer, actions });
    this.title = html("h2", { id: "finding-title" });
    this.hint = html("p", { class: "hint", "aria-live": "polite" });
    this.fields = html("div", { class: "fields" });
    this.form = html("form", {}, this.title, this.hint, this.fields, this.buttons());
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (this.leavesNone()) {
        this.hint.textContent = NONE_LEFT; // and what was ticked stays
        return;
      }
      this.root.close();
      this.submit();
    });
    this.root = html("dialog", { "aria-labelledby": "finding-title" }, this.form);
  }

  buttons() {
    const set = html("button", { type: "submit", class: "primary" }, "Set finding");
    return html(
      "div",
      { class: "buttons" },
      button("Cancel", () => this.root.close()),
      set,
    );
  }

  open(key, kind) {
    Object.assign(this, { key, kind });
    const variable = this.explorer.model.byKey.get(key);
    this.title.textContent = `${TITLES[kind]} ${variable.text}`;
    this.hint.textContent = kind === "do" ? this.interventionHint(variable) : HINTS[kind];
    this.fields.replaceChildren(...this.rows(variable));
    this.root.showModal();
    this.fields.querySelector("input")?.focus();
  }

  /** What do() means here: of a variable that nothing influences the same as an observation. */
  interventionHint({ name }) {
    return [HINTS.do, sameAsSeenText(this.explorer.model, [{ variable: name, do: null }])].join(" ").trim();
  }

  /** One field for each state, or one for the number. */
  rows(variable) {
    const own = about(this.explorer.findings, variable.name);
    if (this.kind === "value") {
      const old = own.find((finding) => "value" in finding)?.value;
      return [row("Value", { type: "text", inputmode: "decimal", value: old ?? "" })];
    }
    const possible = new Set(possibleStates(own, variable.name, variable.states).map(keyOf));
    const weights = own.find((finding) => "weights" in finding)?.weights;
    const picked = own.find((finding) => this.kind in finding)?.[this.kind];
    return variable.labels.map((label, index) => {
      const held = possible.has(variable.stateKeys[index]);
      if (this.kind === "weights") {
        return row(label, { type: "text", inputmode: "decimal", value: weights?.[index] ?? 1 });
      }
      if (this.kind === "do" || this.kind === "state") {
        const checked = picked !== undefined && keyOf(picked) === variable.stateKeys[index];
        return row(label, { type: "radio", name: "state", checked, required: true });
      }
      const isRuledOut = !held && !own.some((finding) => "state" in finding);
      return row(label, { type: "checkbox", checked: this.kind === "in" ? held : isRuledOut });
    });
  }

  /** Whether no state would be possible with what is ticked. */
  leavesNone() {
    const boxes = [...this.fields.querySelectorAll("input[type=checkbox]")];
    const possible = boxes.filter((box) => box.checked === (this.kind === "in"));
    return boxes.length > 0 && possible.length === 0;
  }

  submit() {
    const inputs = [...this.fields.querySelectorAll("input")];
    const ticked = inputs.flatMap((input, index) => (input.checked ? [index] : []));
    const { actions, key } = this;
    if (this.kind === "value") actions.measure(key, typedNumber(inputs[0].value));
    if (this.kind === "weights")
      actions.weigh(
        key,
        inputs.map((input) => typedNumber(input.value)),
      );
    if (this.kind === "in") actions.chooseStates(key, ticked);
    if (this.kind === "not") actions.excludeStates(key, ticked);
    if (this.kind === "state" && ticked.length > 0) actions.observe(key, ticked[0]);
    if (this.kind === "do" && ticked.length > 0) actions.setTo(key, ticked[0]);
  }
}

function row(label, attributes) {
  const box = attributes.type === "text" ? "text-row" : "tick-row";
  const input = html("input", { autocomplete: "off", ...attributes });
  const text = html("span", {}, label);
  return html("label", { class: `row ${box}` }, ...(box === "text-row" ? [text, input] : [input, text]));
}
