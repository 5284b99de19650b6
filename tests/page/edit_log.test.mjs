import assert from "node:assert/strict";
import { test } from "node:test";

import { Connection } from "../../src/bayou/server/page/logic/connection.js";
import { EditLogs } from "../../src/bayou/server/page/logic/building/edit_log.js";
import { madeAgain } from "../../src/bayou/server/page/logic/building/healing.js";
import { Explorer } from "../../src/bayou/server/page/logic/explorer.js";
import { TabMemory } from "../../src/bayou/server/page/logic/tab_memory.js";
import { EditedModels, storage } from "./edited_models.mjs";

const node = (name) => ({ edit: "add_node", name, states: ["no", "yes"] });

async function tab(server = new EditedModels(), lasting = storage(), memory = new TabMemory(storage())) {
  const explorer = new Explorer(server, memory);
  explorer.canEdit = true;
  let count = 0;
  explorer.editing.logs = new EditLogs(lasting, () => (count += 1));
  explorer.editing.reopen = async () => (await server.begin()).revision;
  const plain = Object.assign(Object.create(server), { heal: null });
  server.heal = (revision) => explorer.editing.heal(plain, revision);
  const { revision } = await server.begin();
  await explorer.open(revision, { source: { begun: true, name: "New network" } });
  return { explorer, server, lasting, memory, origin: revision };
}

test("changes are unsaved until a file has them, and undo to the beginning leaves nothing unsaved", async () => {
  const { explorer } = await tab();
  assert.equal(explorer.editing.isUnsaved, false);
  await explorer.edit([node("rain")]);
  assert.equal(explorer.editing.isUnsaved, true);
  await explorer.undo();
  assert.equal(explorer.editing.isUnsaved, false);
  await explorer.redo();
  explorer.editing.saved(explorer.model.revision);
  assert.equal(explorer.editing.isUnsaved, false);
  await explorer.undo();
  assert.equal(explorer.editing.isUnsaved, true);
});

test("a server that has lost everything gets the revision again, and undo goes on", async () => {
  const { explorer, server, origin } = await tab();
  await explorer.edit([node("rain")]);
  const first = explorer.model.revision;
  await explorer.edit([node("wet"), { edit: "add_arc", parent: "rain", child: "wet" }]);
  await explorer.edit([{ edit: "rename_node", variable: "rain", name: "shower" }]);
  const last = explorer.model.revision;
  server.known.clear();
  explorer.editing.kept.clear();
  await explorer.change([{ variable: "shower", state: "yes" }]);
  assert.equal(explorer.problem, null);
  assert.deepEqual([...server.known.keys()].sort(), [origin, last].sort());
  await explorer.undo();
  await explorer.undo();
  await explorer.undo();
  assert.equal(explorer.model.revision, first);
  assert.deepEqual(
    explorer.model.variables.map(({ name }) => name),
    ["rain"],
  );
});

test("a revision is made again from the nearest one that is left, if the beginning has changed", async () => {
  const { explorer, server } = await tab();
  await explorer.edit([node("rain")]);
  const middle = explorer.model.revision;
  await explorer.edit([node("wet")]);
  const last = explorer.model.revision;
  explorer.editing.reopen = async () => "another content";
  server.known.delete(last);
  await explorer.change([{ variable: "wet", state: "yes" }]);
  assert.equal(explorer.problem, null);
  server.known.delete(last);
  server.known.delete(middle);
  server.known.clear();
  await explorer.change([]);
  assert.equal(explorer.problem.status, 404);
});

test("after a crash of the tab its edits are offered, not those of tabs that are open", async () => {
  const { explorer, server, lasting } = await tab();
  await explorer.edit([node("rain")]);
  await explorer.edit([node("wet"), { edit: "add_arc", parent: "rain", child: "wet" }]);
  const other = (await tab(server, lasting)).explorer;
  const { logs } = other.editing;
  assert.deepEqual(logs.offered(new Set([explorer.editing.log.id])), []);
  const [found] = logs.offered(new Set());
  assert.equal(found.edits.length, 3);
  assert.deepEqual(await madeAgain(other, found.edits), { refused: [], problem: null });
  assert.equal(other.model.revision, explorer.model.revision);
  logs.discard(found.id);
  assert.deepEqual(logs.offered(new Set([other.editing.log.id])), []);
});

test("edits that are refused are left out and told", async () => {
  const { explorer } = await tab();
  await explorer.edit([node("rain")]);
  const edits = [node("rain"), node("wet"), { edit: "add_arc", parent: "no", child: "wet" }, node("mud")];
  const { refused } = await madeAgain(explorer, edits);
  assert.deepEqual(
    refused.map(({ edit }) => edit.edit),
    ["add_node", "add_arc"],
  );
  assert.match(refused[0].reason, /rain/);
  assert.deepEqual(
    explorer.model.variables.map(({ name }) => name),
    ["rain", "wet", "mud"],
  );
});

test("a reload goes on with the log; another network begins another one, and the first is offered", async () => {
  const { explorer, server, lasting, memory } = await tab();
  await explorer.edit([node("rain")]);
  const again = new Explorer(server, memory);
  again.editing.logs = new EditLogs(lasting);
  await again.open(explorer.model.revision);
  assert.equal(again.editing.log.id, explorer.editing.log.id);
  assert.equal(again.editing.isUnsaved, true);
  again.close();
  assert.equal(again.editing.isUnsaved, false);
  assert.equal(again.editing.logs.offered(new Set()).length, 1);
});

test("a browser without storage keeps the log of the tab; damaged ones are ignored", async () => {
  const forbidden = { getItem: () => assert.fail(), setItem: () => assert.fail(), key: () => assert.fail() };
  for (const lasting of [null, forbidden]) {
    const { explorer, server } = await tab(new EditedModels(), lasting);
    await explorer.edit([node("rain")]);
    server.known.clear();
    await explorer.change([{ variable: "rain", state: "yes" }]);
    assert.equal(explorer.problem, null);
  }
  const broken = storage();
  broken.setItem("bayou edits x", "{");
  broken.setItem("bayou edits y", "[]");
  assert.deepEqual(new EditLogs(broken).offered(new Set()), []);
});

test("the connection heals a lost revision once, and asks again", async () => {
  const [asked, healed] = [[], []];
  const lost = { type: "unknown-revision", detail: "gone", status: 404 };
  let there = false;
  const request = async (address) => {
    asked.push(new URL(address).pathname);
    return new Response(JSON.stringify(there ? { beliefs: [] } : lost), { status: there ? 200 : 404 });
  };
  const connection = new Connection("http://x/", { request });
  connection.heal = async (plain, model) => {
    healed.push([model, plain.heal]);
    there = true;
    return true;
  };
  assert.deepEqual(await connection.beliefs("abc", []), { beliefs: [] });
  assert.deepEqual(healed, [["abc", null]]);
  assert.equal(asked.length, 2);
  there = false;
  connection.heal = async () => false;
  await assert.rejects(connection.losses("abc", "bif"), /gone/);
});
