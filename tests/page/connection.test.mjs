import assert from "node:assert/strict";
import { test } from "node:test";

import { Connection, Problem } from "../../src/bayou/server/page/logic/connection.js";
import { fakeServer } from "./fake_server.mjs";
import { MODELS } from "./fake_models.mjs";

const REVISION = MODELS.get("asia").revision;

async function served(prefix, work, withFile = false) {
  const server = fakeServer(prefix, withFile);
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    await work(`http://127.0.0.1:${server.address().port}${prefix}/`);
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
}

test("every call has its address, also under a prefix", async () => {
  for (const prefix of ["", "/user/ann/proxy/8000"]) {
    await served(prefix, async (base) => {
      const connection = new Connection(base);
      assert.equal((await connection.models()).gallery[0].name, "asia");
      assert.equal((await connection.openGallery("asia")).revision, REVISION);
      assert.equal((await connection.model(REVISION)).variables.length, 8);
      const answer = await connection.beliefs(REVISION, [{ variable: "smoke", state: "yes" }]);
      assert.ok(Math.abs(answer.log_probability - Math.log(0.5)) < 1e-12);
      assert.equal((await connection.mostProbable(REVISION, [])).explanations.length, 1);
      assert.equal((await connection.losses(REVISION, "uai")).losses.length, 1);
      assert.equal((await connection.upload("a b.bif", "network asia {}")).revision, REVISION);
      assert.equal(connection.fileAddress(REVISION, "bif"), `${base}v1/models/${REVISION}/file?format=bif`);
    });
  }
});

test("problems keep the server's words and what can be released", async () => {
  await served("", async (base) => {
    const connection = new Connection(base);
    const impossible = [
      { variable: "tub", state: "yes" },
      { variable: "either", state: "no" },
    ];
    await assert.rejects(connection.beliefs(REVISION, impossible), (problem) => {
      assert.ok(problem instanceof Problem);
      assert.deepEqual(
        [problem.type, problem.status, problem.release.length],
        ["impossible-findings", 422, 2],
      );
      return /cannot all be true/.test(problem.message);
    });
    await assert.rejects(connection.model("nothing"), { status: 404 });
    await assert.rejects(connection.upload("x.bif", "nonsense"), /no network/);
  });
});

test("a lost connection is told and tried again", async () => {
  const told = [];
  const waits = [];
  let trials = 0;
  const request = async () => {
    trials += 1;
    if (trials < 4) throw new TypeError("Failed to fetch");
    return new Response(JSON.stringify({ models: [], gallery: [] }));
  };
  const wait = async (milliseconds) => waits.push(milliseconds);
  const connection = new Connection("http://nowhere/", { request, wait, lost: (trial) => told.push(trial) });
  assert.deepEqual(await connection.models(), { models: [], gallery: [] });
  assert.deepEqual(
    [told, waits],
    [
      [1, 2, 3, 0],
      [500, 1000, 2000],
    ],
  );
});

test("saving and uploading are not repeated behind the user's back", async () => {
  const request = async () => {
    throw new TypeError("Failed to fetch");
  };
  const connection = new Connection("http://nowhere/", { request });
  await assert.rejects(connection.save("a", "b"), { type: "connection-lost" });
  await assert.rejects(connection.upload("a", "b"), { type: "connection-lost" });
});

test("a full server is asked again after the time it names, but not for ever", async () => {
  const waits = [];
  const full = () => new Response("{}", { status: 503, headers: { "Retry-After": "2" } });
  const connection = new Connection("http://nowhere/", {
    request: async () => full(),
    wait: async (time) => waits.push(time),
  });
  await assert.rejects(connection.models(), { status: 503 });
  assert.deepEqual(waits, [2000, 2000, 2000, 2000]);
});

test("an answer that is no JSON is still a problem with a text", async () => {
  const request = async () => new Response("<html>", { status: 502, statusText: "Bad Gateway" });
  await assert.rejects(new Connection("http://nowhere/", { request }).models(), /502 Bad Gateway/);
});

test("a stopped request is not tried again", async () => {
  const stop = new AbortController();
  const request = async () => {
    stop.abort();
    throw new DOMException("Stopped", "AbortError");
  };
  const connection = new Connection("http://nowhere/", { request });
  await assert.rejects(connection.beliefs("a", [], stop.signal), { name: "AbortError" });
});

test("a file is saved once, and a file that has changed on disk is not overwritten", async () => {
  await served(
    "",
    async (base) => {
      const connection = new Connection(base);
      const [entry] = (await connection.models()).models;
      assert.equal(entry.can_save, true);
      assert.deepEqual(await connection.save(REVISION, entry.revision), { revision: REVISION });
      await assert.rejects(connection.save(REVISION, entry.revision), {
        status: 409,
        type: "changed-on-disk",
      });
    },
    true,
  );
  await served("", async (base) =>
    assert.rejects(new Connection(base).save(REVISION, REVISION), { status: 403 }),
  );
});
