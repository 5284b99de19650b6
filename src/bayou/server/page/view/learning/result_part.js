/** What was learned: sentences, scores, remarks, and the arcs beside those of the network before. */

import { differenceGroups, differenceText, scoreDetails, scoresText, textOf } from "../../logic/learning/words.js";
import { counted } from "../../logic/numbers.js";
import { html } from "../elements.js";

const SHOWN = 40;

/** `most` is the most frequent state of the column to predict. */
export function resultContent(result, before, most) {
  const { sentences, details = [], notes, scores, differences, arcs } = result;
  const lines = sentences.map((line) => html("p", {}, line));
  if (scores) lines.push(html("p", { class: "verdict" }, scoresText(scores, most)));
  const figures = [...(scores ? scoreDetails(scores) : []), ...details];
  if (figures.length > 0)
    lines.push(html("details", {}, html("summary", {}, "Details"), ...figures.map((line) => html("p", { class: "hint" }, line))));
  const remarks = notes.map((note) => html("li", {}, note));
  if (remarks.length > 0) lines.push(html("ul", { class: "doctor", "aria-label": "Remarks" }, ...remarks));
  return [...lines, ...(differences ? compared(differences, before) : [arcList(arcs)])];
}

/** Side by side: what was gained, lost, turned, and what is in both. */
function compared(differences, before) {
  const groups = differenceGroups(differences).map(([heading, arcs]) =>
    html("section", {}, html("h4", {}, `${heading} (${arcs.length})`), listOf(arcs, heading)),
  );
  return [
    html("h3", {}, "Compared with the network before"),
    html("p", {}, differenceText(differences, before.name)),
    html("div", { class: "side-by-side" }, ...groups),
  ];
}

function arcList(arcs) {
  const texts = arcs.map(({ parent, child }) => `${textOf(parent)} → ${textOf(child)}`);
  const about = html("summary", {}, `Its ${counted(texts.length, "arc")}`);
  return html("details", {}, about, listOf(texts, "Arcs"));
}

function listOf(texts, label) {
  const items = texts.slice(0, SHOWN).map((text) => html("li", {}, text));
  if (texts.length > SHOWN) items.push(html("li", { class: "hint" }, `and ${texts.length - SHOWN} more`));
  return html("ul", { "aria-label": label }, ...items);
}
