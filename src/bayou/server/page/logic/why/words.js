/** Answers about reasons in words and numbers that people read. */

import { findingText, listed, stateText } from "../finding_words.js";
import { about } from "../findings.js";
import { finePercent, number, percent, points } from "../numbers.js";
import { keyOf } from "../values.js";
import { pageWords } from "./library_words.js";

/** "lung = yes". */
export function statedText(model, name, state) {
  const variable = model.byKey.get(keyOf(name));
  return `${variable.text} = ${stateText(variable, state)}`;
}

/** The findings about a variable in words; of one that is not there its name. */
export function knownText(model, findings, name) {
  const own = about(findings, name).map((finding) => findingText(model, finding));
  return own.length > 0 ? own.join(", ") : (model.byKey.get(keyOf(name))?.text ?? String(name));
}

/** A number with its sign: "+1.95", "−0.4", "0". */
export function signed(value) {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  const shown = number(Math.abs(Number(value.toPrecision(3))));
  if (Math.abs(value) < 5e-4) return "0";
  return `${value > 0 ? "+" : "−"}${shown}`;
}

/** A probability that may not be defined. */
const chance = (value) => (value === null || value === undefined ? "–" : percent(value));

/** The ledger: what each finding does, the one of the largest weight first. */
export function ledgerRows(model, findings, answer) {
  return answer.findings.map((one) => ({
    text: knownText(model, findings, one.variable),
    alone: chance(one.alone),
    without: chance(one.without),
    share: answer.share_unit === null ? "" : shareText(one.share, answer.share_unit),
    note: separatedText(model, findings, one),
  }));
}

function separatedText(model, findings, one) {
  if (one.separated_by === null) return "";
  if (one.separated_by.length === 0) return "no open trail leads from it to here";
  return `kept away by ${listed(one.separated_by.map((name) => knownText(model, findings, name)))}`;
}

/** A share in percentage points, as the probabilities beside it; other units (log odds) as they are. */
const shareText = (share, unit) => {
  if (share === null) return "–";
  return unit === "probability" ? points(share) : signed(share);
};

const MOST_SHARED = 8;

/** What the shares are, or why there are none. */
export function sharesText(answer) {
  const seen = answer.findings.filter(({ intervention }) => !intervention);
  const set = answer.findings.length - seen.length;
  if (answer.share_unit === null) {
    if (seen.length > MOST_SHARED) return `Shares are told for at most ${MOST_SHARED} observations.`;
    return set > 0 ? "No shares: an intervention always holds, so nothing is left to be shared out." : "";
  }
  const total = seen.reduce((sum, { share }) => sum + (share ?? 0), 0);
  const unit = answer.share_unit === "probability" ? "percentage points" : answer.share_unit;
  const change = `${shareText(total, answer.share_unit)} ${unit}`;
  if (set === 0) return `Shares (Shapley) add up to the whole change: ${change}.`;
  return `Shares (Shapley) add up to what the observations change after the intervention, which has none itself: ${change}.`;
}

/** Explaining away with its numbers. */
export function awayText(model, answer, one) {
  const state = statedText(model, answer.target, one.state);
  const cause = one.cause === null ? "" : ` through ${model.byKey.get(keyOf(one.cause)).text}`;
  const [finding, effect] = [one.finding, one.effect].map((text) => pageWords(model, text));
  const numbers = `${percent(one.before)} without ${finding}, ${percent(one.after)} with it`;
  return `${finding} explains ${effect}${cause}, which then needs ${state} less: ${numbers}.`;
}

/** An entry of a table: "P(xray = yes | either = no)". */
export function entryText(model, entry) {
  const given = entry.parents.map(({ name, state }) => statedText(model, name, state)).join(", ");
  return `P(${statedText(model, entry.table, entry.state)}${given === "" ? "" : ` | ${given}`})`;
}

/** The rows of a tornado; `low` and `high` are places of its ends, and `now` of the answer, from 0 to 1. */
export function tornadoRows(model, answer) {
  const ends = answer.entries.flatMap(({ at_low, at_high }) => [at_low, at_high]);
  const known = [...ends.filter((end) => end !== null), answer.probability];
  const [least, most] = [Math.min(...known), Math.max(...known)];
  const place = (value) => (most > least ? (value - least) / (most - least) : 0.5);
  return answer.entries.map((entry) => {
    const pair = [entry.at_low ?? answer.probability, entry.at_high ?? answer.probability];
    return {
      key: keyOf(entry.table),
      text: entryText(model, entry),
      value: finePercent(entry.value),
      ends: `${chance(entry.at_low)} to ${chance(entry.at_high)}`,
      turns: entry.threshold === null ? "" : `turns at ${finePercent(entry.threshold)}`,
      low: place(Math.min(...pair)),
      high: place(Math.max(...pair)),
      now: place(answer.probability),
    };
  });
}

/** The entry that matters most, in a sentence. */
export function mattersMost(model, answer) {
  const [first] = answer.entries;
  if (!first) return "No entry of a table can change this.";
  const share = percent(answer.change).replace(".0%", "%");
  return (
    `${entryText(model, first)} = ${finePercent(first.value)} matters most: ${share} less or more of it ` +
    `gives ${chance(first.at_low)} or ${chance(first.at_high)} instead of ${percent(answer.probability)}.`
  );
}

/** The rows of a table: the states of the parents, and a cell for each state of the variable. */
export function tableRows(answer) {
  const counts = answer.parents.map(({ states }) => states.length);
  return answer.rows.map((row, place) => {
    let rest = place;
    const codes = [...counts].reverse().map((count) => {
      const code = rest % count;
      rest = (rest - code) / count;
      return code;
    });
    const parents = codes.reverse().map((code, axis) => answer.parents[axis].labels[code]);
    return { parents, cells: row.map((value, state) => tableCell(answer, place, state, value)) };
  });
}

function tableCell(answer, row, state, value) {
  const { counts, lower, upper } = answer;
  return {
    value: percent(value),
    count: counts ? number(counts[row][state]) : "",
    interval: lower ? `${percent(lower[row][state])} to ${percent(upper[row][state])}` : "",
  };
}

/** Whether two variables are related, in a sentence. */
export function relatedText(model, one, other, answer) {
  const [first, second] = [one, other].map((key) => model.byKey.get(key).text);
  if (answer.separated)
    return `No. As things are known now, ${first} and ${second} tell nothing about each other.`;
  return `Yes. News about ${first} can change ${second}, and the other way round.`;
}

/** What would close the open trails. */
export function closingText(model, answer) {
  if (answer.separated) return "";
  if (answer.closed_by === null) return "Nothing that could be observed closes every trail.";
  const names = answer.closed_by.map((name) => model.byKey.get(keyOf(name)).text);
  const verb = names.length === 1 ? "was" : "were";
  return `They would tell nothing about each other if ${listed(names)} ${verb} observed, too.`;
}
