import assert from "node:assert/strict";
import { test } from "node:test";

import { commandFor, helpGroups, KEYS } from "../../src/bayou/server/page/logic/keyboard.js";
import { meaningOf, Model } from "../../src/bayou/server/page/logic/model.js";
import { found } from "../../src/bayou/server/page/logic/search.js";
import { MODELS } from "./fake_models.mjs";

const model = new Model(MODELS.get("asia").document());
const texts = (typed, limit) => found(model, typed, limit).map(({ text }) => text);

test("search finds a variable first, then its states", () => {
  assert.deepEqual(texts("xray"), ["xray", "xray = no", "xray = yes"]);
  assert.deepEqual(texts("XR").slice(0, 1), ["xray"]);
  assert.deepEqual(texts("xray yes"), ["xray = yes"]);
  assert.deepEqual(texts("xray=yes"), ["xray = yes"]);
  assert.deepEqual(texts("  "), []);
  assert.deepEqual(texts("nothing like it"), []);
});

test("search finds parts of names, states alone, descriptions, and no accents", () => {
  assert.ok(texts("ray").includes("xray"));
  assert.equal(texts("yes").length, 8);
  assert.equal(texts("a", 5).length, 5);
  assert.ok(texts("about dysp").includes("dysp"));
  const accents = new Model({
    ...MODELS.get("asia").document(),
    variables: [{ ...model.variables[0], name: "é", label: "Économie", title: "" }],
    arcs: [],
  });
  assert.equal(found(accents, "econ")[0].text, "Économie");
});

test("names that begin so come before states, meanings come last and are told", () => {
  const { variables, ...rest } = MODELS.get("asia").document();
  const described = variables.map((one) => (one.name === "tub" ? { ...one, description: "Asian tuberculosis. It is rare." } : one));
  const meant = new Model({ ...rest, variables: described });
  const hits = found(meant, "as");
  assert.deepEqual(hits.map(({ text }) => text), ["asia", "asia = no", "asia = yes", "tub"]);
  assert.deepEqual(hits.map(({ meaning }) => meaning), ["About asia", "", "", "Asian tuberculosis"]);
  const begin = found(model, "l").map(({ text }) => text);
  assert.ok(begin.indexOf("lung = yes") < 0 || begin.indexOf("lung = yes") > begin.indexOf("lung"));
  const two = new Model({ ...rest, variables: described.map((one) => (one.name === "tub" ? { ...one, name: "asbestos", label: "asbestos" } : one)), arcs: [] });
  assert.deepEqual(found(two, "as", 3).map(({ text }) => text), ["asia", "asbestos", "asia = no"]);
});

test("what a short name means is its first sentence, cut off at a word", () => {
  assert.equal(meaningOf("tub", "tuberculosis"), "tuberculosis");
  assert.equal(meaningOf("Tuberculosis", "tuberculosis."), "");
  assert.equal(meaningOf("CO", "Cardiac output. In litres per minute."), "Cardiac output");
  assert.equal(meaningOf("x", undefined), "");
  assert.match(meaningOf("x", "word ".repeat(30)), /^(word )+…$/);
});

const press = (key, more = {}) => ({
  key,
  ctrlKey: false,
  metaKey: false,
  shiftKey: false,
  altKey: false,
  ...more,
});

test("keys do what the place means", () => {
  assert.equal(commandFor(press("ArrowUp"), "node"), "parent");
  assert.equal(commandFor(press("ArrowUp"), "state"), "state-before");
  assert.equal(commandFor(press("ArrowUp"), "canvas"), "pan-up");
  assert.equal(commandFor(press("ArrowUp"), "page"), null);
  assert.equal(commandFor(press(" "), "state"), "toggle");
  assert.equal(commandFor(press("n"), "state"), "exclude");
  assert.equal(commandFor(press("n"), "page"), null);
  assert.equal(commandFor(press("u"), "state"), "clear-all");
  assert.equal(commandFor(press("?", { shiftKey: true }), "page"), "help");
});

test("Ctrl and Command undo; a field keeps its own keys", () => {
  assert.equal(commandFor(press("z", { ctrlKey: true }), "page"), "undo");
  assert.equal(commandFor(press("Z", { metaKey: true, shiftKey: true }), "page"), "redo");
  assert.equal(commandFor(press("z", { ctrlKey: true }), "field"), null);
  assert.equal(commandFor(press("u"), "field"), null);
  assert.equal(commandFor(press("s", { ctrlKey: true }), "field"), "save");
  assert.equal(commandFor(press("u", { altKey: true }), "page"), null);
});

test("every key is told once in its group, and no key has two meanings in one place", () => {
  const groups = helpGroups();
  assert.deepEqual(
    groups.map(([title]) => title),
    ["Everywhere", "On a variable", "On a state of it", "In the drawing"],
  );
  const lines = groups.flatMap(([, own]) => own);
  for (const [title, own] of groups) {
    const keys = own.flatMap(([shown]) => shown.split(" or "));
    assert.equal(new Set(keys).size, keys.length, title);
  }
  assert.equal(lines.length, KEYS.filter(({ help }) => help).length, "no key is left out");
  assert.ok(
    lines.some(([keys]) => keys === "Ctrl+Shift+Z or Ctrl+Y"),
    JSON.stringify(lines),
  );
  assert.ok(lines.some(([keys]) => keys === "+ or ="));
  assert.ok(lines.some(([keys]) => keys === "Space"));
  assert.equal(new Set(lines.map(([, help]) => help)).size, lines.length);
  for (const place of ["node", "state", "canvas"]) {
    const names = KEYS.filter(({ places }) => places?.includes(place)).flatMap(({ keys }) => keys);
    assert.equal(new Set(names).size, names.length, place);
  }
});
