/** The results of a test in words, and the pictures of it as points. */

import { counted, number, percent } from "../numbers.js";

/** "Right in 83.4% of 500 rows. Always saying “no” would be right in 54.4%." */
export function accuracyText(answer) {
  const sums = answer.confusion.map((row) => row.reduce((sum, one) => sum + one, 0));
  const commonest = answer.labels[sums.indexOf(Math.max(...sums))];
  return (
    `Right in ${percent(answer.accuracy)} of ${counted(answer.rows, "row")}. ` +
    `Always saying “${commonest}” would be right in ${percent(answer.accuracy_of_most_frequent)}.`
  );
}

/** The scores with what they mean, as [name, value, meaning]. */
export const scoreRows = (answer) => [
  ["Log-loss", number(answer.log_loss), "nats per row; 0 is perfect"],
  ["Brier score", number(answer.brier), "squared error of the probabilities; 0 is perfect, 2 the worst"],
  ["Calibration error", percent(answer.calibration_error), "how far what was said is from what came true"],
];

/** What was left out of the test, as sentences. */
export function leftOut(answer) {
  const lines = [];
  const list = (names) => names.map(String).join(", ");
  if (answer.unlabelled > 0) lines.push(`${counted(answer.unlabelled, "row")} without a known target left out.`);
  if (answer.impossible > 0)
    lines.push(`${counted(answer.impossible, "row")} left out that the network holds for impossible.`);
  if (answer.foreign.length > 0) lines.push(`Columns that are no variables: ${list(answer.foreign)}.`);
  if (answer.absent.length > 0) lines.push(`Variables without a column: ${list(answer.absent)}.`);
  return lines;
}

/** A row of a table in a few words: "Row 9: yes, predicted no (91.3%)". */
export function rowText(labels, row) {
  const name = `Row ${row.row + 1}`;
  if (row.predicted === null) return `${name}: impossible in this network`;
  const guess = `predicted ${labels[row.predicted]} (${percent(row.probabilities[row.predicted])})`;
  return row.true === null ? `${name}: ${guess}` : `${name}: ${labels[row.true]}, ${guess}`;
}

/** Points of [0, 1]² as the points of a picture of this size, y upwards. */
export const placed = (points, size) =>
  points.map(([x, y]) => `${(x * size).toFixed(1)},${((1 - y) * size).toFixed(1)}`).join(" ");

/** The calibration as points: what was said, what came true, and a radius that grows with the rows. */
export function calibrationPoints(bins) {
  const most = Math.max(...bins.map(({ rows }) => rows));
  return bins.map(({ said, came_true, rows }) => ({
    x: said,
    y: came_true,
    radius: 3 + 5 * Math.sqrt(rows / most),
    text: `said ${percent(said)}, came true ${percent(came_true)} of ${counted(rows, "row")}`,
  }));
}
