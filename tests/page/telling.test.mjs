/** Which state a line is about, how rare findings are said to be, and the lines of typed probabilities. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { differences } from "../../src/bayou/server/page/logic/beliefs.js";
import { typedVariables } from "../../src/bayou/server/page/logic/building/typed_network.js";
import { rowOrder } from "../../src/bayou/server/page/logic/building/typed_rows.js";
import { rarityText, sameAsSeenText } from "../../src/bayou/server/page/logic/finding_words.js";
import { fittingStated, positivePlace, statedPlace } from "../../src/bayou/server/page/logic/stated_state.js";

const key = JSON.stringify;
const variable = (name, ...labels) => ({ key: key(name), label: name, text: name, labels, states: labels });
const belief = (...probabilities) => ({ probabilities });

test("of two states the one that does not mean no is told, wherever it stands and whichever rose", () => {
  for (const labels of [["no", "yes"], ["False", "True"], ["absent", "present"], ["NORMAL", "HIGH"], ["0", "1"], ["healthy", "ill"]]) {
    assert.equal(positivePlace(labels), 1, labels.join());
    assert.equal(positivePlace([...labels].reverse()), 0, labels.join());
    const one = variable("x", ...labels);
    assert.equal(statedPlace(one, belief(0.2, 0.8), belief(0.9, 0.1)), 1);
    assert.equal(statedPlace(one, belief(0.2, 0.8), belief(0.1, 0.9)), 1);
  }
  assert.equal(positivePlace(["no", "never"]), 0);
  assert.equal(positivePlace(["north", "south"]), 0, "north is no no");
});

test("of more states the one that rose most, and always the one that was asked about", () => {
  const cvp = variable("CVP", "LOW", "NORMAL", "HIGH");
  const [before, after] = [belief(0.1, 0.8, 0.1), belief(0.02, 0.18, 0.8)];
  assert.equal(statedPlace(cvp, before, after), 2);
  assert.equal(statedPlace(cvp, after, before), 1);
  assert.equal(statedPlace(cvp, before, before), 0);
  assert.equal(statedPlace(cvp, before, after, { [cvp.key]: 1 }), 1);
  const ill = variable("ill", "no", "yes");
  assert.equal(statedPlace(ill, belief(0.5, 0.5), belief(0.5, 0.5), { [ill.key]: 0 }), 0);
});

test("a table of differences tells the same state in both directions", () => {
  const ill = variable("ill", "no", "yes");
  const model = { variables: [ill] };
  const of = (...numbers) => new Map([[ill.key, belief(...numbers)]]);
  const [rise] = differences(model, of(0.9, 0.1), of(0.3, 0.7));
  const [fall] = differences(model, of(0.3, 0.7), of(0.9, 0.1));
  assert.deepEqual([rise.state, rise.from, rise.to], [1, 0.1, 0.7]);
  assert.deepEqual([fall.state, fall.from, fall.to], [1, 0.7, 0.1]);
  const [asked] = differences(model, of(0.3, 0.7), of(0.9, 0.1), { [ill.key]: 0 });
  assert.deepEqual([asked.state, asked.from, asked.to], [0, 0.3, 0.9]);
});

test("remembered states fit the model or are forgotten", () => {
  const model = { byKey: new Map([[key("ill"), variable("ill", "no", "yes")]]) };
  const stored = { [key("ill")]: 1, [key("gone")]: 0 };
  assert.deepEqual(fittingStated(model, stored), { [key("ill")]: 1 });
  assert.deepEqual(fittingStated(model, { [key("ill")]: 2 }), {});
  assert.deepEqual(fittingStated(model, undefined), {});
});

test("an intervention is no observation", () => {
  const [seen, set] = [{ variable: "x", state: "yes" }, { variable: "y", do: "no" }];
  assert.match(rarityText([set], 0), /^An intervention is no observation/);
  assert.equal(rarityText([seen], Math.log(1 / 480)), "About 1 in 480 cases has this finding.");
  assert.equal(rarityText([seen, seen], Math.log(0.6)), "About 60.0% of cases have all of these findings.");
  assert.match(rarityText([seen, set], Math.log(0.5)), /^With the intervention, about 50\.0% of cases have what was observed\.$/);
  assert.equal(rarityText([seen], 0), "Every case has this finding.");
});

test("setting what nothing influences is told to be the same as observing it", () => {
  const model = { byKey: new Map(["a", "b"].map((name) => [key(name), variable(name, "no")])) };
  model.parents = new Map([[key("a"), []], [key("b"), [key("a")]]]);
  assert.match(sameAsSeenText(model, [{ variable: "a", do: "no" }]), /^Nothing in this network influences a, so setting it tells the same/);
  assert.equal(sameAsSeenText(model, [{ variable: "b", do: "no" }, { variable: "a", state: "no" }]), "");
});

test("parents are found in any letter case if only one fits", () => {
  const model = { variables: [variable("Rain", "no"), variable("Sprinkler", "no"), variable("a", "no"), variable("A", "no")] };
  const names = (text) => typedVariables(model, text).map(({ label }) => label);
  assert.deepEqual(names("rain, SPRINKLER"), ["Rain", "Sprinkler"]);
  assert.deepEqual([names("a"), names("A")], [["a"], ["A"]], "an exact name comes first");
  assert.throws(() => names("rian"), /no variable rian/);
  assert.throws(() => names("Rain, rain"), /Rain is there twice/);
  const alike = { variables: [variable("Ab", "no"), variable("aB", "no")] };
  assert.throws(() => typedVariables(alike, "ab"), /ab could be Ab or aB/);
});

test("lines are in the order of the rows of a table", () => {
  const parents = [variable("a", "u", "v"), variable("b", "x", "y", "z")];
  assert.deepEqual(rowOrder(parents, 32).map((labels) => labels.join("")), ["ux", "uy", "uz", "vx", "vy", "vz"]);
  assert.equal(rowOrder(parents, 4).length, 4);
  assert.deepEqual(rowOrder([], 4), [[]]);
});
