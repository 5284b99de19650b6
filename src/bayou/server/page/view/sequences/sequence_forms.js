/** The forms in which values are typed: one number, or a whole sequence, also from a file. */

import { measuredAt, withValues } from "../../logic/sequences/step_findings.js";
import { MOST_STEPS } from "../../logic/sequences/strip_explorer.js";
import { typedCell, typedSequence } from "../../logic/sequences/typed_sequence.js";
import { counted } from "../../logic/numbers.js";
import { FormDialog } from "../building/form_dialog.js";
import { button, html } from "../elements.js";

export class SequenceForms {
  /** `said(text)` confirms in a few words. */
  constructor(explorer, said) {
    Object.assign(this, { explorer, said });
    this.dialog = new FormDialog("sequence");
    this.picker = html("input", { type: "file", hidden: true, "aria-label": "Sequence file", accept: ".csv,.tsv,.txt" });
    this.picker.addEventListener("change", () => this.picked());
    this.root = this.dialog.root;
  }

  /** One number for a cell. */
  number(row, step, begun = "") {
    this.dialog.open({
      title: `${row.label} at ${step}`,
      fields: [{ name: "value", label: "Value", value: begun }],
      submit: "Set",
      act: ({ value }) => {
        const cell = typedCell(row, value);
        if (cell === null) throw new Error("Type a number, such as 1.7.");
        this.explorer.change(measuredAt(this.explorer.findings, row, step, cell.value));
        return null;
      },
    });
    if (begun) this.dialog.inputs.get("value").setSelectionRange(begun.length, begun.length);
  }

  /** Many values from a step on, of one row or, with a header, of several. */
  sequence(row = this.explorer.model.firstSeen, first = 0) {
    const rows = this.explorer.model.rows.filter(({ canFind }) => canFind);
    const options = rows.map(({ key, label }) => html("option", { value: key }, label));
    const select = html("select", { id: "sequence-row" }, ...options);
    select.value = row.key;
    const hint = html("p", { class: "hint", id: "sequence-example" }, exampleOf(row));
    const chosen = () => rows.find(({ key }) => key === select.value);
    select.addEventListener("change", () => hint.replaceChildren(exampleOf(chosen())));
    const field = html("div", { class: "field" }, html("label", { for: "sequence-row" }, "Values of"), select);
    this.dialog.open({
      title: first === 0 ? "Type or paste a sequence" : `Type or paste values from step ${first}`,
      hint: "Separate values by commas or lines; ? is unknown. A table needs names in its first line.",
      fields: [
        ...(rows.length > 1 ? [field] : []),
        { name: "values", label: `Values${rows.length > 1 ? "" : ` of ${row.label}`}`, kind: "long" },
        html("div", { class: "field from-file" }, hint, button("From a file…", () => this.picker.click()), this.picker),
      ],
      submit: "Set",
      act: ({ values }) => this.enter(values, chosen() ?? row, first),
    });
    this.dialog.inputs.get("values").focus();
  }

  /** The values of a text become findings; the sequence grows if it must, and shrinks to one that begins it. */
  enter(text, row, first) {
    const { explorer } = this;
    const told = typedSequence(explorer.model.rows, row, text);
    const length = first + Math.max(...told.map(({ cells }) => cells.length));
    if (length > MOST_STEPS) throw new Error(`A strip has at most ${MOST_STEPS} steps; these are ${length}.`);
    const findings = told.reduce((list, one) => withValues(list, one.row, one.cells, first), explorer.findings);
    const others = findings.some(({ step }) => step >= length);
    explorer.change(findings, first === 0 && !others ? length : Math.max(explorer.steps, length));
    this.said(`${counted(length - first, "step")} set.`);
    return null;
  }

  /** A file that was picked or dropped: its text is shown first, so that it can be looked at. */
  async read(file) {
    const text = await file.text();
    if (!this.root.open) this.sequence();
    this.dialog.inputs.get("values").value = text;
  }

  picked() {
    const [file] = this.picker.files;
    this.picker.value = "";
    if (file) this.read(file);
  }
}

function exampleOf(row) {
  if (row.isNumber) return "Example: 1.7; 2.1; ?; 2.4";
  const [one, other] = [row.labels[row.labels.length - 1], row.labels[0]];
  return `Example: ${one}, ${one}, ?, ${other}, ${row.labels.length > 2 ? `not ${one}` : other}`;
}
