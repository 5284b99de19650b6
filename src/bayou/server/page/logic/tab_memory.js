/** What a tab remembers across a reload, in its sessionStorage; a tab without storage just forgets. */

const NAME = "bayou networks";

/** The storage of a window's tab; in some frames it is forbidden to look at it. */
export function storageOf(scope) {
  try {
    return scope.sessionStorage;
  } catch {
    return null;
  }
}

/** The storage that all tabs share and that outlives them; null where it is forbidden. */
export function lastingStorageOf(scope) {
  try {
    return scope.localStorage;
  } catch {
    return null;
  }
}

/** So many networks are remembered; of more the one that was left first is forgotten. */
const MOST = 8;

export class TabMemory {
  constructor(storage) {
    this.storage = storage;
  }

  /** What is remembered, the network that was used last at the end: [[revision, facts], …]. */
  get all() {
    try {
      const stored = JSON.parse(this.storage.getItem(NAME) ?? "[]");
      return Array.isArray(stored) ? stored.filter((one) => Array.isArray(one) && one.length === 2) : [];
    } catch {
      return [];
    }
  }

  /** What was remembered about a model, or {}. */
  recall(model) {
    return this.all.find(([revision]) => revision === model)?.[1] ?? {};
  }

  /** Remember more about a model. */
  remember(model, facts) {
    const others = this.all.filter(([revision]) => revision !== model);
    this.write([...others, [model, { ...this.recall(model), ...facts }]].slice(-MOST));
  }

  /** An edit has made another revision: what is remembered is about that one now. */
  carry(before, after) {
    const facts = this.recall(before);
    const others = this.all.filter(([revision]) => revision !== before && revision !== after);
    this.write([...others, [after, facts]]);
  }

  /** Edits were discarded: what is remembered is about the network before them, and of one that was built nothing. */
  discard({ id, origin, source }) {
    for (const [revision, facts] of this.all) {
      if (facts.log !== id) continue;
      if (source.begun) this.write(this.all.filter(([other]) => other !== revision));
      else if (revision !== origin) this.carry(revision, origin);
    }
  }

  /** In a storage that is full the networks that were left first make room. */
  write(all) {
    for (let first = 0; first < all.length; first += 1) {
      try {
        this.storage.setItem(NAME, JSON.stringify(all.slice(first)));
        return;
      } catch {
        // a forbidden storage is no reason to stop
      }
    }
  }
}
