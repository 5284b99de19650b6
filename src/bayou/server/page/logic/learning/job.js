/** A job that learns: begun, watched by its events, cancelled. */

import { eventsOf } from "./events.js";

const ENDED = new Set(["done", "failed", "cancelled"]);

/** Between two looks at a job whose events were cut off, in milliseconds. */
const PAUSE = 500;

export const hasEnded = (job) => ENDED.has(job.state);

export class Job {
  constructor(connection, { pause = PAUSE } = {}) {
    Object.assign(this, { connection, pause, id: null });
    this.stopping = new AbortController();
  }

  /** Begin a job, and tell `told(job)` of its progress until it has ended; returns the last document. */
  async run(request, told) {
    const begun = await this.connection.post("v1/jobs", request, this.stopping.signal);
    this.id = begun.job;
    told(begun);
    let job = begun;
    while (!hasEnded(job)) {
      job = await this.watched(job, told);
      if (!hasEnded(job)) job = await this.looked(told);
    }
    return job;
  }

  /** The job after its events; they may be cut off before its end. */
  async watched(job, told) {
    let last = job;
    try {
      const path = `v1/jobs/${this.id}/events`;
      const response = await this.connection.send(path, { signal: this.stopping.signal }, { again: false });
      for await (const { event, data } of eventsOf(response.body)) {
        last = event === "job" ? data : { ...last, progress: data };
        told(last);
      }
    } catch (problem) {
      if (this.stopping.signal.aborted || problem.status) throw problem;
    }
    return last;
  }

  async looked(told) {
    await new Promise((resolve) => setTimeout(resolve, this.pause));
    const job = await this.connection.read(`v1/jobs/${this.id}`, this.stopping.signal);
    told(job);
    return job;
  }

  /** End the job on the server. */
  async cancel() {
    this.stopping.abort();
    if (this.id) await this.connection.send(`v1/jobs/${this.id}`, { method: "DELETE" }, { again: false });
  }
}
