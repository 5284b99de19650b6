/** Large files in the browser's database: read again, the oldest making room, and no harm where there is none. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { KeptFiles } from "../../src/bayou/server/page/logic/building/kept_files.js";

/** As much of indexedDB as is asked: one store in memory; every answer comes later. */
function databases(stored = new Map()) {
  const later = (work) => {
    const request = {};
    queueMicrotask(() => {
      request.result = work();
      request.onupgradeneeded?.();
      request.onsuccess();
    });
    return request;
  };
  const files = {
    get: (name) => later(() => stored.get(name)),
    getAll: () => later(() => [...stored.values()]),
    put: (file) => later(() => stored.set(file.name, file)),
    delete: (name) => later(() => stored.delete(name)),
  };
  const database = { createObjectStore() {}, close() {}, transaction: () => ({ objectStore: () => files }) };
  return { open: () => later(() => database) };
}

function shelf(stored) {
  let count = 0;
  return new KeptFiles(databases(stored), () => count, () => `file ${(count += 1)}`);
}

test("a file is read again by another tab, and one that is not there is null", async () => {
  const stored = new Map();
  const files = shelf(stored);
  const name = files.keep(new Uint8Array([1, 2, 3]));
  assert.deepEqual([...(await files.read(name))], [1, 2, 3]);
  assert.deepEqual([...(await shelf(stored).read(name))], [1, 2, 3]);
  assert.equal(await files.read("another"), null);
});

test("the oldest files make room", async () => {
  const stored = new Map();
  const files = shelf(stored);
  for (let place = 0; place < 12; place += 1) files.keep(new Uint8Array([place]));
  await files.writing;
  assert.deepEqual([...stored.keys()], [5, 6, 7, 8, 9, 10, 11, 12].map((place) => `file ${place}`));
  const large = { byteLength: 199_999_999 };
  const name = files.keep(large);
  await files.writing;
  assert.deepEqual([...stored.keys()], ["file 12", name]);
  files.keep({ byteLength: 200_000_001 });
  await files.writing;
  assert.equal(stored.size, 2);
});

test("without a database nothing is kept and nothing fails", async () => {
  const files = new KeptFiles(null);
  assert.equal(await files.read(files.keep(new Uint8Array([1]))), null);
});
