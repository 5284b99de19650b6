/**
 * The edits since a network was opened, in a storage that outlives the tab: a server that has lost a revision gets it
 * again from them, and after a crash of the tab they are offered again. Each opened network has a log of its own.
 */

const PREFIX = "bayou edits ";
const MOST_LOGS = 20;

/** One log: {id, at, source, origin, saved, present, steps: [{from, revision, edits}]}. */
export class EditLog {
  constructor(facts, keep = () => {}) {
    Object.assign(this, facts);
    this.keep = keep;
  }

  get facts() {
    const { id, at, source, origin, saved, present, steps } = this;
    return { id, at, source, origin, saved, present, steps };
  }

  /** Whether there are edits that no file has. */
  get isUnsaved() {
    return this.present !== this.saved;
  }

  add(from, revision, edits) {
    if (!this.steps.some((step) => step.revision === revision)) this.steps.push({ from, revision, edits });
    this.goTo(revision);
  }

  /** Another revision is shown: by an edit, by undo or redo. */
  goTo(revision) {
    if (this.present === revision) return;
    this.present = revision;
    this.keep(this);
  }

  save(revision) {
    this.saved = revision;
    this.keep(this);
  }

  /** The way to a revision, from the one that was opened: {base, steps}; null if the log does not know it. */
  chain(revision) {
    const steps = [];
    let at = revision;
    while (at !== this.origin) {
      const step = this.steps.find((one) => one.revision === at);
      if (!step || steps.includes(step)) return null;
      steps.unshift(step);
      at = step.from;
    }
    return { base: at, steps };
  }

  /** All edits that lead to what was shown last. */
  get edits() {
    return (this.chain(this.present)?.steps ?? []).flatMap(({ edits }) => edits);
  }
}

/** The logs of all tabs of this browser. A browser without storage has those of this tab, while it lives. */
export class EditLogs {
  constructor(storage, now = () => Date.now(), newId = () => Math.random().toString(36).slice(2)) {
    Object.assign(this, { storage, now, newId, mine: new Map() });
  }

  /** A log for a network that was just opened; it is stored with its first edit. */
  begin(source, origin) {
    const facts = {
      id: this.newId(),
      at: this.now(),
      source,
      origin,
      saved: origin,
      present: origin,
      steps: [],
    };
    return this.adopt(facts);
  }

  adopt(facts) {
    const log = new EditLog(facts, (one) => this.write(one));
    this.mine.set(log.id, log);
    return log;
  }

  /** The log of this tab that goes on after a reload; null if it is not known. */
  continued(id) {
    const facts = id ? this.read(PREFIX + id) : null;
    return this.mine.get(id) ?? (facts && this.adopt(facts));
  }

  /** The log in which a revision stands, if any. */
  holding(revision) {
    return [...this.mine.values(), ...this.stored].find((log) => log.chain(revision)) ?? null;
  }

  get stored() {
    return this.names
      .map((name) => this.read(name))
      .filter(Boolean)
      .map((facts) => new EditLog(facts));
  }

  /** Logs with unsaved edits whose tabs are gone, the newest first; `alive` has the ids of tabs that are open. */
  offered(alive) {
    const free = ({ id, isUnsaved }) => isUnsaved && !alive.has(id) && !this.mine.has(id);
    return this.stored.filter(free).sort((one, other) => other.at - one.at);
  }

  /** This tab goes on with another network: the log is free for others, and offered. */
  release(id) {
    this.mine.delete(id);
  }

  discard(id) {
    this.mine.delete(id);
    this.attempt(() => this.storage.removeItem(PREFIX + id));
  }

  get names() {
    return this.attempt(
      () => Array.from({ length: this.storage.length }, (_, place) => this.storage.key(place)),
      [],
    ).filter((name) => name?.startsWith(PREFIX));
  }

  read(name) {
    return this.attempt(() => {
      const facts = JSON.parse(this.storage.getItem(name));
      return Array.isArray(facts?.steps) ? facts : null;
    }, null);
  }

  write(log) {
    log.at = this.now();
    this.attempt(() => this.storage.setItem(PREFIX + log.id, JSON.stringify(log.facts)));
    const old = this.stored.sort((one, other) => other.at - one.at).slice(MOST_LOGS);
    for (const { id } of old) this.discard(id);
  }

  /** A full or forbidden storage is no reason to stop. */
  attempt(work, otherwise = undefined) {
    try {
      return work();
    } catch {
      return otherwise;
    }
  }
}
