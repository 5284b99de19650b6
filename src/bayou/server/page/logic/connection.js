/** The calls of the API. Addresses are relative to the page, so that it works under any path. */

import { retryDelay } from "./latest.js";

const TRIALS_WHEN_FULL = 4;

/** An answer that is an error: what the server said, in the form of application/problem+json. */
export class Problem extends Error {
  constructor(facts) {
    super(facts.detail || facts.title || "The server could not answer.");
    this.name = "Problem";
    this.type = String(facts.type ?? "")
      .split("/")
      .pop();
    this.title = facts.title ?? "";
    this.status = facts.status ?? 0;
    this.release = Array.isArray(facts.release) ? facts.release : [];
    this.edit = facts.edit ?? null;
  }
}

const pause = (milliseconds, signal) =>
  new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(new DOMException("Stopped", "AbortError"));
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, milliseconds);
    signal?.addEventListener("abort", stop, { once: true });
  });

async function problemIn(response) {
  let facts = {};
  try {
    facts = await response.json();
  } catch {
    facts = { title: `The server answered ${response.status} ${response.statusText}` };
  }
  return new Problem({ ...facts, status: response.status });
}

export class Connection {
  /** `request` is fetch; `lost(trial)` is told when the connection is lost (1, 2, …) and back (0). */
  constructor(base, { request = (...given) => fetch(...given), lost = () => {}, wait = pause } = {}) {
    this.base = base;
    this.request = request;
    this.lost = lost;
    this.wait = wait;
    this.isLost = false;
    /** Makes a model again that the server has lost, given a connection that does not heal; true if it could. */
    this.heal = null;
  }

  address(path) {
    return new URL(path, this.base).href;
  }

  /** The answer to a request; a lost connection is tried again until it is back or the signal stops it. */
  async send(path, options = {}, { again = true } = {}) {
    let full = 0;
    for (let trial = 1; ; trial += 1) {
      let response;
      try {
        response = await this.request(this.address(path), { credentials: "same-origin", ...options });
      } catch (error) {
        if (options.signal?.aborted || error.name === "AbortError") throw error;
        this.isLost = true;
        this.lost(trial);
        if (!again)
          throw new Problem({
            type: "connection-lost",
            detail: "The server cannot be reached. Is it still running?",
          });
        await this.wait(retryDelay(trial), options.signal);
        continue;
      }
      if (this.isLost) {
        this.isLost = false;
        this.lost(0);
      }
      if (response.status === 503 && again && full < TRIALS_WHEN_FULL) {
        full += 1;
        await this.wait(1000 * (Number(response.headers.get("Retry-After")) || 1), options.signal);
        continue;
      }
      if (!response.ok) throw await problemIn(response);
      return response;
    }
  }

  /** The same as `send`; a revision that the server no longer has is made again first, if that can be done. */
  async sendHealed(path, options, how) {
    try {
      return await this.send(path, options, how);
    } catch (problem) {
      if (problem.type !== "unknown-revision" || !this.heal) throw problem;
      const model = decodeURIComponent(path.split(/[/?]/)[2]);
      const plain = Object.assign(Object.create(this), { heal: null });
      if (!(await this.heal(plain, model))) throw problem;
      return this.send(path, options, how);
    }
  }

  async read(path, signal) {
    return (await this.sendHealed(path, { signal })).json();
  }

  async post(path, body, signal, how) {
    const headers = { "Content-Type": "application/json" };
    const options = { method: "POST", headers, body: JSON.stringify(body), signal };
    const response = await this.sendHealed(path, options, how);
    return response.status === 204 ? {} : response.json();
  }

  models() {
    return this.read("v1/models");
  }

  model(model) {
    return this.read(modelPath(model));
  }

  openGallery(name) {
    return this.post(`v1/gallery/${encodeURIComponent(name)}`, {});
  }

  /** Send a network file; the connection is not tried again, the user has the file at hand. */
  async upload(name, bytes) {
    const headers = { "Content-Type": "application/octet-stream" };
    const path = `v1/models?name=${encodeURIComponent(name)}`;
    return (await this.send(path, { method: "POST", headers, body: bytes }, { again: false })).json();
  }

  /** The model drawn anew: boxes stay at their `places`, but for those of the `loose` variables if they must move. */
  drawing(model, places, loose) {
    return this.post(modelPath(model, "drawing"), { places, loose });
  }

  /** The revision that follows from a model by edits; from nothing: a new network. */
  edit(model, edits) {
    return this.post(model === null ? "v1/models" : modelPath(model, "edits"), { edits });
  }

  beliefs(model, findings, signal) {
    return this.post(modelPath(model, "beliefs"), { findings }, signal);
  }

  mostProbable(model, findings, signal) {
    return this.post(modelPath(model, "most-probable"), { findings, k: 1 }, signal);
  }

  /** A question about a model, by the name of its operation. */
  ask(model, operation, body, signal) {
    return this.post(modelPath(model, operation), body, signal);
  }

  losses(model, format) {
    return this.read(`${modelPath(model, "losses")}?format=${encodeURIComponent(format)}`);
  }

  fileAddress(model, format) {
    return this.address(`${modelPath(model, "file")}?format=${encodeURIComponent(format)}`);
  }

  save(model, revisionOnDisk, overwrite = false) {
    const body = { revision_on_disk: revisionOnDisk, overwrite };
    return this.post(modelPath(model, "save"), body, undefined, { again: false });
  }
}

const modelPath = (model, ...rest) => ["v1/models", encodeURIComponent(model), ...rest].join("/");
