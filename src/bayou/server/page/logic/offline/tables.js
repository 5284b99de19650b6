/** Tables whose axes are variables by number, the last axis fastest, and the two arithmetics of messages. */

export const sizeOf = (scope, cards) => scope.reduce((size, variable) => size * cards[variable], 1);

/** For each entry of a table over `scope`: the place of the same states in a table over `inner`, a part of it. */
export function projection(scope, inner, cards) {
  const steps = new Map();
  let step = 1;
  for (const variable of [...inner].reverse()) {
    steps.set(variable, step);
    step *= cards[variable];
  }
  const places = new Int32Array(sizeOf(scope, cards));
  let block = 1;
  for (const variable of [...scope].reverse()) {
    const apart = steps.get(variable) ?? 0;
    for (let state = 1; state < cards[variable]; state += 1) {
      for (let k = 0; k < block; k += 1) places[state * block + k] = places[k] + state * apart;
    }
    block *= cards[variable];
  }
  return places;
}

/** Numbers as they are: fast and exact, but products of very many small ones become 0. */
export const PLAIN = {
  ones: (size) => new Float64Array(size).fill(1),
  of: (table) => table,
  ofLogs: (logs) => logs.map(Math.exp),
  multiply(table, places, message) {
    for (let k = 0; k < table.length; k += 1) table[k] *= message[places[k]];
  },
  summed(table, places, size) {
    const sums = new Float64Array(size);
    for (let k = 0; k < table.length; k += 1) sums[places[k]] += table[k];
    return sums;
  },
  divide(message, by) {
    for (let k = 0; k < message.length; k += 1) message[k] = by[k] === 0 ? 0 : message[k] / by[k];
  },
  /** Divide by the largest entry; its logarithm. */
  rescale(table) {
    const peak = highest(table);
    if (peak > 0 && peak !== 1) for (let k = 0; k < table.length; k += 1) table[k] /= peak;
    return Math.log(peak);
  },
  /** Entries that were lost (below 1e-308) may count if the largest one is below this logarithm. */
  least: Math.log(1e-200),
  shares: (table) => table,
};

/** Logarithms: slower, and nothing is lost. */
export const LOGARITHMS = {
  ones: (size) => new Float64Array(size),
  of: (table) => table.map(Math.log),
  ofLogs: (logs) => logs,
  multiply(table, places, message) {
    for (let k = 0; k < table.length; k += 1) table[k] += message[places[k]];
  },
  summed(table, places, size) {
    const peaks = LARGEST.summed(table, places, size);
    const sums = new Float64Array(size);
    for (let k = 0; k < table.length; k += 1) {
      const peak = peaks[places[k]];
      if (peak > -Infinity) sums[places[k]] += Math.exp(table[k] - peak);
    }
    return sums.map((sum, k) => (sum > 0 ? peaks[k] + Math.log(sum) : -Infinity));
  },
  divide(message, by) {
    for (let k = 0; k < message.length; k += 1) message[k] = by[k] === -Infinity ? by[k] : message[k] - by[k];
  },
  rescale(table) {
    const peak = highest(table);
    if (peak > -Infinity) for (let k = 0; k < table.length; k += 1) table[k] -= peak;
    return peak;
  },
  least: -Infinity,
  shares: (table) => table.map(Math.exp),
};

/** Logarithms with the largest in the place of the sum: for the most probable explanation. */
export const LARGEST = {
  ...LOGARITHMS,
  summed(table, places, size) {
    const peaks = new Float64Array(size).fill(-Infinity);
    for (let k = 0; k < table.length; k += 1) if (table[k] > peaks[places[k]]) peaks[places[k]] = table[k];
    return peaks;
  },
};

const highest = (table) => table.reduce((peak, value) => (value > peak ? value : peak), -Infinity);
