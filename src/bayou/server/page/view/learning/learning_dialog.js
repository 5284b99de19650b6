/** The dialog of learning: the table with the doctor's report, what to learn, the search, the result. */

import { Learning } from "../../logic/learning/learning.js";
import { ACCEPTED } from "../../logic/learning/tables.js";
import { progressText, rangeChoices, tableText, textOf, WAYS } from "../../logic/learning/words.js";
import { keyOf } from "../../logic/values.js";
import { button, html, setChildren, setShown, setText } from "../elements.js";
import { reportContent } from "./report_part.js";
import { resultContent } from "./result_part.js";

export class LearningDialog {
  /** `on` has open(revision, source), which opens a network, and rows(table, target). */
  constructor(explorer, on) {
    this.on = on;
    this.learning = new Learning(explorer, () => this.update());
    this.picker = html("input", { type: "file", hidden: true, accept: ACCEPTED, "aria-label": "Table file" });
    this.picker.addEventListener("change", () => this.picked());
    this.head = html("h2", { id: "learning-head", tabindex: -1 });
    this.status = html("p", { role: "status", class: "progress" });
    this.problem = html("div", { role: "alert" });
    this.report = html("div", { class: "report" });
    this.result = html("div", { class: "learned" });
    this.makeChoices();
    this.root = html("dialog", { class: "broad", "aria-labelledby": "learning-head" });
    this.root.append(this.head, this.status, this.problem, this.report, this.choices, this.result, this.aim, this.missing);
    this.root.append(this.buttons());
    this.root.append(this.picker);
    this.root.addEventListener("cancel", () => this.learning.cancel());
    Object.assign(this, { seen: null, step: null });
  }

  makeChoices() {
    const { learning } = this;
    this.ways = WAYS.map(([value, text, about]) => {
      const radio = html("input", { type: "radio", name: "way", value });
      radio.addEventListener("change", () => learning.chooseWay(value));
      const words = html("span", {}, text, html("span", { class: "hint" }, ` ${about}`));
      return { value, radio, root: html("label", { class: "row" }, radio, words) };
    });
    const group = html("fieldset", {}, html("legend", {}, "Learn"), ...this.ways.map(({ root }) => root));
    this.target = html("select");
    this.target.addEventListener("change", () => learning.chooseTarget(this.target.value || null));
    this.targetName = html("span");
    this.aim = html("label", { class: "row text-row" }, this.targetName, this.target);
    this.missing = html("p", { class: "hint" });
    this.ranges = html("select");
    this.ranges.addEventListener("change", () => learning.chooseRanges(Number(this.ranges.value) || null));
    this.numbersName = html("span");
    this.numbers = html("label", { class: "row text-row" }, this.numbersName, this.ranges);
    this.choices = html("div", {}, group, this.numbers);
  }

  buttons() {
    const { learning } = this;
    this.another = button("Another table…", () => this.pick());
    this.cancel = button("Cancel", () => this.stop());
    this.learn = button("Learn", () => learning.learn(), { class: "primary" });
    this.back = button("Back", () => learning.back());
    this.open = button("Open the network", () => this.finish(false));
    this.predict = button("Open and predict its rows", () => this.finish(true), { class: "primary" });
    const all = [this.another, this.cancel, this.back, this.open, this.learn, this.predict];
    return html("div", { class: "buttons" }, ...all);
  }

  pick() {
    this.picker.click();
  }

  picked() {
    const [file] = this.picker.files;
    this.picker.value = "";
    if (file) this.read(file);
  }

  read(file) {
    if (!this.root.open) this.root.showModal();
    return this.learning.read(file);
  }

  /** Stop the search and go back to the choices; anywhere else, close. */
  async stop() {
    const learns = this.learning.step === "learning";
    await this.learning.cancel();
    if (!learns) this.root.close();
  }

  async finish(withRows) {
    const { table, job, target } = this.learning;
    this.root.close();
    await this.on.open(job.result.revision, { name: `Learned from ${table.name}` });
    if (withRows && target) await this.on.rows(table, target);
  }

  update() {
    const { step, table, job, problem, missing, before } = this.learning;
    const is = (...steps) => steps.includes(step);
    setText(this.head, this.heading());
    setText(this.status, this.statusText());
    setChildren(this.problem, problem ? [html("p", { class: "notice problem" }, problem.message)] : []);
    setShown(this.choices, is("choosing"));
    setShown(this.report, is("choosing"));
    setShown(this.another, is("none", "choosing"));
    setShown(this.learn, is("choosing"));
    setText(this.cancel, is("learning", "reading") ? "Cancel" : "Close");
    setShown(this.back, is("learned"));
    setShown(this.open, is("learned"));
    setShown(this.predict, is("learned") && this.learning.targets.length > 0);
    this.predict.disabled = this.learning.target === null;
    this.learn.disabled = missing !== "";
    this.updateTarget();
    this.updateNumbers();
    const { ignored } = this.learning;
    if (this.seen !== table || this.ignored !== ignored) this.showTable(table, ignored);
    for (const { value, radio, root } of this.ways) {
      radio.checked = this.learning.way === value;
      setShown(root, value !== "parameters" || before !== null);
    }
    setChildren(this.result, is("learned") ? resultContent(job.result, before, this.learning.mostFrequent) : []);
    if (this.step !== step && this.root.open && !is("reading")) this.head.focus();
    this.step = step;
  }

  /** The column to predict is chosen before learning, or after it if the network can predict any. */
  updateTarget() {
    const { step, missing, needsTarget, target, targets } = this.learning;
    const asks = step === "learned" && !needsTarget && targets.length > 0;
    setShown(this.aim, step === "choosing" || asks);
    setText(this.targetName, needsTarget || asks ? "Column to predict" : "Column to predict (optional)");
    const later = asks && target === null ? "To see rows of the table predicted, choose the column to predict." : "";
    const words = step === "choosing" ? missing : later;
    setText(this.missing, words);
    setShown(this.missing, words !== "");
  }

  updateNumbers() {
    const { way, numbers, ranges } = this.learning;
    setShown(this.numbers, numbers.length > 0);
    setText(this.numbersName, `Numbers (${numbers.map(({ name }) => textOf(name)).join(", ")})`);
    const options = rangeChoices(way).map(([value, text]) => html("option", { value: value ?? "" }, text));
    if (this.offered !== way) setChildren(this.ranges, options);
    this.offered = way;
    this.ranges.value = ranges[way] ?? "";
  }

  heading() {
    const { step, table } = this.learning;
    if (step === "learned") return "Learned";
    return table ? `Learn from ${tableText(table)}` : "Learn from a table";
  }

  statusText() {
    const { step, fileName, job, problem } = this.learning;
    if (step === "reading") return `Reading ${fileName}…`;
    if (step === "learning") return progressText(job);
    return step === "none" && !problem ? "Choose a file." : "";
  }

  showTable(table, ignored) {
    const open = this.seen?.table === table?.table ? [...this.report.querySelectorAll("details[open]")] : [];
    const parts = open.map(({ dataset }) => dataset.part);
    const held = [...this.report.querySelectorAll("input")].indexOf(document.activeElement);
    Object.assign(this, { seen: table, ignored });
    const used = (key) => !ignored.has(key);
    const use = (key, on) => this.learning.useColumn(key, on);
    setChildren(this.report, table ? reportContent(table, used, use) : []);
    for (const details of this.report.querySelectorAll("details")) details.open = parts.includes(details.dataset.part);
    this.report.querySelectorAll("input")[held]?.focus();
    const { targets, target } = this.learning;
    const options = targets.map(({ name }) => html("option", { value: keyOf(name) }, textOf(name)));
    setChildren(this.target, [html("option", { value: "" }, "none"), ...options]);
    this.target.value = target ?? "";
  }
}
