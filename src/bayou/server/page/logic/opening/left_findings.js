/**
 * What a tab had found out about a network when it was left. Who opens the network again begins with nothing, as with
 * the next patient; what was left is offered beside it: {findings, kept, history}, or null.
 */

import { findingText } from "../finding_words.js";
import { fitting } from "../findings.js";

/** So many findings are named in a line. */
const NAMED = 6;

/** What was left of a model, from what the tab remembers of it: newer findings come before those offered already. */
export function leftOf(model, { history, kept, left }) {
  const present = history?.present?.revision === model.revision ? history.present.findings : [];
  const fresh = { findings: fitting(model, present).kept, kept: kept ? fitting(model, kept).kept : null, history };
  if (tellsSomething(fresh)) return fresh;
  const older = left && { ...left, findings: fitting(model, left.findings).kept };
  return older && tellsSomething(older) ? older : null;
}

const tellsSomething = ({ findings, kept }) => findings.length > 0 || Boolean(kept);

/** "You had findings here: smoke = yes, xray = yes." */
export function leftWords(model, { findings, kept }) {
  const named = (list) => {
    const texts = list.slice(0, NAMED).map((finding) => findingText(model, finding));
    const more = list.length - texts.length;
    return more > 0 ? `${texts.join(", ")} and ${more} more` : texts.join(", ");
  };
  const first = kept ? `scenario A (${kept.length > 0 ? named(kept) : "no findings"})` : "";
  if (findings.length === 0) return `You had ${first} here.`;
  const had = `You had findings here: ${named(findings)}`;
  return first === "" ? `${had}.` : `${had}; and ${first}.`;
}
