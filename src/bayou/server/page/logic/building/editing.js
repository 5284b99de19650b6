/**
 * Edits of the network of a tab: sent one after the other, opened in place, and part of undo. What is shown stays
 * where it is; only what an edit touches may move.
 */

import { indexed } from "../beliefs.js";
import { fitting } from "../findings.js";
import { recorded } from "../history.js";
import { Model } from "../model.js";
import { fittingStated } from "../stated_state.js";
import { EditLogs } from "./edit_log.js";
import { healed } from "./healing.js";
import { followedFindings, followedKeys, looseAfter } from "./followed_names.js";
import { placesFrom, placesOf, placesTold } from "./places.js";

const MOST_KEPT = 40;
const LOST = "The server no longer has this step, and it cannot be made again.";

export class Editing {
  constructor(explorer) {
    this.explorer = explorer;
    this.queue = Promise.resolve();
    this.waiting = 0;
    this.kept = new Map();
    this.places = null;
    this.logs = new EditLogs(null);
    this.log = null;
    /** Told what was refused; and how a network is opened again: reopen(source) gives a revision or null. */
    this.refuse = () => {};
    this.reopen = async () => null;
  }

  /** Whether there are edits that no file has. */
  get isUnsaved() {
    return Boolean(this.explorer.model && this.log?.isUnsaved);
  }

  /** This revision is in a file now. */
  saved(revision) {
    this.log?.save(revision);
    this.explorer.tell();
  }

  /** A revision that the server has lost is made again from its edits; returns whether it could be. */
  heal(connection, revision) {
    return healed(connection, this.logs.holding(revision), revision, this.reopen);
  }

  get busy() {
    return this.waiting > 0;
  }

  /** Forget the network before; `memory` is what the tab remembers of the one that was opened. */
  begin(memory) {
    this.places = placesFrom(memory.places);
    const { model, prior, source } = this.explorer;
    this.keep({ model, prior });
    const before = this.log;
    const known = this.logs.continued(memory.log);
    this.log = known?.chain(model.revision) ? known : this.logs.begin(source, model.revision);
    if (before && before !== this.log) this.logs.release(before.id);
    this.log.goTo(model.revision);
    this.explorer.memory.remember(model.revision, { log: this.log.id });
  }

  /** No network is open any more; its unsaved edits wait in the log. */
  end() {
    if (this.log) this.logs.release(this.log.id);
    this.log = null;
  }

  /** One after the other: an edit begins when those before it are done. */
  async next(work) {
    this.waiting += 1;
    const mine = this.queue.then(work);
    this.queue = mine.catch(() => {});
    try {
      return await mine;
    } finally {
      this.waiting -= 1;
      this.explorer.tell();
    }
  }

  /** See `Explorer.edit`. */
  edit(edits, { tell = true } = {}) {
    return this.next(async () => {
      const { explorer } = this;
      const before = explorer.model;
      if (!before || !explorer.canEdit || edits.length === 0) return null;
      try {
        const { revision } = await explorer.connection.edit(before.revision, edits);
        if (explorer.model !== before) return null;
        this.log.add(before.revision, revision, edits);
        const follow = followedKeys(edits);
        const findings = followedFindings(explorer.findings, edits);
        await this.show(revision, findings, { follow, loose: looseAfter(before, edits) });
      } catch (problem) {
        if (problem.name === "AbortError") return null;
        if (tell && explorer.model === before) this.refuse(problem, edits);
        return problem;
      }
      return null;
    });
  }

  /** Go to another step of the history: `move` makes the new history from the present one. */
  travel(move) {
    return this.next(async () => {
      const { explorer } = this;
      const history = move(explorer.history);
      if (!explorer.model || history === explorer.history) return;
      if (history.present.revision === explorer.model.revision) {
        explorer.history = history;
        await explorer.refresh();
        return;
      }
      try {
        await this.show(history.present.revision, history.present.findings, { history });
      } catch (problem) {
        this.refuse(problem.status === 404 ? new Error(LOST) : problem, []);
      }
    });
  }

  /** Show a revision in the place of the present one; what it had is kept as far as it fits. */
  async show(revision, findings, { history = null, follow = (key) => key, loose = [] } = {}) {
    const { explorer } = this;
    const before = explorer.model;
    this.places = placesOf(before, this.places ?? new Map(), follow);
    const { model, prior } = this.kept.get(revision) ?? (await this.load(revision, loose));
    const known = fitting(model, findings).kept;
    const answer = await this.answerOf(revision, known);
    if (explorer.model !== before) return;
    this.keep({ model, prior });
    const moved = history ?? recorded(explorer.history, { revision, findings: known });
    const keys = Object.fromEntries(
      ["chosen", "centre"].map((name) => [name, present(model, follow(explorer[name]))]),
    );
    this.log.goTo(revision);
    explorer.stop();
    explorer.memory.carry(before.revision, revision);
    Object.assign(explorer, { model, prior, history: moved, chosenArc: null, explanation: null, ...keys });
    explorer.stated = fittingStated(model, explorer.stated);
    if (!explorer.centre) explorer.relation = null;
    explorer.memory.remember(revision, { places: placesTold(placesOf(model, this.places)) });
    if (explorer.kept) await explorer.keepAgain(fitting(model, explorer.kept.findings).kept);
    explorer.arrive(known, answer, prior);
  }

  /** The beliefs with findings, or the problem. */
  async answerOf(revision, findings) {
    try {
      return await this.explorer.connection.beliefs(revision, findings);
    } catch (problem) {
      return { problem };
    }
  }

  /** A revision as it is opened: where the tab has places for its boxes, they stand there again. */
  async opened(revision) {
    const places = placesFrom(this.explorer.memory.recall(revision).places);
    const { connection } = this.explorer;
    const answer = places
      ? await connection.drawing(revision, placesTold(places), [])
      : await connection.model(revision);
    return { model: new Model(answer), prior: await this.priorOf(answer.revision) };
  }

  async load(revision, loose) {
    const told = placesTold(this.places);
    const drawn = this.explorer.connection.drawing(revision, told, loose);
    const [answer, prior] = await Promise.all([drawn, this.priorOf(revision)]);
    return { model: new Model(answer), prior };
  }

  /** The beliefs before any findings; none if the network is too hard or not complete: it can be seen all the same. */
  async priorOf(revision) {
    try {
      return indexed((await this.explorer.connection.beliefs(revision, [])).beliefs);
    } catch (problem) {
      if (!(problem.status >= 400) || problem.status === 404) throw problem;
      return new Map();
    }
  }

  /** Revisions that were shown are kept for undo, the last ones. */
  keep(opened) {
    this.kept.delete(opened.model.revision);
    this.kept.set(opened.model.revision, opened);
    if (this.kept.size > MOST_KEPT) this.kept.delete(this.kept.keys().next().value);
  }
}

const present = (model, key) => (model.byKey.has(key) ? key : null);
