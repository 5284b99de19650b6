import assert from "node:assert/strict";
import { test } from "node:test";

import { contentOf, copiedText } from "../../src/bayou/server/page/logic/building/copied_variables.js";
import { bytesOf, textOf } from "../../src/bayou/server/page/logic/building/file_text.js";
import { stateEdits } from "../../src/bayou/server/page/logic/building/state_changes.js";
import * as typed from "../../src/bayou/server/page/logic/building/typed_network.js";
import * as rows from "../../src/bayou/server/page/logic/building/typed_rows.js";
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

/** The rows of a text, for a variable with states no and yes below parents with some rows. */
function read(text, height = 1, states = ["no", "yes"]) {
  const given = (line) => (height === 1 ? "" : `smoke = ${"abcdef"[line]}`);
  return rows.readRows(text === "" ? [] : rows.textCells(text, height), { states, height, given });
}

test("rows are numbers as people type them", () => {
  assert.deepEqual(read("0.8, 0.2"), [[0.8, 0.2]]);
  assert.deepEqual(read("0,8 0,2"), [[0.8, 0.2]]);
  assert.deepEqual(read("0.8,0.2"), [[0.8, 0.2]]);
  assert.deepEqual(read("80%; 20%"), [[0.8, 0.2]]);
  assert.deepEqual(read("1/4\t3/4"), [[0.25, 0.75]]);
  assert.deepEqual(read("0.9\n1 0\n\n3 1", 3), [
    [0.9, 0.1],
    [1, 0],
    [0.75, 0.25],
  ]);
  assert.equal(read(" \n", 4), null);
  assert.equal(read("", 4), null);
});

test("any one number of a row may be left out, for any number of states", () => {
  assert.deepEqual(read("? 0.2"), [[0.8, 0.2]]);
  assert.deepEqual(read("0.2"), [[0.2, 0.8]]);
  for (let width = 2; width <= 6; width++) {
    const states = Array.from({ length: width }, (_, place) => `s${place}`);
    const whole = states.map((_, place) => (place === 0 ? 1 - (width - 1) / 10 : 0.1));
    for (let gap = 0; gap < width; gap++) {
      const cells = [whole.map((one, place) => (place === gap ? "" : String(one)))];
      const [row] = rows.readRows(cells, { states, height: 1, given: () => "" });
      row.forEach((one, place) => assert.ok(Math.abs(one - whole[place]) < 1e-9));
      assert.equal(rows.restOf(cells[0], width).place, gap);
    }
  }
  assert.equal(rows.restOf(["0.2"], 3), null, "two are missing");
  assert.equal(rows.restOf(["", "3"], 2), null, "a count");
  assert.equal(rows.restOf(["", "x"], 2), null);
  assert.equal(rows.restOf([], 1), null, "a single state");
  assert.deepEqual(rows.restOf(["0.1", "", "0.3"], 3), { place: 1, value: 0.6 });
});

test("what is wrong with rows names the row by the states of the parents, and the cell", () => {
  const fault = (...asked) => {
    try {
      return read(...asked);
    } catch ({ message, line, place }) {
      return [message, line, place];
    }
  };
  assert.deepEqual(fault("? 0.2\n? 0.20.01", 2), [
    'Row 2 (smoke = b), P(yes): "0.20.01" is not a number. Type for example 0.2, 20% or 1/5.',
    1,
    1,
  ]);
  assert.equal(fault("0.5\n\n\n0.20.01 ?", 4)[1], 3, "nonsense is told before what is missing");
  assert.deepEqual(fault("0.5 0.5\n\n1 0", 3), ["Row 2 (smoke = b) has no numbers yet.", 1, 0]);
  assert.deepEqual(fault("0.5 0.5", 2), ["Row 2 (smoke = b) has no numbers yet.", 1, 0]);
  assert.match(fault("0.5 0.4")[0], /^The numbers of the row add up to 0\.9, not to 1/);
  assert.match(fault("0.5 0.4\n1", 2)[0], /numbers of row 1 \(smoke = a\) add up to 0\.9, not to 1/);
  assert.match(fault("0.5 0.4 0.1")[0], /The row has 3 numbers; the variable has 2 states/);
  assert.match(fault("-1 2")[0], /The row, P\(no\): -1 is negative/);
  assert.match(fault("half 0.5")[0], /"half" is not a number/);
  assert.match(fault("? 3")[0], /P\(no\) is missing, and the others add up to 3/);
  assert.match(fault("0.2", 1, ["a", "b", "c"])[0], /P\(b\), P\(c\) are missing; only one/);
  assert.match(fault("1 0\n1 0\n1 0", 2)[0], /The table has 2 rows, but 3 lines were typed/);
  assert.deepEqual([fault("1 0\n1 0\n1 0", 2)[1]], [2]);
});

test("new variables begin with no and yes in the order of the network; parents are offered once", () => {
  const usual = (...lists) => typed.usualStates({ variables: lists.map((labels) => ({ labels })) });
  assert.equal(usual(), "no, yes");
  assert.equal(usual(["yes", "no"], ["Yes", "No"], ["no", "yes"]), "yes, no");
  assert.equal(usual(["no", "yes"], ["a", "b"]), "no, yes");
  assert.deepEqual(typed.notTyped(["tub", "lung", "a, b"], "Tub, "), ["lung", "a, b"]);
  assert.deepEqual(typed.notTyped(["tub", "a, b"], "a, b"), ["tub"]);
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

test("cells and lines of text are the same numbers", () => {
  const cells = [["0,1", "0,9"], ["", "3/4"], [""], ["1"]];
  assert.deepEqual(rows.textCells("0,1 0,9\n? 3/4\n\n1"), cells);
  assert.equal(rows.cellsText(cells), "0,1 0,9\n? 3/4\n\n1");
  assert.deepEqual(rows.textCells("0.1,0.9\n?,0.8"), [["0.1", "0.9"], ["", "0.8"]]);
  assert.deepEqual(rows.textCells("1 0\n\n0 1\n", 2), [["1", "0"], ["0", "1"]], "blank lines may part the rows");
  assert.equal(rows.cellsText(rows.withCell([], 0, 1, " 0.2 ")), "? 0.2");
  assert.equal(rows.cellsText(rows.withCell([["0.1"], ["0.2"]], 3, 0, "0.4")), "0.1\n0.2\n\n0.4");
  assert.equal(rows.cellsText(rows.withCell([["0.1", "0.9"]], 0, 1, "")), "0.1");
});
