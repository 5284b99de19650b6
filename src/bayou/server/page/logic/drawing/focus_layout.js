/**
 * The drawing of a few variables of a large network: layers by longest path, the order in a layer by the
 * mean place of the neighbours (Sugiyama 1981), wide layers folded. Sizes of boxes are those of the whole drawing.
 */

import { routed } from "./focus_arcs.js";

const GAP = 28;
const RISE = 56;
const FOLD_RISE = 26;
const MARGIN = 16;

/** Room on both sides, for arcs that pass a wide row there. */
const SIDE = 30;
const SWEEPS = 6;

/** The layer of each member: one below its lowest parent. The whole drawing has no cycles. */
function layersOf(members, parents) {
  const depth = new Map();
  const visit = (start) => {
    const waiting = [start];
    while (waiting.length > 0) {
      const key = waiting[waiting.length - 1];
      const open = parents.get(key).filter((parent) => !depth.has(parent));
      if (open.length > 0) {
        waiting.push(...open);
        continue;
      }
      depth.set(key, Math.max(-1, ...parents.get(key).map((parent) => depth.get(parent))) + 1);
      waiting.pop();
    }
  };
  for (const key of members) if (!depth.has(key)) visit(key);
  const layers = [];
  for (const key of members) (layers[depth.get(key)] ??= []).push(key);
  return layers;
}

/** The members in an order with few crossings: some sweeps of mean places, down and up. */
function ordered(layers, parents, children) {
  const place = new Map();
  const note = (layer) => layer.forEach((key, index) => place.set(key, (index + 0.5) / layer.length));
  layers.forEach(note);
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    const near = sweep % 2 === 0 ? parents : children;
    const mean = (key) => {
      const places = near.get(key).map((other) => place.get(other));
      return places.length === 0 ? place.get(key) : places.reduce((sum, at) => sum + at, 0) / places.length;
    };
    for (const layer of sweep % 2 === 0 ? layers : [...layers].reverse()) {
      const means = new Map(layer.map((key) => [key, mean(key)]));
      layer.sort((one, other) => means.get(one) - means.get(other));
      note(layer);
    }
  }
  return layers;
}

/** A layer as rows that are not wider than the page. */
function folded(layer, boxes, widest) {
  const total = layer.reduce((sum, key) => sum + boxes.get(key).width + GAP, 0);
  const count = Math.max(1, Math.ceil(total / widest));
  const length = Math.ceil(layer.length / count);
  return Array.from({ length: count }, (_, row) => layer.slice(row * length, (row + 1) * length)).filter(
    (row) => row.length > 0,
  );
}

/** A curve from the lower edge of a box to the upper edge of another. */
export function curve(parent, child) {
  const start = [parent.x + parent.width / 2, parent.y + parent.height];
  const end = [child.x + child.width / 2, child.y];
  const reach = Math.max(24, (end[1] - start[1]) / 2);
  return [start, [start[0], start[1] + reach], [end[0], end[1] - reach], end];
}

/** {boxes: Map, arcs, width, height} of the members (a set of keys) of a model. */
export function focusLayout(model, members, widest = 1200) {
  const keys = model.variables.map(({ key }) => key).filter((key) => members.has(key));
  const inside = (near) => new Map(keys.map((key) => [key, near.get(key).filter((one) => members.has(one))]));
  const [parents, children] = [inside(model.parents), inside(model.children)];
  const sizes = new Map(keys.map((key) => [key, model.byKey.get(key).box]));
  const layers = ordered(layersOf(keys, parents), parents, children).map((layer) =>
    folded(layer, sizes, widest),
  );
  const wide = (row) => row.reduce((sum, key) => sum + sizes.get(key).width + GAP, -GAP);
  const width = Math.max(0, ...layers.flat().map(wide)) + 2 * SIDE;
  const boxes = new Map();
  let y = MARGIN;
  for (const layer of layers) {
    for (const row of layer) {
      let x = (width - wide(row)) / 2;
      for (const key of row) {
        boxes.set(key, { ...sizes.get(key), x, y });
        x += sizes.get(key).width + GAP;
      }
      y += Math.max(...row.map((key) => sizes.get(key).height)) + FOLD_RISE;
    }
    y += RISE - FOLD_RISE;
  }
  const shown = model.arcs.filter(({ from, to }) => members.has(from) && members.has(to));
  const arcs = routed(shown, layers.flat(), boxes);
  return { boxes, arcs, width, height: y - RISE + MARGIN };
}

/** The drawing of the whole network, as the server has laid it out. */
export function wholeLayout(model) {
  const boxes = new Map(model.variables.map(({ key, box }) => [key, box]));
  const { arcs, left, top, width, height } = model;
  return { boxes, arcs, left, top, width, height };
}
