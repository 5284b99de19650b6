/** The rules of the page: plain web, text as text only, small files, colours that can be read. */

import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const PAGE = fileURLToPath(new URL("../../src/bayou/server/page/", import.meta.url));

const files = readdirSync(PAGE, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath ?? entry.path, entry.name));
const text = (file) => readFileSync(file, "utf8");
const modules = files.filter((file) => file.endsWith(".js"));

const FORBIDDEN = [
  /innerHTML|outerHTML|insertAdjacentHTML|document\.write|createContextualFragment|DOMParser|srcdoc/,
  /\beval\b|new Function|setTimeout\(\s*["'`]|setInterval\(\s*["'`]|javascript:/,
  /setAttribute\(\s*["']on|setAttribute\([^)]*["']style["']/,
  /<style|<script(?![^>]*\bsrc=)|\sstyle=|\son\w+\s*=\s*["']/i,
  /\b(?:TODO|FIXME)\b/,
];

test("text enters as text only; no script, style or handler stands in the page", () => {
  for (const file of files) {
    for (const rule of FORBIDDEN) assert.doesNotMatch(text(file), rule, relative(PAGE, file));
  }
});

test("nothing is loaded from elsewhere", () => {
  const own = new Set(["http://www.w3.org/2000/svg"]);
  for (const file of files) {
    const addresses = text(file).match(/(?:https?:)?\/\/[a-z0-9.-]+\.[a-z]+[^"'\s)]*/gi) ?? [];
    assert.deepEqual(
      addresses.filter((address) => !own.has(address)),
      [],
      relative(PAGE, file),
    );
    assert.doesNotMatch(text(file), /@import|url\(/, relative(PAGE, file));
  }
  for (const page of ["index.html", "docs.html"]) {
    for (const address of text(join(PAGE, page)).matchAll(/(?:href|src)="([^"]*)"/g)) {
      assert.match(address[1], /^(?:page|docs)\/VERSION\/[\w/]+\.(?:js|css|svg)$/);
      assert.ok(statSync(join(PAGE, address[1].slice("page/VERSION/".length))).isFile());
    }
  }
});

test("modules are below 300 lines, the page below 300 kB as it is sent, folders of at most 20 files", () => {
  for (const file of modules) assert.ok(text(file).split("\n").length < 300, relative(PAGE, file));
  const folders = files.map((file) => join(file, ".."));
  for (const folder of new Set(folders))
    assert.ok(folders.filter((one) => one === folder).length <= 20, folder);
  const sent = (file) => gzipSync(readFileSync(file)).length;
  assert.ok(files.reduce((sum, file) => sum + sent(file), 0) < 300_000);
});

test("logic knows no document, and every import is there", () => {
  for (const file of modules) {
    const inside = relative(PAGE, file);
    if (inside.startsWith("logic"))
      assert.doesNotMatch(text(file), /\b(?:document|window|localStorage|sessionStorage)\.\w/, inside);
    for (const [, path] of text(file).matchAll(/from "([^"]+)"/g)) {
      assert.ok(modules.includes(join(file, "..", path)), `${inside} imports ${path}`);
      if (inside.startsWith("logic"))
        assert.match(relative(PAGE, join(file, "..", path)), /^logic\W/, inside);
    }
    assert.match(text(file), /^\/\*\*/, `${inside} says first what it is for`);
  }
});

test("every module is used", () => {
  const seen = new Set();
  const visit = (file) => {
    if (seen.has(file)) return;
    seen.add(file);
    for (const [, path] of text(file).matchAll(/from "([^"]+)"/g)) visit(join(file, "..", path));
  };
  for (const start of ["main.js", "one_file.js", "docs.js"]) visit(join(PAGE, start));
  assert.deepEqual(
    modules.filter((file) => !seen.has(file)).map((file) => relative(PAGE, file)),
    [],
  );
});

const colours = text(join(PAGE, "style", "colours.css"));
const [light, dark] = colours
  .split("@media")
  .map((part) =>
    Object.fromEntries(
      [...part.matchAll(/--([\w-]+): (#[0-9a-f]{6});/g)].map(([, name, value]) => [name, value]),
    ),
  );

/** Relative luminance and contrast, as WCAG 2.2 defines them. */
function luminance(colour) {
  const part = (at) => {
    const share = parseInt(colour.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5);
}

function contrast(one, other) {
  const [high, low] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (high + 0.05) / (low + 0.05);
}

const READ = [
  ["ink", ["paper", "surface", "sunken", "found-back", "set-back", "calm-back"]],
  ["soft", ["paper", "surface"]],
  ["accent", ["paper", "surface"]],
  ["found", ["found-back", "surface"]],
  ["on-accent", ["accent"]],
  ["surface", ["ink"]],
  ["problem", ["problem-back", "surface"]],
  ["calm", ["calm-back"]],
];
const SEEN = [
  ["edge", ["paper", "surface"]],
  ["focus", ["paper", "surface"]],
  ["arc", ["paper"]],
  ["bar", ["sunken", "surface"]],
  ["found", ["sunken", "paper"]],
  ["set", ["sunken", "set-back"]],
  ["kept", ["surface", "found-back"]],
];

test("contrasts: text at least 4.5, signs and edges at least 3, in light and dark", () => {
  assert.equal(contrast("#000000", "#ffffff"), 21);
  assert.deepEqual(Object.keys(light).sort(), Object.keys(dark).sort());
  for (const [theme, palette] of Object.entries({ light, dark })) {
    for (const [pairs, least] of [
      [READ, 4.5],
      [SEEN, 3],
    ]) {
      for (const [front, backs] of pairs) {
        for (const back of backs) {
          const found = contrast(palette[front], palette[back]);
          assert.ok(found >= least, `${theme}: ${front} on ${back} has ${found.toFixed(2)}`);
        }
      }
    }
  }
});
