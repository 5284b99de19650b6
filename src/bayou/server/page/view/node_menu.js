/** The menu of a variable, or of one of its states: every kind of finding, by words. */

import { about, stateMarks } from "../logic/findings.js";
import { RELATIONS } from "../logic/graph.js";

const MANY = 8;

/** The items of the menu; `on` has form(key, kind), around(key, relation), whole(), question(kind, key). */
export function nodeMenu(explorer, actions, on, key, index) {
  const variable = explorer.model.byKey.get(key);
  const items =
    index === null
      ? observedItems(explorer, actions, on, variable)
      : stateItems(explorer, actions, variable, index);
  if (variable.kind === "continuous")
    items.push({ text: "Observed value…", act: () => on.form(key, "value") });
  if (variable.states.length > 1) {
    items.push(
      { text: "One of these states…", act: () => on.form(key, "in") },
      { text: "Not these states…", act: () => on.form(key, "not") },
      { text: "Likelihood: weigh the states…", act: () => on.form(key, "weights") },
      { text: "Set by intervention, do()…", act: () => on.form(key, "do") },
    );
  }
  const disabled = about(explorer.findings, variable.name).length === 0; // there all the same: no item moves
  items.push({ text: `Clear ${variable.text}`, act: () => actions.clear(key), disabled });
  items.push(null, ...questionItems(explorer, on, key), ...aroundItems(explorer, on, key));
  return items;
}

function stateItems(explorer, actions, variable, index) {
  const { sign } = stateMarks(explorer.findings, variable.name, variable.states)[index];
  const label = variable.labels[index];
  return [
    {
      text: `Observed: ${label}`,
      pressed: sign === "observed",
      act: () => actions.toggle(variable.key, index),
    },
    { text: `Not ${label}`, pressed: sign === "out", act: () => actions.exclude(variable.key, index) },
    { text: `do(${label})`, pressed: sign === "set", act: () => actions.intervene(variable.key, index) },
    null,
  ];
}

/** All states to pick from, where the bars are too small to click or too many to be shown. */
function observedItems(explorer, actions, on, variable) {
  const { key, labels, states } = variable;
  if (states.length === 0) return [];
  if (states.length > MANY) return [{ text: "Observed state…", act: () => on.form(key, "state") }];
  const marks = stateMarks(explorer.findings, variable.name, states);
  const item = (label, index) => ({
    text: `Observed: ${label}`,
    pressed: marks[index].sign === "observed",
    act: () => actions.toggle(key, index),
  });
  return [...labels.map(item), null];
}

function questionItems(explorer, on, key) {
  if (!explorer.canExplain) return [];
  return [
    { text: "Why?", act: () => on.question("why", key) },
    { text: "What to ask next?", act: () => on.question("next", key) },
    { text: "Is it related to…?", act: () => on.question("related", key) },
    null,
  ];
}

function aroundItems(explorer, on, key) {
  const { relation, centre, model } = explorer;
  const relations = model.variables.length > 12 ? RELATIONS : RELATIONS.slice(0, 1);
  const items = relations.map(([name, text]) => ({
    text: `Show only: ${text}`,
    pressed: relation === name && centre === key,
    act: () => on.around(key, name),
  }));
  return relation === null ? items : [...items, { text: "Show the whole network", act: () => on.whole() }];
}
