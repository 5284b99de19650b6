/** The menus that change the network: of a variable, of an arc, of the empty part of the drawing. */

import { arcNoteForm, newArcForm } from "./arc_forms.js";
import { statesForm } from "./states_form.js";
import { networkForm, newVariableForm, placeForm, textsForm } from "./variable_forms.js";

/** What can be done with a variable. */
export function variableItems(tools, key) {
  const { explorer } = tools;
  const variable = explorer.model.byKey.get(key);
  const arcs = arcsOf(explorer.model, key);
  const edit = (kind) => explorer.edit([{ edit: kind, variable: variable.name }]);
  return [
    { text: "Name and notes…", act: () => textsForm(tools, key) },
    ...(variable.states.length > 0 ? [{ text: "States…", act: () => statesForm(tools, key) }] : []),
    { text: "Place…", act: () => placeForm(tools, key) },
    null,
    { text: "Add arc to…", act: () => newArcForm(tools, key, true) },
    { text: "Add arc from…", act: () => newArcForm(tools, key, false) },
    ...(arcs.length > 0 ? [{ text: `Arcs of ${variable.text}…`, act: () => tools.openArcs(key) }] : []),
    null,
    { text: "Copy", act: () => tools.clipboard.copy([key]) },
    { text: `Remove ${variable.text}`, act: () => edit("remove_node") },
    { text: "Sum it out (absorb)", act: () => edit("absorb_node") },
  ];
}

/** The arcs of a variable, as items that lead to the menu of each. */
export function arcItems(tools, key) {
  const { model } = tools.explorer;
  const words = ({ from, to }) => `${model.byKey.get(from).text} → ${model.byKey.get(to).text}`;
  return arcsOf(model, key).map((arc) => ({ text: words(arc), act: () => tools.openArc(arc) }));
}

const arcsOf = (model, key) => model.arcs.filter(({ from, to }) => from === key || to === key);

/** What can be done with an arc. */
export function oneArcItems(tools, arc) {
  const { explorer } = tools;
  const [parent, child] = [arc.from, arc.to].map((key) => explorer.model.byKey.get(key).name);
  const edit = (kind) => explorer.edit([{ edit: kind, parent, child }]);
  return [
    { text: "Remove arc", act: () => edit("remove_arc") },
    { text: "Reverse arc", act: () => edit("reverse_arc") },
    { text: "Note on this arc…", act: () => arcNoteForm(tools, arc) },
  ];
}

/** What can be done with the network as a whole, at a place of the drawing if one was pointed at. */
export function networkItems(tools, position = null) {
  const { explorer } = tools;
  return [
    { text: "New variable…", act: () => newVariableForm(tools, position) },
    ...(explorer.chosen
      ? [{ text: "Edit the chosen variable…", act: () => tools.openEdit(explorer.chosen) }]
      : []),
    null,
    { text: "Copy variables…", act: () => tools.clipboard.copyForm() },
    { text: "Paste…", act: () => tools.clipboard.pasteForm() },
    null,
    { text: "Title and description…", act: () => networkForm(tools) },
  ];
}
