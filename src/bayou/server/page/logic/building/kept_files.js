/**
 * The bytes of files that were opened by hand, in the browser's database: a log of edits begins with them again after a
 * crash. The storage of the logs is too small for large files.
 */

const NAME = "bayou files";
const STORE = "files";
const MOST_FILES = 8;
const MOST_BYTES = 200_000_000;

export class KeptFiles {
  /** `databases` is indexedDB, or null where there is none; `names` makes a new name. */
  constructor(databases, now = () => Date.now(), names = () => Math.random().toString(36).slice(2)) {
    Object.assign(this, { databases, now, names, writing: Promise.resolve() });
  }

  /** Keep a copy of some bytes, in the background; returns the name to read them by. */
  keep(bytes) {
    const [name, at] = [this.names(), this.now()];
    this.writing = this.writing.then(() => this.write({ name, at, bytes })).catch(() => {}); // a full disk, or forbidden
    return name;
  }

  /** The bytes that were kept under a name; null if they are not there any more. */
  async read(name) {
    await this.writing;
    try {
      const found = await this.within("readonly", (files) => files.get(name));
      return found?.bytes ?? null;
    } catch {
      return null;
    }
  }

  /** The oldest files make room for a new one. */
  async write(file) {
    if (file.bytes.byteLength > MOST_BYTES) return;
    const known = (await this.within("readonly", (files) => files.getAll())).sort((one, other) => other.at - one.at);
    let room = MOST_BYTES - file.bytes.byteLength;
    const old = known.filter(({ bytes }, place) => {
      room -= bytes.byteLength;
      return room < 0 || place >= MOST_FILES - 1;
    });
    for (const { name } of old) await this.within("readwrite", (files) => files.delete(name));
    await this.within("readwrite", (files) => files.put(file));
  }

  /** The result of one request to the database. */
  async within(mode, ask) {
    const database = await this.open();
    try {
      return await resultOf(ask(database.transaction(STORE, mode).objectStore(STORE)));
    } finally {
      database.close();
    }
  }

  open() {
    const asked = this.databases.open(NAME, 1);
    asked.onupgradeneeded = () => asked.result.createObjectStore(STORE, { keyPath: "name" });
    return resultOf(asked);
  }
}

const resultOf = (request) =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

/** The databases of a window; in some frames it is forbidden to look at them. */
export function databasesOf(scope) {
  try {
    return scope.indexedDB ?? null;
  } catch {
    return null;
  }
}
