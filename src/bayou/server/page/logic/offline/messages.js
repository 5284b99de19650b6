/** Messages between cliques: first towards the roots, then back. Tables are rescaled on the way. */

import { LARGEST, LOGARITHMS, PLAIN } from "./tables.js";

/** Send messages towards the roots; null if numbers became too small, else the logarithm of the sum of all. */
function collected(tree, tables, arithmetic) {
  const sent = [];
  let logTotal = 0;
  for (let at = 0; at < tables.length; at += 1) {
    const peak = arithmetic.rescale(tables[at]);
    if (peak < arithmetic.least) return null;
    const message = arithmetic.summed(tables[at], tree.toSeparator[at], sizeOfSeparator(tree, at));
    logTotal += peak + arithmetic.rescale(message);
    if (tree.parents[at] >= 0) arithmetic.multiply(tables[tree.parents[at]], tree.fromParent[at], message);
    sent.push(message);
  }
  return { sent, logTotal };
}

/** Send messages back from the roots: then each table is the belief of its clique but for a factor. */
function distributed(tree, tables, sent, arithmetic) {
  for (let at = tables.length - 1; at >= 0; at -= 1) {
    const parent = tree.parents[at];
    if (parent < 0) continue;
    const message = arithmetic.summed(tables[parent], tree.fromParent[at], sizeOfSeparator(tree, at));
    arithmetic.divide(message, sent[at]);
    arithmetic.multiply(tables[at], tree.toSeparator[at], message);
    arithmetic.rescale(tables[at]);
  }
}

const sizeOfSeparator = (tree, at) => tree.separators[at].reduce((size, v) => size * tree.cards[v], 1);

function attempted(tree, evidence, arithmetic, wanted) {
  const tables = tree.entered(arithmetic, evidence);
  const found = collected(tree, tables, arithmetic);
  if (found !== null) found.logTotal += evidence.logScale;
  if (found === null || found.logTotal === -Infinity || !wanted) return found;
  distributed(tree, tables, found.sent, arithmetic);
  const shares = (at, places, size) => normalised(arithmetic, arithmetic.summed(tables[at], places, size));
  const marginals = tree.cards.map((card, v) => shares(tree.places[v], tree.toVariable[v], card));
  const families = new Map();
  for (const [v, { means }] of tree.gaussians) {
    families.set(v, shares(tree.homes[v], tree.toFamily(v), means.length));
  }
  return { ...found, marginals, families };
}

function normalised(arithmetic, sums) {
  arithmetic.rescale(sums);
  const shares = arithmetic.shares(sums);
  const total = shares.reduce((sum, share) => sum + share, 0);
  return Array.from(shares, (share) => share / total);
}

/**
 * The logarithm of P(findings) and, unless that is -Infinity, the marginals of all variables, and for numbers
 * the probabilities of the combinations of their parents' states (families).
 */
export function believed(tree, evidence) {
  return attempted(tree, evidence, PLAIN, true) ?? attempted(tree, evidence, LOGARITHMS, true);
}

/** The logarithm of P(findings) alone. */
export function logProbability(tree, evidence) {
  return (attempted(tree, evidence, PLAIN, false) ?? attempted(tree, evidence, LOGARITHMS, false)).logTotal;
}

/** The most probable states of all variables together, by number, and the logarithm of their probability. */
export function mostProbable(tree, evidence) {
  const tables = tree.entered(LARGEST, evidence);
  const { logTotal } = collected(tree, tables, LARGEST);
  const chosen = new Array(tables.length);
  const states = tree.cards.map(() => 0);
  for (let at = tables.length - 1; at >= 0; at -= 1) {
    const parent = tree.parents[at];
    const separator = parent < 0 ? 0 : tree.fromParent[at][chosen[parent]];
    chosen[at] = bestEntry(tables[at], tree.toSeparator[at], separator);
    let rest = chosen[at];
    for (const variable of [...tree.cliques[at]].reverse()) {
      states[variable] = rest % tree.cards[variable];
      rest = Math.floor(rest / tree.cards[variable]);
    }
  }
  return { states, logTotal: logTotal + evidence.logScale };
}

function bestEntry(table, places, separator) {
  let best = -1;
  for (let k = 0; k < table.length; k += 1) {
    if (places[k] === separator && (best < 0 || table[k] > table[best])) best = k;
  }
  return best;
}
