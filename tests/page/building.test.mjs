import assert from "node:assert/strict";
import { test } from "node:test";

import { Problem } from "../../src/bayou/server/page/logic/connection.js";
import { pathBetween } from "../../src/bayou/server/page/logic/building/cycles.js";
import {
  followedFindings,
  followedKeys,
  looseAfter,
} from "../../src/bayou/server/page/logic/building/followed_names.js";
import { Explorer } from "../../src/bayou/server/page/logic/explorer.js";
import { FindingActions } from "../../src/bayou/server/page/logic/finding_actions.js";
import { Model } from "../../src/bayou/server/page/logic/model.js";
import { TabMemory } from "../../src/bayou/server/page/logic/tab_memory.js";
import { EditedModels, storage } from "./edited_models.mjs";

async function opened(memory = new TabMemory(storage()), server = new EditedModels()) {
  const explorer = new Explorer(server, memory);
  explorer.canEdit = true;
  const { revision } = await server.edit(null, [
    { edit: "add_node", name: "rain", states: ["no", "yes"], rows: [[0.8, 0.2]] },
    {
      edit: "add_node",
      name: "wet",
      states: ["no", "yes"],
      parents: ["rain"],
      rows: [
        [0.9, 0.1],
        [0.2, 0.8],
      ],
    },
  ]);
  await explorer.open(revision);
  return { explorer, server, actions: new FindingActions(explorer), memory };
}

const yes = (explorer, name) => explorer.beliefs.get(JSON.stringify(name)).probabilities[1];

test("an edit opens the new revision in place; undo and redo go through findings and edits alike", async () => {
  const { explorer, actions } = await opened();
  const first = explorer.model.revision;
  await actions.toggle('"wet"', 1);
  explorer.choose('"rain"');
  const before = yes(explorer, "rain");
  assert.ok(Math.abs(before - 0.16 / (0.16 + 0.08)) < 1e-12);
  assert.equal(await explorer.edit([{ edit: "set_table", variable: "rain", rows: [[0.5, 0.5]] }]), null);
  const second = explorer.model.revision;
  assert.notEqual(second, first);
  assert.deepEqual(explorer.findings, [{ variable: "wet", state: "yes" }]);
  assert.equal(explorer.chosen, '"rain"');
  assert.ok(Math.abs(yes(explorer, "rain") - 0.4 / 0.45) < 1e-12);
  await explorer.undo();
  assert.deepEqual([explorer.model.revision, explorer.findings.length], [first, 1]);
  assert.ok(Math.abs(yes(explorer, "rain") - before) < 1e-12);
  await explorer.undo();
  assert.deepEqual([explorer.model.revision, explorer.findings.length], [first, 0]);
  await explorer.redo();
  await explorer.redo();
  assert.deepEqual([explorer.model.revision, explorer.findings.length], [second, 1]);
  assert.match(explorer.address, new RegExp(`model=${second}.*findings=`));
  await explorer.undoAll();
  assert.deepEqual([explorer.model.revision, explorer.findings, explorer.history.past], [first, [], []]);
  await explorer.redo();
  await explorer.redo();
  assert.deepEqual([explorer.model.revision, explorer.findings.length], [second, 1]);
});

test("findings follow new names; those that no longer fit are dropped, and undo brings them back", async () => {
  const { explorer, actions } = await opened();
  await actions.toggle('"rain"', 1);
  explorer.choose('"rain"');
  await explorer.edit([
    { edit: "rename_node", variable: "rain", name: "shower" },
    { edit: "rename_state", variable: "shower", state: "yes", name: "heavy" },
  ]);
  assert.deepEqual(explorer.findings, [{ variable: "shower", state: "heavy" }]);
  assert.equal(explorer.chosen, '"shower"');
  await explorer.edit([{ edit: "remove_node", variable: "shower" }]);
  assert.deepEqual([explorer.findings, explorer.chosen], [[], null]);
  await explorer.undo();
  assert.deepEqual(explorer.findings, [{ variable: "shower", state: "heavy" }]);
});

test("a refusal is told and changes nothing; quiet ones are only returned", async () => {
  const { explorer } = await opened();
  const told = [];
  explorer.editing.refuse = (problem, edits) => told.push([problem.message, edits.length]);
  const [revision, history] = [explorer.model.revision, explorer.history];
  const arc = { edit: "add_arc", parent: "wet", child: "rain" };
  const problem = await explorer.edit([arc]);
  assert.ok(problem instanceof Problem);
  assert.equal(problem.edit, 0);
  assert.deepEqual([explorer.model.revision, explorer.history], [revision, history]);
  assert.ok((await explorer.edit([arc], { tell: false })) instanceof Problem);
  assert.deepEqual(told, [[problem.message, 1]]);
  explorer.canEdit = false;
  assert.equal(await explorer.edit([{ edit: "remove_node", variable: "wet" }]), null);
  assert.equal(explorer.model.revision, revision);
});

test("edits wait for each other, and late answers for another network are dropped", async () => {
  const { explorer, server } = await opened();
  const add = (name) => explorer.edit([{ edit: "add_node", name, states: ["a", "b"] }]);
  await Promise.all([add("one"), add("two"), explorer.undo(), add("three")]);
  assert.deepEqual(
    explorer.model.variables.map(({ name }) => name),
    ["rain", "wet", "one", "three"],
  );
  const { revision } = await server.begin();
  server.held = [];
  const late = add("four");
  while (server.held.length === 0) await null;
  const [release] = server.held;
  server.held = null;
  await explorer.open(revision);
  release();
  await late;
  assert.deepEqual([explorer.model.revision, explorer.history.past], [revision, []]);
});

test("boxes keep their places over edits, undo and a reload; only loose ones may move", async () => {
  const { explorer, memory, server } = await opened();
  await explorer.edit([{ edit: "rename_node", variable: "rain", name: "shower" }]);
  const told = server.drawn[server.drawn.length - 1];
  const place = (name) => told.places.find(({ variable }) => variable === name)?.position;
  assert.deepEqual([place("shower"), place("wet"), told.loose], [[75, 50], [75, 150], []]);
  await explorer.edit([{ edit: "add_node", name: "hose", states: ["off", "on"] }]);
  await explorer.edit([{ edit: "add_arc", parent: "hose", child: "wet" }]);
  assert.deepEqual(server.drawn[server.drawn.length - 1].loose, ["wet"]);
  const again = new Explorer(server, memory);
  await again.open(explorer.model.revision);
  assert.equal(server.drawn[server.drawn.length - 1].places.length >= 3, true);
  assert.deepEqual(again.history, explorer.history);
});

test("names are followed through many edits, and what is below an edit is loose", () => {
  const edits = [
    { edit: "rename_node", variable: "a", name: "b" },
    { edit: "rename_node", variable: "b", name: "c" },
    { edit: "rename_state", variable: "c", state: 1, name: 2 },
  ];
  assert.equal(followedKeys(edits)('"a"'), '"c"');
  assert.deepEqual(followedFindings([{ variable: "a", in: [0, 1] }], edits), [{ variable: "c", in: [0, 2] }]);
  const box = { x: 0, y: 0, width: 1, height: 1 };
  const variable = (name) => ({ name, label: name, states: [], labels: [], box });
  const arc = (parent, child) => ({
    parent,
    child,
    points: [
      [0, 0],
      [1, 1],
    ],
  });
  const names = ["a", "b", "c", "d"];
  const model = new Model({ variables: names.map(variable), arcs: [arc("a", "b"), arc("b", "c")] });
  assert.deepEqual(looseAfter(model, [{ edit: "add_arc", parent: "d", child: "b" }]), ["b", "c"]);
  assert.deepEqual(looseAfter(model, [{ edit: "rename_node", variable: "b", name: "e" }]), []);
  assert.deepEqual(pathBetween(model, '"a"', '"c"'), ['"a"', '"b"', '"c"']);
  assert.equal(pathBetween(model, '"c"', '"a"'), null);
});
