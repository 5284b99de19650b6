/** The table editor without a browser: cells, rows that adapt, paste from spreadsheets, drafts and their edits. */

import assert from "node:assert/strict";
import { test } from "node:test";

import {
  adapted,
  faultOf,
  normalised,
  readCell,
  shownCell,
  wholeCell,
} from "../../src/bayou/server/page/logic/tables/cell_rows.js";
import { KeptDrafts, repairWords } from "../../src/bayou/server/page/logic/tables/kept_drafts.js";
import { nearestNoisyOr, noisyRows, readNoisyOr } from "../../src/bayou/server/page/logic/tables/noisy_or.js";
import { placed } from "../../src/bayou/server/page/logic/tables/pasted_table.js";
import { cellsOf, textOf } from "../../src/bayou/server/page/logic/tables/pasted_text.js";
import {
  chosenCell,
  filledDown,
  movedBy,
  rangeOf,
} from "../../src/bayou/server/page/logic/tables/selection.js";
import { TableDraft } from "../../src/bayou/server/page/logic/tables/table_draft.js";
import { TableRows } from "../../src/bayou/server/page/logic/tables/table_rows.js";
import { formWords, noTableWords } from "../../src/bayou/server/page/logic/tables/table_words.js";
import { TabMemory } from "../../src/bayou/server/page/logic/tab_memory.js";

const axis = (name, states) => ({ name, states, labels: states.map(String) });
const same = (rows, count) => Array.from({ length: count }, () => rows);

/** P(dose | sick, age): 6 rows of 3 states. */
const answer = (changes = {}) => ({
  variable: axis("dose", ["none", "low", "high"]),
  parents: [axis("sick", ["yes", "no"]), axis("age", [1, 2, 3])],
  rows: same([0.5, 0.25, 0.25], 6),
  counts: null,
  lower: null,
  upper: null,
  form: "table",
  noisy_or: null,
  shared_with: [],
  ...changes,
});

const table = (draft) => ({
  labels: draft.answer.variable.labels,
  parents: draft.answer.parents.map(({ name, labels }) => ({ text: name, labels })),
  rows: draft.rows,
});
const FIRST = { top: 0, left: 0, bottom: 0, right: 0 };

test("cells are typed with points, commas, percents and fractions; all else stays as it was typed", () => {
  const typed = {
    0.25: 0.25,
    "25 %": 0.25,
    "25%": 0.25,
    "0,25": 0.25,
    "2/3": 2 / 3,
    "1e-3": 0.001,
    "12,5 %": 0.125,
  };
  for (const [text, value] of Object.entries(typed)) assert.equal(readCell(text), value, text);
  for (const text of ["", "a half", "-0.5", "1/0", "0.1.2"]) assert.equal(readCell(` ${text} `), text);
  assert.equal(shownCell(1 / 3), "0.333333");
  assert.equal(shownCell("a half"), "a half");
  assert.equal(Number(wholeCell(1 / 3)), 1 / 3);
  assert.equal(wholeCell(0.25, true), "0,25");
});

test("a row is told by its sum or its text, rounded decimals are in order", () => {
  assert.equal(faultOf([0.333333, 0.333333, 0.333334]), null);
  assert.equal(faultOf([0.5, 0.25, 0.2]).sum.toFixed(2), "0.95");
  assert.deepEqual(faultOf([0.5, "x", 0.5]), { text: "x" });
});

test("two states complement each other, locked cells stay while the rest adapts in proportion", () => {
  const none = new Set();
  assert.deepEqual(adapted([0.25, 0.1], new Set([0]), none), [0.25, 0.75]);
  assert.deepEqual(adapted([3, 1], new Set([1]), none), [3, 1]);
  assert.deepEqual(adapted(["x", 0.25], new Set([1]), none), [0.75, 0.25]);
  assert.deepEqual(adapted([3, 0.1], new Set([0]), none), [3, 0.1]);
  assert.deepEqual(adapted([0.3, 0.25, 0.25], new Set([0]), none), [0.3, 0.25, 0.25]);
  assert.deepEqual(adapted([0.25, 0.5, 0.25, 0.75], new Set([0]), new Set([1])), [0.25, 0.5, 0.0625, 0.1875]);
  assert.deepEqual(adapted([0.25, 0.5, 0, 0], new Set([0]), new Set([1])), [0.25, 0.5, 0.125, 0.125]);
  assert.deepEqual(adapted([0.75, 0.5, 0.1, 0.1], new Set([0]), new Set([1])), [0.75, 0.5, 0.1, 0.1]);
  assert.deepEqual(normalised([2, 1, 1], none), [0.5, 0.25, 0.25]);
  assert.deepEqual(normalised([0.5, 3, 1], new Set([0])), [0.5, 0.375, 0.125]);
  assert.equal(normalised([0, 0], none), null);
  assert.equal(normalised(["x", 1], none), null);
});

test("rows are found by the states of parents, in any order of the parents", () => {
  const sizes = [2, 3, 4];
  const all = new TableRows(sizes);
  assert.equal(all.count, 24);
  for (let row = 0; row < 24; row += 1) {
    assert.equal(all.row(row), row);
    assert.equal(all.rowOf(all.states(row)), row);
  }
  const turned = new TableRows(sizes, [2, 0, 1], [null, 1, null]);
  const seen = Array.from({ length: turned.count }, (_, place) => turned.states(turned.row(place)));
  const expected = [0, 1, 2, 3].flatMap((third) => [0, 1].map((first) => [first, 1, third]));
  assert.deepEqual(seen, expected);
  for (let place = 0; place < turned.count; place += 1) assert.equal(turned.place(turned.row(place)), place);
  assert.equal(turned.place(all.rowOf([0, 0, 0])), -1);
  assert.deepEqual([new TableRows([]).count, new TableRows([]).row(0)], [1, 0]);
});

test("text of spreadsheets becomes cells: tabs, semicolons, commas, quotes", () => {
  assert.deepEqual(cellsOf("1\t2\r\n3\t4\r\n"), [
    ["1", "2"],
    ["3", "4"],
  ]);
  assert.deepEqual(cellsOf("0,5;0,5\n0,25;0,75"), [
    ["0,5", "0,5"],
    ["0,25", "0,75"],
  ]);
  assert.deepEqual(cellsOf("0,5\n12,5 %"), [["0,5"], ["12,5 %"]]);
  assert.deepEqual(cellsOf("0.5,0.5\n1/3,2/3"), [
    ["0.5", "0.5"],
    ["1/3", "2/3"],
  ]);
  assert.deepEqual(cellsOf('"a;""b"";c";2\n\n3'), [
    ['a;"b";c', "2"],
    ["3", ""],
  ]);
  assert.deepEqual(cellsOf('"a\nb"\t"1"\n"x" y\t2'), [
    ["a\nb", "1"],
    ['"x" y', "2"],
  ]);
  assert.deepEqual(cellsOf(""), []);
  assert.deepEqual(
    cellsOf(
      textOf([
        ["a", "1"],
        ["b", "2"],
      ]),
    ),
    [
      ["a", "1"],
      ["b", "2"],
    ],
  );
});

test("pasted numbers go to the chosen cell, on the whole table, or into the whole range", () => {
  const draft = new TableDraft(answer());
  const some = placed(cellsOf("0.1\t0.2\n0.3\t0.4"), table(draft), { top: 2, left: 1, bottom: 2, right: 1 });
  assert.deepEqual(some.cells, [
    [2, 1, 0.1],
    [2, 2, 0.2],
    [3, 1, 0.3],
    [3, 2, 0.4],
  ]);
  assert.equal(some.whole, false);
  const whole = placed(cellsOf("1\t0\t0\n".repeat(6)), table(draft), {
    top: 5,
    left: 2,
    bottom: 5,
    right: 2,
  });
  assert.equal(whole.whole, true);
  assert.deepEqual(whole.cells.slice(0, 3), [
    [0, 0, 1],
    [0, 1, 0],
    [0, 2, 0],
  ]);
  const one = placed([["1/3"]], table(draft), { top: 0, left: 0, bottom: 1, right: 1 });
  assert.deepEqual(
    one.cells.map(([row, column]) => [row, column]),
    [
      [0, 0],
      [0, 1],
      [1, 0],
      [1, 1],
    ],
  );
  draft.find([1, null]);
  const found = placed(cellsOf("1\t0\t0\n".repeat(3)), table(draft), FIRST);
  assert.deepEqual([found.cells[0], found.whole], [[3, 0, 1], false]);
});

test("a table with names is read by them, in any order, with blanks for the name above", () => {
  const draft = new TableDraft(answer());
  const lines = ["age\tsick\tHigh\tnone\tlow", "3\tno\t0,1\t0,2\t0,7", "\tyes\t10%\t20 %\t70 %"];
  const found = placed(cellsOf(lines.join("\n")), table(draft), FIRST);
  assert.deepEqual(found.cells, [
    [5, 0, 0.2],
    [5, 1, 0.7],
    [5, 2, 0.1],
    [2, 0, 0.2],
    [2, 1, 0.7],
    [2, 2, 0.1],
  ]);
  assert.equal(found.whole, false);
  const beside = placed(cellsOf("no\t2\t0.2\t0.3\t0.5"), table(draft), FIRST);
  assert.deepEqual(beside.cells, [
    [4, 0, 0.2],
    [4, 1, 0.3],
    [4, 2, 0.5],
  ]);
  const heads = placed(cellsOf(`high\tlow\tnone\n${"0.1\t0.2\t0.7\n".repeat(6)}`), table(draft), FIRST);
  assert.deepEqual(
    [heads.whole, heads.cells.slice(0, 3)],
    [
      true,
      [
        [0, 0, 0.7],
        [0, 1, 0.2],
        [0, 2, 0.1],
      ],
    ],
  );
  const wrong = placed(cellsOf("sick\tage\tnone\tlow\thigh\nmaybe\t1\t1\t0\t0"), table(draft), FIRST);
  assert.match(wrong.problem, /"maybe" is not a state of sick \(yes and no\)/);
  const twice = "sick\tage\tnone\tlow\thigh\nyes\t1\t1\t0\t0\nyes\t1\t1\t0\t0";
  assert.match(placed(cellsOf(twice), table(draft), FIRST).problem, /same row/);
});

test("parents with the states of the variable, in another order or in other capitals are not confused", () => {
  const two = {
    variable: axis("ill", ["yes", "no"]),
    parents: [axis("a", ["yes", "no"]), axis("b", ["on", "ON"])],
  };
  const draft = new TableDraft(answer({ ...two, rows: same([0.5, 0.5], 4) }));
  const first = placed(cellsOf("yes\tON\t0.2\t0.8"), table(draft), FIRST);
  assert.deepEqual(first.cells, [
    [1, 0, 0.2],
    [1, 1, 0.8],
  ]);
  draft.reorder([1, 0]);
  const turned = placed(cellsOf("on\tno\t0.1\t0.9\n\tyes\t0.2\t0.8"), table(draft), FIRST);
  assert.deepEqual(
    turned.cells.map(([row, , cell]) => [row, cell]),
    [
      [2, 0.1],
      [2, 0.9],
      [0, 0.2],
      [0, 0.8],
    ],
  );
  const other = new TableDraft(
    answer({ ...two, parents: [two.parents[0], axis("c", ["no", "yes"])], rows: same([0.5, 0.5], 4) }),
  );
  const alike = placed(cellsOf("yes\tno\t0.2\t0.8\nno\tno\t0.3\t0.7"), table(other), FIRST);
  assert.deepEqual(
    alike.cells.map(([row, , cell]) => [row, cell]),
    [
      [0, 0.2],
      [0, 0.8],
      [2, 0.3],
      [2, 0.7],
    ],
  );
});

test("tables that stand with states in columns, or with other names, are turned or told", () => {
  const draft = new TableDraft(answer());
  const line = (name, text) => [name, ...Array(6).fill(text)].join("\t");
  const turned = [
    "sick\tyes\tyes\tyes\tno\tno\tno",
    "age\t1\t2\t3\t1\t2\t3",
    line("none", "0.2"),
    line("low", "0.3"),
    line("high", "0.5"),
  ];
  const named = placed(cellsOf(turned.join("\n")), table(draft), FIRST);
  assert.equal(named.whole, true);
  assert.deepEqual(named.cells.slice(0, 3), [
    [0, 0, 0.2],
    [0, 1, 0.3],
    [0, 2, 0.5],
  ]);
  const plain = ["0.2", "0.3", "0.5"].map((text) => Array(6).fill(text).join("\t")).join("\n");
  assert.deepEqual(placed(cellsOf(plain), table(draft), FIRST).cells.slice(0, 3), [
    [0, 0, 0.2],
    [0, 1, 0.3],
    [0, 2, 0.5],
  ]);
  const strange = placed(cellsOf(`P(n)\tP(l)\tP(h)\n${"0.2\t0.3\t0.5\n".repeat(6)}`), table(draft), FIRST);
  assert.deepEqual([strange.whole, strange.cells.length], [true, 18]);
  assert.match(strange.note, /left out/);
});

test("what does not fit is refused with what would", () => {
  const draft = new TableDraft(answer());
  const refused = placed(cellsOf("1\t2\t3\t4\n".repeat(7)), table(draft), {
    top: 4,
    left: 1,
    bottom: 4,
    right: 1,
  });
  assert.match(refused.problem, /has 7 rows of 4 cells; here are 6 rows of 3 numbers \(none, low and high\)/);
  assert.match(refused.problem, /2 rows of 2 fit from the chosen cell on/);
  assert.match(placed(cellsOf("some words"), table(draft), FIRST).problem, /no number/);
  const marked = placed(cellsOf("0.5\tx\t0.5"), table(draft), FIRST);
  assert.deepEqual(marked.cells, [
    [0, 0, 0.5],
    [0, 1, "x"],
    [0, 2, 0.5],
  ]);
});

test("a draft keeps wrong rows, undoes and redoes cells, and tells what is to repair", () => {
  const draft = new TableDraft(answer());
  draft.set([[4, 0, "half"]]);
  draft.set([[1, 0, 7]]);
  assert.deepEqual([draft.toRepair, repairWords(draft)], [[1, 4], "2 rows to repair"]);
  assert.equal(draft.normalise([1, 4]), 1);
  assert.deepEqual(
    draft.row(1).map((cell) => cell.toFixed(4)),
    ["0.9333", "0.0333", "0.0333"],
  );
  for (const expected of [
    [7, 0.25, 0.25],
    [0.5, 0.25, 0.25],
  ]) {
    assert.equal(draft.undo(), true);
    assert.deepEqual(draft.row(1), expected);
  }
  draft.redo();
  assert.equal(draft.row(1)[0], 7);
  draft.undo();
  draft.undo();
  assert.deepEqual([draft.isChanged, draft.undo()], [false, false]);
  draft.setLocks([[0, 0]], true);
  draft.set([[0, 1, 0.4]]);
  assert.deepEqual(
    draft.row(0).map((cell) => Number(cell.toFixed(12))),
    [0.5, 0.4, 0.1],
  );
  draft.setLocks([[0, 0]], false);
  assert.equal(draft.locked(0).size, 0);
});

test("edits: rows one by one if few changed, the whole table otherwise, and the order of the parents", () => {
  const draft = new TableDraft(answer());
  assert.deepEqual(draft.edits(), []);
  draft.set([
    [4, 0, 0.2],
    [4, 1, 0.3],
    [4, 2, 0.5],
  ]);
  draft.reorder([1, 0]);
  assert.deepEqual(draft.edits(), [
    { edit: "set_row", variable: "dose", given: ["no", 2], row: [0.2, 0.3, 0.5] },
    { edit: "reorder_parents", variable: "dose", order: ["age", "sick"] },
  ]);
  assert.equal(draft.rows.row(3), 4);
  draft.undo();
  assert.equal(draft.edits().length, 1);
  const other = new TableDraft(answer({ form: "noisy-max" }));
  other.set([
    [0, 0, 0.2],
    [0, 1, 0.3],
    [0, 2, 0.5],
  ]);
  const [edit] = other.edits();
  assert.deepEqual([edit.edit, edit.rows.length, edit.rows[0]], ["set_table", 6, [0.2, 0.3, 0.5]]);
});

test("a draft outlives closing and reloading, and is left out if the table has another shape", () => {
  const stored = new Map();
  const storage = {
    getItem: (name) => stored.get(name) ?? null,
    setItem: (name, text) => stored.set(name, text),
  };
  const explorer = (opened) => ({
    memory: new TabMemory(storage),
    model: { revision: "r", byKey: new Map([["dose", {}]]) },
    opened,
  });
  const draft = new TableDraft(answer());
  draft.set([[4, 0, "half"]]);
  draft.setLocks([[2, 1]], true);
  draft.reorder([1, 0]);
  assert.equal(new KeptDrafts(explorer(1)).keep("dose", draft), true);
  const kept = new KeptDrafts(explorer(2));
  const again = new TableDraft(answer(), kept.all.dose);
  assert.deepEqual([again.row(4)[0], again.toRepair, again.order], ["half", [4], [1, 0]]);
  assert.equal(again.locked(2).has(1), true);
  assert.equal(kept.all.dose.told, "1 row to repair");
  assert.equal(again.isWhole, true);
  assert.equal(new TableDraft(answer({ parents: [], rows: [[1, 0, 0]] }), kept.all.dose).isWhole, false);
  assert.equal(new TableDraft(answer({ parents: [], rows: [[1, 0, 0]] }), kept.all.dose).isChanged, false);
  const renamed = {
    memory: new TabMemory(storage),
    model: { revision: "r", byKey: new Map([["d", {}]]) },
    opened: 5,
  };
  const hidden = new KeptDrafts(renamed);
  assert.deepEqual(hidden.all, {});
  hidden.keep("d", null);
  assert.equal(new KeptDrafts(explorer(6)).all.dose.told, "1 row to repair");
  kept.keep("dose", null);
  assert.deepEqual(new KeptDrafts(explorer(3)).all, {});
  const large = new TableDraft(
    answer({
      parents: [
        axis(
          "many",
          Array.from({ length: 50_000 }, (_, at) => at),
        ),
      ],
      rows: same([1, 0, 0], 50_000),
    }),
  );
  large.set(
    large.answer.rows.flatMap((_, row) => [
      [row, 0, 1 / 3],
      [row, 1, 1 / 3],
      [row, 2, 1 / 3],
    ]),
  );
  assert.equal(new KeptDrafts(explorer(4)).keep("dose", large), false);
});

test("a noisy-OR by its few numbers, and back to a table", () => {
  const form = { present: 0, parents: [0, 1], chances: null, leak: null };
  const rows = noisyRows(form, [0.7, 0.6], 0.1);
  const present = [0.1 + 0.9 * 0.7, 1 - 0.9 * 0.3 * 0.4, 0.1, 1 - 0.9 * 0.4];
  rows.forEach(([yes, no], row) => {
    assert.ok(Math.abs(yes - present[row]) < 1e-15);
    assert.equal(yes + no, 1);
  });
  const near = nearestNoisyOr(form, rows);
  [...near.chances, near.leak].forEach((value, at) =>
    assert.ok(Math.abs(value - [0.7, 0.6, 0.1][at]) < 1e-12),
  );
  assert.deepEqual(readNoisyOr(["50 %", "x", "2"]), { wrong: [1, 2] });
  const two = {
    variable: axis("ill", ["yes", "no"]),
    parents: [axis("a", ["yes", "no"]), axis("b", ["no", "yes"])],
  };
  const draft = new TableDraft(answer({ ...two, rows, noisy_or: form }));
  draft.switchForm();
  assert.deepEqual(draft.noisy, ["0.7", "0.6", "0.1"]);
  draft.switchForm();
  assert.equal(draft.isChanged, false);
  draft.switchForm();
  assert.deepEqual(draft.setNoisy(["0.7", "2/3", "0"]), []);
  assert.deepEqual(draft.edits(), [
    {
      edit: "set_noisy_or",
      variable: "ill",
      causes: [
        { parent: "a", chance: 0.7 },
        { parent: "b", chance: 2 / 3 },
      ],
      leak: 0,
    },
  ]);
  draft.switchForm();
  assert.deepEqual([draft.row(2), draft.noisy], [[0, 1], null]);
  const noisy = new TableDraft(
    answer({ ...two, rows, form: "noisy-or", noisy_or: { ...form, chances: [0.7, 0.6], leak: 0.1 } }),
  );
  assert.equal(noisy.isChanged, false);
  noisy.switchForm();
  assert.deepEqual(
    noisy.edits().map(({ edit }) => edit),
    ["set_table"],
  );
});

test("keys move the active cell, extend the range, wrap and leave", () => {
  const size = { rows: 3, columns: 2, page: 2 };
  const at = (row, column, key, more = {}) => movedBy(chosenCell(row, column), { key, ...more }, size);
  assert.deepEqual(at(0, 0, "ArrowDown"), chosenCell(1, 0));
  assert.deepEqual(at(0, 1, "Tab"), chosenCell(1, 0));
  assert.deepEqual(at(1, 0, "Tab", { shift: true }), chosenCell(0, 1));
  assert.deepEqual([at(2, 1, "Tab"), at(0, 0, "Tab", { shift: true }), at(0, 0, "x")], [null, null, null]);
  assert.deepEqual(at(2, 1, "Enter"), chosenCell(2, 1));
  assert.deepEqual(at(0, 0, "ArrowDown", { ctrl: true }), chosenCell(2, 0));
  assert.deepEqual(at(0, 1, "PageDown"), chosenCell(2, 1));
  assert.deepEqual(rangeOf(at(2, 1, "ArrowUp", { shift: true })), { top: 1, bottom: 2, left: 1, right: 1 });
  assert.deepEqual(rangeOf(at(1, 1, "a", { ctrl: true })), { top: 0, bottom: 2, left: 0, right: 1 });
  assert.deepEqual(at(1, 1, "Home", { ctrl: true }), chosenCell(0, 0));
});

test("filling down copies the first row of the range, or the row above", () => {
  const rows = new TableRows([3]);
  const cellAt = (row, column) => `${row}${column}`;
  assert.deepEqual(filledDown({ top: 0, bottom: 2, left: 1, right: 1 }, rows, cellAt), [
    [1, 1, "01"],
    [2, 1, "01"],
  ]);
  assert.deepEqual(filledDown({ top: 2, bottom: 2, left: 0, right: 0 }, rows, cellAt), [[2, 0, "10"]]);
  assert.deepEqual(filledDown({ top: 0, bottom: 0, left: 0, right: 0 }, rows, cellAt), []);
});

test("what is no plain table is told before it is edited", () => {
  assert.equal(formWords(answer(), [], false), "");
  assert.match(
    formWords(answer({ form: "function" }), [], false),
    /function of its parents.*makes it a plain table/,
  );
  assert.match(
    formWords(answer({ counts: [] }), ["a", "b"], true),
    /belongs to a and b, too.*drops what was learned.*only answers/,
  );
  assert.match(noTableWords({ text: "height", kind: "continuous" }), /height holds numbers.*set_gaussian/);
  assert.match(noTableWords({ text: "mail", kind: "text" }), /learned from data/);
});
