/** Models that answer as the server does, by enumeration: for trying the page without a server. */

import { asia } from "./small_network.mjs";

const PLACES = {
  asia: [60, 0],
  smoke: [400, 0],
  tub: [60, 1],
  lung: [290, 1],
  bronc: [510, 1],
  either: [175, 2],
  xray: [60, 3],
  dysp: [400, 3],
};
const [WIDTH, HEIGHT, STEP] = [170, 84, 150];

function curve(from, to) {
  const [start, end] = [
    [from.x + from.width / 2, from.y + from.height],
    [to.x + to.width / 2, to.y],
  ];
  const reach = (end[1] - start[1]) / 2;
  return [start, [start[0], start[1] + reach], [end[0], end[1] - reach], end];
}

class Impossible extends Error {}

/** One or more copies of asia side by side, each answered on its own. */
export class AsiaModel {
  constructor(revision, title, copies = 1, spelling = (name) => name, states = null) {
    Object.assign(this, { revision, title, spelling });
    this.states = states ?? ["no", "yes"];
    const names = (copy) => (name) => spelling(copies > 1 ? `${name}_${copy + 1}` : name);
    this.parts = Array.from({ length: copies }, (_, copy) => asia(names(copy)));
    for (const part of this.parts) for (const node of part.nodes) node.states = this.states;
    this.across = Math.ceil(Math.sqrt(copies));
  }

  box(copy, name) {
    const [x, layer] = PLACES[name];
    const [column, row] = [copy % this.across, Math.floor(copy / this.across)];
    return { x: x + column * 740, y: 20 + layer * STEP + row * 640, width: WIDTH, height: HEIGHT };
  }

  document() {
    const order = ["asia", "tub", "smoke", "lung", "bronc", "either", "xray", "dysp"];
    const variables = [];
    const arcs = [];
    this.parts.forEach((part, copy) => {
      part.nodes.forEach((node, place) => {
        const box = this.box(copy, order[place]);
        const facts = {
          title: "",
          description: `About ${node.name}`,
          kind: "discrete",
          cuts: null,
          distribution: "table",
        };
        variables.push({
          name: node.name,
          label: node.name,
          states: node.states,
          labels: node.states,
          parents: node.parents,
          box,
          ...facts,
        });
        for (const parent of node.parents) {
          const from = this.box(copy, order[part.places.get(parent)]);
          arcs.push({
            parent,
            child: node.name,
            points: curve(from, box),
            bits: this.bits(part, parent, node.name),
          });
        }
      });
    });
    const rows = Math.ceil(this.parts.length / this.across);
    const size = { width: this.across * 740, height: rows * 640 - 40 };
    return {
      revision: this.revision,
      kind: "network",
      title: this.title,
      description: "",
      variables,
      arcs,
      ...size,
      remarks: ["Positions were not in the file: the network was laid out."],
    };
  }

  bits(part, parent, child) {
    this.known ??= new Map();
    const key = `${part.places.get(parent)} ${part.places.get(child)}`;
    if (!this.known.has(key)) this.known.set(key, part.bits(parent, child));
    return this.known.get(key);
  }

  own(part, findings) {
    return findings.filter(({ variable }) => part.places.has(variable));
  }

  beliefs(findings) {
    let [log, apart] = [0, 0];
    const beliefs = [];
    for (const part of this.parts) {
      const own = this.own(part, findings);
      if (own.length === 0) this.prior ??= this.parts[0].beliefs([]);
      const { total, probabilities } = own.length === 0 ? this.prior : part.beliefs(own);
      if (!(total > 0)) throw new Impossible();
      if (own.length > 0) log += Math.log(total);
      for (const finding of own) apart += Math.log(part.beliefs([finding]).total);
      part.nodes.forEach((node, place) =>
        beliefs.push({ variable: node.name, probabilities: probabilities[place] }),
      );
    }
    const surprise = findings.length > 1 ? (apart - log) / Math.LN2 : null;
    return { revision: this.revision, log_probability: log, surprise, beliefs };
  }

  mostProbable(findings) {
    let probability = 1;
    const states = [];
    for (const part of this.parts) {
      const best = part.mostProbable(this.own(part, findings));
      probability *= best.probability;
      part.nodes.forEach((node, place) =>
        states.push({ variable: node.name, state: node.states[best.states[place]] }),
      );
    }
    return { explanations: [{ states, probability }] };
  }

  /** The single findings whose release makes the rest possible. */
  release(findings) {
    const possible = findings.filter((finding) => {
      try {
        this.beliefs(findings.filter((other) => other !== finding));
        return true;
      } catch {
        return false;
      }
    });
    return possible.map((finding) => [finding]);
  }
}

const normal = (x, mean, sd) => Math.exp(-0.5 * ((x - mean) / sd) ** 2) / (sd * Math.sqrt(2 * Math.PI));

/** Sex and height: a continuous child of a discrete parent, by closed forms. */
export class HeightsModel {
  constructor(revision) {
    Object.assign(this, { revision, title: "Heights" });
    this.groups = [
      { state: "woman", chance: 0.5, mean: 165, sd: 7 },
      { state: "man", chance: 0.5, mean: 178, sd: 7.5 },
    ];
  }

  document() {
    const states = this.groups.map(({ state }) => state);
    const box = (y) => ({ x: 60, y, width: 190, height: y === 20 ? 84 : 120 });
    const facts = { title: "", description: "", cuts: null };
    const sex = {
      name: "sex",
      label: "sex",
      kind: "discrete",
      states,
      labels: states,
      parents: [],
      distribution: "table",
      box: box(20),
      ...facts,
    };
    const height = {
      name: "height",
      label: "height",
      kind: "continuous",
      states: [],
      labels: [],
      parents: ["sex"],
      distribution: "gaussian",
      box: box(190),
      ...facts,
    };
    const arc = { parent: "sex", child: "height", points: curve(box(20), box(190)), bits: 0.42 };
    return {
      revision: this.revision,
      kind: "network",
      title: this.title,
      description: "",
      variables: [sex, height],
      arcs: [arc],
      width: 320,
      height: 330,
      remarks: [],
    };
  }

  beliefs(findings) {
    const value = findings.find((finding) => "value" in finding)?.value;
    const weights = this.groups.map((group) => {
      const known = findings
        .filter((finding) => finding.variable === "sex")
        .every((finding) => [finding.state, finding.do].includes(group.state));
      return Number(known) * group.chance * (value === undefined ? 1 : normal(value, group.mean, group.sd));
    });
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    if (!(total > 0)) throw new Impossible();
    const chances = weights.map((weight) => weight / total);
    const mixed = (of) => this.groups.reduce((sum, group, place) => sum + chances[place] * of(group), 0);
    const mean = value ?? mixed((group) => group.mean);
    const deviation =
      value === undefined ? Math.sqrt(mixed(({ mean: m, sd }) => sd * sd + (m - mean) ** 2)) : 0;
    const xs = Array.from({ length: 81 }, (_, k) => 140 + k * 0.8);
    const density =
      value === undefined
        ? xs.map((x) => [x, mixed((group) => normal(x, group.mean, group.sd))])
        : [
            [value, 0],
            [value, 1],
            [value, 0],
          ];
    const height = { variable: "height", mean, deviation, density };
    return {
      revision: this.revision,
      log_probability: findings.length > 0 ? Math.log(total) : 0,
      surprise: null,
      beliefs: [{ variable: "sex", probabilities: chances }, height],
    };
  }

  mostProbable(findings) {
    const [{ probabilities }] = this.beliefs(findings).beliefs;
    const best = probabilities[0] >= probabilities[1] ? 0 : 1;
    return {
      explanations: [
        { states: [{ variable: "sex", state: this.groups[best].state }], probability: probabilities[best] },
      ],
    };
  }

  release(findings) {
    return findings.map((finding) => [finding]);
  }
}

const HOSTILE = (name) => `<img src=x onerror=alert(1)>"'&${name}`;

const revision = (digit) => String(digit).repeat(32);

export const MODELS = new Map([
  ["asia", new AsiaModel(revision(1), "Asia")],
  ["forty", new AsiaModel(revision(2), "Forty clinics", 40)],
  [
    "hostile",
    new AsiaModel(revision(3), "<script>alert(1)</script>", 1, HOSTILE, [
      "</text><script>alert(2)</script>",
      'yes & "no"',
    ]),
  ],
  ["heights", new HeightsModel(revision(4))],
]);

export { Impossible };
