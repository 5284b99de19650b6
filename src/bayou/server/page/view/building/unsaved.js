/** Changes that no file has: marked, guarded when the tab is left, and offered again after a crash. */

import { madeAgain } from "../../logic/building/healing.js";
import { logName } from "../../logic/opening/recent.js";
import { counted } from "../../logic/numbers.js";
import { button, html, setEntries, setShown } from "../elements.js";

const LOCK = "bayou edits ";

export class Unsaved {
  /** `doors.again(source, origin)` opens where a log of edits began. */
  constructor(page, doors) {
    Object.assign(this, { page, doors, explorer: page.explorer, held: null });
    this.released = new Set(); // by this tab: the browser may list their locks for a moment longer
    this.beingMade = null; // the log whose edits are made again just now: it is not offered a second time
    this.list = html("ul", { class: "offered", "aria-label": "Unsaved changes" });
    this.root = html("section", { hidden: true }, html("h2", {}, "Unsaved changes"), this.list);
    this.explorer.listen(() => this.hold());
    window.addEventListener("beforeunload", (event) => {
      if (this.explorer.editing.isUnsaved) event.preventDefault();
    });
  }

  /** The first page lists what was not saved, and by whom it can be gone on with. */
  async show() {
    const offered = this.explorer.editing.logs.offered(await this.alive());
    const logs = offered.filter(({ id }) => id !== this.beingMade);
    setShown(this.root, logs.length > 0);
    setEntries(this.list, logs, (log) => this.line(log), ({ id, at }) => `${id} ${at}`);
  }

  line(log) {
    const what = `${logName(log)}: ${counted(log.edits.length, "change")}`;
    const when = new Date(log.at).toLocaleString([], { dateStyle: "medium", timeStyle: "short" });
    return html(
      "li",
      {},
      html("span", {}, `${what}, ${when}`),
      button("Continue", () => this.again(log), { class: "primary", "aria-label": `Continue ${what}` }),
      button("Discard", () => this.discard(log), { "aria-label": `Discard ${what}` }),
    );
  }

  discard(log) {
    this.explorer.editing.logs.discard(log.id);
    this.explorer.memory.discard(log);
    this.explorer.tell(); // who lists what else this tab has
    this.show();
  }

  /** Open where the log began and make its edits; those that are refused are told. */
  async again(log) {
    const { notices } = this.page;
    const { editing } = this.explorer;
    this.beingMade = log.id;
    let made = null;
    try {
      if (!(await this.doors.again(log.source, log.origin))) return;
      const present = editing.log;
      made = await madeAgain(this.explorer, log.edits);
      // Who leaves while the edits are on their way finds them where they were.
      if (editing.log !== present && !present?.isUnsaved) return;
      if (!made.problem && present?.id !== log.id) editing.logs.discard(log.id);
    } finally {
      this.beingMade = null;
      if (!this.explorer.model) this.show();
    }
    const { refused, problem } = made;
    if (problem) {
      notices.tell(problem.message);
      return;
    }
    const reasons = refused.map(({ edit, reason }) => `${edit.edit.replaceAll("_", " ")}: ${reason}`);
    if (refused.length > 0)
      notices.tell(`${counted(refused.length, "change")} could not be made again. ${reasons.join(" ")}`);
    else notices.say("The changes were made again.");
  }

  /** After opening: the same network has changes from a tab that is gone. */
  async offer() {
    const { explorer, page } = this;
    const { log, logs } = explorer.editing;
    const [found] = logs.offered(await this.alive()).filter(({ origin }) => origin === log.origin);
    // Every network that is built begins alike: those that wait are others, and stand on the first page.
    if (!found || log.source.begun || explorer.editing.isUnsaved) return;
    page.notices.tell(
      `There are unsaved changes of this network from an earlier session (${counted(found.edits.length, "change")}).`,
      [
        ["Continue with them", () => this.again(found)],
        ["Discard them", () => (logs.discard(found.id), page.notices.clear())],
      ],
      "calm",
    );
  }

  /** The ids of logs whose tabs are open: each tab holds a lock. Frames that may not ask know of none. */
  async alive() {
    try {
      const { held } = await navigator.locks.query();
      const names = held.map(({ name }) => name).filter((name) => name.startsWith(LOCK));
      const ids = names.map((name) => name.slice(LOCK.length));
      return new Set(ids.filter((id) => !this.released.has(id)));
    } catch {
      return new Set();
    }
  }

  /** The log of this tab is held as long as it is open; what the first page offers changes with it. */
  hold() {
    const id = this.explorer.editing.log?.id ?? null;
    if (id === this.held) return;
    setEntries(this.list, []);
    setShown(this.root, false);
    this.take(id);
    if (id === null) this.show();
  }

  take(id) {
    this.release?.();
    if (this.held !== null) this.released.add(this.held);
    this.released.delete(id);
    this.held = id;
    const open = new Promise((resolve) => {
      this.release = resolve;
    });
    if (id !== null) navigator.locks?.request(LOCK + id, () => open).catch(() => {}); // denied in some frames
  }
}
