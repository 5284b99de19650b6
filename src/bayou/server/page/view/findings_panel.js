/** The findings in words, each with a way to remove it, and what they add up to. */

import { conflictText, findingText } from "../logic/finding_words.js";
import { number, oneIn } from "../logic/numbers.js";
import { keyOf } from "../logic/values.js";
import { button, html, setChildren, setShown, setText } from "./elements.js";

export class FindingsPanel {
  constructor(explorer, actions) {
    Object.assign(this, { explorer, actions });
    this.empty = html(
      "p",
      { class: "hint" },
      "Nothing is known yet. Click a bar to say what you know: every other bar then shows what follows.",
    );
    this.list = html("ul", { class: "findings", "aria-label": "Findings" });
    this.rarity = html("p", { class: "rarity" });
    this.conflict = html("p", { class: "conflict" });
    this.clear = button("Clear all", () => actions.clearAll(), { title: "Clear all findings (U)" });
    const head = html(
      "div",
      { class: "section-head" },
      html("h2", { id: "findings-head" }, "Findings"),
      this.clear,
    );
    this.root = html(
      "section",
      { "aria-labelledby": "findings-head" },
      head,
      this.empty,
      this.list,
      this.rarity,
      this.conflict,
    );
    this.rows = new Map();
  }

  update() {
    const { findings, model, problem, logProbability, surprise } = this.explorer;
    const rows = new Map(findings.map((finding) => [keyOf(finding), finding]));
    for (const key of [...this.rows.keys()]) if (!rows.has(key)) this.rows.delete(key);
    for (const [key, finding] of rows) if (!this.rows.has(key)) this.rows.set(key, this.row(model, finding));
    setChildren(
      this.list,
      [...rows.keys()].map((key) => this.rows.get(key)),
    );
    const any = findings.length > 0;
    setShown(this.empty, !any);
    setShown(this.list, any);
    setShown(this.clear, any);
    const told = any && problem?.type !== "impossible-findings";
    setShown(this.rarity, told);
    setText(
      this.rarity,
      `Probability of these findings: ${oneIn(logProbability)} (log P = ${number(logProbability)})`,
    );
    const conflict = findings.length > 1 && told ? conflictText(surprise) : "";
    setShown(this.conflict, conflict !== "");
    setText(this.conflict, conflict);
  }

  row(model, finding) {
    const text = findingText(model, finding);
    const remove = button("Remove", () => this.actions.release([finding]), {
      "aria-label": `Remove ${text}`,
    });
    const kind = "do" in finding ? "set" : "observed";
    return html("li", { class: kind }, html("span", {}, text), remove);
  }
}
