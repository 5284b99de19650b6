/** A question that follows the findings: asked anew when what it depends on changes; late answers are dropped. */

import { Latest } from "../latest.js";
import { keyOf, same } from "../values.js";

export class FollowedQuestion {
  /** `request()` is the body to send, or null while nothing is asked. */
  constructor(explorer, operation, request) {
    Object.assign(this, { explorer, operation, request });
    this.latest = new Latest();
    Object.assign(this, { asked: null, answer: null, problem: null, about: null });
  }

  /** The answer is on its way. */
  get busy() {
    return this.latest.busy;
  }

  /** Ask if anything has changed. While a bar is dragged nothing is asked; the last findings count. */
  async follow() {
    const { explorer } = this;
    if (explorer.dragStart) return;
    const body = explorer.model ? this.request() : null;
    const asked = body && keyOf([explorer.model.revision, body]);
    if (asked === this.asked) return;
    this.asked = asked;
    this.forget(body);
    if (body) await this.ask(explorer.model.revision, body);
  }

  /** An answer about another variable is not shown while the new one is on its way. */
  forget(body) {
    const about = body && (body.target ?? body.targets ?? body.variable ?? [body.one, body.other]);
    if (body === null || !same(about, this.about)) Object.assign(this, { answer: null, problem: null });
    if (body === null) this.latest.stop();
    this.about = about;
  }

  async ask(revision, body) {
    const { explorer, operation } = this;
    try {
      const work = (signal) => explorer.connection.ask(revision, operation, body, signal);
      const { current, answer } = await this.latest.run(work);
      if (!current) return;
      Object.assign(this, { answer, problem: null });
    } catch (problem) {
      Object.assign(this, { answer: null, problem });
    }
    explorer.tell();
  }
}
