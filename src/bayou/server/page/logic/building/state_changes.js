/** The states of a variable as they were and as they are wanted: the edits that lead from one to the other. */

import { keyOf } from "../values.js";
import { Mistyped } from "./typed_network.js";

/**
 * The edits for `wanted`, a list of {before, name}: `before` is the state as it was, or undefined for a new one.
 * States that are not in the list are removed. New ones come first, so that a variable never is without states.
 */
export function stateEdits(variable, states, wanted) {
  if (wanted.length === 0) throw new Mistyped("A variable needs at least one state.");
  const names = wanted.map(({ name }) => keyOf(name));
  const twice = names.find((name, place) => names.indexOf(name) < place);
  if (twice !== undefined) throw new Mistyped(`The state ${JSON.parse(twice)} is there twice.`);
  const kept = new Set(
    wanted.filter(({ before }) => before !== undefined).map(({ before }) => keyOf(before)),
  );
  const gone = states.filter((state) => !kept.has(keyOf(state)));
  const removed = gone.map((state) => ({ edit: "remove_state", variable, state }));
  const added = wanted
    .filter(({ before }) => before === undefined)
    .map(({ name }) => ({ edit: "add_state", variable, state: name }));
  const renamed = renames(variable, wanted);
  const stay = wanted.filter(({ before }) => before !== undefined);
  // a new state may have the name of one that goes: then the old one goes first, if another is left
  const order = stay.length > 0 ? [...removed, ...renamed, ...added] : [...added, ...removed];
  const left = states.filter((state) => kept.has(keyOf(state)));
  const now = [...left.map((state) => stay.find(({ before }) => keyOf(before) === keyOf(state)).name)];
  now.push(...added.map(({ state }) => state));
  const sorted = keyOf(now) === keyOf(wanted.map(({ name }) => name));
  return sorted
    ? order
    : [...order, { edit: "reorder_states", variable, order: wanted.map(({ name }) => name) }];
}

/** New names; two that change places go through a name that nobody has. */
function renames(variable, wanted) {
  const changed = wanted.filter(({ before, name }) => before !== undefined && keyOf(before) !== keyOf(name));
  const old = new Set(changed.map(({ before }) => keyOf(before)));
  const edit = (state, name) => ({ edit: "rename_state", variable, state, name });
  if (!changed.some(({ name }) => old.has(keyOf(name))))
    return changed.map(({ before, name }) => edit(before, name));
  const between = (place) => `… ${place} …`;
  return [
    ...changed.map(({ before }, place) => edit(before, between(place))),
    ...changed.map(({ name }, place) => edit(between(place), name)),
  ];
}
