/** Actions with their utilities, costs of asking, and the list of what to ask next, as plain data. */

import { number, percent, typedNumber } from "../numbers.js";
import { keyOf } from "../values.js";
import { askedFor } from "../why/no_answer.js";
import { signed } from "../why/words.js";

/** Costs and utilities by variable, and the variables that nobody can look at. */
export const NO_PRICES = { costs: {}, utilities: {}, apart: [] };

/** What nobody needs to ask for at first: it is computed from its parents, such as "either" in asia. */
const computed = (model) => model.variables.filter((one) => one.deterministic).map(({ key }) => key);

/** What was kept in the tab, as far as it fits the model. */
export function fittingPrices(model, stored) {
  const costs = Object.entries(stored?.costs ?? {}).filter(
    ([key, cost]) => model.byKey.has(key) && cost >= 0,
  );
  const utilities = Object.entries(stored?.utilities ?? {}).filter(([key, actions]) => {
    const count = model.byKey.get(key)?.states.length;
    return actions.every((one) => one.utilities.length === count && one.utilities.every(Number.isFinite));
  });
  const apart = (stored?.apart ?? computed(model)).filter((key) => model.byKey.has(key));
  return { costs: Object.fromEntries(costs), utilities: Object.fromEntries(utilities), apart };
}

/** The costs as the API takes them. */
export const sentCosts = (model, costs) =>
  Object.entries(costs).map(([key, cost]) => ({ variable: model.byKey.get(key).name, cost }));

/** The names of what can be asked for about a target, as the API takes them; none: everything can. */
export const askable = (model, target, findings, apart) =>
  apart.length === 0 ? [] : askedFor(model, target, findings, apart).map(({ name }) => name);

/** The expected utility of each action, the best marked. */
export function expectedUtilities(probabilities, actions) {
  const rows = actions.map(({ action, utilities }) => ({
    action,
    utility: utilities.reduce((sum, utility, place) => sum + utility * probabilities[place], 0),
  }));
  const most = Math.max(...rows.map(({ utility }) => utility));
  return rows.map((row) => ({ ...row, best: row.utility === most }));
}

/** Typed rows [{action, utilities: texts}] as {actions}, or {problem: a sentence}; empty rows do not count. */
export function readActions(rows, labels) {
  const filled = ({ action, utilities }) => [action, ...utilities].some((part) => part.trim() !== "");
  const typed = rows.filter(filled);
  const actions = [];
  for (const row of typed) {
    const action = row.action.trim();
    if (action === "") return { problem: "Every action needs a name, such as: treat." };
    if (actions.some((one) => one.action === action))
      return { problem: `There are two actions "${action}".` };
    const utilities = row.utilities.map(typedNumber);
    const place = utilities.findIndex((value) => !Number.isFinite(value));
    if (place >= 0)
      return { problem: `Type a number for ${action} if it is ${labels[place]}, such as 10 or −2.5.` };
    actions.push({ action, utilities });
  }
  return { actions };
}

/** Typed costs [{key, text, cost: a text}] as {costs}, or {problem}; empty ones are left out. */
export function readCosts(rows) {
  const costs = {};
  for (const { key, text, cost } of rows) {
    if (cost.trim() === "") continue;
    const value = typedNumber(cost);
    if (!(Number.isFinite(value) && value >= 0))
      return { problem: `The cost of asking for ${text} is a number from 0 upwards, such as 2.5.` };
    costs[key] = value;
  }
  return { costs };
}

/** Less information than this is told as 0, and has no bar. */
const LEAST_BITS = 5e-5;

/** So many states of a variable are told in its line. */
const MOST_STATES = 4;

/**
 * The variables that could be asked for, the best first: {key, text, worth, note, figures, outlook, value, size}. `worth`
 * is the share of the uncertainty that is expected to go, and `size` the same from 0 to 1; with utilities they are the
 * gain, and its part of the largest gain, or of `most` if that is larger. `figures` are the bits behind it, and `outlook`
 * what each state would do to the state of the target at `place`.
 */
export function askRows(model, answer, { target = null, place = 0, most = 0 } = {}) {
  const acts = answer.asks.some(({ gain }) => gain !== undefined && gain !== null);
  const priced = answer.asks.some(({ cost }) => cost !== undefined && cost !== null && cost !== 1);
  const net = (one) => one.net ?? 0;
  const largest = Math.max(most, ...answer.asks.map(net), 1e-12);
  return answer.asks.map((one) => {
    const variable = model.byKey.get(keyOf(one.variable));
    const share = one.bits < LEAST_BITS ? 0 : one.share;
    return {
      key: variable.key,
      text: variable.text,
      worth: acts ? signed(net(one)) : percent(share),
      note: acts ? gainNote(one) : priced ? priceNote(one, share) : "",
      figures: `${bits(one.bits)} of ${bits(answer.entropy)}`,
      outlook: target && (acts || share > 0) ? outlook(model, answer, variable, target, place) : "",
      value: acts ? net(one) : share,
      size: Math.max(0, acts ? net(one) / largest : share),
    };
  });
}

/** Bits with at most three digits. */
const bits = (value) => (value < LEAST_BITS ? "0 bits" : `${number(Number(value.toPrecision(3)))} bits`);

const gainNote = (one) => (one.cost ? `gain ${number(one.gain)}, cost ${number(one.cost)}` : "");

const priceNote = ({ cost }, share) =>
  cost > 0 ? `cost ${number(cost)}, ${percent(share / cost)} for 1` : "costs nothing";

/** "yes (6.7%) would take lung = yes to 10.0%, no (93.3%) to 68.5%"; "" if it was not computed. */
function outlook(model, answer, variable, target, place) {
  const rows = outcomeRows(model, answer, variable.key, place).filter(({ isPossible }) => isPossible);
  if (rows.length === 0) return "";
  const [first, ...rest] = rows.slice(0, MOST_STATES);
  const start = `${first.state} (${first.chance}) would take ${target.text} = ${target.labels[place]} to ${first.target}`;
  const others = rest.map(({ state, chance, target: to }) => `${state} (${chance}) to ${to}`);
  return [start, ...others, ...(rows.length > MOST_STATES ? ["…"] : [])].join(", ");
}

/** The advice in one sentence; the library's own where actions are weighed, or nothing is told by any. */
export function adviceText(answer, rows, target) {
  const [best] = rows;
  if (!best || best.value <= 0 || (answer.best_action ?? null) !== null) return answer.sentence;
  return `Ask for ${best.text}: it is expected to tell the most about ${target.text}${best.note === "" ? "" : ", for its cost"}.`;
}

/** What the target would become after each state of a variable that could be asked for. */
export function outcomeRows(model, answer, key, state) {
  const found = answer.asks.find(({ variable }) => keyOf(variable) === key)?.outcomes ?? [];
  const variable = model.byKey.get(key);
  return found.map((one, place) => ({
    state: variable.labels[place],
    chance: percent(one.probability),
    target: percent(one.target[state] ?? NaN),
    action: one.action ?? "",
    isPossible: one.probability > 0 && Number.isFinite(one.target[state]),
  }));
}
