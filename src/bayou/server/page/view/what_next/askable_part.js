/** Which variables can be asked for: a box for each, and why some are left out from the beginning. */

import { knownBy } from "../../logic/why/no_answer.js";
import { button, html, setChildren, setShown, setText } from "../elements.js";

const ABOUT =
  "A test, a question, something that can be looked at. What is only computed from other variables is left out at first.";

export class AskablePart {
  constructor(questions) {
    Object.assign(this, { questions, seen: [] });
    this.list = html("div", { class: "askable", role: "group", "aria-label": "Can be asked for" });
    this.title = html("summary", {}, "What can be asked for");
    const way = (text, chosen) => button(text, () => this.set(chosen), { class: "small" });
    const ends = ({ key }) => questions.explorer.model.children.get(key).length === 0;
    const ways = html(
      "div",
      { class: "buttons left-out" },
      way("All", () => true),
      way("None", () => false),
      way("Only those without children", ends),
    );
    this.root = html("details", {}, this.title, html("p", { class: "hint" }, ABOUT), ways, this.list);
    this.root.addEventListener("toggle", () => this.update());
  }

  /** Those that `chosen` takes can be asked for, the others not. */
  set(chosen) {
    const apart = this.candidates().filter((variable) => !chosen(variable));
    this.questions.setPrices({ apart: apart.map(({ key }) => key) });
  }

  candidates() {
    const { explorer, key } = this.questions;
    const can = (one) => one.states.length > 0 && one.key !== key && !knownBy(explorer.believed, one);
    return explorer.model.variables.filter(can);
  }

  update() {
    const { explorer, prices, key } = this.questions;
    const candidates = this.candidates();
    const apart = new Set(prices.apart);
    const can = candidates.filter((one) => !apart.has(one.key)).length;
    setText(this.title, `What can be asked for (${can} of ${candidates.length})`);
    setShown(this.root, candidates.length > 0);
    const now = [explorer.model, explorer.believed, key];
    if (!this.root.open) return;
    if (now.some((one, place) => one !== this.seen[place])) {
      this.seen = now;
      setChildren(this.list, candidates.map((variable) => this.line(variable)));
    }
    for (const box of this.list.querySelectorAll("input")) box.checked = !apart.has(box.value);
  }

  line({ key, text, deterministic, description }) {
    const box = html("input", { type: "checkbox", value: key });
    box.addEventListener("change", () => {
      const others = this.questions.prices.apart.filter((one) => one !== key);
      this.questions.setPrices({ apart: box.checked ? others : [...others, key] });
    });
    const why = deterministic ? html("span", { class: "hint" }, " computed from its parents") : null;
    return html("label", { class: "row", title: description || null }, box, html("span", {}, text, why ?? ""));
  }
}
