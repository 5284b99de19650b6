/** What features add to the scores of classes (or of the states of a chain). */

import { exactSum, largestOf, logSum } from "./cells.js";

/** The sum of the terms of each class. */
export function componentScores(component, cells) {
  const parts = component.start.map((log) => [log]);
  for (const term of component.terms)
    termScores(term, cells).forEach((log, place) => {
      parts[place].push(log);
    });
  return parts.map(exactSum);
}

/** What a term adds to each class; nothing where a cell that it needs is missing. */
export function termScores(term, cells) {
  if (term.kind === "table") return tableTerm(term, cells);
  if (term.kind === "matrix") return matrixTerm(term, cells);
  const x = cells[term.column];
  if (x === null) return [];
  if (term.kind === "normal") return normalTerm(term, x);
  return term.kind === "poisson" ? poissonTerm(term, x) : bumpsTerm(term, x);
}

/** log P(class) + w · log P(row | class). */
export function weighed(logs, model) {
  if (model.weight === 1) return logs;
  const prior = model.log_prior.map((log) => Math.max(log, -1e300));
  return logs.map((log, place) => prior[place] + model.weight * (log - prior[place]));
}

/** The logarithms; those of P(class) for a row that is impossible in every class. */
export function possible(logs, logPrior) {
  return largestOf(logs) > -1e300 ? logs : logPrior;
}

function tableTerm({ columns, cards, logs }, cells) {
  if (columns.some((column) => cells[column] === null)) return [];
  return logs[columns.reduce((place, column, k) => place * cards[k] + cells[column], 0)];
}

const LEVEL = Math.log(2 * Math.PI);

function normalTerm({ means, variances, weight }, x) {
  return means.map((mean, k) => -0.5 * weight * (Math.log(2 * Math.PI * variances[k]) + (x - mean) ** 2 / variances[k]));
}

function poissonTerm({ rates, weight }, x) {
  return rates.map((rate) => (x < 0 ? -Infinity : weight * (x * Math.log(rate) - rate)));
}

function bumpsTerm({ bumps, weight }, x) {
  const log = ([share, mean, width]) => share - Math.log(width) - 0.5 * (LEVEL + ((x - mean) / width) ** 2);
  return bumps.map((own) => weight * logSum(own.map(log)));
}

/** Logs of normal densities of several numbers; gaps are integrated out. */
function matrixTerm(term, cells) {
  const seen = term.columns.map((_, k) => k).filter((k) => cells[term.columns[k]] !== null);
  const roots = rootsOf(term, seen);
  const x = seen.map((k) => cells[term.columns[k]]);
  const known = (values) => seen.map((k) => values[k]);
  if (term.centre) return linearScores(term, roots[0], x, known);
  return term.means.map((mean, place) => {
    const root = roots[roots.length > 1 ? place : 0];
    const white = whiteOf(root, x, known(mean));
    const levels = root.map((own, i) => 2 * Math.log(own[i]));
    return -0.5 * term.weight * exactSum([...levels, ...white.map((z) => z * z)]);
  });
}

/** Logs of densities of one covariance but for what all classes share: large squares do not cancel. */
function linearScores({ means, centre, weight }, root, x, known) {
  const row = whiteOf(root, x, known(centre));
  return means.map((mean) => {
    const own = whiteOf(root, known(mean), known(centre));
    return weight * exactSum(own.map((u, i) => u * (row[i] - 0.5 * u)));
  });
}

/** L⁻¹ (x − mean). */
function whiteOf(root, x, mean) {
  const white = [];
  root.forEach((own, i) => {
    const rest = exactSum([x[i], -mean[i], ...white.map((z, j) => -own[j] * z)]);
    white.push(rest / own[i]);
  });
  return white;
}

/** The roots of the covariances of some columns; those of the last set of columns are kept. */
function rootsOf(term, seen) {
  const key = seen.join();
  if (term.seen !== key) {
    term.seen = key;
    term.roots = term.covariances.map((covariance) => rootOf(covariance, seen));
  }
  return term.roots;
}

/** The lower triangle L with L Lᵀ = the covariance of some columns (Cholesky). */
function rootOf(covariance, seen) {
  const root = [];
  seen.forEach((a, i) => {
    const own = [];
    for (let j = 0; j <= i; j += 1) {
      const other = i === j ? own : root[j];
      const rest = exactSum([covariance[a][seen[j]], ...other.slice(0, j).map((one, k) => -own[k] * one)]);
      own.push(i === j ? Math.sqrt(rest) : rest / root[j][j]);
    }
    root.push(own);
  });
  return root;
}
