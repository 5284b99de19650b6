/** The clique tree of the page in one file: steps on tables, and answers against enumeration. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { OfflineConnection } from "../../src/bayou/server/page/logic/offline/offline_connection.js";
import { releases } from "../../src/bayou/server/page/logic/offline/releases.js";
import { LARGEST, LOGARITHMS, PLAIN, projection } from "../../src/bayou/server/page/logic/offline/tables.js";

/** rain → sprinkler, both → grass; cliques {rain, sprinkler, grass} alone. */
const YES_NO = { states: ["yes", "no"], labels: ["yes", "no"], title: "" };
const VARIABLES = ["rain", "sprinkler", "grass"].map((name) => ({ name, label: name, ...YES_NO }));
const TABLES = [
  [0.2, 0.8],
  [0.01, 0.99, 0.4, 0.6],
  [0.99, 0.01, 0.8, 0.2, 0.9, 0.1, 0, 1],
];

function base64(numbers) {
  return Buffer.from(Float64Array.from(numbers).buffer).toString("base64");
}

const connection = () =>
  new OfflineConnection({
    model: { revision: "r", variables: VARIABLES },
    tree: {
      cards: [2, 2, 2],
      cliques: [[0, 1, 2]],
      parents: [-1],
      scopes: [[0], [0, 1], [0, 1, 2]],
      homes: [0, 0, 0],
      numbers: base64(TABLES.flat()),
    },
  });

/** P(rain = yes | weights of the states, with some variables set) by adding up all eight cases. */
function byHand(weights, set = []) {
  const sums = [0, 0];
  for (let k = 0; k < 8; k += 1) {
    const [r, s, g] = [k >> 2, (k >> 1) & 1, k & 1];
    const factors = [TABLES[0][r], TABLES[1][2 * r + s], TABLES[2][4 * r + 2 * s + g]];
    const seen = [r, s, g].map((state, variable) => weights[variable]?.[state] ?? 1);
    const kept = factors.map((factor, variable) => (set.includes(variable) ? 1 : factor));
    sums[r] += [...kept, ...seen].reduce((product, factor) => product * factor, 1);
  }
  return { total: sums[0] + sums[1], rain: sums[0] / (sums[0] + sums[1]) };
}

const close = (found, expected) => assert.ok(Math.abs(found - expected) < 1e-14, `${found} ≠ ${expected}`);

test("a projection finds the same states in a smaller table", () => {
  const cards = [2, 3, 2];
  assert.deepEqual([...projection([0, 1], [1], cards)], [0, 1, 2, 0, 1, 2]);
  assert.deepEqual([...projection([0, 1], [1, 0], cards)], [0, 2, 4, 1, 3, 5]);
  assert.deepEqual([...projection([0, 2], [], cards)], [0, 0, 0, 0]);
});

test("numbers and logarithms agree, and logarithms go where numbers end", () => {
  const table = Float64Array.of(0.2, 0.3, 0, 0.5);
  const places = Int32Array.of(0, 1, 0, 1);
  const plain = PLAIN.summed(table, places, 2);
  const logs = LOGARITHMS.summed(LOGARITHMS.of(table), places, 2);
  close(Math.exp(logs[0]), plain[0]);
  close(Math.exp(logs[1]), plain[1]);
  const small = LOGARITHMS.summed(Float64Array.of(-2000, -2000), Int32Array.of(0, 0), 1);
  close(small[0], -2000 + Math.LN2);
  assert.deepEqual([...LARGEST.summed(Float64Array.of(-3, -1), Int32Array.of(0, 0), 1)], [-1]);
});

test("every kind of finding, against adding up all cases", async () => {
  const [rain, sprinkler, grass] = ["rain", "sprinkler", "grass"];
  const cases = [
    [[], {}],
    [[{ variable: grass, state: "yes" }], { 2: [1, 0] }],
    [[{ variable: grass, not: ["yes"] }], { 2: [0, 1] }],
    [[{ variable: sprinkler, in: ["yes", "no"] }], {}],
    [[{ variable: grass, weights: [0.9, 0.3] }], { 2: [0.9, 0.3] }],
    [
      [
        { variable: sprinkler, do: "yes" },
        { variable: grass, state: "yes" },
      ],
      { 1: [1, 0], 2: [1, 0] },
      [1],
    ],
  ];
  for (const [findings, weights, set] of cases) {
    const { beliefs, log_probability: log } = await connection().beliefs("r", findings);
    const expected = byHand(weights, set);
    close(beliefs.find(({ variable }) => variable === rain).probabilities[0], expected.rain);
    close(log, Math.log(expected.total));
  }
});

test("the most probable explanation leaves out what is known", async () => {
  const findings = [{ variable: "grass", state: "yes" }];
  const { explanations } = await connection().mostProbable("r", findings);
  const [{ states, probability }] = explanations;
  assert.deepEqual(states, [
    { variable: "rain", state: "no" },
    { variable: "sprinkler", state: "yes" },
  ]);
  close(probability, (0.8 * 0.4 * 0.9) / byHand({ 2: [1, 0] }).total);
});

test("conflict is told for two or more observed states only", async () => {
  const findings = [
    { variable: "rain", state: "yes" },
    { variable: "sprinkler", state: "yes" },
  ];
  const { surprise } = await connection().beliefs("r", findings);
  close(surprise, Math.log2((0.2 * (0.2 * 0.01 + 0.8 * 0.4)) / (0.2 * 0.01)));
  assert.equal((await connection().beliefs("r", findings.slice(1))).surprise, null);
  const uncertain = [findings[0], { variable: "grass", weights: [1, 2] }];
  assert.equal((await connection().beliefs("r", uncertain)).surprise, null);
});

test("impossible findings say what to release; unknown names are refused in words", async () => {
  const findings = [
    { variable: "rain", state: "no" },
    { variable: "sprinkler", state: "no" },
    { variable: "grass", state: "yes" },
  ];
  await assert.rejects(connection().beliefs("r", findings), (problem) => {
    assert.equal(problem.type, "impossible-findings");
    assert.deepEqual(problem.release, [[findings[2]], [findings[1]], [findings[0]]]);
    return true;
  });
  await assert.rejects(connection().beliefs("r", [{ variable: "snow", state: "yes" }]), /does not have/);
  await assert.rejects(connection().beliefs("r", [{ variable: "rain", state: 1 }]), /does not have/);
  await assert.rejects(connection().beliefs("r", [{ variable: "rain", weights: [1] }]), /one weight/);
});

test("sets to release are the smallest ones, and interventions stay", () => {
  const [a, b, c] = [{ variable: "a" }, { variable: "b" }, { variable: "c", do: 1 }];
  const bothGone = (left) => (left.includes(a) || left.includes(b) ? -Infinity : -1);
  assert.deepEqual(releases([a, b, c], bothGone), [[a, b]]);
  assert.deepEqual(
    releases([a, b, c], () => -Infinity),
    [],
  );
});
