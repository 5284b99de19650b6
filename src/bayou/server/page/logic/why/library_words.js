/** Sentences of the library in the notation of the page: "lung=yes" is written "lung = yes", "-5.05" as "−5.05". */

import { listed } from "../finding_words.js";

const PATTERNS = new WeakMap();

/** What stands before a name: no part of another one. */
const BEFORE = "(?<![\\p{L}\\p{N}_])";

/** A sentence about a model as the page writes it, beside findings with the same notation. */
export function pageWords(model, text) {
  const { byLabel, set, excluded, among, equal } = patternsOf(model);
  const named = (label) => byLabel.get(label);
  return text
    .replace(set, (_, label, state) => `${named(label)} set to ${state}`)
    .replace(excluded, (_, label) => `${named(label)} is not `)
    .replace(among, (_, label, states) => `${named(label)} is ${listed(states.split(", "), "or")}`)
    .replace(equal, (_, label) => `${named(label)} = `)
    .replace(/(^|[\s(])-(?=\d)/gu, "$1−");
}

/** What is looked for in sentences about a model: its names with what follows them, the longest name first. */
function patternsOf(model) {
  if (!PATTERNS.has(model)) PATTERNS.set(model, patternsFor(model));
  return PATTERNS.get(model);
}

function patternsFor({ variables }) {
  const labels = variables.map(({ label }) => label).sort((one, other) => other.length - one.length);
  const name = `(${labels.map(escaped).join("|") || "(?!)"})`;
  return {
    byLabel: new Map(variables.map(({ label, text }) => [label, text])),
    set: new RegExp(`${BEFORE}do\\(${name}=([^()]*)\\)`, "gu"),
    excluded: new RegExp(`${BEFORE}${name}≠`, "gu"),
    among: new RegExp(`${BEFORE}${name} in \\{([^{}]*)\\}`, "gu"),
    equal: new RegExp(`${BEFORE}${name}=`, "gu"),
  };
}

const escaped = (text) => text.replace(/[\\^$.*+?()[\]{}|/-]/gu, "\\$&");
