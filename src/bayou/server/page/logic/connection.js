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

  async read(path, signal) {
    return (await this.send(path, { signal })).json();
  }

  async post(path, body, signal, how) {
    const headers = { "Content-Type": "application/json" };
    const response = await this.send(
      path,
      { method: "POST", headers, body: JSON.stringify(body), signal },
      how,
    );
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

  beliefs(model, findings, signal) {
    return this.post(modelPath(model, "beliefs"), { findings }, signal);
  }

  mostProbable(model, findings, signal) {
    return this.post(modelPath(model, "most-probable"), { findings, k: 1 }, signal);
  }

  losses(model, format) {
    return this.read(`${modelPath(model, "losses")}?format=${encodeURIComponent(format)}`);
  }

  fileAddress(model, format) {
    return this.address(`${modelPath(model, "file")}?format=${encodeURIComponent(format)}`);
  }

  save(model, revisionOnDisk) {
    return this.post(modelPath(model, "save"), { revision_on_disk: revisionOnDisk }, undefined, {
      again: false,
    });
  }
}

const modelPath = (model, ...rest) => ["v1/models", encodeURIComponent(model), ...rest].join("/");
