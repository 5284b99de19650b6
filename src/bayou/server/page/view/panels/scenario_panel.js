/** Two scenarios side by side: A as it was kept, B as it is now, and where they differ. */

import { differences } from "../../logic/beliefs.js";
import { findingText, listed } from "../../logic/finding_words.js";
import { number, percent, points } from "../../logic/numbers.js";
import { breakable, button, html, setShown, setText, wide } from "../elements.js";

const SHOWN = 20;
const SAME_SO_FAR = "A and B are the same so far. Change a finding to see the difference.";
const SAME_BELIEFS = "The findings differ; every probability is the same in A and B.";

export class ScenarioPanel {
  constructor(explorer) {
    this.explorer = explorer;
    this.first = scenarioLine("key-kept");
    this.second = scenarioLine("key-now");
    this.body = html("tbody");
    const heads = ["Variable", "A", "B", "B − A"].map((text) => html("th", { scope: "col" }, text));
    const caption = html("caption", {}, "Differences between A and B");
    this.table = html("table", {}, caption, html("thead", {}, html("tr", {}, ...heads)), this.body);
    this.same = html("p", { class: "hint" });
    const head = html("h2", { id: "scenario-head" }, "Scenarios A and B");
    this.root = html("section", { "aria-labelledby": "scenario-head", hidden: true });
    this.root.append(head, this.first, this.second, this.same, wide(this.table), this.buttons());
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
    const { kept, keepings, beliefs, believed, model, stated, impossible } = this.explorer;
    setShown(this.root, kept !== null && !impossible);
    const fresh = kept !== null && this.seen !== keepings;
    this.seen = kept === null ? null : keepings;
    if (kept === null) return;
    const words = (findings) =>
      listed(findings.map((finding) => findingText(model, finding))) || "no findings";
    const [first, second] = [words(kept.findings), words(believed)];
    setText(this.first.lastChild, ` A, kept: ${first}`);
    setText(this.second.lastChild, ` B, now: ${second}`);
    setText(this.same, first === second ? SAME_SO_FAR : SAME_BELIEFS);
    const rows = differences(model, kept.beliefs, beliefs, stated);
    setShown(this.same, rows.length === 0);
    setShown(this.table, rows.length > 0);
    this.body.replaceChildren(...rows.slice(0, SHOWN).map(differenceRow));
    if (fresh) this.root.scrollIntoView({ block: "start" }); // what comes next is told there
  }
}

/** A scenario in words, after the colour that its bars have. */
const scenarioLine = (colour) =>
  html("p", { class: "scenario-words" }, html("span", { class: `key ${colour}`, "aria-hidden": "true" }), html("span"));

function differenceRow({ variable, state, from, to }) {
  const discrete = state !== null;
  const shown = discrete ? percent : number;
  const name = discrete ? `${variable.text} = ${variable.labels[state]}` : `${variable.text}, mean`;
  const change = discrete ? points(to - from) : number(to - from);
  const cells = [shown(from), shown(to), change].map((text) => html("td", {}, text));
  return html("tr", {}, html("th", { scope: "row" }, ...breakable(name)), ...cells);
}
