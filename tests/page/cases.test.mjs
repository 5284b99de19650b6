/** Cases: lists of named findings, the shelf of a tab, walks through rows, and the words of a test. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { CaseTest, lastColumn } from "../../src/bayou/server/page/logic/cases/case_test.js";
import { caseFormat, CaseShelf } from "../../src/bayou/server/page/logic/cases/case_shelf.js";
import {
  caseWith,
  freeName,
  joined,
  renamed,
  removed,
  saved,
} from "../../src/bayou/server/page/logic/cases/case_list.js";
import { RowWalk } from "../../src/bayou/server/page/logic/cases/row_walk.js";
import {
  accuracyText,
  calibrationPoints,
  leftOut,
  placed,
  rowText,
} from "../../src/bayou/server/page/logic/cases/test_words.js";
import { Explorer } from "../../src/bayou/server/page/logic/explorer.js";
import { TabMemory } from "../../src/bayou/server/page/logic/tab_memory.js";
import { EditedModels, storage } from "./edited_models.mjs";

const WET = [{ variable: "wet", state: "yes" }];
const TABLE = { table: "t", name: "days.csv", rows: 120, columns: [{ name: "rain" }, { name: "wet" }, { name: "odd" }] };

/** A server that has 120 rows, of which every third was wet; what it is asked is kept. */
class Server extends EditedModels {
  questions = [];

  async ask(model, operation, body) {
    this.questions.push([operation, body]);
    if (operation === "write-cases") return { text: JSON.stringify(body.cases), losses: [] };
    if (operation === "read-cases") return { cases: JSON.parse(body.text), remarks: ["No variables: 'odd'."] };
    if (operation === "row-list") {
      const rows = Array.from({ length: 120 }, (_, row) => ({ row, findings: row % 3 === 0 ? WET : [] }));
      return { rows_in_all: 120, rows: rows.slice(body.first, body.first + body.count) };
    }
    if (operation === "working") return { text: `working of ${body.targets}` };
    if (body.target === "wet") throw new Error("No row tells wet.");
    return { target: body.target, confusion: [[1]] };
  }
}

async function opened(memory = new TabMemory(storage()), server = new Server()) {
  const explorer = new Explorer(server, memory);
  explorer.canEdit = true;
  const shelf = new CaseShelf(explorer);
  const { revision } = await server.edit(null, [
    { edit: "add_node", name: "rain", states: ["no", "yes"], rows: [[0.8, 0.2]] },
    { edit: "add_node", name: "wet", states: ["no", "yes"], parents: ["rain"], rows: [[0.9, 0.1], [0.2, 0.8]] }, // prettier-ignore
  ]);
  await explorer.open(revision);
  return { explorer, server, shelf, memory, revision };
}

const settled = () => new Promise((resolve) => setTimeout(resolve, 5));

test("cases are saved, renamed and removed; no two have one name", () => {
  let cases = saved([], "Ann", WET);
  cases = saved(cases, "Bob", []);
  assert.deepEqual(saved(cases, "Ann", [])[0], { name: "Ann", findings: [], weight: 1 });
  assert.equal(renamed(cases, "Ann", "Bob"), null);
  assert.equal(renamed(cases, "Ann", "  "), null);
  assert.deepEqual(renamed(cases, "Ann", " Eve ").map(({ name }) => name), ["Eve", "Bob"]);
  assert.deepEqual(removed(cases, "Ann").map(({ name }) => name), ["Bob"]);
  assert.equal(freeName([{ name: "a" }, { name: "a (2)" }], "a"), "a (3)");
  assert.deepEqual(joined(cases, [{ name: "Ann" }, { name: "Ann" }]).map(({ name }) => name).slice(2), ["Ann (2)", "Ann (3)"]); // prettier-ignore
});

test("a case is known by its findings, in any order", () => {
  const [one, other] = [{ variable: "a", state: 1 }, { variable: "b", not: [2] }];
  assert.equal(caseWith([{ name: "x", findings: [one, other] }], [other, one]).name, "x");
  assert.equal(caseWith([{ name: "x", findings: [one] }], [{ variable: "a", state: "1" }]), null);
});

test("the shelf switches and compares cases by the numbers of the network, and survives a reload", async () => {
  const { explorer, shelf, memory, server, revision } = await opened();
  await explorer.change(WET);
  shelf.save("");
  assert.equal(shelf.current.name, "Case 1");
  await explorer.change([{ variable: "wet", state: "no" }]);
  shelf.save("Dry");
  await shelf.show("Case 1");
  assert.deepEqual(explorer.findings, WET);
  shelf.compare("Case 1", true);
  shelf.compare("Dry", true);
  shelf.chooseTarget('"rain"');
  await settled();
  const chances = shelf.columns.map(({ belief }) => belief.probabilities[1]);
  const right = [0.16 / 0.24, 0.04 / 0.76];
  chances.forEach((chance, place) => assert.ok(Math.abs(chance - right[place]) < 1e-12));
  await explorer.undo();
  assert.equal(shelf.current.name, "Dry");
  const again = new Explorer(server, memory);
  const kept = new CaseShelf(again);
  await again.open(revision);
  assert.deepEqual(kept.cases, shelf.cases);
  assert.deepEqual([...kept.compared], ["Case 1", "Dry"]);
  assert.equal(kept.comparedVariable.name, "rain");
});

test("an edit takes the cases along, and what it makes unknown comes back with undo", async () => {
  const { explorer, shelf } = await opened();
  await explorer.change(WET);
  shelf.save("Wet");
  await explorer.edit([{ edit: "rename_node", variable: "wet", name: "grass" }]);
  assert.deepEqual(shelf.fitting[0].findings, []);
  await explorer.undo();
  assert.deepEqual(shelf.fitting[0].findings, WET);
});

test("files of cases go through the server, with what was left out", async () => {
  const { shelf, server, explorer } = await opened();
  await explorer.change(WET);
  shelf.save("Ann");
  const { text } = await shelf.write("cas");
  const { count, remarks } = await shelf.read(text, "cas");
  assert.deepEqual([count, remarks], [1, ["No variables: 'odd'."]]);
  assert.deepEqual(shelf.cases.map(({ name }) => name), ["Ann", "Ann (2)"]);
  assert.deepEqual(server.questions.map(([, { format }]) => format), ["cas", "cas"]);
  assert.deepEqual([caseFormat("a.CAS"), caseFormat("a.csv")], ["cas", "csv"]);
});

test("a walk sets the findings of row after row, a page at a time, with the working", async () => {
  const { explorer, server } = await opened();
  const walk = new RowWalk(explorer);
  await walk.begin(TABLE, '"rain"', { order: "row", cell: { true: 1, predicted: 0 } });
  assert.deepEqual([walk.place, walk.total, walk.row.row, explorer.findings], [0, 120, 0, WET]);
  const asked = { table: "t", target: "rain", order: "row", first: 0, count: 50, true: 1, predicted: 0 };
  assert.deepEqual(server.questions[0], ["row-list", asked]);
  await walk.next();
  assert.deepEqual([walk.row.row, explorer.findings, walk.isShown], [1, [], true]);
  await walk.previous();
  await walk.previous();
  assert.equal(walk.place, 0);
  await walk.go(119);
  await walk.next();
  assert.deepEqual([walk.place, walk.row.row], [119, 119]);
  assert.deepEqual(server.questions.filter(([name]) => name === "row-list").map(([, { first }]) => first), [0, 100]);
  walk.showWorking(true);
  await settled();
  assert.equal(walk.working.answer.text, "working of rain");
  await explorer.undo();
  assert.ok(!walk.isShown);
  await explorer.edit([{ edit: "set_table", variable: "rain", rows: [[0.5, 0.5]] }]);
  await settled();
  assert.deepEqual([walk.active, walk.place], [true, 119]);
  assert.equal(server.questions.filter(([name]) => name === "row-list").length, 3);
  const again = new Explorer(server, explorer.memory);
  const recalled = new RowWalk(again);
  await again.open(explorer.model.revision);
  await settled();
  assert.deepEqual([recalled.place, recalled.row, recalled.table.name], [119, walk.row, "days.csv"]);
  walk.end();
  assert.ok(!walk.active);
  await again.open(explorer.model.revision);
  assert.ok(!recalled.active);
});

test("a test runs with the chosen target, else with the last column; problems are told", async () => {
  const { explorer, server } = await opened();
  const test = new CaseTest(explorer);
  await test.begin(TABLE, '"rain"');
  assert.deepEqual([test.target, test.answer.target], ['"rain"', "rain"]);
  await test.look({ true: 1, predicted: 0 });
  assert.deepEqual([test.rows.length, test.total, server.questions.at(-1)[1].order], [50, 120, "target"]);
  await test.run('"wet"');
  assert.deepEqual([test.answer, test.rows, test.problem.message], [null, null, "No row tells wet."]);
  assert.equal(lastColumn(TABLE, ['"rain"', '"wet"']), '"wet"');
  assert.equal(lastColumn(TABLE, []), null);
});

test("results are told in words", () => {
  const answer = { accuracy: 0.834, rows: 500, labels: ["yes", "no"], accuracy_of_most_frequent: 0.544 };
  Object.assign(answer, { confusion: [[180, 48], [35, 237]], unlabelled: 1, impossible: 2, foreign: ["id"], absent: [] }); // prettier-ignore
  assert.equal(accuracyText(answer), "Right in 83.4% of 500 rows. Always saying “no” would be right in 54.4%.");
  assert.equal(leftOut(answer).length, 3);
  const row = { row: 8, true: 0, predicted: 1, probabilities: [0.087, 0.913] };
  assert.equal(rowText(["yes", "no"], row), "Row 9: yes, predicted no (91.3%)");
  assert.equal(rowText(["yes", "no"], { ...row, true: null }), "Row 9: predicted no (91.3%)");
  assert.equal(rowText([], { row: 0, predicted: null }), "Row 1: impossible in this network");
  assert.equal(placed([[0, 0], [0.5, 1]], 100), "0.0,100.0 50.0,0.0"); // prettier-ignore
  const [small, large] = calibrationPoints([{ said: 0.7, came_true: 0.5, rows: 1 }, { said: 0.9, came_true: 1, rows: 4 }]); // prettier-ignore
  assert.deepEqual([large.radius, small.radius, small.text], [8, 5.5, "said 70.0%, came true 50.0% of 1 row"]);
});
