import assert from "node:assert/strict";
import { test } from "node:test";

import { placeOf } from "../../src/bayou/server/page/logic/address.js";
import { Problem } from "../../src/bayou/server/page/logic/connection.js";
import { Explorer } from "../../src/bayou/server/page/logic/explorer.js";
import { FindingActions } from "../../src/bayou/server/page/logic/finding_actions.js";
import { leftWords } from "../../src/bayou/server/page/logic/opening/left_findings.js";
import { TabMemory } from "../../src/bayou/server/page/logic/tab_memory.js";
import { Impossible, MODELS } from "./fake_models.mjs";
import { asia } from "./small_network.mjs";

/** A connection that answers by enumeration, at once or when the test says so. */
class FakeConnection {
  constructor() {
    this.asked = [];
    this.held = null;
  }

  async model(revision) {
    return [...MODELS.values()].find((model) => model.revision === revision).document();
  }

  async beliefs(revision, findings) {
    this.asked.push(findings);
    if (this.held) await new Promise((resolve) => this.held.push(resolve));
    const model = [...MODELS.values()].find((one) => one.revision === revision);
    try {
      return model.beliefs(findings);
    } catch (error) {
      if (!(error instanceof Impossible)) throw error;
      throw new Problem({
        type: "impossible-findings",
        detail: "They cannot all be true.",
        release: model.release(findings),
      });
    }
  }

  async mostProbable(revision, findings) {
    return [...MODELS.values()].find((one) => one.revision === revision).mostProbable(findings);
  }
}

const storage = () => {
  const texts = new Map();
  return { getItem: (name) => texts.get(name) ?? null, setItem: (name, text) => texts.set(name, text) };
};

async function opened(name = "asia", facts = {}, memory = new TabMemory(storage())) {
  const explorer = new Explorer(new FakeConnection(), memory);
  const report = await explorer.open(MODELS.get(name).revision, facts);
  return { explorer, report, actions: new FindingActions(explorer), memory };
}

const yes = (explorer, name) => explorer.beliefs.get(JSON.stringify(name)).probabilities[1];

test("clicks on bars give the beliefs of enumeration", async () => {
  const { explorer, actions } = await opened();
  assert.ok(Math.abs(yes(explorer, "lung") - 0.055) < 1e-12);
  await actions.toggle('"xray"', 1);
  await actions.toggle('"smoke"', 1);
  const right = asia().beliefs(explorer.findings);
  assert.ok(Math.abs(yes(explorer, "lung") - right.probabilities[3][1]) < 1e-12);
  assert.ok(Math.abs(explorer.logProbability - Math.log(right.total)) < 1e-12);
  await explorer.undo();
  assert.deepEqual(explorer.findings, [{ variable: "xray", state: "yes" }]);
  await explorer.redo();
  await actions.clearAll();
  assert.deepEqual([explorer.findings, explorer.believed], [[], []]);
  await explorer.undo();
  assert.equal(explorer.findings.length, 2);
});

test("do() differs from seeing", async () => {
  const { explorer, actions } = await opened();
  await actions.toggle('"lung"', 1);
  assert.ok(yes(explorer, "smoke") > 0.9);
  await actions.intervene('"lung"', 1);
  assert.ok(Math.abs(yes(explorer, "smoke") - 0.5) < 1e-12);
});

test("late answers of older findings are dropped", async () => {
  const { explorer, actions } = await opened();
  explorer.connection.held = [];
  const first = actions.toggle('"xray"', 1);
  const second = actions.toggle('"asia"', 1);
  const [slow, fast] = explorer.connection.held;
  fast();
  await second;
  const right = yes(explorer, "tub");
  slow();
  await first;
  assert.equal(yes(explorer, "tub"), right);
  assert.equal(explorer.believed.length, 2);
  assert.equal(explorer.busy, false);
});

test("impossible findings leave the bars as they were and can be released", async () => {
  const { explorer, actions } = await opened();
  await actions.toggle('"tub"', 1);
  const before = explorer.beliefs;
  await actions.toggle('"either"', 0);
  assert.equal(explorer.problem.type, "impossible-findings");
  assert.equal(explorer.beliefs, before);
  assert.deepEqual(explorer.problem.release, [
    [{ variable: "tub", state: "yes" }],
    [{ variable: "either", state: "no" }],
  ]);
  await actions.release(explorer.problem.release[0]);
  assert.equal(explorer.problem, null);
  assert.deepEqual(explorer.findings, [{ variable: "either", state: "no" }]);
  assert.ok(yes(explorer, "tub") < 1e-12);
});

test("a drag is one step of undo, asks one question at a time, and ends where it was dropped", async () => {
  const { explorer, actions } = await opened();
  explorer.connection.held = [];
  explorer.connection.asked = [];
  explorer.preview(actions.dragged('"smoke"', 0, 0.9));
  for (const weight of [0.8, 0.7, 0.6]) explorer.preview(actions.dragged('"smoke"', 0, weight));
  assert.equal(explorer.connection.asked.length, 1);
  explorer.connection.held.shift()();
  await new Promise((resolve) => setTimeout(resolve, 0));
  assert.deepEqual(explorer.connection.asked.at(-1), [{ variable: "smoke", weights: [0.6, 1] }]);
  explorer.connection.held.forEach((go) => go());
  explorer.connection.held = null;
  await explorer.change(actions.dragged('"smoke"', 0, 0.5));
  assert.deepEqual(explorer.findings, [{ variable: "smoke", weights: [0.5, 1] }]);
  assert.ok(Math.abs(yes(explorer, "smoke") - 2 / 3) < 1e-12);
  await explorer.undo();
  assert.deepEqual(explorer.findings, []);
  assert.ok(Math.abs(yes(explorer, "smoke") - 0.5) < 1e-12);
});

test("a drag that is given up changes nothing", async () => {
  const { explorer, actions } = await opened();
  await explorer.preview(actions.dragged('"smoke"', 0, 0.2));
  await explorer.cancelPreview();
  assert.deepEqual([explorer.findings, explorer.history.past], [[], []]);
  assert.ok(Math.abs(yes(explorer, "smoke") - 0.5) < 1e-12);
});

test("two scenarios: A is kept, B goes on, both can be swapped", async () => {
  const { explorer, actions } = await opened();
  await actions.toggle('"smoke"', 1);
  explorer.keep();
  await actions.toggle('"smoke"', 0);
  const lung = (beliefs) => beliefs.get('"lung"').probabilities[1];
  assert.ok(Math.abs(lung(explorer.kept.beliefs) - 0.1) < 1e-12);
  assert.ok(Math.abs(lung(explorer.beliefs) - 0.01) < 1e-12);
  await explorer.swap();
  assert.ok(Math.abs(lung(explorer.beliefs) - 0.1) < 1e-12);
  assert.ok(Math.abs(lung(explorer.kept.beliefs) - 0.01) < 1e-12);
});

test("what is kept as A are the findings that are seen, also while their beliefs are on their way", async () => {
  const { explorer } = await opened();
  explorer.connection.held = [];
  const first = explorer.change([{ variable: "smoke", state: "yes" }]);
  const keeping = explorer.keep();
  for (const answer of explorer.connection.held) answer();
  await Promise.all([first, keeping]);
  assert.deepEqual(explorer.kept.findings, [{ variable: "smoke", state: "yes" }]);
  assert.deepEqual(explorer.kept.beliefs.get('"lung"'), explorer.beliefs.get('"lung"'));
});

test("a network that was left opens without findings, and those it had are offered", async () => {
  const { explorer, actions, memory } = await opened();
  await actions.toggle('"smoke"', 1);
  await explorer.keep();
  await actions.toggle('"smoke"', 0);
  explorer.state('"lung"', 0);
  explorer.close();
  const { explorer: again } = await opened("asia", { again: true }, memory);
  assert.deepEqual([again.findings, again.kept, again.history.past], [[], null, []]);
  assert.equal(leftWords(again.model, again.left), "You had findings here: smoke = no; and scenario A (smoke = yes).");
  const { explorer: once } = await opened("asia", { findings: [] }, memory);
  assert.deepEqual(once.left.findings, again.left.findings, "a reload offers them still");
  await again.takeUp();
  assert.deepEqual(again.findings, [{ variable: "smoke", state: "no" }]);
  assert.deepEqual(again.kept.findings, [{ variable: "smoke", state: "yes" }]);
  assert.deepEqual([again.stated, again.history.past.length, again.left], [{ '"lung"': 0 }, 2, null]);
  const { explorer: other } = await opened("asia", { findings: [{ variable: "lung", state: "yes" }] }, memory);
  assert.deepEqual(other.findings, [{ variable: "lung", state: "yes" }], "a link comes first");
});

test("findings that were left are taken up beside others as one step, or dropped for good", async () => {
  const { explorer, actions, memory } = await opened();
  await actions.toggle('"smoke"', 1);
  explorer.close();
  const { explorer: again, actions: fresh } = await opened("asia", { again: true }, memory);
  assert.equal(leftWords(again.model, again.left), "You had findings here: smoke = yes.");
  await fresh.toggle('"xray"', 1);
  await again.takeUp();
  assert.deepEqual(again.findings, [{ variable: "smoke", state: "yes" }]);
  await again.undo();
  assert.deepEqual(again.findings, [{ variable: "xray", state: "yes" }]);
  await fresh.clearAll();
  again.close();
  const { explorer: third } = await opened("asia", { again: true }, memory);
  assert.equal(third.left, null, "nothing was left");
  const { explorer: few, actions: more } = await opened();
  await few.keep();
  await more.clearAll();
  few.close();
  const { explorer: last } = await opened("asia", { again: true }, few.memory);
  assert.equal(leftWords(last.model, last.left), "You had scenario A (no findings) here.");
  last.dropLeft();
  assert.equal((await opened("asia", { again: true }, few.memory)).explorer.left, null);
});

test("the most probable explanation follows the findings", async () => {
  const { explorer, actions } = await opened();
  await explorer.toggleExplanation();
  const state = (name) => explorer.explanation.states.find(({ variable }) => variable === name).state;
  assert.equal(state("dysp"), "no");
  await actions.toggle('"dysp"', 1);
  assert.equal(state("dysp"), "yes");
  assert.equal(state("bronc"), "yes");
  const right = asia().mostProbable(explorer.findings);
  assert.ok(Math.abs(explorer.explanation.probability - right.probability) < 1e-12);
  await explorer.toggleExplanation();
  assert.equal(explorer.explanation, null);
});

test("a reload loses nothing: findings, scenario, undo and what is shown", async () => {
  const memory = new TabMemory(storage());
  const { explorer, actions } = await opened("asia", { source: { gallery: "asia" } }, memory);
  await actions.toggle('"smoke"', 1);
  explorer.keep();
  await actions.exclude('"xray"', 0);
  explorer.focusOn('"lung"', "parents");
  const { findings, kept, gallery } = placeOf(explorer.address);
  const again = await opened("asia", { findings, kept, source: { gallery } }, memory);
  assert.equal(again.explorer.address, explorer.address);
  assert.deepEqual(again.explorer.history, explorer.history);
  assert.deepEqual([...again.explorer.beliefs], [...explorer.beliefs]);
  assert.deepEqual([...again.explorer.kept.beliefs], [...explorer.kept.beliefs]);
  assert.deepEqual([again.explorer.centre, again.explorer.relation], ['"lung"', "parents"]);
});

test("what does not fit the network is left out and told", async () => {
  const findings = [
    { variable: "smoke", state: "yes" },
    { variable: "nobody", state: "yes" },
  ];
  const { explorer, report } = await opened("asia", { findings });
  assert.deepEqual([explorer.findings.length, report.dropped], [1, 1]);
  const told = [];
  const actions = new FindingActions(explorer, (text) => told.push(text));
  await actions.excludeStates('"smoke"', [0, 1]);
  await actions.measure('"smoke"', NaN);
  assert.equal(told.length, 2);
  assert.equal(explorer.findings.length, 1);
});

test("a large network opens on a focus, a small one as a whole", async () => {
  assert.equal((await opened("asia")).explorer.relation, null);
  const { explorer, memory } = await opened("forty");
  assert.equal(explorer.relation, "blanket");
  explorer.showWhole();
  assert.equal((await opened("forty", {}, memory)).explorer.relation, null);
});

test("a network that is too hard to ask can be seen, and asked with more findings", async () => {
  const explorer = new Explorer(new FakeConnection(), new TabMemory(storage()));
  const { beliefs } = explorer.connection;
  explorer.connection.beliefs = async function hard(revision, findings) {
    if (findings.length === 0)
      throw new Problem({ type: "too-wide", status: 422, detail: "Observe more variables." });
    return beliefs.call(this, revision, findings);
  };
  await explorer.open(MODELS.get("asia").revision);
  assert.deepEqual([explorer.beliefs.size, explorer.problem.type], [0, "too-wide"]);
  await new FindingActions(explorer).toggle('"smoke"', 1);
  assert.equal(explorer.problem, null);
  assert.ok(Math.abs(yes(explorer, "lung") - 0.1) < 1e-12);
});

test("a number observed for a continuous variable", async () => {
  const { explorer, actions } = await opened("heights");
  await actions.measure('"height"', 190);
  assert.deepEqual(explorer.findings, [{ variable: "height", value: 190 }]);
  assert.ok(explorer.beliefs.get('"sex"').probabilities[1] > 0.9);
});
