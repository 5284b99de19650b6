/** What the first page lists of a tab, and the names by which its networks are told apart. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { aboutOf, logName, namesText, recentOf, storedSource } from "../../src/bayou/server/page/logic/opening/recent.js";
import { TabMemory } from "../../src/bayou/server/page/logic/tab_memory.js";

function memoryWith(...entries) {
  const texts = new Map();
  const memory = new TabMemory({ getItem: (name) => texts.get(name) ?? null, setItem: (name, text) => texts.set(name, text) });
  for (const [revision, facts] of entries) memory.remember(revision, facts);
  return memory;
}

const about = { title: "", names: ["Rain"], variables: 1, arcs: 0 };

test("learned networks, files and built ones are listed, the newest first; galleries, empty and unsaved ones are not", () => {
  const memory = memoryWith(
    ["learned", { source: { name: "Learned from heart.csv" }, about }],
    ["asia", { source: { gallery: "asia", name: "Asia" }, about }],
    ["served", { source: { name: "alarm.bif", served: "alarm" }, about }],
    ["empty", { source: { name: "New network", begun: true }, about: { ...about, variables: 0 } }],
    ["built", { source: { name: "New network", begun: true }, about, log: "one" }],
    ["file", { source: { name: "x.bif", kept: "k" }, about, kind: "network" }],
    ["view", { view: "table" }],
  );
  assert.deepEqual(recentOf(memory).map(({ revision }) => revision), ["file", "built", "learned"]);
  assert.deepEqual(recentOf(memory, new Set(["one"])).map(({ revision }) => revision), ["file", "learned"]);
  assert.deepEqual(storedSource({ name: "x.bif", file: "AAAA", kept: "k" }), { name: "x.bif", kept: "k" });
});

test("what was discarded is not listed; a file is as it was before its edits", () => {
  const memory = memoryWith(
    ["rain", { source: { name: "New network", begun: true }, about, log: "one" }],
    ["edited", { source: { name: "x.bif" }, about, log: "two" }],
  );
  memory.discard({ id: "one", origin: "nothing", source: { begun: true } });
  memory.discard({ id: "two", origin: "first", source: { name: "x.bif" } });
  assert.deepEqual(recentOf(memory).map(({ revision }) => revision), ["first"]);
});

test("networks that were built have the names of their variables", () => {
  const add = (name) => ({ edit: "add_node", name });
  const log = (edits, source = { name: "New network", begun: true }) => ({ source, edits });
  assert.equal(logName(log([])), "New network");
  assert.equal(logName(log([add("Rain"), add("Fire")])), "New network (Rain, Fire)");
  const renamed = { edit: "rename_node", variable: "Rain", name: "Snow" };
  const gone = { edit: "remove_node", variable: "Fire" };
  assert.equal(logName(log([add("Rain"), add("Fire"), renamed, gone])), "New network (Snow)");
  assert.equal(logName(log([..."abcdefg"].map(add))), "New network (a, b, c, d, e and 2 more)");
  assert.equal(logName(log([add("Rain")], { name: "Asia", gallery: "asia" })), "Asia");
  const variables = [..."abcdefg"].map((text) => ({ text }));
  assert.equal(namesText(aboutOf({ title: "", variables, arcs: [] })), "a, b, c, d, e and 2 more");
});
