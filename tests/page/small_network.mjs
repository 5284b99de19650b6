/** Small networks answered by enumeration, for the tests only: the referee of the page. */

/** Every combination of states, as lists of places. */
function* combinations(counts, at = 0) {
  if (at === counts.length) {
    yield [];
    return;
  }
  for (const rest of combinations(counts, at + 1)) {
    for (let place = 0; place < counts[at]; place += 1) yield [place, ...rest];
  }
}

export class SmallNetwork {
  /** `nodes` are {name, states, parents, rows}; the last parent runs fastest in the rows. */
  constructor(nodes) {
    this.nodes = nodes;
    this.places = new Map(nodes.map(({ name }, place) => [name, place]));
  }

  factor(node, states) {
    let row = 0;
    for (const parent of node.parents) {
      const place = this.places.get(parent);
      row = row * this.nodes[place].states.length + states[place];
    }
    return node.rows[row][states[this.places.get(node.name)]];
  }

  /** How much a finding leaves of a combination of states: a factor from 0 upwards. */
  weight(finding, states) {
    const node = this.nodes[this.places.get(finding.variable)];
    const place = states[this.places.get(finding.variable)];
    const state = node.states[place];
    if ("state" in finding) return Number(state === finding.state);
    if ("do" in finding) return Number(state === finding.do);
    if ("in" in finding) return Number(finding.in.includes(state));
    if ("not" in finding) return Number(!finding.not.includes(state));
    return finding.weights[place];
  }

  /** [states, weight] of all combinations that the findings allow. */
  *weighted(findings) {
    const set = new Set(findings.filter((finding) => "do" in finding).map(({ variable }) => variable));
    for (const states of combinations(this.nodes.map((node) => node.states.length))) {
      let weight = findings.reduce((product, finding) => product * this.weight(finding, states), 1);
      if (weight === 0) continue;
      for (const node of this.nodes) if (!set.has(node.name)) weight *= this.factor(node, states);
      if (weight > 0) yield [states, weight];
    }
  }

  /** {total: P(findings), probabilities: a list for each variable}. */
  beliefs(findings) {
    const sums = this.nodes.map((node) => node.states.map(() => 0));
    let total = 0;
    for (const [states, weight] of this.weighted(findings)) {
      total += weight;
      states.forEach((place, node) => {
        sums[node][place] += weight;
      });
    }
    return { total, probabilities: sums.map((row) => row.map((sum) => sum / total)) };
  }

  /** The most probable combination: {states, probability given the findings}. */
  mostProbable(findings) {
    let [best, largest, total] = [null, 0, 0];
    for (const [states, weight] of this.weighted(findings)) {
      total += weight;
      if (weight > largest) [best, largest] = [states, weight];
    }
    return { states: best, probability: largest / total };
  }

  /** Mutual information of parent and child, in bits. */
  bits(parent, child) {
    const [p, c] = [this.places.get(parent), this.places.get(child)];
    const joint = this.nodes[p].states.map(() => this.nodes[c].states.map(() => 0));
    for (const [states, weight] of this.weighted([])) joint[states[p]][states[c]] += weight;
    const rows = joint.map((row) => row.reduce((sum, value) => sum + value, 0));
    const columns = joint[0].map((_, place) => joint.reduce((sum, row) => sum + row[place], 0));
    const term = (value, i, j) => (value > 0 ? value * Math.log2(value / rows[i] / columns[j]) : 0);
    return joint.reduce(
      (sum, row, i) => sum + row.reduce((part, value, j) => part + term(value, i, j), 0),
      0,
    );
  }
}

const yes = (...chances) => chances.map((chance) => [1 - chance, chance]);

/** Asia (Lauritzen and Spiegelhalter 1988); `rename` changes the names. */
export function asia(rename = (name) => name) {
  const node = (name, parents, rows) => ({
    name: rename(name),
    states: ["no", "yes"],
    parents: parents.map(rename),
    rows,
  });
  return new SmallNetwork([
    node("asia", [], yes(0.01)),
    node("tub", ["asia"], yes(0.01, 0.05)),
    node("smoke", [], yes(0.5)),
    node("lung", ["smoke"], yes(0.01, 0.1)),
    node("bronc", ["smoke"], yes(0.3, 0.6)),
    node("either", ["tub", "lung"], yes(0, 1, 1, 1)),
    node("xray", ["either"], yes(0.05, 0.98)),
    node("dysp", ["bronc", "either"], yes(0.1, 0.7, 0.8, 0.9)),
  ]);
}
