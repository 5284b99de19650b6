/** The few numbers of a noisy-OR: a chance for each parent, and the leak. */

import { html, setAttribute } from "../elements.js";

const WORDS =
  "Each parent that is present brings the effect about with its own chance, independently of the others; the leak is the chance without any of them. The table below follows.";

export class NoisyOrForm {
  /** `typed(texts)` returns the places of the numbers that cannot be read. */
  constructor(typed) {
    this.typed = typed;
    this.fields = html("div", { class: "fields" });
    this.root = html("div", { class: "noisy-or" }, html("p", { class: "hint" }, WORDS), this.fields);
  }

  /** Show the numbers; `names` say what each is the chance of. */
  show(names, texts, readOnly) {
    this.inputs = texts.map((value) =>
      html("input", {
        type: "text",
        inputmode: "decimal",
        autocomplete: "off",
        value,
        disabled: readOnly,
        on: { input: () => this.mark(this.typed(this.inputs.map((one) => one.value))) },
      }),
    );
    const rows = names.map((name, place) =>
      html("label", { class: "row text-row" }, html("span", {}, name), this.inputs[place]),
    );
    this.fields.replaceChildren(...rows);
  }

  mark(wrong) {
    this.inputs.forEach((input, place) =>
      setAttribute(input, "aria-invalid", wrong.includes(place) ? "true" : null),
    );
  }
}
