/** A network as the API sends it, with its variables found by key and its arcs in both directions. */

import { cubic } from "./geometry.js";
import { keyOf } from "./values.js";

/** Networks with more variables open on a focus, not as a whole. */
export const LARGE = 150;

export class Model {
  constructor(answer) {
    this.revision = answer.revision;
    this.title = answer.title ?? "";
    this.description = answer.description ?? "";
    this.remarks = answer.remarks ?? [];
    this.width = answer.width;
    this.height = answer.height;
    this.left = answer.left ?? 0;
    this.top = answer.top ?? 0;
    this.variables = answer.variables.map(readVariable);
    this.byKey = new Map(this.variables.map((variable) => [variable.key, variable]));
    this.arcs = answer.arcs.map(readArc);
    this.parents = new Map(this.variables.map(({ key }) => [key, []]));
    this.children = new Map(this.variables.map(({ key }) => [key, []]));
    for (const { from, to } of this.arcs) {
      this.parents.get(to)?.push(from);
      this.children.get(from)?.push(to);
    }
  }

  get isLarge() {
    return this.variables.length > LARGE;
  }
}

const readArc = (arc) => ({
  ...arc,
  points: cubic(arc.points),
  from: keyOf(arc.parent),
  to: keyOf(arc.child),
});

const LONGEST = 60;

/** What a short name means, in a few words: the first sentence of the description, cut off where it is long. */
export function meaningOf(text, description) {
  const first = (description ?? "").split(/(?<=[.;])\s|\n/u)[0].replace(/[.;]$/u, "").trim();
  if (first.toLowerCase() === text.toLowerCase()) return "";
  return first.length <= LONGEST ? first : `${first.slice(0, LONGEST).replace(/\s+\S*$/u, "")} …`;
}

function readVariable(variable) {
  const text = variable.title || variable.label;
  return {
    ...variable,
    key: keyOf(variable.name),
    text,
    meaning: meaningOf(text, variable.description),
    stateKeys: variable.states.map(keyOf),
  };
}
