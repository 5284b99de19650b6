/** Names that edits change, followed: in keys of variables and in findings; and which boxes an edit may move. */

import { keyOf, same } from "../values.js";

/** A function from the key of a variable before the edits to its key after them. */
export function followedKeys(edits) {
  const renamed = edits.filter(({ edit }) => edit === "rename_node");
  return (key) => renamed.reduce((now, one) => (now === keyOf(one.variable) ? keyOf(one.name) : now), key);
}

/** The findings with the new names of variables and states; those that do not fit are sorted out later. */
export function followedFindings(findings, edits) {
  return edits.reduce((known, edit) => known.map((finding) => followedFinding(finding, edit)), findings);
}

function followedFinding(finding, edit) {
  if (!same(finding.variable, edit.variable)) return finding;
  if (edit.edit === "rename_node") return { ...finding, variable: edit.name };
  if (edit.edit !== "rename_state") return finding;
  const renamed = (state) => (same(state, edit.state) ? edit.name : state);
  const parts = Object.entries(finding).map(([kind, value]) => {
    if (kind === "state" || kind === "do") return [kind, renamed(value)];
    return [kind, kind === "in" || kind === "not" ? value.map(renamed) : value];
  });
  return Object.fromEntries(parts);
}

const TURNED = { add_arc: "child", reverse_arc: "parent", add_state: "variable", absorb_node: "variable" };

/** The names of the variables whose boxes may move: what an edit points down to, or makes larger, and what is below. */
export function looseAfter(model, edits) {
  const waiting = edits.filter(({ edit }) => edit in TURNED).map((one) => keyOf(one[TURNED[one.edit]]));
  const found = new Set();
  while (waiting.length > 0) {
    const key = waiting.pop();
    if (found.has(key) || !model.byKey.has(key)) continue;
    found.add(key);
    waiting.push(...model.children.get(key));
  }
  return [...found].map((key) => model.byKey.get(key).name);
}
