/** What was learned: sentences, scores, remarks, and the arcs beside those of the network before. */

import { differenceGroups, differenceText, scoresText, textOf } from "../../logic/learning/words.js";
import { counted } from "../../logic/numbers.js";
import { html } from "../elements.js";

const SHOWN = 40;

export function resultContent(result, before) {
  const { sentences, notes, scores, differences, arcs } = result;
  const lines = sentences.map((line) => html("p", {}, line));
  if (scores) lines.push(html("p", {}, scoresText(scores)));
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
