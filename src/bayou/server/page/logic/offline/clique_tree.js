/**
 * The clique tree of a network, as Python compiled it: cliques (children before their parents), the tables of
 * the network with the clique that each belongs to, and the maps between cliques and separators.
 */

import { projection, sizeOf } from "./tables.js";

/** 64-bit numbers, lowest byte first, in base64. */
export function numbersIn(text) {
  const bytes = Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0));
  const view = new DataView(bytes.buffer);
  return Float64Array.from({ length: bytes.length / 8 }, (_, k) => view.getFloat64(8 * k, true));
}

export class CliqueTree {
  constructor({ cards, cliques, parents, scopes, homes, numbers, gaussians = [] }) {
    Object.assign(this, { cards, cliques, parents, scopes, homes });
    this.gaussians = new Map(gaussians.map((one) => [one.variable, one]));
    this.sizes = cliques.map((scope) => sizeOf(scope, cards));
    this.tables = cut(
      numbersIn(numbers),
      scopes.map((scope) => sizeOf(scope, cards)),
    );
    this.separators = cliques.map((scope, at) => this.shared(scope, parents[at]));
    this.toSeparator = cliques.map((scope, at) => projection(scope, this.separators[at], cards));
    this.fromParent = parents.map((parent, at) =>
      parent < 0 ? null : projection(cliques[parent], this.separators[at], cards),
    );
    this.places = this.smallest();
    this.toVariable = cards.map((_, variable) => projection(cliques[this.places[variable]], [variable], cards));
    this.ready = new Map();
  }

  shared(scope, parent) {
    if (parent < 0) return [];
    const others = new Set(this.cliques[parent]);
    return scope.filter((variable) => others.has(variable));
  }

  /** The smallest clique of each variable: its findings enter there, and its beliefs are read there. */
  smallest() {
    const places = this.cards.map(() => -1);
    this.cliques.forEach((scope, at) => {
      for (const variable of scope) {
        const best = places[variable];
        if (best < 0 || this.sizes[at] < this.sizes[best]) places[variable] = at;
      }
    });
    return places;
  }

  /** The product of the tables of each clique; `replaced` has other tables by variable, their logs, or null. */
  potentials(arithmetic, replaced) {
    if (!this.ready.has(arithmetic)) {
      const all = this.cliques.map((_, at) => this.product(arithmetic, at, new Map()));
      this.ready.set(arithmetic, all);
    }
    const touched = new Set([...replaced.keys()].map((variable) => this.homes[variable]));
    const ready = this.ready.get(arithmetic);
    return ready.map((table, at) => (touched.has(at) ? this.product(arithmetic, at, replaced) : table.slice()));
  }

  product(arithmetic, at, replaced) {
    const table = arithmetic.ones(this.sizes[at]);
    this.homes.forEach((home, variable) => {
      const factor = replaced.has(variable) ? replaced.get(variable) : this.tables[variable];
      if (home !== at || factor === null) return;
      const own = factor.logs ? arithmetic.ofLogs(factor.logs) : arithmetic.of(factor);
      arithmetic.multiply(table, this.toFamily(variable), own);
    });
    return table;
  }

  /** The map from the clique of a variable's table to that table. */
  toFamily(variable) {
    return projection(this.cliques[this.homes[variable]], this.scopes[variable], this.cards);
  }

  /** The cliques' tables with findings entered: `vectors` has the weights of the states by variable. */
  entered(arithmetic, { vectors, replaced }) {
    const tables = this.potentials(arithmetic, replaced);
    for (const [variable, weights] of vectors) {
      arithmetic.multiply(tables[this.places[variable]], this.toVariable[variable], arithmetic.of(weights));
    }
    return tables;
  }
}

function cut(numbers, sizes) {
  let begin = 0;
  return sizes.map((size) => numbers.subarray(begin, (begin += size)));
}
