import assert from "node:assert/strict";
import { test } from "node:test";

import { addressOf, placeOf } from "../../src/bayou/server/page/logic/address.js";
import * as history from "../../src/bayou/server/page/logic/history.js";
import { Latest, retryDelay } from "../../src/bayou/server/page/logic/latest.js";
import { TabMemory } from "../../src/bayou/server/page/logic/tab_memory.js";

test("undo and redo walk through the findings", () => {
  let past = history.begun([]);
  past = history.recorded(past, ["a"]);
  past = history.recorded(past, ["a", "b"]);
  assert.equal(history.recorded(past, ["a", "b"]), past);
  past = history.undone(past);
  assert.deepEqual(past.present, ["a"]);
  past = history.undone(past);
  assert.deepEqual([past.present, history.canUndo(past)], [[], false]);
  assert.equal(history.undone(past), past);
  past = history.redone(history.redone(past));
  assert.deepEqual([past.present, history.canRedo(past)], [["a", "b"], false]);
  past = history.recorded(history.undone(past), ["c"]);
  assert.deepEqual([past.present, history.canRedo(past)], [["c"], false]);
});

test("a stored history counts only for the same findings", () => {
  const stored = { past: [[]], present: ["a"], future: [] };
  assert.equal(history.restored(stored, ["a"]), stored);
  assert.deepEqual(history.restored(stored, ["b"]), history.begun(["b"]));
  assert.deepEqual(history.restored({ past: 3 }, []), history.begun([]));
  assert.deepEqual(history.restored(undefined, []), history.begun([]));
});

test("an address gives back what it was made of, whatever the names are", () => {
  const place = {
    model: "0123456789abcdef0123456789abcdef",
    gallery: "asia",
    name: "a b&c#d=é.bif",
    findings: [
      { variable: 'x & "y" #=+%', state: true },
      { variable: { type: "tuple", value: [1, "ü"] }, not: [1, 2.5] },
    ],
    kept: [],
  };
  assert.deepEqual(placeOf(addressOf(place)), { ...place, damaged: false });
  assert.equal(addressOf({ model: null }), "");
});

test("a damaged address still opens the model", () => {
  const place = placeOf("#model=abc&findings=%5B%7Bnot+json&kept=7");
  assert.deepEqual([place.model, place.findings, place.kept, place.damaged], ["abc", [], null, true]);
  assert.equal(placeOf("").model, null);
  assert.equal(placeOf("#gallery").model, null);
});

class Storage {
  constructor() {
    this.texts = new Map();
  }

  getItem(name) {
    return this.texts.get(name) ?? null;
  }

  setItem(name, text) {
    this.texts.set(name, text);
  }
}

test("a tab remembers what belongs to its model", () => {
  const memory = new TabMemory(new Storage());
  memory.remember("one", { view: "table" });
  memory.remember("one", { chosen: "x" });
  assert.deepEqual(memory.recall("one"), { view: "table", chosen: "x" });
  assert.deepEqual(memory.recall("two"), {});
  memory.remember("two", { view: "cards" });
  assert.deepEqual(memory.recall("one"), { view: "table", chosen: "x" }, "going to another network loses nothing");
  memory.carry("one", "three");
  assert.deepEqual([memory.recall("one"), memory.recall("three").view], [{}, "table"]);
});

test("of many networks those that were left first are forgotten, also where there is little room", () => {
  const memory = new TabMemory(new Storage());
  for (let place = 0; place < 20; place += 1) memory.remember(`m${place}`, { view: "table" });
  assert.deepEqual([memory.recall("m0"), memory.recall("m19")], [{}, { view: "table" }]);
  assert.equal(memory.all.length, 8);
  const small = new Storage();
  small.setItem = function set(name, text) {
    if (text.length > 120) throw new Error("full");
    Storage.prototype.setItem.call(this, name, text);
  };
  const little = new TabMemory(small);
  for (const name of ["a", "b", "c"]) little.remember(name, { note: "x".repeat(40) });
  assert.deepEqual([little.recall("a"), little.recall("c").note.length], [{}, 40]);
});

test("a tab without storage forgets and works on", () => {
  const broken = {
    getItem: () => "{",
    setItem: () => {
      throw new Error("full");
    },
  };
  const memory = new TabMemory(broken);
  memory.remember("one", { view: "table" });
  assert.deepEqual(memory.recall("one"), {});
});

test("only the newest request counts; older ones are aborted and their errors dropped", async () => {
  const latest = new Latest();
  let fail;
  let signal;
  const old = latest.run((given) => {
    signal = given;
    return new Promise((_, reject) => {
      fail = reject;
    });
  });
  const fresh = latest.run(async () => "new");
  assert.ok(signal.aborted);
  fail(new Error("aborted"));
  assert.deepEqual(await old, { current: false });
  assert.deepEqual(await fresh, { current: true, answer: "new" });
  assert.equal(latest.busy, false);
  await assert.rejects(
    latest.run(async () => Promise.reject(new Error("real"))),
    /real/,
  );
});

test("waits between trials grow and stay bounded", () => {
  assert.deepEqual([1, 2, 3, 9].map(retryDelay), [500, 1000, 2000, 10_000]);
});
