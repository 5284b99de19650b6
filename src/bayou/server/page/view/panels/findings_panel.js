/** The findings in words, each with a way to remove it, and what they add up to. */

import { conflictText, figuresText, findingText, rarityText, sameAsSeenText } from "../../logic/finding_words.js";
import { keyOf } from "../../logic/values.js";
import { button, html, setChildren, setShown, setText } from "../elements.js";

const IMPOSSIBLE = "They cannot all be true, so nothing follows from them. Remove one, or correct it.";

const DROP = "Compare no longer: only the present findings are shown";
const STILL_A = "The findings of A are still there to compare with (green bars). Drop A to see the present ones only.";

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
    this.alike = html("p", { class: "hint" });
    this.numbers = html("div", { class: "hint" });
    this.figures = html("details", { class: "figures" }, html("summary", {}, "Details"), this.numbers);
    this.clear = button("Clear all", () => actions.clearAll(), { title: "Clear all findings (U)" });
    this.drop = button("Drop A", () => explorer.dropKept(), { title: DROP });
    const head = html("h2", { id: "findings-head" }, "Findings");
    const choices = html("div", { class: "choices" }, this.clear, this.drop);
    this.kept = html("p", { class: "hint" }, STILL_A);
    this.root = html(
      "section",
      { "aria-labelledby": "findings-head" },
      html("div", { class: "section-head" }, head, choices),
      this.empty,
      this.kept,
      this.list,
      this.rarity,
      this.conflict,
      this.alike,
      this.figures,
    );
    this.rows = new Map();
  }

  update() {
    const { findings, kept, model, impossible, logProbability, surprise } = this.explorer;
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
    setShown(this.drop, kept !== null);
    setShown(this.kept, kept !== null && !any);
    setShown(this.rarity, any);
    setText(this.rarity, impossible ? IMPOSSIBLE : rarityText(findings, logProbability));
    const conflict = findings.length > 1 && !impossible ? conflictText(surprise) : "";
    const alike = impossible ? "" : sameAsSeenText(model, findings);
    const figures = any && !impossible ? figuresText(findings, logProbability, conflict === "" ? null : surprise) : [];
    for (const [line, text] of [[this.conflict, conflict], [this.alike, alike]]) {
      setShown(line, text !== "");
      setText(line, text);
    }
    setShown(this.figures, figures.length > 0);
    this.numbers.replaceChildren(...figures.map((text) => html("p", {}, text)));
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
