/** Search among variables and states by what a person types. */

const MANY_STATES = 8;

const folded = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();

/** How well a text matches: 0 is best, null is not at all. */
function rank(text, wanted) {
  if (text === wanted) return 0;
  if (text.startsWith(wanted)) return 1;
  const inside = text.indexOf(wanted);
  if (inside < 0) return null;
  return /[\s_\-.]/.test(text[inside - 1]) ? 2 : 3;
}

/** The rank of a variable by its shown text, label and description. */
function variableRank(variable, wanted) {
  const ranks = [variable.text, variable.label].map((text) => rank(folded(text), wanted));
  const best = ranks.filter((value) => value !== null).sort((a, b) => a - b)[0];
  if (best !== undefined) return best;
  const meant = variable.description ? rank(folded(variable.description), wanted) : null;
  return meant === null ? null : 5 + meant / 10;
}

/** States that the words name: every word is in "variable state", and at least one in the state. */
function namedStates(variable, words) {
  const name = folded(`${variable.text} ${variable.label}`);
  const places = [];
  variable.labels.forEach((label, place) => {
    const state = folded(label);
    const all = words.every((word) => name.includes(word) || state.includes(word));
    if (all && words.some((word) => state.includes(word))) places.push(place);
  });
  return places;
}

const hit = (variable, state, score) => ({
  variable,
  state,
  score,
  text: state === null ? variable.text : `${variable.text} = ${variable.labels[state]}`,
  meaning: state === null ? (variable.meaning ?? "") : "",
});

/**
 * The best matches, at most `limit`: {variable, state, text, meaning}; `state` is null or the place of a state.
 * Names come before meanings. The name that was typed is followed by its states, so that a finding is one click away;
 * of several names that begin so the states come behind them all.
 */
export function found(model, typed, limit = 12) {
  const wanted = folded(typed).trim();
  if (wanted === "") return [];
  const words = wanted.split(/[\s=]+/).filter((word) => word !== "");
  const hits = [];
  for (const variable of model.variables) {
    const score = variableRank(variable, wanted);
    if (score !== null) hits.push(hit(variable, null, score));
    if (score !== null && score < 2 && variable.states.length <= MANY_STATES) {
      const behind = score === 0 ? 0.5 : 3.5; // of a name that is typed in part all such names come first
      variable.labels.forEach((_, place) => hits.push(hit(variable, place, behind)));
    } else {
      for (const place of namedStates(variable, words))
        hits.push(hit(variable, place, words.length > 1 ? 1.5 : 4));
    }
  }
  const order = new Map(hits.map((one, place) => [one, place]));
  return hits.sort((a, b) => a.score - b.score || order.get(a) - order.get(b)).slice(0, limit);
}
