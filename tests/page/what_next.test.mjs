/** Actions, utilities and costs as they are typed, and the ranked list of what to ask. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { Model } from "../../src/bayou/server/page/logic/model.js";
import {
  adviceText,
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

test("the list is told in shares of the uncertainty, in shares for a cost, or in utility", () => {
  const outcomes = [{ probability: 0.067, target: [0.9, 0.1] }, { probability: 0.933, target: [0.315, 0.685] }];
  const asks = [
    { variable: "xray", bits: 0.2, share: 0.5, outcomes },
    { variable: "dysp", bits: 0.0679123, share: 0.072 },
  ];
  const answer = { asks, entropy: 0.93812, sentence: "The library's words." };
  const target = MODEL.byKey.get(key("lung"));
  const [state] = target.labels.slice(1);
  const rows = askRows(MODEL, answer, { target, place: 1 });
  const [no, yes] = MODEL.byKey.get(key("xray")).labels;
  assert.deepEqual(rows, [
    { key: key("xray"), text: "xray", worth: "50.0%", note: "", figures: "0.2 bits of 0.938 bits", outlook: `${no} (6.7%) would take lung = ${state} to 10.0%, ${yes} (93.3%) to 68.5%`, value: 0.5, size: 0.5 },
    { key: key("dysp"), text: "dysp", worth: "7.2%", note: "", figures: "0.0679 bits of 0.938 bits", outlook: "", value: 0.072, size: 0.072 },
  ]);
  assert.equal(adviceText(answer, rows, target), "Ask for xray: it is expected to tell the most about lung.");
  const nothing = askRows(MODEL, { ...answer, asks: [{ variable: "dysp", bits: 3e-17, share: 1e-17, outcomes }] }, { target, place: 1 });
  assert.deepEqual([nothing[0].worth, nothing[0].size, nothing[0].outlook], ["0%", 0, ""]);
  assert.equal(adviceText(answer, nothing, target), answer.sentence);
  assert.equal(adviceText({ ...answer, best_action: "treat" }, rows, target), answer.sentence);
  const priced = askRows(MODEL, { ...answer, asks: asks.map((one, place) => ({ ...one, cost: place + 2 })) });
  assert.equal(priced[0].note, "cost 2, 25.0% for 1");
  assert.match(adviceText(answer, priced, target), /most about lung, for its cost\.$/);
  const gains = [{ ...asks[0], gain: 3, cost: 1, net: 2 }, { ...asks[1], gain: 0, net: -1, cost: 1 }];
  const acts = askRows(MODEL, { ...answer, asks: gains });
  assert.deepEqual([acts[0].worth, acts[0].note, acts[0].size], ["+2", "gain 3, cost 1", 1]);
  assert.deepEqual([acts[1].worth, acts[1].size], ["−1", 0]);
  assert.equal(askRows(MODEL, { ...answer, asks: gains }, { most: 4 })[0].size, 0.5, "what is left keeps its scale");
  const impossible = [{ probability: 1, target: [0.9, 0.1] }, { probability: 0, target: [null, null] }];
  assert.deepEqual(outcomeRows(MODEL, { asks: [{ variable: "xray", outcomes: impossible }] }, key("xray"), 1), [
    { state: no, chance: "100%", target: "10.0%", action: "", isPossible: true },
    { state: yes, chance: "0%", target: "–", action: "", isPossible: false },
  ]);
});
