/** Test with cases: a table, the variable it tells, and how well the network predicts it. */

import { CaseTest } from "../../logic/cases/case_test.js";
import { accuracyText, leftOut, rowText, scoreRows } from "../../logic/cases/test_words.js";
import { counted, number } from "../../logic/numbers.js";
import { ACCEPTED, sendTable } from "../../logic/learning/tables.js";
import { button, html, setChildren, setShown, setText } from "../elements.js";
import { calibrationPicture, rocPicture } from "./test_pictures.js";

const ABOUT =
  "Each row of a table is predicted without its target, and compared with what the row tells. Nothing is learned from it.";

export class TestDialog {
  /** `on.row(table, target, how)` shows a row. */
  constructor(explorer, notices, on) {
    Object.assign(this, { explorer, notices, on, opened: null, curve: 0, seen: null, listing: null });
    this.test = new CaseTest(explorer, () => this.update());
    this.picker = html("input", { type: "file", hidden: true, accept: ACCEPTED, "aria-label": "Table to test with" });
    this.picker.addEventListener("change", () => this.picked());
    this.choose = button("Choose a table…", () => this.picker.click(), { class: "primary" });
    this.name = html("span", { class: "table-name" });
    this.target = html("select", { on: { change: () => this.test.run(this.target.value) } });
    this.targets = html("label", { class: "row text-row" }, html("span", {}, "Predict"), this.target);
    this.status = html("p", { role: "status" });
    this.result = html("div");
    this.rows = html("div", { class: "cell-rows" });
    this.pictures = html("div", { class: "pictures" });
    const head = html("h2", { id: "test-head" }, "Test with cases");
    const walk = button("Step through the rows", () => this.show(0, "row", null));
    this.walk = html("div", { class: "buttons", hidden: true }, walk);
    const close = html("div", { class: "buttons" }, button("Close", () => this.root.close()));
    this.root = html("dialog", { class: "broad", "aria-labelledby": "test-head" }, head);
    this.root.append(
      html("p", { class: "hint" }, ABOUT),
      html("div", { class: "row" }, this.choose, this.name, this.picker),
      this.targets,
      this.status,
      this.result,
      this.rows,
      this.pictures,
      this.walk,
      close,
    );
  }

  /** Open; a table of an earlier test is used again while the same network is open. */
  open() {
    const { test, explorer } = this;
    if (explorer.model.revision !== this.opened && test.table) test.begin(test.table);
    this.opened = explorer.model.revision;
    this.update();
    this.root.showModal();
  }

  async picked() {
    const [file] = this.picker.files;
    this.picker.value = "";
    if (!file) return;
    setText(this.status, `Reading ${file.name}…`);
    try {
      await this.test.begin(await sendTable(this.explorer.connection, file));
    } catch (problem) {
      setText(this.status, problem.message);
    }
  }

  update() {
    const { test } = this;
    const { table, target, answer, problem } = test;
    setText(this.name, table ? `${table.name}, ${counted(table.rows, "row")}` : "CSV, TSV, Parquet, JSON lines, .cas");
    setText(this.choose, table ? "Choose another table…" : "Choose a table…");
    setShown(this.targets, table !== null && test.targets.length > 0);
    if (table) this.offer(test.targets, target);
    setText(this.status, this.statusText());
    setShown(this.walk, answer !== null);
    const shown = [answer, problem, this.curve];
    if (!this.seen?.every((one, place) => one === shown[place])) {
      this.seen = shown;
      setChildren(this.result, answer ? this.content(answer) : []);
      setChildren(this.pictures, answer ? [calibrationPicture(answer), this.roc(answer)] : []);
    }
    if (this.listing === test.rows) return;
    this.listing = test.rows;
    setChildren(this.rows, test.rows ? this.listed() : []);
    this.rows.firstChild?.focus();
  }

  offer(targets, chosen) {
    const keys = targets.map(({ key }) => key).join("\n");
    if (this.offered !== keys) {
      this.offered = keys;
      setChildren(this.target, targets.map(({ key, text }) => html("option", { value: key }, text)));
    }
    this.target.value = chosen ?? "";
  }

  statusText() {
    const { table, target, answer, problem, targets } = this.test;
    if (problem) return problem.message;
    if (table === null) return "";
    if (targets.length === 0)
      return "No column of this table is a variable of this network with states. The first line of a file has the names of the columns.";
    return answer || target === null ? "" : "Predicting every row…";
  }

  content(answer) {
    const notes = leftOut(answer).map((line) => html("p", { class: "hint" }, line));
    const scores = scoreRows(answer).map(([name, value, meaning]) =>
      html("tr", {}, html("th", { scope: "row" }, name), html("td", {}, value), html("td", { class: "about" }, meaning)),
    );
    return [
      html("p", { class: "verdict" }, accuracyText(answer)),
      html("table", { class: "scores" }, html("caption", {}, "Scores"), html("tbody", {}, ...scores)),
      ...notes,
      html("div", { class: "wide" }, this.confusion(answer)),
    ];
  }

  confusion({ labels, confusion }) {
    const heads = ["true ↓ predicted →", ...labels].map((text) => html("th", { scope: "col" }, text));
    const rows = confusion.map((counts, truth) => {
      const cells = counts.map((count, predicted) => {
        const text = `${labels[truth]} predicted as ${labels[predicted]}: ${counted(count, "row")}`;
        const look = button(number(count), () => this.test.look({ true: truth, predicted }), {
          "aria-label": text,
          class: truth === predicted ? "right" : "wrong",
        });
        look.disabled = count === 0;
        return html("td", {}, look);
      });
      return html("tr", {}, html("th", { scope: "row" }, labels[truth]), ...cells);
    });
    const caption = html("caption", {}, "Confusion: click a number to see its rows");
    const head = html("thead", {}, html("tr", {}, ...heads));
    return html("table", { class: "confusion" }, caption, head, html("tbody", {}, ...rows));
  }

  /** The curve of one state against the others. */
  roc(answer) {
    const { labels, classes } = answer;
    const place = Math.min(this.curve, labels.length - 1);
    const pick = html("select", { "aria-label": "State of the curve" });
    pick.append(...labels.map((label, at) => html("option", { value: at }, label)));
    pick.value = String(place);
    pick.addEventListener("change", () => {
      this.curve = Number(pick.value);
      this.update();
    });
    return rocPicture(labels[place], classes[place], pick);
  }

  /** The rows of the cell that is looked at. */
  listed() {
    const { cell, rows, total } = this.test;
    const { labels } = this.test.answer;
    const title = `${labels[cell.true]} predicted as ${labels[cell.predicted]}: ${counted(total, "row")}`;
    const items = rows.map((row, place) =>
      html("li", {}, button(rowText(labels, row), () => this.show(place, "target", cell), { class: "link" })),
    );
    const more = total > rows.length ? [html("p", { class: "hint" }, `The first ${rows.length} are shown.`)] : [];
    return [html("h3", { id: "cell-head", tabindex: -1 }, title), html("ul", { "aria-labelledby": "cell-head" }, ...items), ...more];
  }

  show(place, order, cell) {
    const { table, target } = this.test;
    this.root.close();
    this.on.row(table, target, { order, cell, place });
  }
}
