/** Why, what next, related: what is asked, when it is asked again, and how answers are told. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { indexed } from "../../src/bayou/server/page/logic/beliefs.js";
import { Model } from "../../src/bayou/server/page/logic/model.js";
import { withoutAnswer } from "../../src/bayou/server/page/logic/why/no_answer.js";
import { Questions } from "../../src/bayou/server/page/logic/why/questions.js";
import { arcName, highlightOf, trailText, trailWords } from "../../src/bayou/server/page/logic/why/trails.js";
import {
  awayText,
  closingText,
  entryText,
  ledgerRows,
  mattersMost,
  relatedText,
  sharesText,
  signed,
  tableRows,
  tornadoRows,
} from "../../src/bayou/server/page/logic/why/words.js";
import { MODELS } from "./fake_models.mjs";

const MODEL = new Model(MODELS.get("asia").document());
const key = JSON.stringify;
const FOUND = [
  { variable: "xray", state: "yes" },
  { variable: "smoke", state: "yes" },
];

/** The parts of an explorer that questions use; answers are given by hand. */
class Tab {
  constructor(stored = {}) {
    this.model = MODEL;
    this.believed = FOUND;
    this.beliefs = indexed(MODELS.get("asia").beliefs(FOUND).beliefs);
    Object.assign(this, { stated: {}, chosen: null, dragStart: null, highlight: null, listeners: [], sent: [], stored });
    this.memory = { recall: () => this.stored, remember: (_, facts) => Object.assign(this.stored, facts) };
    this.connection = { ask: (...asked) => new Promise((done, fail) => this.sent.push({ asked, done, fail })) };
  }

  listen(listener) {
    this.listeners.push(listener);
  }

  tell() {
    for (const listener of this.listeners) listener();
  }

  choose(chosen) {
    this.chosen = chosen;
    this.tell();
  }

  state(named, place) {
    this.stated = { ...this.stated, [named]: place };
    this.tell();
  }

  /** Answer the question that was sent last. */
  async answer(answer, place = -1) {
    this.sent.at(place).done(answer);
    await new Promise((resolve) => setTimeout(resolve));
  }

  get bodies() {
    return this.sent.map(({ asked }) => [asked[1], asked[2]]);
  }
}

const TRAILS = [["xray", "either", "lung"].map(String), ["smoke", "lung"]];

test("trails have arrows, words and marks", () => {
  assert.equal(trailText(MODEL, TRAILS[0]), "xray ← either ← lung");
  assert.equal(trailText(MODEL, ["asia", "tub", "either", "lung"]), "asia → tub → either ← lung");
  assert.equal(trailWords(MODEL, ["asia", "tub", "either", "lung"]), "from asia down to tub, down to either, up to lung");
  const { arcs, nodes } = highlightOf(MODEL, TRAILS);
  assert.deepEqual([...nodes].sort(), ["either", "lung", "smoke", "xray"].map(key));
  const wanted = [
    ["either", "xray"],
    ["lung", "either"],
    ["smoke", "lung"],
  ].map(([from, to]) => arcName(key(from), key(to)));
  assert.deepEqual([...arcs].sort(), wanted.sort());
  for (const { from, to } of MODEL.arcs) if (from === key("bronc")) assert.ok(!arcs.has(arcName(from, to)));
  assert.equal(highlightOf(MODEL, []), null);
});

test("why is asked for the chosen variable, again when findings change, and not while a bar is dragged", async () => {
  const tab = new Tab();
  const questions = new Questions(tab);
  tab.tell();
  assert.equal(tab.sent.length, 0);
  questions.ask("why", key("lung"));
  tab.tell();
  assert.deepEqual(tab.bodies, [["explain", { target: "lung", state: "yes", findings: FOUND, percent: true }]]);
  await tab.answer({ target: "lung", state: "yes", trails: TRAILS.map((names) => ({ names })) });
  assert.equal(questions.why.answer.state, "yes");
  assert.ok(tab.highlight.nodes.has(key("either")));
  assert.equal(questions.statePlace, 1);
  Object.assign(tab, { dragStart: FOUND, believed: FOUND.slice(1) });
  tab.tell();
  assert.equal(tab.sent.length, 1);
  tab.dragStart = null;
  tab.tell();
  assert.deepEqual(tab.bodies.at(-1)[1].findings, FOUND.slice(1));
  assert.equal(questions.why.answer.state, "yes", "the old answer stays until the new one is there");
  tab.believed = [];
  tab.tell();
  assert.equal(questions.why.answer, null);
  assert.equal(tab.highlight, null);
});

test("answers about another variable and late answers are dropped", async () => {
  const tab = new Tab();
  const questions = new Questions(tab);
  tab.tell();
  questions.ask("why", key("lung"));
  questions.ask("why", key("bronc"));
  await tab.answer({ target: "lung", trails: [] }, 0);
  assert.equal(questions.why.answer, null);
  await tab.answer({ target: "bronc", trails: [] });
  assert.equal(questions.why.answer.target, "bronc");
  questions.ask("why", key("lung"));
  assert.equal(questions.why.answer, null);
  tab.sent.at(-1).fail(new Error("too hard"));
  await new Promise((resolve) => setTimeout(resolve));
  assert.equal(questions.why.problem.message, "too hard");
});

test("working, tornado and table are asked for only while they are open", () => {
  const tab = new Tab();
  const questions = new Questions(tab);
  tab.tell();
  questions.ask("why", key("lung"));
  questions.openPart("tornado", true);
  questions.openPart("table", true);
  questions.openPart("working", true);
  questions.chooseState(1);
  const names = tab.bodies.map(([operation]) => operation);
  assert.deepEqual(names.slice(0, 4), ["explain", "sensitivity", "table", "working"]);
  const last = tab.bodies.filter(([operation]) => operation === "sensitivity").at(-1)[1];
  assert.equal(last.state, "yes");
  questions.close();
  assert.equal(questions.table.answer, null);
  assert.equal(questions.kind, null);
});

test("the same question again closes it, and a tab remembers its question, costs and utilities", () => {
  const stored = {};
  const questions = new Questions(new Tab(stored));
  questions.explorer.tell();
  const utilities = { [key("lung")]: [{ action: "treat", utilities: [0, 5] }] };
  questions.ask("next", key("lung"));
  questions.setPrices({ costs: { [key("xray")]: 2 }, utilities });
  const body = questions.explorer.bodies.at(-1)[1];
  assert.deepEqual(body.costs, [{ variable: "xray", cost: 2 }]);
  assert.deepEqual(body.utilities, utilities[key("lung")]);
  const again = new Questions(new Tab(JSON.parse(JSON.stringify(stored))));
  again.explorer.tell();
  assert.deepEqual(again.explorer.bodies, [["what-to-ask", body]]);
  again.ask("next", key("lung"), { toggle: true });
  assert.equal(again.kind, null);
  const other = new Questions(
    new Tab({ question: { kind: "why", key: key("nobody") }, prices: { costs: { [key("x")]: 1 } } }),
  );
  other.explorer.tell();
  assert.deepEqual([other.kind, other.prices.costs], [null, {}]);
});

test("the other of two variables is the next one that is chosen", () => {
  const tab = new Tab();
  const questions = new Questions(tab);
  tab.tell();
  tab.choose(key("dysp"));
  questions.ask("related", key("asia"));
  assert.equal(questions.other, null);
  assert.equal(tab.sent.length, 0);
  tab.choose(key("smoke"));
  assert.deepEqual(tab.bodies, [["separation", { one: "asia", other: "smoke", findings: FOUND }]]);
});

const EXPLAINED = {
  target: "lung",
  state: "yes",
  before: 0.055,
  after: 0.646,
  share_unit: "log odds",
  findings: [
    { variable: "xray", alone: 0.4887, without: 0.1, share: 2.5, direction: "for", separated_by: null },
    { variable: "smoke", alone: 0.1, without: null, share: -0.5, direction: "against", separated_by: ["xray"] },
  ],
};

test("the ledger tells findings as the page does, and what is not defined as a dash", () => {
  const [first, second] = ledgerRows(MODEL, FOUND, EXPLAINED);
  assert.deepEqual(first, {
    text: "xray = yes",
    alone: "48.9%",
    without: "10.0%",
    share: "+2.5",
    note: "",
  });
  assert.deepEqual([second.without, second.share, second.note], ["–", "−0.5", "kept away by xray = yes"]);
  assert.equal(sharesText(EXPLAINED), "Shares (Shapley) add up to the whole change: +2 log odds.");
  const points = { ...EXPLAINED, share_unit: "probability", findings: [{ ...EXPLAINED.findings[0], share: 0.5 }] };
  assert.equal(ledgerRows(MODEL, FOUND, points)[0].share, "+50.0");
  assert.equal(sharesText(points), "Shares (Shapley) add up to the whole change: +50.0 percentage points.");
  const alone = { ...EXPLAINED, share_unit: null };
  assert.deepEqual([ledgerRows(MODEL, FOUND, alone)[0].share, sharesText(alone)], ["", ""]);
  const [seen] = EXPLAINED.findings;
  const done = { ...seen, intervention: true, share: null };
  assert.match(sharesText({ ...alone, findings: [seen, done] }), /^No shares: an intervention always holds/);
  assert.match(sharesText({ ...points, findings: [{ ...seen, share: 0.2 }, done] }), /after the intervention.*\+20\.0 percentage points/);
  assert.match(sharesText({ ...alone, findings: Array.from({ length: 9 }, () => seen) }), /at most 8 observations/);
  assert.deepEqual([signed(0.00001), signed(null), signed(1.2345)], ["0", "–", "+1.23"]);
});

test("explaining away has its numbers", () => {
  const one = { finding: "bronc=yes", cause: null, effect: "dysp=yes", state: "yes", before: 0.103, after: 0.07 };
  const said = awayText(MODEL, EXPLAINED, one);
  assert.match(said, /^bronc = yes explains dysp = yes, which then needs lung = yes less: 10\.3% without bronc = yes, 7\.0% with it\.$/);
  assert.match(awayText(MODEL, EXPLAINED, { ...one, cause: "bronc" }), /explains dysp = yes through bronc,/);
});

const ENTRY = {
  table: "xray",
  state: "yes",
  parents: [{ name: "either", state: "no" }],
  value: 0.05,
  at_low: 0.7,
  at_high: 0.6,
  threshold: 0.0918,
};

test("a tornado has places from 0 to 1, and the entry that matters most", () => {
  const answer = { probability: 0.65, change: 0.1, entries: [ENTRY, { ...ENTRY, at_low: 0.66, at_high: null, threshold: null }] };
  const [first, second] = tornadoRows(MODEL, answer);
  assert.equal(entryText(MODEL, ENTRY), "P(xray = yes | either = no)");
  assert.deepEqual([first.low, first.high, Number(first.now.toFixed(12))], [0, 1, 0.5]);
  assert.deepEqual([first.ends, first.turns], ["70.0% to 60.0%", "turns at 9.18%"]);
  assert.deepEqual([second.ends, second.turns], ["66.0% to –", ""]);
  assert.ok(second.low >= 0 && second.high <= 1);
  assert.match(mattersMost(MODEL, answer), /= 5% matters most: 10% less or more of it gives 70\.0% or 60\.0%/);
  assert.equal(mattersMost(MODEL, { ...answer, entries: [] }), "No entry of a table can change this.");
});

test("a table names the states of the parents, the last one fastest", () => {
  const axis = (name, ...labels) => ({ name, labels, states: labels });
  const answer = {
    variable: axis("c", "no", "yes"),
    parents: [axis("a", "u", "v"), axis("b", "x", "y", "z")],
    rows: Array.from({ length: 6 }, (_, place) => [1 - place / 10, place / 10]),
    counts: Array.from({ length: 6 }, (_, place) => [6 - place, place]),
    lower: Array.from({ length: 6 }, () => [0.01, 0.02]),
    upper: Array.from({ length: 6 }, () => [0.5, 0.6]),
  };
  const rows = tableRows(answer);
  assert.deepEqual(rows.map(({ parents }) => parents.join("")), ["ux", "uy", "uz", "vx", "vy", "vz"]);
  assert.deepEqual(rows[4].cells[1], { value: "40.0%", count: "4", interval: "2.0% to 60.0%" });
  const given = tableRows({ ...answer, counts: null, lower: null, upper: null });
  assert.deepEqual(given[4].cells[1], { value: "40.0%", count: "", interval: "" });
});

test("two variables are related or not, in words", () => {
  const told = (answer) => [relatedText(MODEL, key("asia"), key("smoke"), answer), closingText(MODEL, answer)];
  assert.deepEqual(told({ separated: true, closed_by: [] }), [
    "No. As things are known now, asia and smoke tell nothing about each other.",
    "",
  ]);
  const [yes, closing] = told({ separated: false, closed_by: ["lung", "bronc"] });
  assert.match(yes, /^Yes\./);
  assert.equal(closing, "They would tell nothing about each other if lung and bronc were observed, too.");
  assert.match(told({ separated: false, closed_by: null })[1], /^Nothing that could be observed/);
});

test("questions without an answer are told in words and not asked", () => {
  const variable = (name) => MODEL.byKey.get(key(name));
  const told = (kind, name, findings, apart) => withoutAnswer(kind, MODEL, variable(name), findings, apart);
  assert.equal(told("why", "lung", FOUND), "");
  assert.match(told("why", "smoke", FOUND), /^smoke = yes: that is known\. Choose a variable that is not/);
  assert.match(told("next", "lung", [{ variable: "lung", do: "no" }]), /^lung set to no: that is known/);
  assert.equal(told("why", "lung", [{ variable: "lung", weights: [1, 2] }]), "");
  const others = MODEL.variables.filter(({ name }) => name !== "lung");
  const all = others.map(({ name, states }) => ({ variable: name, state: states[0] }));
  assert.match(told("next", "lung", all), /^Nothing is left that could be asked for/);
  assert.match(told("next", "lung", [], others.map((one) => one.key)), /^Everything is left out/);
  const number = { ...variable("lung"), states: [] };
  assert.match(withoutAnswer("why", MODEL, number, []), /^lung is a number/);
  const tab = new Tab();
  const questions = new Questions(tab);
  tab.tell();
  questions.ask("why", key("smoke"));
  questions.openPart("working", true);
  assert.equal(tab.sent.length, 0);
});
