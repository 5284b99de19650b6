/** The page of the API: types in words, addresses with their forms, and the search. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import {
  formsOf,
  found,
  operationsOf,
  typeWords,
} from "../../src/bayou/server/page/logic/reference/description.js";

const stored = JSON.parse(readFileSync(new URL("../server/openapi-v1.json", import.meta.url), "utf8"));
const said = (schema) =>
  typeWords(schema)
    .map((word) => word.form ?? word)
    .join("");

test("types are told in words", () => {
  assert.equal(said({ type: "string" }), "text");
  assert.equal(said({ type: "integer", minimum: 1, maximum: 100 }), "whole number from 1 to 100");
  assert.equal(said({ type: "number", exclusiveMinimum: 0, maximum: 1 }), "number above 0 to 1");
  assert.equal(said({ anyOf: [{ type: "string" }, { $ref: "#/components/schemas/Cell" }] }), "text or Cell");
  assert.equal(said({ type: "array", items: { type: "number" }, maxItems: 3 }), "list of at most 3 of number");
  assert.equal(said({ type: "array", prefixItems: [{ type: "number" }, { type: "number" }] }), "(number, number)");
  assert.equal(said({ enum: ["bif", "net"] }), 'one of "bif", "net"');
  assert.equal(said({}), "anything");
});

test("every address and every form of the description is shown", () => {
  const operations = operationsOf(stored);
  const count = Object.values(stored.paths).flatMap((methods) => Object.keys(methods)).length;
  assert.equal(operations.length, count);
  const query = operations.find(({ id }) => id === "query");
  assert.equal(query.method, "POST");
  assert.deepEqual(typeWords(query.bodies[0].schema), [{ form: "QueryRequest" }]);
  assert.deepEqual(
    query.answers.map(({ status }) => status),
    ["200"],
  );
  assert.ok(query.problems.length > 5);
  assert.ok(query.problems.every(({ description }) => description.length > 0));
  const names = formsOf(stored).map(({ name }) => name);
  assert.deepEqual(names, Object.keys(stored.components.schemas));
  const linked = JSON.stringify(stored).match(/#\/components\/schemas\/(\w+)/g);
  for (const link of linked) assert.ok(names.includes(link.split("/").pop()), link);
});

test("words are found in addresses, summaries, forms and members", () => {
  const operations = operationsOf(stored);
  const hits = (typed) => operations.filter((each) => found(typed, each)).map(({ id }) => id);
  assert.deepEqual(hits("post QUERY"), ["query", "working"]);
  assert.ok(hits("").length === operations.length);
  assert.deepEqual(hits("nothing of this kind"), []);
  const forms = formsOf(stored).filter((each) => found("weights", each)).map(({ name }) => name);
  assert.ok(forms.includes("Finding"));
  assert.ok(!forms.includes("SaveRequest"));
});
