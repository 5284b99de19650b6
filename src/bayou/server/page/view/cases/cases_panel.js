/** The saved cases of a tab: save, switch, rename, delete, compare, export and import. */

import { caseFormat } from "../../logic/cases/case_shelf.js";
import { findingText, listed } from "../../logic/finding_words.js";
import { counted } from "../../logic/numbers.js";
import { button, html, setAttribute, setChildren, setShown, setText } from "../elements.js";
import { savedText } from "./files.js";
import { CompareTable } from "./compare_table.js";

const EMPTY = "Set findings, then save them here under a name, to come back to them or to compare them.";

export class CasesPanel {
  /** `on.test()` opens the test with cases. */
  constructor(shelf, notices, on) {
    Object.assign(this, { shelf, notices, on, editing: null, seen: null });
    this.name = html("input", { type: "text", "aria-label": "Name of the case", autocomplete: "off" });
    const save = html("button", { type: "submit" }, "Save case");
    this.form = html("form", { class: "case-form" }, this.name, save);
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.save();
    });
    this.empty = html("p", { class: "hint" }, EMPTY);
    this.list = html("ul", { class: "cases", "aria-label": "Cases" });
    this.compared = new CompareTable(shelf);
    this.picker = html("input", { type: "file", hidden: true, accept: ".csv,.cas", "aria-label": "Case file" });
    this.picker.addEventListener("change", () => this.picked());
    const head = html("h2", { id: "cases-head" }, "Cases");
    const test = button("Test with cases…", () => on.test(), { title: "How well the network predicts the rows of a table" });
    this.root = html(
      "section",
      { class: "cases-section", "aria-labelledby": "cases-head" },
      html("div", { class: "section-head" }, head, test),
      this.form,
      this.empty,
      this.list,
      this.compared.root,
      this.files(),
    );
  }

  files() {
    this.exports = [
      button("Export CSV", () => this.download("csv")),
      button("Export .cas", () => this.download("cas"), { title: "A case file of Netica" }),
    ];
    const open = button("Import…", () => this.picker.click(), { title: "Cases in a CSV or .cas file" });
    return html("div", { class: "buttons" }, open, ...this.exports, this.picker);
  }

  save() {
    const before = this.shelf.cases.length;
    this.shelf.save(this.name.value);
    const name = this.name.value.trim() || this.shelf.cases.at(-1).name;
    this.name.value = "";
    this.notices.say(this.shelf.cases.length > before ? `Saved as ${name}.` : `${name} has these findings now.`);
  }

  async download(format) {
    try {
      const { text, losses } = await this.shelf.write(format);
      savedText(`cases.${format}`, text);
      if (losses.length > 0) this.notices.tell(losses.join(" "), [], "calm");
    } catch (problem) {
      this.notices.tell(problem.message);
    }
  }

  async picked() {
    const [file] = this.picker.files;
    this.picker.value = "";
    if (!file) return;
    try {
      const { count, remarks } = await this.shelf.read(await file.text(), caseFormat(file.name));
      const told = `${counted(count, "case")} from ${file.name}.`;
      if (remarks.length > 0) this.notices.tell([told, ...remarks].join(" "), [], "calm");
      else this.notices.say(told);
    } catch (problem) {
      this.notices.tell(problem.message);
    }
  }

  remove(one) {
    const { cases } = this.shelf;
    this.shelf.remove(one.name);
    const back = () => {
      this.shelf.changed(cases);
      this.notices.clear();
    };
    this.notices.tell(`The case ${one.name} was deleted.`, [["Put it back", back]], "calm");
  }

  update() {
    const { shelf } = this;
    const { cases, current } = shelf;
    setAttribute(this.name, "placeholder", shelf.suggestedName);
    setShown(this.empty, cases.length === 0);
    setShown(this.list, cases.length > 0);
    for (const one of this.exports) one.disabled = cases.length === 0;
    const shown = [cases, current?.name, [...shelf.compared].join("\n"), this.editing];
    if (!this.seen?.every((value, place) => value === shown[place])) {
      this.seen = shown;
      const held = document.activeElement?.dataset?.held;
      setChildren(
        this.list,
        cases.map((one) => (this.editing === one.name ? this.renaming(one) : this.row(one, current))),
      );
      if (held) this.list.querySelector(`[data-held="${CSS.escape(held)}"]`)?.focus();
      if (this.editing) this.list.querySelector("input[type=text]")?.select();
    }
    this.compared.update();
  }

  row(one, current) {
    const { shelf } = this;
    const words = listed(one.findings.map((finding) => findingText(shelf.explorer.model, finding)));
    const compare = html("input", {
      type: "checkbox",
      "aria-label": `Compare ${one.name}`,
      "data-held": `compare ${one.name}`,
    });
    compare.checked = shelf.compared.has(one.name);
    compare.addEventListener("change", () => shelf.compare(one.name, compare.checked));
    const show = button(one.name, () => shelf.show(one.name), {
      class: "link case-name",
      title: words || "no findings",
      "aria-pressed": String(one.name === current?.name),
      "data-held": `show ${one.name}`,
    });
    const rename = button("Rename", () => this.edit(one.name), { "aria-label": `Rename ${one.name}` });
    const remove = button("Delete", () => this.remove(one), { "aria-label": `Delete ${one.name}` });
    return html("li", {}, html("label", { class: "tick" }, compare), show, rename, remove);
  }

  edit(name) {
    this.editing = name;
    this.shelf.explorer.tell();
  }

  /** The name of a case as a field; Enter takes it, Escape leaves it as it was. */
  renaming(one) {
    const field = html("input", { type: "text", value: one.name, "aria-label": `New name of ${one.name}` });
    const problem = html("span", { class: "typed-problem", role: "alert" });
    const done = () => {
      const free = this.shelf.rename(one.name, field.value);
      if (free) this.edit(null);
      else setText(problem, "Give a name that no other case has.");
    };
    field.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.edit(null);
      if (event.key === "Enter") done();
      if (["Escape", "Enter"].includes(event.key)) event.stopPropagation();
    });
    return html("li", {}, field, button("OK", done), problem);
  }
}
