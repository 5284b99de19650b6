import assert from "node:assert/strict";
import { test } from "node:test";

import { handlePlace } from "../../src/bayou/server/page/logic/drawing/arc_handle.js";
import { focusLayout } from "../../src/bayou/server/page/logic/drawing/focus_layout.js";
import { arcFrame } from "../../src/bayou/server/page/logic/geometry.js";
import { relatives } from "../../src/bayou/server/page/logic/graph.js";
import { Model } from "../../src/bayou/server/page/logic/model.js";
import { distinct, shownNames } from "../../src/bayou/server/page/logic/drawing/shown_names.js";
import * as viewport from "../../src/bayou/server/page/logic/drawing/viewport.js";
import { MODELS } from "./fake_models.mjs";

const SIZE = { width: 800, height: 600 };

/** Boxes in rows and columns, with the frame of the drawing. */
function grid(across, down, [width, height] = [120, 90]) {
  const boxes = [];
  for (let row = 0; row < down; row += 1)
    for (let column = 0; column < across; column += 1)
      boxes.push({ x: 16 + column * (width + 28), y: 16 + row * (height + 56), width, height });
  return { width: 4 + across * (width + 28), height: down * (height + 56) - 24, boxes };
}

const wholeBoxes = (view, boxes) => {
  const frame = viewport.shownFrame(view, SIZE);
  return boxes.filter(
    (box) =>
      box.x >= frame.x &&
      box.y >= frame.y &&
      box.x + box.width <= frame.x + frame.width &&
      box.y + box.height <= frame.y + frame.height,
  );
};

test("every drawing opens where bars can be read, those of a large network's part as a whole", () => {
  for (const [across, down] of [
    [1, 2],
    [4, 3],
    [5, 20],
    [12, 2],
    [30, 6],
    [12, 12],
  ]) {
    const { boxes, ...drawing } = grid(across, down);
    for (const corner of [null, { width: 200, height: 150 }]) {
      const view = viewport.opening(drawing, SIZE, { corner, boxes });
      assert.equal(viewport.levelOf(view.scale), "bars", `${across} × ${down}`);
      assert.ok(wholeBoxes(view, boxes).length >= Math.min(across * down, 6), `${across} × ${down}`);
    }
    const whole = viewport.opening(drawing, SIZE, { boxes, whole: true });
    if (across >= 12) assert.deepEqual(whole, viewport.fitted(drawing, SIZE));
  }
});

test("a tall drawing opens at its upper part, a wide one where most boxes are", () => {
  const tall = viewport.opening({ width: 700, height: 3000 }, SIZE);
  const frame = viewport.shownFrame(tall, SIZE);
  assert.ok(frame.x <= 0 && frame.y <= 0 && frame.x + frame.width >= 700);
  const { boxes } = grid(4, 3);
  const crowd = boxes.map((box) => ({ ...box, x: box.x + 2500, y: box.y + 900 }));
  const wide = { width: 4000, height: 1800 };
  const view = viewport.opening(wide, SIZE, { boxes: [{ ...boxes[0] }, ...crowd] });
  assert.equal(wholeBoxes(view, crowd).length, 12);
});

test("no box is under the small map, which takes no room where no box would be", () => {
  const corner = { width: 200, height: 150 };
  const at = (view, box) => ({
    right: (box.x + box.width - view.x) * view.scale,
    top: (box.y - view.y) * view.scale,
  });
  const box = { x: 900, y: 10, width: 90, height: 60 };
  for (const [width, height] of [
    [1000, 400],
    [1000, 1000],
    [1000, 3000],
  ]) {
    const drawing = { width, height };
    const free = viewport.opening(drawing, SIZE, { corner, boxes: [], whole: true });
    assert.deepEqual(free, viewport.opening(drawing, SIZE));
    const view = viewport.opening(drawing, SIZE, { corner, boxes: [box], whole: true });
    const { right, top } = at(view, box);
    assert.ok(right <= SIZE.width - corner.width || top >= corner.height, JSON.stringify(view));
    assert.ok(right > 0 && top >= 0 && right <= SIZE.width);
  }
  const whole = { width: 700, height: 700 };
  assert.deepEqual(viewport.opening(whole, SIZE, { corner, boxes: [box] }), viewport.fitted(whole, SIZE));
});

const measure = (text) => [...text].length;
const told = (texts, room) => [
  ...distinct(texts.map((text, key) => ({ key, text, room })), measure).values(),
];

test("names that are shortened stay distinct, by where they differ", () => {
  assert.deepEqual(told(["p50123388", "p63987002"], 7), ["p50…388", "p63…002"]);
  const pigs = ["p50123388", "p50456388", "p50459388", "p63987002"];
  const [short, all] = [told(pigs, 7), told(pigs, 9)];
  assert.equal(new Set(short).size, 4, String(short));
  assert.ok(short.every((text) => text.includes("…") && text.length <= 7));
  assert.deepEqual(all, pigs);
  const long = ["R_LNLBE_MEDD2_DISP_EW", "R_LNLBE_MEDD2_RD_EW", "R_LNLBE_MEDD2_BLOCK_EW", "R_LNLBE_ULND5_BLOCK_EW"];
  const left = told(long, 9);
  assert.equal(new Set(left).size, 4, String(left));
  assert.deepEqual(told(["the same", "the same"], 5), ["th…me", "th…me"]);
  assert.deepEqual(told(["longer", "longest"], 0.5), ["", ""]);
});

test("no name in a drawing of similar names reads like another, at any scale at which it is told", () => {
  const { boxes } = grid(10, 7, [96, 80]);
  const keyed = new Map(boxes.map((box, key) => [key, box]));
  const text = (key) => `p${50_000_000 + key * 1237}88`;
  const wide = (part) => 0.6 * measure(part);
  for (const [level, scale] of [
    ["bars", 1],
    ["winners", 0.5],
    ["winners", 0.35],
    ["dots", 0.2],
  ]) {
    const names = [...shownNames(keyed, text, { level, scale }, wide).values()].filter((name) => name !== "");
    assert.equal(new Set(names).size, names.length, `${level} ${scale}`);
    if (level !== "dots") assert.equal(names.length, 70);
  }
});

test("labels of dots do not run into each other, and have the room that there is", () => {
  const pair = (apart) =>
    new Map([
      ["a", { x: 0, y: 0, width: 60, height: 60 }],
      ["b", { x: apart, y: 0, width: 60, height: 60 }],
    ]);
  const names = (boxes, text) => [
    ...shownNames(boxes, () => text, { level: "dots", scale: 0.2 }, (part) => measure(part) / 2).values(),
  ];
  const told = names(pair(150), "twelve signs");
  assert.ok(told.every((name) => name.length > 4 && (measure(name) / 2) * (9.5 / 0.2) < 150), String(told));
  assert.deepEqual(names(pair(70), "twelve signs"), ["", ""]);
  assert.deepEqual(names(new Map([["a", pair(0).get("a")]]), "lung"), ["lung"]);
});

/** Points along a curve of cubic Bézier triples. */
function along(points) {
  const found = [];
  for (let k = 0; k + 3 < points.length; k += 3) {
    for (let t = 0; t <= 1; t += 0.05) {
      const weights = [(1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t ** 2 * (1 - t), t ** 3];
      found.push([0, 1].map((axis) => weights.reduce((sum, w, i) => sum + w * points[k + i][axis], 0)));
    }
  }
  return found;
}

test("no arc of a focus runs behind a box, and none leaves the drawing", () => {
  const seen = [];
  for (const [model, widest] of [
    [new Model(MODELS.get("asia").document()), 420],
    [new Model(MODELS.get("asia").document()), 1200],
    [new Model(MODELS.get("forty").document()), 1200],
  ]) {
    const all = new Set(model.byKey.keys());
    for (const members of [all, relatives(model, [...all][3], "blanket")]) {
      const { boxes, arcs, width, height } = focusLayout(model, members, widest);
      for (const { from, to, points } of arcs) {
        const [start, end] = [points[0], points.at(-1)];
        assert.deepEqual(start, [boxes.get(from).x + boxes.get(from).width / 2, boxes.get(from).y + boxes.get(from).height]);
        assert.deepEqual(end, [boxes.get(to).x + boxes.get(to).width / 2, boxes.get(to).y]);
        for (const [x, y] of along(points)) {
          assert.ok(x > 0 && x < width && y > 0 && y < height, `${from} → ${to} at ${x} of ${width}`);
          for (const [key, box] of boxes) {
            const behind = x > box.x + 1 && x < box.x + box.width - 1 && y > box.y + 1 && y < box.y + box.height - 1;
            assert.ok(!behind, `${from} → ${to} behind ${key}`);
          }
        }
        seen.push(points.length);
      }
    }
  }
  assert.ok(Math.max(...seen) > 7); // some pass a row on their way
});

test("the handle of a new arc stands where it hides no arc, above the lowest boxes", () => {
  const box = { x: 100, y: 100, width: 160, height: 80 };
  const arc = (...points) => ({ points });
  const right = arc([240, 180], [240, 190], [240, 200], [240, 260]);
  const left = arc([130, 180], [130, 190], [130, 200], [130, 260]);
  const place = (...arcs) => handlePlace(box, { arcs, height: 400 }, arcs.map(({ points }) => arcFrame(points)));
  assert.deepEqual(place(), { x: 86, y: 80 });
  assert.deepEqual(place(right), { x: 0, y: 80 });
  assert.deepEqual(place(right, left), { x: 43, y: 80 });
  assert.deepEqual(handlePlace(box, { arcs: [], height: 180 }, []), { x: 86, y: -23 });
});

test("who saw the whole network sees it all after an edit, no larger than before", () => {
  const size = { width: 900, height: 600 };
  const before = { width: 200, height: 300 };
  const view = viewport.fitted(before, size);
  assert.ok(viewport.showsWhole(view, before, size));
  const after = { width: 200, height: 700 };
  const box = { x: 0, y: 600, width: 180, height: 100 };
  const all = viewport.revealingAll(view, box, after, size, true);
  assert.ok(viewport.showsWhole(all, after, size) && all.scale < view.scale);
  assert.ok(!viewport.showsWhole(viewport.revealingAll(view, box, after, size, false), after, size));
  const seen = { x: 0, y: 0, width: 180, height: 100 };
  assert.equal(viewport.revealingAll(view, seen, after, size, true).y, view.y, "what is in view stays in place");
});
