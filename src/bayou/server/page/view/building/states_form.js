/** The states of a variable as a list: renamed, added, removed, moved up and down. */

import { stateEdits } from "../../logic/building/state_changes.js";
import { typedState } from "../../logic/building/typed_network.js";
import { button, html } from "../elements.js";

const HINT =
  "A new state gets probability 0. Where a state goes, the rest of each row is divided by its sum.";

export function statesForm(tools, key) {
  const { explorer, form } = tools;
  const variable = explorer.model.byKey.get(key);
  const list = new StateList(variable);
  form.open({
    title: `States of ${variable.text}`,
    hint: HINT,
    fields: [list.root, list.add],
    submit: "Change",
    act: () => explorer.edit(stateEdits(variable.name, variable.states, list.wanted), { tell: false }),
    after: () => tools.show(key),
  });
}

class StateList {
  constructor(variable) {
    this.variable = variable;
    this.places = new WeakMap();
    this.root = html("ol", { class: "states", "aria-label": "States" });
    this.add = button("Add a state", () => {
      this.root.append(this.row("", null));
      this.root.lastChild.querySelector("input").focus();
    });
    this.root.append(...variable.labels.map((label, place) => this.row(label, place)));
  }

  /** The states that are wanted, in their order: {before, name}. */
  get wanted() {
    const { states, labels } = this.variable;
    return [...this.root.children].map((row) => {
      const place = this.places.get(row);
      const typed = row.querySelector("input").value;
      const before = place === null ? undefined : states[place];
      return { before, name: typed === labels[place] ? before : typedState(typed, states) };
    });
  }

  /** A row of the list; `place` is where the state was, null for a new one. */
  row(label, place) {
    const input = html("input", { type: "text", "aria-label": "Name of the state", autocomplete: "off" });
    input.value = label;
    const row = html("li", {}, input);
    const step = (sign, words, act) => {
      const made = button(sign, () => act(made), { class: "icon", title: words });
      const name = () => made.setAttribute("aria-label", `${words} ${input.value || "the new state"}`);
      input.addEventListener("input", name);
      name();
      return made;
    };
    row.append(
      step("↑", "Move up", (made) => {
        row.previousElementSibling?.before(row);
        made.focus();
      }),
      step("↓", "Move down", (made) => {
        row.nextElementSibling?.after(row);
        made.focus();
      }),
      step("✕", "Remove", () => this.remove(row)),
    );
    this.places.set(row, place);
    return row;
  }

  remove(row) {
    const next = row.nextElementSibling ?? row.previousElementSibling;
    row.remove();
    (next?.querySelector("input") ?? this.add).focus();
  }
}
