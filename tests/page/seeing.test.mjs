import assert from "node:assert/strict";
import { test } from "node:test";

import { focusLayout, wholeLayout } from "../../src/bayou/server/page/logic/drawing/focus_layout.js";
import * as geometry from "../../src/bayou/server/page/logic/geometry.js";
import { neighbour, readingOrder, relatives } from "../../src/bayou/server/page/logic/graph.js";
import { Model } from "../../src/bayou/server/page/logic/model.js";
import * as viewport from "../../src/bayou/server/page/logic/drawing/viewport.js";
import { MODELS } from "./fake_models.mjs";

const model = new Model(MODELS.get("asia").document());
const large = new Model(MODELS.get("forty").document());
const names = (keys) => [...keys].map((key) => JSON.parse(key)).sort();

test("relatives", () => {
  assert.deepEqual(names(relatives(model, '"lung"', "blanket")), ["either", "lung", "smoke", "tub"]);
  assert.deepEqual(names(relatives(model, '"dysp"', "parents")), ["bronc", "dysp", "either"]);
  assert.deepEqual(names(relatives(model, '"smoke"', "children")), ["bronc", "lung", "smoke"]);
  assert.deepEqual(names(relatives(model, '"xray"', "ancestors")), [
    "asia",
    "either",
    "lung",
    "smoke",
    "tub",
    "xray",
  ]);
  assert.deepEqual(names(relatives(model, '"tub"', "descendants")), ["dysp", "either", "tub", "xray"]);
});

test("arrow keys go along arcs, and left and right reach every variable", () => {
  const { boxes } = wholeLayout(model);
  assert.equal(neighbour(model, boxes, '"either"', "parent"), '"tub"');
  assert.equal(neighbour(model, boxes, '"either"', "child"), '"xray"');
  assert.equal(neighbour(model, boxes, '"asia"', "parent"), null);
  const walk = ['"asia"'];
  for (let next = walk[0]; next; next = neighbour(model, boxes, next, "next"))
    if (next !== walk.at(-1)) walk.push(next);
  assert.deepEqual(walk, readingOrder(boxes));
  assert.equal(new Set(walk).size, 8);
  assert.equal(neighbour(model, boxes, walk[1], "previous"), walk[0]);
});

function overlaps(boxes) {
  const list = [...boxes.values()];
  return list.some((one, k) =>
    list
      .slice(k + 1)
      .some(
        (other) =>
          one.x < other.x + other.width &&
          other.x < one.x + one.width &&
          one.y < other.y + other.height &&
          other.y < one.y + one.height,
      ),
  );
}

test("a focus is laid out without overlaps, parents above children, inside its frame", () => {
  for (const relation of ["blanket", "parents", "children", "ancestors", "descendants"]) {
    for (const { key } of model.variables) {
      const members = relatives(model, key, relation);
      const { boxes, arcs, width, height } = focusLayout(model, members, 500);
      assert.deepEqual(names(boxes.keys()), names(members));
      assert.equal(overlaps(boxes), false);
      for (const { from, to } of arcs)
        assert.ok(boxes.get(from).y + boxes.get(from).height < boxes.get(to).y);
      for (const box of boxes.values()) {
        assert.ok(box.x >= 0 && box.y >= 0 && box.x + box.width <= width && box.y + box.height <= height);
      }
    }
  }
});

test("wide layers are folded", () => {
  const { width } = focusLayout(large, new Set(large.byKey.keys()), 1200);
  assert.ok(width <= 1260, String(width));
});

test("rows fit into their box, and states that are left out are told", () => {
  for (const count of [1, 2, 3, 8, 9, 12, 40]) {
    for (const height of [56, 86, 106, 240]) {
      const plan = geometry.rowsOf({ height, width: 150 }, count);
      assert.equal(plan.shown + plan.more, count);
      const lines = plan.shown + (plan.told ? 1 : 0);
      assert.ok(geometry.HEAD + lines * plan.height <= height + 1e-6, `${count} in ${height}`);
      if (lines > 1) assert.ok(plan.height >= 22, `${count} in ${height}: texts stand on the bars above them`);
    }
  }
  assert.deepEqual(
    geometry.shownStates(5, 2, [0.1, 0.5, 0.05, 0.3, 0.05], () => false),
    [1, 3],
  );
  assert.deepEqual(
    geometry.shownStates(5, 2, [0.1, 0.5, 0.05, 0.3, 0.05], (place) => place === 4),
    [1, 4],
  );
});

test("thicker arcs carry more, and paths are those of the points", () => {
  const widths = [null, 0, 0.1, 0.5, 1, 3].map(geometry.arcWidth);
  assert.ok(widths.slice(1).every((width, k, all) => k === 0 || width >= all[k - 1]));
  assert.equal(
    geometry.arcPath([
      [0, 0],
      [0, 5],
      [10, 5],
      [10, 10],
    ]),
    "M0.0 0.0C0.0 5.0 10.0 5.0 10.0 10.0",
  );
  const curve = [
    [0, 0],
    [0, 5],
    [10, 5],
    [10, 10],
  ];
  assert.equal(geometry.cubic(curve), curve);
  assert.deepEqual(
    geometry.cubic([
      [0, 0],
      [6, 12],
    ]),
    [
      [0, 0],
      [1, 2],
      [5, 10],
      [6, 12],
    ],
  );
  const through = geometry.cubic([
    [0, 0],
    [3, 9],
    [0, 20],
  ]);
  assert.deepEqual([through.length, through[3], through[6]], [7, [3, 9], [0, 20]]);
  assert.match(
    geometry.arrowHead(
      [
        [0, 0],
        [0, 10],
      ],
      1,
    ),
    /^M0\.0 10\.0L/,
  );
  assert.deepEqual(
    geometry.arcFrame([
      [5, 1],
      [0, 3],
    ]),
    { x: 0, y: 1, width: 5, height: 2 },
  );
});

test("texts are clipped to their room", () => {
  const measure = (text) => [...text].length;
  assert.equal(geometry.clipped("short", 5, measure), "short");
  assert.equal(geometry.clipped("longer text", 5, measure), "long…");
  assert.equal(geometry.clipped("longer", 0.5, measure), "");
  assert.equal(geometry.clippedName("a long name", 11, measure), "a long name");
  assert.equal(geometry.clippedName("R_LNL_MALOSS", 8, measure), "R_LN…OSS");
  assert.equal(geometry.clippedName("longer", 1.5, measure), "");
});

test("a place along a bar is a weight in hundredths", () => {
  assert.deepEqual(
    [-5, 0, 33.333, 100, 130].map((x) => geometry.weightAt(x, 0, 100)),
    [0, 0, 0.33, 1, 1],
  );
});

const SIZE = { width: 800, height: 600 };

test("fit shows the whole drawing in the middle", () => {
  const view = viewport.fitted({ width: 4000, height: 1000 }, SIZE);
  assert.ok(Math.abs(view.scale - 772 / 4000) < 1e-12);
  const frame = viewport.shownFrame(view, SIZE);
  assert.ok(
    frame.x < 0 &&
      frame.x + frame.width > 4000 &&
      Math.abs(2 * frame.x + frame.width - 4000) < 1e-9 &&
      frame.y < 0 &&
      frame.y + frame.height > 1000,
  );
});

test("zoom keeps the point under the pointer", () => {
  const before = { x: 30, y: -20, scale: 0.5 };
  const after = viewport.zoomed(before, 1.7, 200, 150);
  const world = ({ x, y, scale }) => [x + 200 / scale, y + 150 / scale];
  world(before).forEach((value, axis) => assert.ok(Math.abs(value - world(after)[axis]) < 1e-9));
  assert.equal(viewport.zoomed(before, 1e9, 0, 0).scale, viewport.LARGEST);
  assert.equal(viewport.zoomed(before, 1e-9, 0, 0).scale, viewport.SMALLEST);
});

test("the drawing cannot be lost, and a box is brought into the window", () => {
  const drawing = { width: 1000, height: 500 };
  const far = viewport.kept({ x: 1e6, y: -1e6, scale: 1 }, drawing, SIZE);
  assert.ok(viewport.touches(viewport.shownFrame(far, SIZE), { x: 0, y: 0, ...drawing }));
  const box = { x: 2000, y: 900, width: 100, height: 50 };
  for (const view of [
    viewport.revealing({ x: 0, y: 0, scale: 1 }, box, SIZE),
    viewport.centred({ x: 0, y: 0, scale: 0.1 }, box, SIZE),
  ]) {
    const frame = viewport.shownFrame(view, SIZE);
    assert.ok(frame.x <= box.x && frame.x + frame.width >= box.x + box.width);
    assert.ok(frame.y <= box.y && frame.y + frame.height >= box.y + box.height);
  }
});

test("three levels of detail", () => {
  assert.deepEqual([0.1, 0.4, 1].map(viewport.levelOf), ["dots", "winners", "bars"]);
});
