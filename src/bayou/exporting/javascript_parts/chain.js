/** P(state) of each step of a sequence of rows, in logarithms. */

import { cellsOf, exactSum, largestOf, logSum, sharesOf } from "./cells.js";
import { componentScores } from "./terms.js";

export function probabilities(model, rows) {
  const emitted = Array.from(rows, (row) => componentScores(model, cellsOf(model, row)));
  const forwards = filtered(model, emitted);
  if (!model.smooth || forwards.length === 0) return forwards.map((logs) => owned(model, sharesOf(logs)));
  const backwards = remaining(model, emitted);
  const joined = forwards.map((logs, step) => logs.map((log, state) => log + backwards[step][state]));
  if (largestOf(joined.at(-1)) === -Infinity) throw new Error("This sequence cannot end here.");
  return joined.map((logs) => owned(model, sharesOf(logs)));
}

/** log P(state | rows so far), but for what all states share. */
function filtered(model, emitted) {
  const found = [];
  emitted.forEach((scores, step) => {
    const before = step === 0 ? model.log_start : moved(model, found[step - 1]);
    const logs = before.map((log, state) => log + scores[state]);
    if (largestOf(logs) === -Infinity)
      throw new Error(`Row ${step} (counting from 0) cannot follow the rows before it.`);
    found.push(rescaled(logs));
  });
  return found;
}

function moved(model, last) {
  return last.map((_, to) => logSum(last.map((log, from) => log + model.log_moves[from][to])));
}

/** log P(rows that follow | state), but for what all states share. */
function remaining(model, emitted) {
  const found = [model.log_end];
  for (let step = emitted.length - 1; step > 0; step -= 1) {
    const after = found.at(-1).map((log, state) => log + emitted[step][state]);
    found.push(rescaled(model.log_moves.map((row) => logSum(row.map((log, state) => log + after[state])))));
  }
  return found.reverse();
}

function rescaled(logs) {
  const top = largestOf(logs);
  return top > -Infinity ? logs.map((log) => log - top) : logs;
}

/** The probabilities of the states that users see: sums over those that belong to one. */
function owned(model, shares) {
  return model.states.map((_, place) => exactSum(shares.filter((_share, state) => model.owners[state] === place)));
}
