import assert from "node:assert/strict";
import { test } from "node:test";

import * as beliefs from "../../src/bayou/server/page/logic/beliefs.js";
import { densityPath, extent, heightAt, variation } from "../../src/bayou/server/page/logic/densities.js";
import { Model } from "../../src/bayou/server/page/logic/model.js";
import { MODELS } from "./fake_models.mjs";

const asia = MODELS.get("asia");
const model = new Model(asia.document());
const given = (...findings) => beliefs.indexed(asia.beliefs(findings).beliefs);

test("the referee of these tests knows asia", () => {
  const lung = given({ variable: "xray", state: "yes" }, { variable: "smoke", state: "yes" }).get('"lung"');
  // P(lung, xray=yes, smoke=yes) = .5 · .1 · .98; without lung, tub has .0104 and the rest .05
  const [hit, miss] = [0.1 * 0.98, 0.9 * (0.0104 * 0.98 + 0.9896 * 0.05)];
  assert.ok(Math.abs(lung.probabilities[1] - hit / (hit + miss)) < 1e-12);
});

test("what moved most is sorted by total variation and leaves out the findings", () => {
  const finding = { variable: "xray", state: "yes" };
  const rows = beliefs.moved(model, given(), given(finding), [finding]);
  assert.deepEqual(
    rows.slice(0, 2).map(({ variable }) => variable.text),
    ["either", "lung"],
  );
  assert.ok(rows.every((row, k) => k === 0 || row.change <= rows[k - 1].change));
  assert.ok(!rows.some(({ variable }) => variable.text === "xray"));
  const lung = rows.find(({ variable }) => variable.text === "lung");
  assert.equal(lung.variable.labels[lung.state], "yes");
  assert.ok(Math.abs(lung.change - (lung.to - lung.from)) < 1e-12);
  assert.ok(Math.abs(lung.from - 0.055) < 1e-12);
});

test("nothing moved without findings", () => {
  assert.deepEqual(beliefs.differences(model, given(), given()), []);
  assert.equal(beliefs.change(undefined, { probabilities: [1] }), 0);
});

test("the winner is the most probable state", () => {
  assert.equal(beliefs.winner({ probabilities: [0.2, 0.5, 0.3] }), 1);
  assert.equal(beliefs.winner(null), 0);
});

test("densities: heights, areas and variation", () => {
  const box = (left) => [
    [left, 0],
    [left, 1],
    [left + 1, 1],
    [left + 1, 0],
  ];
  assert.equal(
    heightAt(
      [
        [0, 0],
        [2, 4],
      ],
      1,
    ),
    2,
  );
  assert.equal(
    heightAt(
      [
        [0, 0],
        [2, 4],
      ],
      3,
    ),
    0,
  );
  assert.equal(variation(box(0), box(0)), 0);
  const triangle = (middle) => [
    [middle - 1, 0],
    [middle, 1],
    [middle + 1, 0],
  ];
  assert.ok(Math.abs(variation(triangle(0), triangle(5)) - 1) < 1e-12);
  assert.deepEqual(extent([triangle(0), triangle(5)]), { low: -1, high: 6, peak: 1 });
  assert.deepEqual(extent([]), { low: 0, high: 1, peak: 1 });
});

test("variation of two normals agrees with the closed form 2Φ(δ/2σ) − 1", () => {
  const normal = (mean) =>
    Array.from({ length: 801 }, (_, k) => [
      k / 50 - 8,
      Math.exp(-((k / 50 - 8 - mean) ** 2) / 2) / Math.sqrt(2 * Math.PI),
    ]);
  assert.ok(Math.abs(variation(normal(0), normal(1)) - 0.382925) < 1e-4);
});

test("a density stays inside its frame", () => {
  const points = [
    [1, 0],
    [2, 5],
    [3, 0],
  ];
  const path = densityPath(points, { x: 10, y: 20, width: 100, height: 40 }, extent([points]));
  assert.equal(path, "M10.0 60.0L60.0 20.0L110.0 60.0");
  assert.equal(densityPath([], { x: 0, y: 0, width: 1, height: 1 }, extent([])), "");
});
