/** The most probable explanation as a list; on the bars it is marked with ◆. */

import { stateText } from "../../logic/finding_words.js";
import { oneIn, percent } from "../../logic/numbers.js";
import { keyOf } from "../../logic/values.js";
import { html, setShown, setText } from "../elements.js";

const SHOWN = 60;

export class ExplanationPanel {
  constructor(explorer) {
    this.explorer = explorer;
    this.about = html("p", { class: "hint" });
    this.list = html("ul", { class: "explanation", "aria-labelledby": "explanation-head" });
    const head = html("h2", { id: "explanation-head" }, "Most probable explanation");
    this.root = html(
      "section",
      { "aria-labelledby": "explanation-head", hidden: true },
      head,
      this.about,
      this.list,
    );
    Object.assign(this, { seen: null, found: false });
  }

  update() {
    const { explaining, explanation, model, impossible } = this.explorer;
    const shown = explaining && explanation !== null && !impossible;
    setShown(this.root, shown);
    this.fill(explanation, model);
    if (shown && !this.found) this.root.scrollIntoView({ block: "nearest" });
    this.found = explaining && (this.found || shown); // once for each press, not again with every finding
  }

  fill(explanation, model) {
    if (explanation === this.seen || explanation === null) return;
    this.seen = explanation;
    const { probability, states } = explanation;
    const chance = probability >= 0.0005 ? percent(probability) : oneIn(Math.log(probability));
    setText(
      this.about,
      `All variables together; marked ◆ on the bars. Probability given the findings: ${chance}.`,
    );
    const lines = states.slice(0, SHOWN).map(({ variable, state }) => {
      const known = model.byKey.get(keyOf(variable));
      return html("li", {}, `${known.text} = ${stateText(known, state)}`);
    });
    const more = states.length - lines.length;
    if (more > 0) lines.push(html("li", { class: "hint" }, `and ${more} more, marked on the bars`));
    this.list.replaceChildren(...lines);
  }
}
