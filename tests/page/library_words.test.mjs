/** Sentences of the library as the page writes them: one notation for "variable = state". */

import assert from "node:assert/strict";
import { test } from "node:test";

import { Model } from "../../src/bayou/server/page/logic/model.js";
import { pageWords } from "../../src/bayou/server/page/logic/why/library_words.js";
import { MODELS } from "./fake_models.mjs";

const MODEL = new Model(MODELS.get("asia").document());
const plain = { states: ["no", "yes"], labels: ["no", "yes"], title: "" };
const named = (...labels) => ({ variables: labels.map((label) => ({ ...plain, label, text: label })) });

test("findings in sentences are written as in headings and lists", () => {
  const told = pageWords(MODEL, "lung=yes became more likely: 5.5% → 64.6%.");
  assert.equal(told, "lung = yes became more likely: 5.5% → 64.6%.");
  const listed = pageWords(MODEL, "their probability is 0): either=no, lung=yes. Release one.");
  assert.equal(listed, "their probability is 0): either = no, lung = yes. Release one.");
  assert.equal(pageWords(MODEL, "For it speak do(smoke=yes) and xray≠no."), "For it speak smoke set to yes and xray is not no.");
  assert.equal(pageWords(named("age"), "age in {30, 40, 50} is rare."), "age is 30, 40 or 50 is rare.");
});

test("titles stand where names stood, and only whole names are taken", () => {
  const titled = { variables: [{ ...plain, label: "lung", text: "Lung cancer" }] };
  assert.equal(pageWords(titled, "lung=yes, longlung=yes"), "Lung cancer = yes, longlung=yes");
  assert.equal(pageWords(named("A", "A.B", "x (1)"), "A.B=yes, A=no, x (1)=yes"), "A.B = yes, A = no, x (1) = yes");
  assert.equal(pageWords(named(), "nothing=here"), "nothing=here");
});

test("a minus is no hyphen, and a hyphen no minus", () => {
  const told = pageWords(MODEL, "wait (expected utility -5.05), -3 for well-known 10-20");
  assert.equal(told, "wait (expected utility −5.05), −3 for well-known 10-20");
});
