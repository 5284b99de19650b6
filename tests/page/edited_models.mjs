/** A server that edits small networks in memory and answers by enumeration, for the tests of building. */

import { Problem } from "../../src/bayou/server/page/logic/connection.js";
import { SmallNetwork } from "./small_network.mjs";

export const storage = () => {
  const texts = new Map();
  return {
    getItem: (name) => texts.get(name) ?? null,
    setItem: (name, text) => texts.set(name, text),
    removeItem: (name) => texts.delete(name),
    key: (place) => [...texts.keys()][place] ?? null,
    get length() {
      return texts.size;
    },
  };
};

const equal = (count) => Array.from({ length: count }, () => 1 / count);

const CHANGES = {
  add_node(nodes, { name, states, parents = [], rows }) {
    if (nodes.some((node) => node.name === name)) throw new Error(`There is a variable '${name}' already.`);
    nodes.push({ name, states, parents, rows: rows ?? [equal(states.length)] });
  },
  rename_node(nodes, { variable, name }) {
    named(nodes, variable).name = name;
    for (const node of nodes) node.parents = node.parents.map((one) => (one === variable ? name : one));
  },
  remove_node(nodes, { variable }) {
    nodes.splice(nodes.indexOf(named(nodes, variable)), 1);
    for (const node of nodes) {
      if (!node.parents.includes(variable)) continue;
      node.parents = node.parents.filter((one) => one !== variable);
      node.rows = [equal(node.states.length)];
    }
  },
  rename_state(nodes, { variable, state, name }) {
    const node = named(nodes, variable);
    node.states = node.states.map((one) => (one === state ? name : one));
  },
  set_table(nodes, { variable, rows }) {
    named(nodes, variable).rows = rows;
  },
  add_arc(nodes, { parent, child }) {
    const above = (name) => named(nodes, name).parents.flatMap((one) => [one, ...above(one)]);
    if (above(parent).includes(child)) throw new Error("This arc would close a cycle.");
    const [node, count] = [named(nodes, child), named(nodes, parent).states.length];
    node.parents = [...node.parents, parent];
    node.rows = node.rows.flatMap((row) => Array.from({ length: count }, () => row));
  },
  move() {},
};

function named(nodes, name) {
  const found = nodes.find((node) => node.name === name);
  if (!found) throw new Error(`There is no variable '${name}'.`);
  return found;
}

export class EditedModels {
  constructor() {
    this.known = new Map();
    this.drawn = [];
    this.asked = [];
    /** Edits wait while this is a list, and are let go by calling its functions. */
    this.held = null;
    this.heal = null;
  }

  add(nodes) {
    let hash = 7;
    for (const letter of JSON.stringify(nodes)) hash = (hash * 31 + letter.codePointAt(0)) % 1_000_000_007;
    const revision = `r${hash}`;
    this.known.set(revision, nodes);
    return { revision };
  }

  async find(revision) {
    if (!this.known.has(revision) && this.heal) await this.heal(revision);
    const nodes = this.known.get(revision);
    if (!nodes) throw new Problem({ type: "unknown-revision", status: 404, detail: "It is gone." });
    return nodes;
  }

  begin() {
    return this.edit(null, []);
  }

  async edit(revision, edits) {
    const nodes = structuredClone(revision === null ? [] : await this.find(revision));
    if (this.held) await new Promise((resolve) => this.held.push(resolve));
    edits.forEach((edit, place) => {
      try {
        CHANGES[edit.edit](nodes, edit);
      } catch (error) {
        throw new Problem({ status: 422, type: "bad-question", detail: error.message, edit: place });
      }
    });
    return this.add(nodes);
  }

  async model(revision) {
    const nodes = await this.find(revision);
    const variables = nodes.map((node, place) => ({
      ...node,
      label: node.name,
      labels: node.states,
      kind: "discrete",
      box: { x: 0, y: 100 * place, width: 150, height: 100 },
    }));
    const points = [
      [0, 0],
      [9, 9],
    ];
    const arcs = nodes.flatMap(({ name, parents }) =>
      parents.map((parent) => ({ parent, child: name, points })),
    );
    return { revision, variables, arcs, width: 150, height: 100 * nodes.length, left: 0, top: 0 };
  }

  drawing(revision, places, loose) {
    this.drawn.push({ places, loose });
    return this.model(revision);
  }

  async beliefs(revision, findings) {
    const nodes = await this.find(revision);
    this.asked.push(revision);
    const { total, probabilities } = new SmallNetwork(nodes).beliefs(findings);
    const beliefs = nodes.map(({ name }, place) => ({ variable: name, probabilities: probabilities[place] }));
    return { beliefs, log_probability: Math.log(total) };
  }
}
