/** Arcs by words: a new one from or to a variable, and the note on one. */

import { typedVariable } from "../../logic/building/typed_network.js";

const MOST_LISTED = 500;

/** "Add arc to…" (`down`) or "Add arc from…": the other variable is typed or picked from a list. */
export function newArcForm(tools, key, down = true) {
  const { explorer, form } = tools;
  const { model } = explorer;
  const variable = model.byKey.get(key);
  const near = new Set([key, ...model.children.get(key), ...model.parents.get(key)]);
  const list = model.variables.filter((one) => !near.has(one.key)).slice(0, MOST_LISTED);
  form.open({
    title: down ? `Add arc from ${variable.text} to…` : `Add arc to ${variable.text} from…`,
    hint: "No probability changes: the rows of the child are repeated for each state of the new parent.",
    fields: [{ name: "other", label: "Variable", list: list.map(({ label }) => label) }],
    submit: "Add arc",
    act: (values) => {
      const other = typedVariable(model, values.other);
      return tools.addArc(down ? key : other.key, down ? other.key : key, { tell: false });
    },
    after: () => tools.show(key),
  });
}

/** The note on an arc. */
export function arcNoteForm(tools, { from, to }) {
  const { explorer, form } = tools;
  const { model } = explorer;
  const [parent, child] = [model.byKey.get(from), model.byKey.get(to)];
  const arc = model.arcs.find((one) => one.from === from && one.to === to);
  form.open({
    title: `Note on ${parent.text} → ${child.text}`,
    fields: [{ name: "note", label: "Note", kind: "long", value: arc?.note ?? "" }],
    submit: "Change",
    act: ({ note }) =>
      explorer.edit([{ edit: "describe_arc", parent: parent.name, child: child.name, note: note.trim() }], {
        tell: false,
      }),
  });
}
