/** Two scenarios side by side: A as it was kept, B as it is now, and where they differ. */

import { differences } from "../logic/beliefs.js";
import { findingText, listed } from "../logic/finding_words.js";
import { number, percent, points } from "../logic/numbers.js";
import { button, html, setShown, setText } from "./elements.js";

const SHOWN = 20;

export class ScenarioPanel {
  constructor(explorer) {
    this.explorer = explorer;
    this.first = html("p", { class: "scenario-words" });
    this.second = html("p", { class: "scenario-words" });
    this.body = html("tbody");
    const heads = ["Variable", "A", "B", "B − A"].map((text) => html("th", { scope: "col" }, text));
    const caption = html("caption", {}, "Differences between A and B");
    this.table = html("table", {}, caption, html("thead", {}, html("tr", {}, ...heads)), this.body);
    this.same = html(
      "p",
      { class: "hint" },
      "A and B are the same so far. Change a finding to see the difference.",
    );
    const head = html("h2", { id: "scenario-head" }, "Scenarios A and B");
    this.root = html("section", { "aria-labelledby": "scenario-head", hidden: true });
    this.root.append(head, this.first, this.second, this.same, this.table, this.buttons());
  }

  buttons() {
    const { explorer } = this;
    return html(
      "div",
      { class: "buttons" },
      button("Swap A and B", () => explorer.swap()),
      button("Drop A", () => explorer.dropKept()),
    );
  }

  update() {
    const { kept, beliefs, believed, model } = this.explorer;
    setShown(this.root, kept !== null);
    if (kept === null) return;
    const words = (findings) =>
      listed(findings.map((finding) => findingText(model, finding))) || "no findings";
    setText(this.first, `A: ${words(kept.findings)}`);
    setText(this.second, `B: ${words(believed)}`);
    const rows = differences(model, kept.beliefs, beliefs);
    setShown(this.same, rows.length === 0);
    setShown(this.table, rows.length > 0);
    this.body.replaceChildren(...rows.slice(0, SHOWN).map(differenceRow));
  }
}

function differenceRow({ variable, state, from, to }) {
  const discrete = state !== null;
  const shown = discrete ? percent : number;
  const name = discrete ? `${variable.text} = ${variable.labels[state]}` : `${variable.text}, mean`;
  const change = discrete ? points(to - from) : number(to - from);
  const cells = [shown(from), shown(to), change].map((text) => html("td", {}, text));
  return html("tr", {}, html("th", { scope: "row" }, name), ...cells);
}
