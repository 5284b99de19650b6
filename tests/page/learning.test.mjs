/** Learning from a table: events, jobs, the steps of the dialog, and its words. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { Connection } from "../../src/bayou/server/page/logic/connection.js";
import { eventIn, eventsOf } from "../../src/bayou/server/page/logic/learning/events.js";
import { Job } from "../../src/bayou/server/page/logic/learning/job.js";
import { Learning } from "../../src/bayou/server/page/logic/learning/learning.js";
import { isTable, numbersOf, targetsOf, uselessColumns } from "../../src/bayou/server/page/logic/learning/tables.js";
import {
  columnText,
  differenceGroups,
  differenceText,
  progressText,
  rangeChoices,
  scoreDetails,
  scoresText,
} from "../../src/bayou/server/page/logic/learning/words.js";

const COLUMNS = [
  { name: "day", kind: "whole numbers", gaps: 0, distinct: 14, values: [], least: 1, greatest: 14 },
  { name: "wind", kind: "states", gaps: 2, distinct: 2, values: [{ value: "weak" }, { value: "strong" }] },
  { name: "heat", kind: "numbers", gaps: 0, distinct: 9, values: [], least: 1.5, greatest: 30 },
  { name: "play", kind: "states", gaps: 0, distinct: 2, values: [{ value: "yes" }, { value: "no" }] },
];
const TABLE = { table: "abc", rows: 14, columns: COLUMNS, report: { findings: [] } };
const RESULT = { revision: "new", differences: null };

const json = (value, status = 200) =>
  new Response(JSON.stringify(value), { status, headers: { "Content-Type": "application/json" } });

function stream(...texts) {
  const encoder = new TextEncoder();
  return new ReadableStream({
    start(controller) {
      for (const text of texts) controller.enqueue(encoder.encode(text));
      controller.close();
    },
  });
}

/** A server whose job says what it does in events; requests are kept. `ends` is the last document. */
function server({ ends = { state: "done", result: RESULT }, cut = false, wait = null } = {}) {
  const asked = [];
  const request = async (address, { method = "GET", body = null, signal } = {}) => {
    const path = new URL(address).pathname + new URL(address).search;
    asked.push([method, path, typeof body === "string" ? JSON.parse(body) : body]);
    if (path === "/v1/tables") return json(TABLE, 201);
    if (path.startsWith("/v1/tables/")) return json({ ...TABLE, report: { findings: [], target: "play" } });
    if (path === "/v1/jobs") return json({ job: "j", state: "running", progress: null }, 202);
    if (method === "DELETE") return new Response(null, { status: 204 });
    if (!path.endsWith("/events")) return json({ job: "j", ...ends });
    if (wait) await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    const end = cut ? "" : `event: job\ndata: ${JSON.stringify({ job: "j", ...ends })}\n\n`;
    return new Response(stream('event: progress\ndata: {"task": "Sear', 'ching", "done": 12}\n\n: still here\n\n', end));
  };
  return { asked, connection: new Connection("http://localhost/", { request }) };
}

const explorerOf = (connection, model = null) => ({ connection, model, source: { name: "Before" }, entry: null });
const file = { name: "weather.csv", arrayBuffer: async () => new ArrayBuffer(3) };

test("events are read however the stream is cut", async () => {
  const found = [];
  for await (const one of eventsOf(stream("event: a\nda", "ta: 1\r\n\r\n: hello\n\ndata: [2,\ndata: 3]\n\n", "data: 4")))
    found.push(one);
  assert.deepEqual(found, [{ event: "a", data: 1 }, { event: "message", data: [2, 3] }]); // prettier-ignore
  assert.equal(eventIn(": a comment"), null);
});

test("a job is told step by step, also if its events are cut off", async () => {
  for (const cut of [false, true]) {
    const { asked, connection } = server({ cut });
    const told = [];
    const job = await new Job(connection, { pause: 1 }).run({ table: "abc" }, (one) => told.push(one));
    assert.deepEqual([job.state, job.result], ["done", RESULT]);
    assert.deepEqual(told[1].progress, { task: "Searching", done: 12 });
    assert.equal(asked.filter(([, path]) => path === "/v1/jobs/j").length, Number(cut));
  }
});

test("from a file to a network: the request names table, way, target, and the network before", async () => {
  const { asked, connection } = server();
  const learning = new Learning(explorerOf(connection, { revision: "old", title: "", arcs: [] }));
  await learning.read(file);
  assert.deepEqual([learning.step, learning.table.name], ["choosing", "weather.csv"]);
  assert.deepEqual(learning.targets.map(({ name }) => name), ["wind", "play"]);
  assert.equal(learning.target, null, "nobody has chosen a column to predict");
  learning.chooseWay("tan");
  assert.equal(learning.missing, "Choose the column to predict.");
  await learning.learn();
  assert.equal(learning.step, "choosing");
  await learning.chooseTarget('"play"');
  assert.deepEqual([asked.at(-1)[1], learning.table.report.target], ["/v1/tables/abc?target=play", "play"]);
  await learning.learn();
  assert.equal(learning.mostFrequent, "yes");
  const sent = { table: "abc", learn: "tan", target: "play", compare_with: "old" };
  assert.deepEqual(asked.find(([, path]) => path === "/v1/jobs")[2], sent);
  assert.deepEqual([learning.step, learning.job.result.revision], ["learned", "new"]);
  learning.back();
  learning.chooseWay("structure");
  learning.useColumn('"day"', false);
  learning.useColumn('"play"', false);
  assert.deepEqual([learning.target, learning.request().options], [null, { ignore: ["day", "play"] }]);
  learning.chooseWay("parameters");
  assert.deepEqual(learning.request(), { table: "abc", learn: "parameters", arcs_of: "old", compare_with: "old" });
});

test("numbers with many values are cut into ranges, in a network of all columns without being asked", async () => {
  const { connection } = server();
  const learning = new Learning(explorerOf(connection));
  await learning.read(file);
  const cut = () => [learning.numbers.map(({ name }) => name), learning.request().options?.ranges];
  assert.deepEqual(cut(), [["day"], 4], "heat has few values");
  learning.chooseRanges(null);
  assert.deepEqual(cut(), [["day"], undefined]);
  learning.chooseWay("tan");
  await learning.chooseTarget('"play"');
  assert.deepEqual(cut(), [["day"], undefined], "the classes cut them");
  learning.chooseRanges(3);
  assert.deepEqual(cut(), [["day"], 3]);
  learning.useColumn('"day"', false);
  assert.deepEqual(cut(), [[], undefined]);
  const columns = [{ name: "x", kind: "numbers", distinct: 11 }, { name: "y", kind: "whole numbers", distinct: 11 }];
  assert.deepEqual(numbersOf({ columns }, true).map(({ name }) => name), ["y"]);
  assert.deepEqual(numbersOf({ columns }, false).map(({ name }) => name), ["x", "y"]);
  assert.deepEqual(rangeChoices("structure")[0], [4, "4 ranges with about as many rows each"]);
  assert.equal(rangeChoices("tan")[0][0], null);
});

test("a job that fails goes back to the choices with its sentence", async () => {
  const { connection } = server({ ends: { state: "failed", problem: { detail: "One column is too few." } } });
  const learning = new Learning(explorerOf(connection));
  await learning.read(file);
  await learning.learn();
  assert.deepEqual([learning.step, learning.problem.message], ["choosing", "One column is too few."]);
});

test("cancelling ends the job on the server, and nothing that was chosen is lost", async () => {
  const { asked, connection } = server({ wait: true });
  const learning = new Learning(explorerOf(connection));
  await learning.read(file);
  await learning.chooseTarget('"play"');
  const run = learning.learn();
  while (!asked.some(([, path]) => path.endsWith("/events"))) await new Promise((go) => setTimeout(go, 1));
  await learning.cancel();
  await run;
  assert.deepEqual(asked.at(-1).slice(0, 2), ["DELETE", "/v1/jobs/j"]);
  assert.deepEqual([learning.step, learning.target, learning.problem], ["choosing", '"play"', null]);
});

test("files and columns are told apart", () => {
  assert.deepEqual(["a.csv", "A.TSV.gz", "b.parquet", "c.cas"].map(isTable), [true, true, true, true]);
  assert.deepEqual(["a.bif", "b.bayou", "net.xdsl.gz"].map(isTable), [false, false, false]);
  assert.deepEqual(targetsOf(TABLE).map(({ name }) => name), ["wind", "play"]);
  const findings = [
    { check: "id-like column", column: "day" },
    { check: "drift", column: "wind" },
    { check: "no rows", column: null },
  ];
  assert.deepEqual([...uselessColumns({ report: { findings } })], ['"day"']);
  assert.equal(columnText(COLUMNS[0]), "day: numbers from 1 to 14");
  assert.equal(columnText(COLUMNS[1]), "wind: weak, strong; 2 gaps");
});

test("what was learned is told in words", () => {
  const arc = (parent, child) => ({ parent, child });
  const found = { added: [arc("a", "b")], lost: [], turned: [arc("c", "a")], common: [arc("b", "c")] };
  Object.assign(found, { only_learned: ["d"], only_other: [] });
  assert.deepEqual(differenceGroups(found), [["Gained", ["a → b"]], ["Turned", ["c → a"]], ["In both", ["b → c"]]]); // prettier-ignore
  assert.equal(
    differenceText(found, "Asia"),
    "Beside Asia: 1 arc in both, 1 gained, 0 lost, 1 turned. 1 variable only in one of the two.",
  );
  const none = { added: [], lost: [], turned: [], common: found.common, only_learned: [], only_other: [] };
  assert.equal(differenceText(none, "Asia"), "The same arcs as Asia.");
  assert.equal(progressText(null), "Starting…");
  const doing = (task, done) => progressText({ state: "running", progress: { task, done } });
  assert.equal(doing("best score -5 with 3 arcs; steps", 1200), "Best score -5 with 3 arcs; steps: 1,200");
  assert.equal(doing("Reading the table", 2), "Reading the table…");
  const scores = { rows: 1500, folds: 5, accuracy: 0.78, balanced_accuracy: 0.7, accuracy_of_most_frequent: 0.5, log_loss: 0.4, brier: 0.25 };
  const words = "Right on 1,170 of 1,500 rows that it had not seen (always saying “no” would be right on 750).";
  assert.equal(scoresText(scores, "no"), words);
  assert.match(scoreDetails(scores).join(" "), /70\.0% \(balanced accuracy\).*log-loss 0\.400, Brier score 0\.250/);
});
