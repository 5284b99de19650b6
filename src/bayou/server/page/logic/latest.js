/** Requests of which only the newest counts: older ones are aborted, and their answers dropped. */

export class Latest {
  constructor() {
    this.controller = null;
  }

  get busy() {
    return this.controller !== null;
  }

  /**
   * Run work(signal) as the newest request. The result is {current: true, answer} or {current: false} if
   * a newer request has begun since; errors of dropped requests are dropped, too.
   */
  async run(work) {
    this.controller?.abort();
    const mine = new AbortController();
    this.controller = mine;
    try {
      const answer = await work(mine.signal);
      return this.controller === mine ? { current: true, answer } : { current: false };
    } catch (error) {
      if (this.controller !== mine) return { current: false };
      throw error;
    } finally {
      if (this.controller === mine) this.controller = null;
    }
  }

  /** Give up what is under way. */
  stop() {
    this.controller?.abort();
    this.controller = null;
  }
}

/** How long to wait before trial number 1, 2, … of a lost connection, in milliseconds. */
export const retryDelay = (trial) => Math.min(500 * 2 ** (trial - 1), 10_000);
