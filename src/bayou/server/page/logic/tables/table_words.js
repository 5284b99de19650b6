/** What the editor says about a distribution before it is edited. */

import { listed } from "../finding_words.js";

const KINDS = { "noisy-and": "a noisy-AND", "noisy-max": "a noisy-MAX", "noisy-or": "a noisy-OR" };
const LEARNED =
  "Below each number: the rows it was learned from, and its 95% credible interval. A change drops what was learned.";

/** What a table is, and what editing does to it. */
export function formWords({ form, noisy_or: numbers, counts }, shared, readOnly) {
  const kind = KINDS[form] ?? `a ${form} of its parents`;
  const few = form === "noisy-or" && numbers;
  const words = [
    form !== "table" &&
      `This is ${kind}: its table follows from ${few ? "the numbers below" : "fewer numbers"}.`,
    form !== "table" &&
      !few &&
      "Changing one here makes it a plain table, in which every number stands by itself.",
    shared.length > 0 && `The same table belongs to ${listed(shared)}, too, and changes there as well.`,
    counts && LEARNED,
    readOnly && "This server only answers questions, so nothing can be changed here.",
  ];
  return words.filter(Boolean).join(" ");
}

/** What to do for a variable without a table. */
export const noTableWords = ({ text, kind }) =>
  kind === "text"
    ? `${text} holds texts: the chances of their words are learned from data, not typed.`
    : `${text} holds numbers: it has a density, not a table. Learn it from data, or set it in Python: ` +
      "net.set_gaussian(name, (mean, variance)), for each combination of its parents' states.";
