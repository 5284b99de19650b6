/** P(class | row) by sums of terms, added up over components. */

import { cellsOf, logSum, sharesOf } from "./cells.js";
import { componentScores, possible, weighed } from "./terms.js";

export function probabilities(model, row) {
  const cells = cellsOf(model, row);
  const scores = model.components
    .filter((component) => takesPart(component, cells))
    .map((component) => componentScores(component, cells));
  const logs = model.states.map((_, place) => logSum(scores.map((own) => own[place])));
  return sharesOf(possible(weighed(logs, model), model.log_prior));
}

/** Whether one of some cells has a marked code (or none has, with `unless`); with no such cells: always. */
function takesPart({ only, unless }, cells) {
  return only.length === 0 || only.some(([place, codes]) => codes.includes(cells[place])) !== unless;
}
