/** Actions, utilities and costs as they are typed, and the ranked list of what to ask. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { Model } from "../../src/bayou/server/page/logic/model.js";
import {
  askRows,
  askable,
  expectedUtilities,
  fittingPrices,
  outcomeRows,
  readActions,
  readCosts,
} from "../../src/bayou/server/page/logic/what_next/decisions.js";
import { MODELS } from "./fake_models.mjs";

const MODEL = new Model(MODELS.get("asia").document());
const key = JSON.stringify;

test("expected utilities are sums over the states, and the largest is the best", () => {
  const actions = [
    { action: "treat", utilities: [-2, 10] },
    { action: "wait", utilities: [0, -20] },
  ];
  assert.deepEqual(expectedUtilities([0.75, 0.25], actions), [
    { action: "treat", utility: 1, best: true },
    { action: "wait", utility: -5, best: false },
  ]);
});

test("what is typed is read, or refused with a sentence that says what to do", () => {
  const labels = ["no", "yes"];
  const rows = [
    { action: " treat ", utilities: ["−2,5", "10"] },
    { action: "", utilities: ["", " "] },
  ];
  assert.deepEqual(readActions(rows, labels), { actions: [{ action: "treat", utilities: [-2.5, 10] }] });
  assert.match(readActions([{ action: "", utilities: ["1", "2"] }], labels).problem, /needs a name/);
  assert.match(readActions([{ action: "go", utilities: ["1", "x"] }], labels).problem, /go if it is yes/);
  assert.match(readActions([rows[0], rows[0]], labels).problem, /two actions "treat"/);
  assert.deepEqual(readCosts([{ key: "k", text: "xray", cost: "1/2" }, { key: "l", text: "l", cost: "" }]), {
    costs: { k: 0.5 },
  });
  assert.match(readCosts([{ key: "k", text: "xray", cost: "-1" }]).problem, /asking for xray is a number from 0/);
});

test("stored prices that do not fit the network are left out", () => {
  const fits = [{ action: "a", utilities: [1, 2] }];
  const stored = {
    apart: [key("either"), key("gone")],
    costs: { [key("xray")]: 2, [key("gone")]: 1, [key("tub")]: -1 },
    utilities: { [key("lung")]: fits, [key("bronc")]: [{ action: "a", utilities: [1] }], [key("gone")]: fits },
  };
  assert.deepEqual(fittingPrices(MODEL, stored), {
    apart: MODEL.byKey.has(key("either")) ? [key("either")] : [],
    costs: { [key("xray")]: 2 },
    utilities: { [key("lung")]: fits },
  });
  assert.deepEqual(fittingPrices(MODEL, undefined), { apart: [], costs: {}, utilities: {} });
  const document = MODELS.get("asia").document();
  document.variables.find(({ name }) => name === "either").deterministic = true;
  const model = new Model(document);
  assert.deepEqual(fittingPrices(model, undefined).apart, [key("either")], "what is computed is no test");
  assert.deepEqual(fittingPrices(model, { apart: [] }).apart, [], "unless it was put back");
});

test("what nobody can look at is not asked for", () => {
  const names = MODEL.variables.map(({ name }) => name).filter((name) => name !== "lung" && name !== "tub");
  assert.deepEqual(askable(MODEL, key("lung"), [], []), []);
  assert.deepEqual(askable(MODEL, key("lung"), [], [key("tub")]), names);
  const findings = [{ variable: "xray", state: "yes" }, { variable: "smoke", do: "no" }, { variable: "dysp", weights: [1, 2] }];
  const open = names.filter((name) => name !== "xray" && name !== "smoke");
  assert.deepEqual(askable(MODEL, key("lung"), findings, [key("tub")]), open);
});

test("the list is told in bits, in bits for a cost, or in utility", () => {
  const asks = [
    { variable: "xray", bits: 0.2, share: 0.5, outcomes: [{ probability: 0.4, target: [0.9, 0.1] }, { probability: 0.6, target: [null, null] }] },
    { variable: "dysp", bits: 0.1, share: 0.25 },
  ];
  assert.deepEqual(askRows(MODEL, { asks }), [
    { key: key("xray"), text: "xray", worth: "0.2 bits", note: "50.0%", value: 0.2, size: 1 },
    { key: key("dysp"), text: "dysp", worth: "0.1 bits", note: "25.0%", value: 0.1, size: 0.5 },
  ]);
  const alone = askRows(MODEL, { asks: asks.slice(1) }, 0.2);
  assert.equal(alone[0].size, 0.5, "what is left keeps its scale");
  const nothing = askRows(MODEL, { asks: [asks[0], { variable: "dysp", bits: 3e-17, share: 0 }] })[1];
  assert.deepEqual([nothing.worth, nothing.size], ["0 bits", 0]);
  const priced = askRows(MODEL, { asks: asks.map((one, place) => ({ ...one, cost: place + 2 })) });
  assert.equal(priced[0].note, "cost 2, 0.1 bits for 1");
  const acts = askRows(MODEL, { asks: [{ ...asks[0], gain: 3, cost: 1, net: 2 }, { ...asks[1], gain: 0, net: -1, cost: 1 }] });
  assert.deepEqual([acts[0].worth, acts[0].note, acts[0].size], ["+2", "gain 3, cost 1", 1]);
  assert.deepEqual([acts[1].worth, acts[1].size], ["−1", 0]);
  assert.deepEqual(outcomeRows(MODEL, { asks }, key("xray"), 1), [
    { state: "no", chance: "40.0%", target: "10.0%", action: "" },
    { state: "yes", chance: "60.0%", target: "–", action: "" },
  ]);
});
