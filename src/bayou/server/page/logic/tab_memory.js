/** What a tab remembers across a reload, in its sessionStorage; a tab without storage just forgets. */

const NAME = "bayou explorer";

export class TabMemory {
  constructor(storage) {
    this.storage = storage;
  }

  /** What was remembered about a model, or {}. */
  recall(model) {
    try {
      const stored = JSON.parse(this.storage.getItem(NAME) ?? "null");
      return stored && stored.model === model ? stored : {};
    } catch {
      return {};
    }
  }

  /** Remember more about a model; what is known of another model is forgotten. */
  remember(model, facts) {
    try {
      this.storage.setItem(NAME, JSON.stringify({ ...this.recall(model), model, ...facts }));
    } catch {
      // a full or forbidden storage is no reason to stop
    }
  }
}
