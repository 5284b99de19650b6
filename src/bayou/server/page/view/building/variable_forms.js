/** The forms about names and notes: a new variable, the texts of one, the texts of the network. */

import { Mistyped, typedStates, typedVariables, usualStates } from "../../logic/building/typed_network.js";
import { middleOf } from "../../logic/building/places.js";
import { typedNumber } from "../../logic/numbers.js";
import { keyOf } from "../../logic/values.js";
import { RowsPart } from "./rows_part.js";

const MOST_LISTED = 500;

const labels = (model) => model.variables.slice(0, MOST_LISTED).map(({ label }) => label);

function typedName(text) {
  if (text.trim() === "") throw new Mistyped("A variable needs a name.");
  return text.trim();
}

/** A new variable, at a place of the drawing if one was pointed at. */
export function newVariableForm(tools, position = null) {
  const { explorer, form } = tools;
  let added = null;
  const parents = {
    name: "parents",
    label: "Parents",
    hint: "What it depends on, with commas.",
    list: labels(explorer.model),
    several: true,
  };
  const part = new RowsPart(explorer);
  const states = tools.lastStates ?? usualStates(explorer.model);
  form.open({
    title: "New variable",
    fields: [
      { name: "name", label: "Name" },
      { name: "states", label: "States", value: states, hint: "With commas between them." },
      ...(explorer.model.variables.length > 0 ? [parents] : []),
      part.root,
    ],
    watch: (values) => part.update(values),
    submit: "Add variable",
    act: async (values) => {
      const name = typedName(values.name);
      const states = typedStates(values.states);
      const above = typedVariables(explorer.model, values.parents ?? "");
      const table = part.rows();
      const edit = { edit: "add_node", name, states, parents: above.map((parent) => parent.name) };
      const more = { ...(table && { rows: table }), ...(position && { position }) };
      const problem = await explorer.edit([{ ...edit, ...more }], { tell: false });
      if (!problem) Object.assign(tools, { lastStates: values.states.trim() });
      added = keyOf(name);
      return problem;
    },
    after: () => tools.show(added),
  });
}

/** The name, the title and the notes of a variable. */
export function textsForm(tools, key) {
  const { explorer, form } = tools;
  const variable = explorer.model.byKey.get(key);
  let now = key;
  form.open({
    title: `Name and notes of ${variable.text}`,
    fields: [
      { name: "name", label: "Name", value: variable.label },
      { name: "title", label: "Title", value: variable.title, hint: "Shown in the place of the name." },
      { name: "description", label: "Description", kind: "long", value: variable.description },
      { name: "table_note", label: "Note on its table", kind: "long", value: variable.table_note ?? "" },
    ],
    submit: "Change",
    act: (values) => {
      const name = typedName(values.name) === variable.label ? variable.name : typedName(values.name);
      now = keyOf(name);
      const renamed = now === key ? [] : [{ edit: "rename_node", variable: variable.name, name }];
      const texts = changedTexts(variable, values, ["title", "description", "table_note"]);
      const described = texts ? [{ edit: "describe", variable: name, ...texts }] : [];
      return explorer.edit([...renamed, ...described], { tell: false });
    },
    after: () => tools.show(now),
  });
}

/** The texts that differ from those before; null if none does. */
function changedTexts(before, values, names) {
  const changed = names.filter((name) => values[name].trim() !== (before[name] ?? ""));
  return changed.length > 0 ? Object.fromEntries(changed.map((name) => [name, values[name].trim()])) : null;
}

/** Where a box stands, typed instead of dragged: the middle of it, in px of the drawing. */
export function placeForm(tools, key) {
  const { explorer, form } = tools;
  const variable = explorer.model.byKey.get(key);
  const [across, down] = middleOf(explorer.model, variable.box);
  form.open({
    title: `Place of ${variable.text}`,
    hint: "The middle of its box. It stays there, and nothing else moves.",
    fields: [
      { name: "across", label: "From left to right", value: String(across) },
      { name: "down", label: "From top to bottom", value: String(down) },
    ],
    submit: "Move",
    act: (values) => {
      const position = [typedNumber(values.across), typedNumber(values.down)];
      if (!position.every(Number.isFinite)) throw new Mistyped("Type two numbers, such as 240 and 85.");
      return explorer.edit([{ edit: "move", variable: variable.name, position }], { tell: false });
    },
    after: () => tools.show(key),
  });
}

/** The title and the description of the network. */
export function networkForm(tools) {
  const { explorer, form } = tools;
  const { model } = explorer;
  form.open({
    title: "Title and description of the network",
    fields: [
      { name: "title", label: "Title", value: model.title },
      { name: "description", label: "Description", kind: "long", value: model.description },
    ],
    submit: "Change",
    act: async (values) => {
      const texts = changedTexts(model, values, ["title", "description"]);
      return texts ? explorer.edit([{ edit: "describe", ...texts }], { tell: false }) : null;
    },
  });
}
