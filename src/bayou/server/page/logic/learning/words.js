/** What is learned, and how it compares with the network before, in words. */

import { counted, grouped, percent } from "../numbers.js";

/** The ways to learn: [value, text, what it is good for]; known arcs need an open network. */
export const WAYS = [
  ["structure", "A network of all columns", "The arcs are searched for: what depends on what directly."],
  ["naive-bayes", "Naive Bayes", "Predicts one column; every other column depends on it alone."],
  ["tan", "TAN", "Predicts one column; the others also depend on each other, as a tree."],
  ["parameters", "The arcs of the open network", "Only its tables are learned anew."],
];

/** "weather.csv: 14 rows, 5 columns". */
export const tableText = ({ name, rows, columns }) =>
  `${name}: ${counted(rows, "row")}, ${counted(columns.length, "column")}`;

/** A column in a few words: "outlook: sunny, rainy, overcast" or "age: numbers from 18 to 94". */
export function columnText({ name, kind, values, distinct, least, greatest, gaps }) {
  const label = typeof name === "string" ? name : JSON.stringify(name);
  const shown = values.slice(0, 4).map(({ value }) => textOf(value));
  const more = distinct > shown.length ? `, … (${grouped(distinct)})` : "";
  const words =
    kind === "numbers" || (kind === "whole numbers" && distinct > 8)
      ? `numbers from ${least} to ${greatest}`
      : `${shown.join(", ")}${more}`;
  return `${label}: ${words}${gaps > 0 ? `; ${counted(gaps, "gap")}` : ""}`;
}

export const textOf = (value) =>
  value !== null && typeof value === "object" ? String(value.value) : String(value);

/** What the search is doing: "Best score −508 with 45 arcs; steps: 612". */
export function progressText(job) {
  if (!job) return "Starting…";
  if (job.state === "waiting") return "Waiting for its turn…";
  if (!job.progress) return "Learning…";
  const { task, done } = job.progress;
  const words = task.charAt(0).toUpperCase() + task.slice(1);
  return task.endsWith("steps") ? `${words}: ${grouped(done)}` : `${words}…`;
}

/** The arcs gained, lost and turned beside the network before: [heading, [arc, …]] of those that there are. */
export function differenceGroups({ added, lost, turned, common }) {
  const arcs = (list) => list.map(({ parent, child }) => `${textOf(parent)} → ${textOf(child)}`);
  const groups = [
    ["Gained", arcs(added)],
    ["Lost", arcs(lost)],
    ["Turned", arcs(turned)],
    ["In both", arcs(common)],
  ];
  return groups.filter(([, list]) => list.length > 0);
}

/** One sentence about the difference. */
export function differenceText({ added, lost, turned, common, only_learned, only_other }, before) {
  const changes = added.length + lost.length + turned.length;
  const others = only_learned.length + only_other.length;
  if (changes + others === 0) return `The same arcs as ${before}.`;
  const parts = [`${counted(common.length, "arc")} in both`, `${added.length} gained`, `${lost.length} lost`];
  const all = [...parts, `${turned.length} turned`].join(", ");
  const foreign = others > 0 ? ` ${counted(others, "variable")} only in one of the two.` : "";
  return `Beside ${before}: ${all}.${foreign}`;
}

/** How well it predicts rows that it was not learned from; `most` is the state that is the most frequent. */
export function scoresText({ rows, accuracy, accuracy_of_most_frequent: usual }, most) {
  const right = (share) => grouped(Math.round(share * rows));
  return (
    `Right on ${right(accuracy)} of ${counted(rows, "row")} that it had not seen ` +
    `(always saying “${most}” would be right on ${right(usual)}).`
  );
}

/** The figures behind it, for those who know them. */
export const scoreDetails = (scores) => [
  `The rows were parted into ${scores.folds}; each part was predicted by a network learned from the others. The network here is learned from all of them.`,
  `Each state weighed alike it is right in ${percent(scores.balanced_accuracy)} (balanced accuracy).`,
  `How well the probabilities fit what came true, 0 is best: log-loss ${scores.log_loss.toFixed(3)}, Brier score ${scores.brier.toFixed(3)}.`,
];

/** What can be done with numbers, [value, text]; null leaves them to the library. */
export function rangeChoices(way) {
  const equal = [4, 3, 6, 10].map((count) => [count, `${count} ranges with about as many rows each`]);
  return way === "structure"
    ? [...equal, [null, "every number is a state of its own"]]
    : [[null, "ranges that tell its states apart"], ...equal];
}
