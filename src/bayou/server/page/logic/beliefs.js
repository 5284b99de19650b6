/** Beliefs compared: what moved, by how much, and how two scenarios differ. */

import { about } from "./findings.js";
import { variation } from "./densities.js";
import { statedPlace } from "./stated_state.js";
import { keyOf } from "./values.js";

/** Changes smaller than this are not told. */
export const LEAST_CHANGE = 0.0005;

/** The beliefs of an answer by the key of the variable. */
export const indexed = (beliefs) => new Map(beliefs.map((belief) => [keyOf(belief.variable), belief]));

/** The place of the most probable state. */
export function winner(belief) {
  const chances = belief?.probabilities ?? [];
  return chances.reduce((best, chance, place) => (chance > (chances[best] ?? -1) ? place : best), 0);
}

/** Total variation between two beliefs about one variable: 0 if nothing moved, 1 if everything did. */
export function change(before, after) {
  if (!before || !after) return 0;
  if (after.probabilities && before.probabilities) {
    const gaps = after.probabilities.map((chance, place) => Math.abs(chance - before.probabilities[place]));
    return gaps.reduce((sum, gap) => sum + gap, 0) / 2;
  }
  return after.density && before.density ? variation(before.density, after.density) : 0;
}

/**
 * The variables whose beliefs differ, those that differ most first. Each is {variable, change} with
 * {state, from, to} (discrete; which state: stated_state.js) or {from, to} (means of continuous ones).
 */
export function differences(model, before, after, stated) {
  const rows = [];
  for (const variable of model.variables) {
    const [old, fresh] = [before.get(variable.key), after.get(variable.key)];
    const size = change(old, fresh);
    if (size < LEAST_CHANGE) continue;
    if (fresh.probabilities) {
      const state = statedPlace(variable, old, fresh, stated);
      rows.push({
        variable,
        change: size,
        state,
        from: old.probabilities[state],
        to: fresh.probabilities[state],
      });
    } else {
      rows.push({ variable, change: size, state: null, from: old.mean, to: fresh.mean });
    }
  }
  return rows.sort((one, other) => other.change - one.change);
}

/** What moved most: differences to the prior of the variables that have no finding themselves. */
export function moved(model, prior, beliefs, findings, stated) {
  return differences(model, prior, beliefs, stated).filter(
    ({ variable }) => about(findings, variable.name).length === 0,
  );
}
