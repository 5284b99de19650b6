/** Which rows of a table are seen, and in which order: parents in any order, rows found by parents' states. */

export class TableRows {
  /**
   * `sizes` are the numbers of states of the parents; rows are numbered with the last parent fastest.
   * `order` has the parents from slowest to fastest, `wanted` a state of each parent, null for any.
   */
  constructor(sizes, order = sizes.map((_, parent) => parent), wanted = sizes.map(() => null)) {
    Object.assign(this, { sizes, order, wanted });
    this.steps = sizes.map((_, parent) =>
      sizes.slice(parent + 1).reduce((product, size) => product * size, 1),
    );
    this.free = order.filter((parent) => wanted[parent] === null);
    this.first = wanted.reduce((sum, state, parent) => sum + (state ?? 0) * this.steps[parent], 0);
    this.count = this.free.reduce((product, parent) => product * sizes[parent], 1);
  }

  /** The number of the row that is seen at a place. */
  row(place) {
    let [row, rest] = [this.first, place];
    for (let at = this.free.length - 1; at >= 0; at -= 1) {
      const size = this.sizes[this.free[at]];
      row += (rest % size) * this.steps[this.free[at]];
      rest = Math.floor(rest / size);
    }
    return row;
  }

  /** The state of each parent in a row. */
  states(row) {
    return this.sizes.map((size, parent) => Math.floor(row / this.steps[parent]) % size);
  }

  /** The place at which a row is seen, -1 if it is not. */
  place(row) {
    const states = this.states(row);
    if (this.wanted.some((state, parent) => state !== null && state !== states[parent])) return -1;
    return this.free.reduce((place, parent) => place * this.sizes[parent] + states[parent], 0);
  }

  /** The row in which the parents have these states. */
  rowOf(states) {
    return states.reduce((row, state, parent) => row + state * this.steps[parent], 0);
  }
}
