/** Drafts of tables that are not applied yet: kept in the memory of the tab, and told. */

import { counted } from "../numbers.js";

/** A draft with a longer text would not fit into the memory of a tab. */
const LONGEST = 2_000_000;

export class KeptDrafts {
  constructor(explorer) {
    Object.assign(this, { explorer, opened: -1, drafts: {} });
  }

  /** The drafts by the keys of their variables; those of variables that are gone wait until undo brings them back. */
  get all() {
    const known = ([key]) => this.explorer.model.byKey.has(key);
    return Object.fromEntries(Object.entries(this.recalled()).filter(known));
  }

  /** The drafts of the network that is open, which the tab remembers. */
  recalled() {
    const { explorer } = this;
    if (this.opened !== explorer.opened) {
      this.opened = explorer.opened;
      this.drafts = explorer.memory.recall(explorer.model.revision).tables ?? {};
    }
    return this.drafts;
  }

  /** Keep a draft, or forget it if it changes nothing; false if it is too large to outlive a reload. */
  keep(key, draft) {
    const { explorer } = this;
    const drafts = { ...this.recalled() };
    if (draft?.isChanged) drafts[key] = { ...draft.stored(), told: repairWords(draft) };
    else delete drafts[key];
    this.drafts = drafts;
    const small = JSON.stringify(drafts).length <= LONGEST;
    if (small) explorer.memory.remember(explorer.model.revision, { tables: drafts });
    return small;
  }
}

/** "3 rows to repair", or what waits to be applied. */
export function repairWords({ faulty, changed, noisy }) {
  if (faulty.size > 0 && !noisy) return `${counted(faulty.size, "row")} to repair`;
  if (noisy || changed.size === 0) return "not applied yet";
  return `${counted(changed.size, "row")} changed, not applied yet`;
}
