/** The line above a network that was opened again: which findings it had, and a button that brings them back. */

import { leftWords } from "../../logic/opening/left_findings.js";
import { button, html, setShown, setText } from "../elements.js";

export class LeftFindings {
  constructor(explorer) {
    this.explorer = explorer;
    this.words = html("p");
    const take = button("Take them up again", () => explorer.takeUp());
    const drop = button("Dismiss", () => explorer.dropLeft(), { class: "quiet", "aria-label": "Dismiss the findings from before" });
    const choices = html("div", { class: "choices" }, take, drop);
    this.root = html("div", { class: "notice calm left-findings", role: "status", hidden: true }, this.words, choices);
    explorer.listen(() => this.update());
  }

  update() {
    const { left, model } = this.explorer;
    setShown(this.root, left !== null && model !== null);
    if (left !== null && model !== null) setText(this.words, leftWords(model, left));
  }
}
