/** The logic of strips over time: findings at steps, typed sequences, links, undo, late answers, geometry, words. */

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  cellMarks,
  clearedAt,
  excludedAt,
  fittingSteps,
  inCell,
  measuredAt,
  observedAt,
  toggledAt,
  withValues,
} from "../../src/bayou/server/page/logic/sequences/step_findings.js";
import { stripAddress, stripPlace } from "../../src/bayou/server/page/logic/sequences/strip_address.js";
import { StripExplorer } from "../../src/bayou/server/page/logic/sequences/strip_explorer.js";
import {
  bandOf,
  columnsInView,
  rangeOf,
  scrollFor,
  stacked,
  templatePicture,
} from "../../src/bayou/server/page/logic/sequences/strip_layout.js";
import { isOfSequences, StripModel } from "../../src/bayou/server/page/logic/sequences/strip_model.js";
import {
  beliefText,
  cellName,
  findingOf,
  likelihoodText,
  stepText,
} from "../../src/bayou/server/page/logic/sequences/strip_words.js";
import { splitLine, typedCell, typedSequence } from "../../src/bayou/server/page/logic/sequences/typed_sequence.js";
import { TabMemory } from "../../src/bayou/server/page/logic/tab_memory.js";

const row = (variable, states, more = {}) => ({
  variable,
  label: variable,
  states,
  labels: states.map(String),
  hidden: false,
  can_find: true,
  role: "each",
  ...more,
});

const DESCRIBED = {
  revision: "r1",
  kind: "hidden Markov model",
  strip: {
    rows: [row("die", ["fair", "loaded"], { hidden: true }), row("roll", [1, 2, 6]), row("time", [])],
    arcs: [
      { parent: "die", child: "die", lag: 1 },
      { parent: "die", child: "roll", lag: 0 },
      { parent: "die", child: "time", lag: 0 },
    ],
  },
};
const MODEL = new StripModel(DESCRIBED);
const [DIE, ROLL, TIME] = MODEL.rows;

/** Answers that tell which question they belong to: the share of "loaded" is 0.1 for each finding. */
function answerTo({ steps, findings, forecast, path }) {
  const columns = Array.from({ length: steps + forecast });
  const share = 0.1 * findings.length;
  return {
    log_probability: -findings.length,
    tracks: [
      { variable: "die", probabilities: columns.map(() => [1 - share, share]) },
      { variable: "roll", probabilities: columns.map(() => [0.2, 0.3, 0.5]) },
      { variable: "time", means: columns.map(() => 1.5), deviations: columns.map(() => 0.25) },
    ],
    path: path ? [{ variable: "die", states: columns.slice(0, steps).map(() => 1) }] : null,
    approximate: false,
    notes: [],
  };
}

function connected({ wait = () => Promise.resolve() } = {}) {
  const asked = [];
  const connection = {
    model: async () => DESCRIBED,
    ask: async (revision, operation, body) => {
      asked.push(body);
      await wait(asked.length);
      if (body.findings.some(({ state }) => state === 2)) throw new Error("The sequence is impossible at step 0.");
      return answerTo(body);
    },
  };
  const stored = new Map();
  const storage = { getItem: (key) => stored.get(key) ?? null, setItem: (key, text) => stored.set(key, text) };
  return { explorer: new StripExplorer(connection, new TabMemory(storage)), connection, asked, storage };
}

test("kinds that are strips, and the row to begin with", () => {
  assert.ok(isOfSequences("dynamic network"));
  assert.ok(!isOfSequences("network"));
  assert.ok(!isOfSequences(undefined));
  assert.equal(MODEL.firstSeen, ROLL);
  const [rain, umbrella] = [row("Rain", ["no", "yes"]), row("Umbrella", ["no", "yes"])];
  const arcs = [
    { parent: "Rain", child: "Rain", lag: 1 },
    { parent: "Rain", child: "Umbrella", lag: 0 },
  ];
  const world = new StripModel({ revision: "r2", kind: "dynamic network", strip: { rows: [rain, umbrella], arcs } });
  assert.equal(world.firstSeen.label, "Umbrella");
});

test("a cell is observed, toggled, excluded, measured and cleared; other cells stay", () => {
  const one = observedAt([], ROLL, 3, 2);
  assert.deepEqual(one, [{ variable: "roll", state: 6, step: 3 }]);
  const two = observedAt(one, ROLL, 1, 0);
  assert.deepEqual(
    two.map(({ step }) => step),
    [1, 3],
  );
  assert.deepEqual(toggledAt(two, ROLL, 3, 2), observedAt([], ROLL, 1, 0));
  assert.deepEqual(toggledAt(two, ROLL, 3, 0)[1], { variable: "roll", state: 1, step: 3 });
  const not = excludedAt(two, ROLL, 3, 2);
  assert.deepEqual(inCell(not, ROLL, 3), [{ variable: "roll", not: [6], step: 3 }]);
  assert.deepEqual(
    cellMarks(not, ROLL, 3).map(({ sign }) => sign),
    ["", "", "out"],
  );
  const less = excludedAt(not, ROLL, 3, 0);
  assert.equal(excludedAt(less, ROLL, 3, 1), null, "no state would be left");
  assert.deepEqual(clearedAt(less, ROLL, 3), observedAt([], ROLL, 1, 0));
  assert.deepEqual(measuredAt([], TIME, 0, 1.5), [{ variable: "time", value: 1.5, step: 0 }]);
});

test("typed values: states by name and case, not, gaps, numbers; mistakes name the place", () => {
  const [rain] = new StripModel({
    ...DESCRIBED,
    strip: { rows: [row("weather", ["umbrella", "none"])], arcs: [] },
  }).rows;
  assert.deepEqual(typedSequence([rain], rain, "umbrella, Umbrella , none\n"), [
    { row: rain, cells: [{ index: 0 }, { index: 0 }, { index: 1 }] },
  ]);
  assert.deepEqual(typedCell(rain, "not none"), { index: 0 }, "of two states one is left");
  assert.deepEqual(typedSequence(MODEL.rows, ROLL, "6;?;not 6;1")[0].cells, [
    { index: 2 },
    null,
    { not: [2] },
    { index: 0 },
  ]);
  assert.deepEqual(typedSequence(MODEL.rows, ROLL, "6\r\n\r\n1\r\n")[0].cells, [{ index: 2 }, null, { index: 0 }]);
  assert.deepEqual(typedSequence(MODEL.rows, TIME, "1.5; 2,5; −3")[0].cells, [{ value: 1.5 }, { value: 2.5 }, { value: -3 }]);
  assert.deepEqual(typedSequence(MODEL.rows, TIME, "1.5, 2")[0].cells, [{ value: 1.5 }, { value: 2 }]);
  assert.deepEqual(typedSequence(MODEL.rows, TIME, "1.5,2")[0].cells, [{ value: 1.5 }, { value: 2 }]);
  assert.throws(() => typedSequence(MODEL.rows, ROLL, "6, 7"), /Value 2: “7” is not a state of roll: 1, 2, 6\./);
  assert.throws(() => typedSequence(MODEL.rows, TIME, "1\nx"), /Value 2: “x” is not a number, which time needs/);
  assert.throws(() => typedSequence(MODEL.rows, ROLL, " \n"), /Type some values/);
});

test("a pasted table has a column for each row that its first line names; others are left out", () => {
  const table = 'day,Roll,"time"\n1,6,0.5\n2,?,\n3,1,"1.5"\n';
  const told = typedSequence(MODEL.rows, ROLL, table);
  assert.deepEqual(
    told.map(({ row: { label }, cells }) => [label, cells]),
    [
      ["roll", [{ index: 2 }, null, { index: 0 }]],
      ["time", [{ value: 0.5 }, null, { value: 1.5 }]],
    ],
  );
  assert.throws(() => typedSequence(MODEL.rows, ROLL, "roll,time\n6,1\n9,1"), /roll, line 3: “9”/);
  assert.throws(() => typedSequence(MODEL.rows, ROLL, "6,1\n6,2"), /names in the first line: die, roll, time/);
  assert.deepEqual(splitLine('a, "b, ""c""" ,', ","), ["a", 'b, "c"', ""]);
});

test("values take the place of those of the same row and steps", () => {
  const before = [...observedAt(observedAt([], ROLL, 0, 0), ROLL, 5, 0), { variable: "time", value: 1, step: 1 }];
  const after = withValues(before, ROLL, [{ index: 2 }, null, { not: [0] }], 0);
  assert.deepEqual(after, [
    { variable: "roll", step: 0, state: 6 },
    { variable: "time", value: 1, step: 1 },
    { variable: "roll", step: 2, not: [1] },
    { variable: "roll", state: 1, step: 5 },
  ]);
});

test("a link holds everything, and a damaged one opens without findings", () => {
  const place = {
    sequence: "r1",
    gallery: "casino",
    name: "Casino & more",
    steps: 12,
    findings: observedAt([], ROLL, 3, 2),
    what: "filter",
    forecast: 4,
    path: false,
  };
  assert.deepEqual(stripPlace(stripAddress(place)), { ...place, damaged: false });
  assert.equal(stripPlace("#model=abc"), null);
  const broken = stripPlace("#sequence=r1&findings=%5B{&steps=-3&what=guess&forecast=x");
  assert.deepEqual([broken.findings, broken.steps, broken.what, broken.forecast], [[], null, "smooth", 0]);
  assert.ok(broken.damaged);
  const odd = [{ variable: "roll", step: 40, state: 6 }, { variable: "x", step: 0, state: 1 }, null, 3];
  const also = [{ variable: "roll", step: 0, state: 7 }, { variable: "time", step: 0, state: 1 }];
  const fine = observedAt([], ROLL, 3, 2);
  assert.deepEqual(fittingSteps(MODEL, 10, [...odd, ...also, ...fine]), { kept: fine, dropped: 6 });
});

test("beliefs follow every change; undo, redo and a reload find the same state", async () => {
  const { explorer, connection, asked, storage } = connected();
  await explorer.open("r1", { source: { gallery: "casino", name: "Casino" } });
  assert.deepEqual([explorer.steps, explorer.columns, asked.length], [10, 10, 1]);
  await explorer.change(observedAt(explorer.findings, ROLL, 0, 2));
  await explorer.change(observedAt(explorer.findings, ROLL, 1, 2));
  assert.equal(explorer.belief(DIE, 4).probabilities[1], 0.2);
  assert.equal(explorer.pathState(DIE, 9), 1);
  assert.equal(explorer.logProbability, -2);
  await explorer.undo();
  assert.equal(explorer.belief(DIE, 4).probabilities[1], 0.1);
  await explorer.redo();
  await explorer.set({ forecast: 3, what: "filter" });
  assert.equal(explorer.columns, 13);
  assert.equal(explorer.pathState(DIE, 11), null, "the path ends with the sequence");
  const again = new StripExplorer(connection, new TabMemory(storage));
  const place = stripPlace(explorer.address);
  await again.open("r1", { source: { gallery: "casino", name: "Casino" }, place });
  assert.equal(again.address, explorer.address);
  await again.undo();
  assert.equal(again.findings.length, 1, "the history is remembered, too");
});

test("fewer steps drop the findings behind them, and undo brings them back", async () => {
  const { explorer } = connected();
  await explorer.open("r1", {});
  await explorer.change(observedAt([], ROLL, 8, 2));
  await explorer.resize(5);
  assert.deepEqual([explorer.steps, explorer.findings], [5, []]);
  await explorer.undo();
  assert.deepEqual([explorer.steps, explorer.findings.length], [10, 1]);
  await explorer.resize(1e9);
  assert.equal(explorer.steps, 10_000);
  await explorer.resize(NaN);
  assert.equal(explorer.steps, 10_000);
});

test("a problem is told and leaves the strip as it was; the next answer takes it away", async () => {
  const { explorer } = connected();
  await explorer.open("r1", {});
  await explorer.change(observedAt([], ROLL, 0, 1));
  assert.match(explorer.problem.message, /impossible at step 0/);
  assert.equal(explorer.belief(DIE, 0).probabilities[1], 0);
  await explorer.undo();
  assert.equal(explorer.problem, null);
});

test("late answers to older findings are dropped", async () => {
  const doors = [];
  const { explorer } = connected({
    wait: (count) => (count === 1 ? Promise.resolve() : new Promise((open) => doors.push(open))),
  });
  await explorer.open("r1", {});
  const first = explorer.change(observedAt([], ROLL, 0, 2));
  const second = explorer.change(observedAt(explorer.findings, ROLL, 1, 2));
  doors[1]();
  await second;
  doors[0]();
  await first;
  assert.equal(explorer.belief(DIE, 0).probabilities[1], 0.2);
});

test("only columns in view are made, and a column is scrolled to when it must be", () => {
  assert.deepEqual(columnsInView(10_000, 60, 6000, 600), { first: 96, last: 114 });
  assert.deepEqual(columnsInView(5, 60, 0, 600), { first: 0, last: 5 });
  assert.equal(scrollFor(3, 60, 0, 600), 0);
  assert.equal(scrollFor(20, 60, 0, 600), 660);
  assert.equal(scrollFor(2, 60, 600, 600), 120);
});

test("shares are stacked from below, and numbers stand in their range", () => {
  assert.deepEqual(stacked([0.25, 0.75]), [
    { from: 0.75, to: 1 },
    { from: 0, to: 0.75 },
  ]);
  const { low, high } = rangeOf({ means: [1, null, 3], deviations: [0.5, null, 0] });
  assert.ok(low < 0 && high > 3);
  const { top, middle, bottom } = bandOf(1, 0.5, { low: 0, high: 2 });
  assert.deepEqual([top, middle, bottom], [0, 0.5, 1]);
  assert.deepEqual(rangeOf({ means: [null], deviations: [null] }), { low: 0, high: 1 });
  assert.ok(rangeOf({ means: [2], deviations: [0] }).high > 2);
});

test("the template has two slices; what is constant stands once", () => {
  const { boxes, lines } = templatePicture(MODEL);
  assert.equal(boxes.length, 6);
  assert.deepEqual(
    lines.map(({ lag }) => lag),
    [1, 0, 0, 0, 0],
  );
  const rows = [row("kind", ["a", "b"], { role: "constant" }), row("x", [])];
  const arcs = [
    { parent: "kind", child: "x", lag: 0 },
    { parent: "x", child: "x", lag: 2 },
  ];
  const drawn = templatePicture(new StripModel({ revision: "r", kind: "dynamic network", strip: { rows, arcs } }));
  assert.equal(drawn.boxes.length, 3);
  assert.ok(drawn.lines.every(({ d, tip }) => !/NaN|undefined/.test(d + tip)));
});

test("cells say what they show", async () => {
  const { explorer } = connected();
  await explorer.open("r1", { place: { forecast: 2 } });
  assert.equal(cellName(explorer, DIE, 3), "die at 3: fair 100%, most probable path loaded");
  assert.equal(cellName(explorer, TIME, 0), "time at 0: 1.5 ± 0.25");
  assert.equal(cellName(explorer, ROLL, 11), "roll at +2: 6 50%, forecast");
  await explorer.change(observedAt(excludedAt([], ROLL, 1, 0), ROLL, 0, 2));
  assert.match(cellName(explorer, ROLL, 0), /, observed$/);
  assert.match(cellName(explorer, ROLL, 1), /, not 1$/);
  assert.equal(findingOf(explorer.findings, ROLL, 1), "not 1");
  assert.equal(beliefText(TIME, { mean: null, deviation: null }), "–");
  assert.equal(beliefText(ROLL, { probabilities: null }), "–");
  assert.deepEqual([stepText(0, 10), stepText(10, 10)], ["0", "+1"]);
  assert.match(likelihoodText(explorer), /^Log-likelihood of this sequence: −2, that is 1 in 7\.4\.$/);
  await explorer.change(measuredAt([], TIME, 0, 2));
  assert.match(likelihoodText(explorer), /a density/);
  await explorer.change([]);
  assert.match(likelihoodText(explorer), /Nothing is known yet/);
});
