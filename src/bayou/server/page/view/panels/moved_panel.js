/** What moved most: the variables without findings, sorted by how much their beliefs have changed. */

import { moved } from "../../logic/beliefs.js";
import { number, percent } from "../../logic/numbers.js";
import { button, html, setShown, setText } from "../elements.js";
import { whyButton } from "../why/why_button.js";

const SHOWN = 8;

export class MovedPanel {
  /** `on` has show(key), which brings a variable into view, and why(key). */
  constructor(explorer, on) {
    Object.assign(this, { explorer, on });
    this.list = html("ol", { class: "moved", "aria-labelledby": "moved-head" });
    this.rest = html("p", { class: "hint" });
    const head = html("h2", { id: "moved-head" }, "What moved most");
    this.root = html("section", { "aria-labelledby": "moved-head" }, head, this.list, this.rest);
    this.seen = null;
  }

  update() {
    const { model, prior, beliefs, believed, stated, impossible } = this.explorer;
    setShown(this.root, believed.length > 0 && !impossible);
    if (this.seen === beliefs && this.seenStated === stated) return;
    Object.assign(this, { seen: beliefs, seenStated: stated });
    const rows = believed.length > 0 ? moved(model, prior, beliefs, believed, stated) : [];
    this.list.replaceChildren(...rows.slice(0, SHOWN).map((row) => this.row(row)));
    const more = rows.length - SHOWN;
    setText(
      this.rest,
      rows.length === 0 ? "Nothing else moved." : more > 0 ? `and ${more} more, in the table of beliefs` : "",
    );
    setShown(this.rest, this.rest.textContent !== "");
  }

  row({ variable, state, from, to }) {
    const shown = state === null ? number : percent;
    const change = `${state === null ? "mean" : variable.labels[state]}: ${shown(from)} → ${shown(to)}`;
    const why = state === null || !this.explorer.canExplain ? null : whyButton(variable, this.on);
    const name = button(variable.text, () => this.on.show(variable.key), {
      class: "link",
      title: variable.description || `Show ${variable.text}`,
    });
    const meant = variable.meaning ? html("span", { class: "meaning", title: variable.description }, variable.meaning) : null;
    return html(
      "li",
      {},
      html("div", { class: "moved-name" }, name, meant),
      html("span", { class: "change" }, html("span", { class: "numbers" }, change), why),
    );
  }
}
