/**
 * A server of the page and of answers by enumeration, for the tests and for trying the page alone:
 * node tests/page/fake_server.mjs 8765 [/prefix] [served], then open http://127.0.0.1:8765/prefix/. With
 * "served" it is as if it was started with asia.bif, which can be saved once: then the file has changed.
 */

import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";

import { Impossible, MODELS } from "./fake_models.mjs";

const PAGE = fileURLToPath(new URL("../../src/bayou/server/page/", import.meta.url));
const TYPES = { ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".html": "text/html" };
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const ABOUT = {
  asia: "Lungs, a visit to Asia and shortness of breath.",
  forty: "Forty times asia: a network of 320 variables.",
  hostile: "Every name tries to run a script.",
  heights: "A height, and whose it is.",
};

class Refusal extends Error {
  constructor(status, type, detail, more = {}) {
    super(detail);
    Object.assign(this, { status, type, more });
  }
}

const SERVED = {
  name: "asia",
  revision: MODELS.get("asia").revision,
  kind: "network",
  variables: 8,
  arcs: 8,
  path_name: "asia.bif",
  can_save: true,
};

function listing(served) {
  const gallery = [...MODELS].map(([name, model]) => {
    const { variables, arcs } = model.document();
    return { name, title: model.title, about: ABOUT[name], variables: variables.length, arcs: arcs.length };
  });
  return { models: served ? [SERVED] : [], gallery };
}

function modelOf(name) {
  const model = [...MODELS.values()].find(({ revision }) => revision === name);
  if (!model)
    throw new Refusal(404, "not-found", "The server does not hold this model. Open its file again.");
  return model;
}

function asked(model, verb, body) {
  try {
    if (verb === "beliefs") return model.beliefs(body.findings);
    if (verb === "most-probable") return model.mostProbable(body.findings);
  } catch (error) {
    if (!(error instanceof Impossible)) throw error;
    const detail = "These findings cannot all be true: release one of them.";
    throw new Refusal(422, "impossible-findings", detail, { release: model.release(body.findings) });
  }
  throw new Refusal(404, "not-found", `There is no ${verb}.`);
}

function answer(method, path, query, body, disk) {
  const [, , kind, name, verb] = path.split("/").map(decodeURIComponent);
  if (method === "GET" && kind === "models" && !name) return [200, listing(disk.served)];
  if (method === "POST" && kind === "gallery") {
    if (!MODELS.has(name)) throw new Refusal(404, "not-found", "The gallery has no such network.");
    return [201, { revision: MODELS.get(name).revision }];
  }
  if (method === "POST" && kind === "models" && !name) {
    if (!body.includes("network"))
      throw new Refusal(
        422,
        "bad-file",
        "The file is no network: its first line should begin with 'network'.",
      );
    return [201, { revision: MODELS.get("asia").revision, remarks: [] }];
  }
  const model = modelOf(name);
  if (method === "GET" && !verb) return [200, model.document()];
  if (verb === "losses")
    return [200, { losses: query.get("format") === "uai" ? ["The names of variables and states"] : [] }];
  if (verb === "file") return [200, model.document()];
  if (verb === "save") return [200, saved(disk, JSON.parse(body))];
  return [200, asked(model, verb, JSON.parse(body))];
}

function saved(disk, { revision_on_disk: revision }) {
  if (!disk.served) throw new Refusal(403, "read-only", "This network has no file on the server.");
  if (disk.revision !== revision)
    throw new Refusal(409, "changed-on-disk", "asia.bif has changed on disk since it was opened.");
  disk.revision = "changed";
  return { revision };
}

async function pageFile(path) {
  const inside = normalize(path === "/" ? "index.html" : path.replace(/^\/page\/[^/]+\//, ""));
  if (inside.startsWith("..")) throw new Refusal(404, "not-found", "There is no such file.");
  const content = await readFile(join(PAGE, inside));
  const text = inside === "index.html" ? content.toString().replaceAll("VERSION", "test") : content;
  return [200, text, TYPES[extname(inside)]];
}

async function bodyOf(request) {
  const parts = [];
  for await (const part of request) parts.push(part);
  return Buffer.concat(parts).toString();
}

async function respond(request, prefix, disk) {
  const url = new URL(request.url, "http://localhost");
  const path = url.pathname.slice(prefix.length) || "/";
  if (!path.startsWith("/v1/")) return pageFile(path);
  const [status, document] = answer(request.method, path, url.searchParams, await bodyOf(request), disk);
  return [status, JSON.stringify(document), "application/json"];
}

/** A server that is not listening yet. */
export function fakeServer(prefix = "", served = false) {
  const disk = { served, revision: SERVED.revision };
  return createServer(async (request, response) => {
    let [status, content, type] = [500, "", "application/problem+json"];
    try {
      [status, content, type] = await respond(request, prefix, disk);
    } catch (error) {
      status = error.status ?? (error.code === "ENOENT" ? 404 : 500);
      content = JSON.stringify({
        type: error.type ?? "failure",
        title: error.message,
        status,
        detail: error.message,
        ...error.more,
      });
    }
    response.writeHead(status, {
      "Content-Type": `${type}; charset=utf-8`,
      "Content-Security-Policy": POLICY,
      "Cache-Control": "no-store",
    });
    response.end(content);
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [port, prefix] = [Number(process.argv[2] ?? 8765), process.argv[3] ?? ""];
  fakeServer(prefix, process.argv[4] === "served").listen(port, "127.0.0.1", () =>
    console.log(`http://127.0.0.1:${port}${prefix}/`),
  );
}
