/** Trails through the network: in signs, in words, and as arcs and variables that the drawing marks. */

import { keyOf } from "../values.js";

/** The name of an arc among those that are marked. */
export const arcName = (from, to) => `${from} ${to}`;

const goesDown = (model, before, after) => model.parents.get(after)?.includes(before) ?? false;

const text = (model, key) => model.byKey.get(key)?.text ?? "";

/** A trail with its arrows: "xray ← either ← lung". */
export function trailText(model, names) {
  const keys = names.map(keyOf);
  return keys.reduce(
    (said, key, place) =>
      place === 0
        ? text(model, key)
        : `${said} ${goesDown(model, keys[place - 1], key) ? "→" : "←"} ${text(model, key)}`,
    "",
  );
}

/** The same in words, for those who hear it: "from xray up to either, up to lung". */
export function trailWords(model, names) {
  const [first, ...rest] = names.map(keyOf);
  let before = first;
  const steps = rest.map((key) => {
    const step = `${goesDown(model, before, key) ? "down" : "up"} to ${text(model, key)}`;
    before = key;
    return step;
  });
  return `from ${text(model, first)} ${steps.join(", ")}`;
}

/** The arcs and variables of some trails, as sets; null if there is no trail. */
export function highlightOf(model, trails) {
  const [arcs, nodes] = [new Set(), new Set()];
  for (const names of trails) {
    const keys = names.map(keyOf);
    keys.forEach((key, place) => {
      nodes.add(key);
      if (place === 0) return;
      const before = keys[place - 1];
      arcs.add(goesDown(model, before, key) ? arcName(before, key) : arcName(key, before));
    });
  }
  return nodes.size > 0 ? { arcs, nodes } : null;
}
