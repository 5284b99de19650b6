import assert from "node:assert/strict";
import { test } from "node:test";

import * as findings from "../../src/bayou/server/page/logic/findings.js";
import { conflictText, figuresText, findingText } from "../../src/bayou/server/page/logic/finding_words.js";
import { Model } from "../../src/bayou/server/page/logic/model.js";
import { MODELS } from "./fake_models.mjs";

const STATES = ["a", "b", "c"];
const smoke = { variable: "smoke", state: "yes" };

test("a click sets a finding and the next one clears it", () => {
  const set = findings.toggled([], "smoke", "yes");
  assert.deepEqual(set, [smoke]);
  assert.deepEqual(findings.toggled(set, "smoke", "yes"), []);
  assert.deepEqual(findings.toggled(set, "smoke", "no"), [{ variable: "smoke", state: "no" }]);
});

test("values of other types are different values", () => {
  const set = findings.toggled([], 1, true);
  assert.deepEqual(findings.toggled(set, "1", true).length, 2);
  assert.deepEqual(findings.toggled(set, 1, "true"), [{ variable: 1, state: "true" }]);
  const tuple = { type: "tuple", value: [1, 2] };
  assert.deepEqual(findings.toggled([{ variable: tuple, state: 0 }], { ...tuple }, 0), []);
});

test("a changed finding keeps its place in the list", () => {
  const list = [smoke, { variable: "x", state: "a" }, { variable: "y", state: "b" }];
  const changed = findings.intervened(list, "x", "c");
  assert.deepEqual(
    changed.map(({ variable }) => variable),
    ["smoke", "x", "y"],
  );
  assert.deepEqual(changed[1], { variable: "x", do: "c" });
});

test("'not this state' adds up, goes away again, and never rules out all states", () => {
  const one = findings.excluded([], "x", "a", STATES);
  const two = findings.excluded(one, "x", "b", STATES);
  assert.deepEqual(two, [{ variable: "x", not: ["a", "b"] }]);
  assert.equal(findings.excluded(two, "x", "c", STATES), null);
  assert.deepEqual(findings.excluded(two, "x", "a", STATES), [{ variable: "x", not: ["b"] }]);
  assert.deepEqual(findings.excluded(one, "x", "a", STATES), []);
});

test("'not' takes a state out of 'one of'", () => {
  const set = findings.oneOf([], "x", ["a", "b"], STATES);
  assert.deepEqual(set, [{ variable: "x", in: ["a", "b"] }]);
  assert.deepEqual(findings.excluded(set, "x", "b", STATES), [{ variable: "x", state: "a" }]);
  assert.deepEqual(findings.excluded(set, "x", "c", STATES), []);
  assert.equal(findings.oneOf([], "x", [], STATES), null);
  assert.deepEqual(findings.oneOf(set, "x", STATES, STATES), []);
});

test("weights stand beside sets of states and replace an observation", () => {
  const set = findings.noneOf([], "x", ["c"], STATES);
  const both = findings.weighted(set, "x", [1, 0.2, 1]);
  assert.deepEqual(both, [
    { variable: "x", not: ["c"] },
    { variable: "x", weights: [1, 0.2, 1] },
  ]);
  assert.deepEqual(findings.weighted(both, "x", [1, 1, 1]), set);
  assert.deepEqual(findings.weighted([{ variable: "x", state: "a" }], "x", [1, 2, 3]).length, 1);
  assert.equal(findings.weighted([], "x", [0, 0, 0]), null);
  assert.equal(findings.weighted([], "x", [1, NaN, 1]), null);
  assert.equal(findings.weighted([], "x", [1, -1, 1]), null);
});

test("dragging a bar changes one weight", () => {
  assert.deepEqual(findings.weightsWith([], "x", STATES, 1, 0.3), [1, 0.3, 1]);
  const list = [{ variable: "x", weights: [1, 0.3, 1] }];
  assert.deepEqual(findings.weightsWith(list, "x", STATES, 2, 0.5), [1, 0.3, 0.5]);
});

test("marks say what is known of each state", () => {
  const signs = (list) => findings.stateMarks(list, "x", STATES).map(({ sign }) => sign);
  assert.deepEqual(signs([]), ["", "", ""]);
  assert.deepEqual(signs([{ variable: "x", state: "b" }]), ["", "observed", ""]);
  assert.deepEqual(signs([{ variable: "x", do: "b" }]), ["", "set", ""]);
  assert.deepEqual(signs([{ variable: "x", not: ["b"] }]), ["", "out", ""]);
  assert.deepEqual(signs([{ variable: "x", in: ["b", "c"] }]), ["out", "", ""]);
  const weights = findings.stateMarks([{ variable: "x", weights: [1, 0, 2] }], "x", STATES);
  assert.deepEqual(
    weights.map(({ weight }) => weight),
    [1, 0, 2],
  );
});

test("findings of a link that the network does not know are dropped", () => {
  const model = new Model(MODELS.get("asia").document());
  const good = [smoke, { variable: "lung", weights: [1, 0.5] }, { variable: "xray", not: ["no"] }];
  const bad = [
    { variable: "smok", state: "yes" },
    { variable: "smoke", state: "maybe" },
    { variable: "lung", weights: [1] },
    { variable: "lung", value: 3 },
    { variable: "lung" },
    { variable: "lung", in: [] },
    null,
    "smoke",
  ];
  assert.deepEqual(findings.fitting(model, [...good, ...bad]), { kept: good, dropped: bad.length });
  assert.deepEqual(findings.fitting(model, "nonsense"), { kept: [], dropped: 0 });
});

test("findings are told in words", () => {
  const model = new Model(MODELS.get("asia").document());
  const words = (finding) => findingText(model, finding);
  assert.equal(words(smoke), "smoke = yes");
  assert.equal(words({ variable: "smoke", do: "no" }), "smoke set to no");
  assert.equal(words({ variable: "smoke", not: ["no", "yes"] }), "smoke is not no or yes");
  assert.equal(words({ variable: "smoke", in: ["no", "yes"] }), "smoke is no or yes");
  assert.equal(words({ variable: "smoke", weights: [1, 0.25] }), "smoke weighed no ×1, yes ×0.25");
  assert.match(conflictText(2.5), /^These findings contradict each other: [^0-9]*$/);
  const seen = [{ variable: "x", state: "yes" }, { variable: "y", state: "no" }];
  const figures = figuresText(seen, Math.log(1 / 13), -0.4567).join(" ");
  assert.match(figures, /log P = −2\.565\. Conflict \(Jensen\): −0\.46 bits/);
  assert.deepEqual(figuresText([{ variable: "x", do: "yes" }], 0, null), []);
  assert.match(conflictText(-1), /support/);
  assert.equal(conflictText(null), "");
});
