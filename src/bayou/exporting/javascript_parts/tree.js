/** P(target | row) by the clique tree of the explorer's page. */

import { CliqueTree } from "./offline/clique_tree.js";
import { believed } from "./offline/messages.js";
import { cellsOf, exactSum, sharesOf } from "./cells.js";
import { possible, termScores, weighed } from "./terms.js";

export function probabilities(model, row) {
  const cells = cellsOf(model, row);
  model.ready ??= new CliqueTree(model.tree);
  const found = believed(model.ready, { vectors: known(model, cells), replaced: new Map(), logScale: 0 });
  const logs = found.logTotal === -Infinity ? [] : found.marginals[model.aim].map(Math.log);
  if (!model.log_prior) {
    if (logs.length === 0) throw new Error("These values cannot occur together: their probability is 0.");
    return found.marginals[model.aim];
  }
  const terms = model.terms.map((term) => termScores(term, cells)).filter((added) => added.length > 0);
  const scores = weighed(logs, model).map((log, k) => exactSum([log, ...terms.map((added) => added[k])]));
  return sharesOf(possible(scores, model.log_prior));
}

/** A weight for each state of the variables that are known: 1 for the one that is there. */
function known(model, cells) {
  const vectors = new Map();
  model.numbers.forEach((variable, place) => {
    if (cells[place] === null) return;
    const weights = new Float64Array(model.tree.cards[variable]);
    weights[cells[place]] = 1;
    vectors.set(variable, weights);
  });
  return vectors;
}
