import assert from "node:assert/strict";
import { test } from "node:test";

import { contentOf, copiedText } from "../../src/bayou/server/page/logic/building/copied_variables.js";
import { bytesOf, textOf } from "../../src/bayou/server/page/logic/building/file_text.js";
import { stateEdits } from "../../src/bayou/server/page/logic/building/state_changes.js";
import * as typed from "../../src/bayou/server/page/logic/building/typed_network.js";
import { commandFor, keyName } from "../../src/bayou/server/page/logic/keyboard.js";

const model = {
  variables: [
    { label: "rain", text: "Rain today" },
    { label: "hose, garden", text: "hose, garden" },
    { label: "wet", text: "wet" },
  ],
};

test("states are typed with commas; all numbers are numbers, as in data", () => {
  assert.deepEqual(typed.typedStates(" no, yes ,"), ["no", "yes"]);
  assert.deepEqual(typed.typedStates("0,1,2.5"), [0, 1, 2.5]);
  assert.deepEqual(typed.typedStates("01, 2"), ["01", "2"]);
  assert.throws(() => typed.typedStates(" , "), /with commas/);
  assert.throws(() => typed.typedStates("a, b, a"), /a is there twice/);
  assert.deepEqual(
    [typed.typedState("3", [1, 2]), typed.typedState("3", ["a"]), typed.typedState(" x ", [1])],
    [3, "3", "x"],
  );
});

test("parents are found by label or title, also with commas in their names", () => {
  const labels = (text) => typed.typedVariables(model, text).map(({ label }) => label);
  assert.deepEqual(labels("rain, wet"), ["rain", "wet"]);
  assert.deepEqual(labels("hose, garden"), ["hose, garden"]);
  assert.deepEqual(labels("Rain today"), ["rain"]);
  assert.deepEqual(labels("  "), []);
  assert.throws(() => typed.typedVariable(model, "Rai"), /no variable Rai\. Did you mean rain\?/);
});

test("rows are numbers as people type them", () => {
  assert.deepEqual(typed.typedRow("0.8, 0.2"), [0.8, 0.2]);
  assert.deepEqual(typed.typedRow("0,8 0,2"), [0.8, 0.2]);
  assert.deepEqual(typed.typedRow("0.8,0.2"), [0.8, 0.2]);
  assert.deepEqual(typed.typedRow("80%; 20%"), [0.8, 0.2]);
  assert.deepEqual(typed.typedRow("1/4\t3/4"), [0.25, 0.75]);
  assert.deepEqual(typed.typedRows("0.9\n1 0\n\n3 1", 2, 3), [
    [0.9, 0.1],
    [1, 0],
    [0.75, 0.25],
  ]);
  assert.equal(typed.typedRows(" \n", 2, 4), null);
  assert.throws(() => typed.typedRows("0.5 0.5", 2, 2), /has 2 rows: type a line for each, there are 1/);
  assert.throws(() => typed.typedRows("0.5 0.4", 2, 1), /add up to 0\.9, not to 1/);
  assert.throws(() => typed.typedRows("0.5 0.4 0.1", 2, 1), /has 3 numbers; the variable has 2 states/);
  assert.throws(() => typed.typedRows("-1 2", 2, 1), /negative/);
  assert.throws(() => typed.typedRows("half 0.5", 2, 1), /not a number/);
});

/** What the edits make of states: the referee of stateEdits. */
function after(states, edits) {
  let now = [...states];
  for (const { edit, state, name, order } of edits) {
    if (edit === "remove_state") now = now.filter((one) => one !== state);
    if (edit === "add_state") now.push(state);
    if (edit === "rename_state") now = now.map((one) => (one === state ? name : one));
    if (edit === "reorder_states") now = order.every((one) => now.includes(one)) ? order : ["bad order"];
    assert.ok(now.length > 0, "never without states");
    assert.equal(new Set(now).size, now.length, "never twice");
  }
  return now;
}

test("wanted states become edits that never leave a variable without states", () => {
  const states = ["low", "middle", "high"];
  const keep = (name, before = name) => ({ before, name });
  const cases = [
    [keep("low"), keep("middle"), keep("high")],
    [keep("high"), keep("low"), { before: undefined, name: "extreme" }],
    [keep("middle", "low"), keep("low", "middle")],
    [{ before: undefined, name: "a" }, { before: undefined, name: "b" }], // prettier-ignore
    [keep("HIGH", "high"), { before: undefined, name: "low" }], // prettier-ignore
  ];
  for (const wanted of cases) {
    const edits = stateEdits("x", states, wanted);
    assert.deepEqual(
      after(states, edits),
      wanted.map(({ name }) => name),
    );
    assert.ok(edits.every(({ variable }) => variable === "x"));
  }
  assert.deepEqual(stateEdits("x", states, cases[0]), []);
  assert.throws(() => stateEdits("x", states, []), /at least one state/);
  assert.throws(() => stateEdits("x", states, [keep("a", "low"), keep("a", "high")]), /a is there twice/);
});

test("copied variables are JSON with a mark; other texts are left alone", () => {
  assert.equal(contentOf(copiedText("UEs=", ["a"])), "UEs=");
  for (const text of ["", "/etc/passwd", "[1]", '{"content": "x"}', "null"]) assert.equal(contentOf(text), null);
  const bytes = Uint8Array.from({ length: 300 }, (_, place) => place % 256);
  assert.deepEqual(bytesOf(textOf(bytes.buffer)), bytes);
  assert.equal(textOf(new ArrayBuffer(600_000)), null);
});

test("keys of building have their own names, and leave those of findings alone", () => {
  assert.equal(keyName({ key: "ArrowUp", altKey: true }), "Alt+ArrowUp");
  assert.equal(keyName({ key: "f", altKey: true }), "");
  assert.equal(commandFor({ key: "Delete", shiftKey: true }, "node"), "remove-variable");
  assert.equal(commandFor({ key: "Delete" }, "node"), "clear");
  assert.equal(commandFor({ key: "Delete" }, "canvas"), "remove-arc");
  assert.equal(commandFor({ key: "v", ctrlKey: true }, "page"), null);
  assert.equal(commandFor({ key: "c" }, "field"), null);
});

test("a number typed in the table beside the lines goes into its line", () => {
  assert.equal(typed.withCell("", 0, 0, "0.2"), "0.2");
  assert.equal(typed.withCell("0.2", 0, 1, " 0.8 "), "0.2 0.8");
  assert.equal(typed.withCell("0.1\n0.2", 3, 0, "0.4"), "0.1\n0.2\n\n0.4");
  assert.equal(typed.withCell("0.1; 0.9\n0.2, 0.8", 1, 0, ""), "0.1 0.9\n? 0.8");
  assert.equal(typed.withCell("0.1 0.9", 0, 1, ""), "0.1");
  assert.deepEqual(typed.lineCells("0,1 0,9\n? 3/4\n\n1"), [["0,1", "0,9"], ["", "3/4"], [""], ["1"]]);
  assert.deepEqual(typed.linesSoFar("? 0.9\n0.5", 2), [null, [0.5, 0.5]]);
});
