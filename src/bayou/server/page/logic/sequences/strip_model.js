/** A model of sequences as the API describes it: a row for each variable, and the arcs of the two slices. */

import { keyOf } from "../values.js";

export const KINDS = ["hidden Markov model", "dynamic network", "linear Gaussian series"];

/** Whether models of this kind are shown as a strip over time. */
export const isOfSequences = (kind) => KINDS.includes(kind);

export class StripModel {
  constructor(answer) {
    this.revision = answer.revision;
    this.kind = answer.kind;
    this.remarks = answer.remarks ?? [];
    this.rows = answer.strip.rows.map(readRow);
    this.byKey = new Map(this.rows.map((row) => [row.key, row]));
    this.arcs = answer.strip.arcs.map((arc) => ({
      from: this.rows.indexOf(this.byKey.get(keyOf(arc.parent))),
      to: this.rows.indexOf(this.byKey.get(keyOf(arc.child))),
      lag: arc.lag,
    }));
  }

  /** The row to begin with: the first that a person observes, if possible one on which nothing else depends. */
  get firstSeen() {
    const able = this.rows.filter((row) => row.canFind);
    const isLeaf = (row) => this.arcs.every(({ from }) => this.rows[from] !== row);
    return able.find((row) => !row.hidden && isLeaf(row)) ?? able.find((row) => !row.hidden) ?? able[0];
  }
}

const readRow = (row) => ({
  variable: row.variable,
  key: keyOf(row.variable),
  label: row.label,
  states: row.states,
  labels: row.labels,
  stateKeys: row.states.map(keyOf),
  isNumber: row.states.length === 0,
  hidden: row.hidden,
  canFind: row.can_find,
  role: row.role,
});
