/** Where the handle stands from which a new arc is drawn: at the edge of its box, where it hides no arc. */

import { touches } from "./viewport.js";

export const WIDE = 74;
const HIGH = 23;

/** So far it may stand out at a side of its box. */
const OUT = 30;
const STEP = 6;

/** Points along an arc of cubic Bézier triples. */
function along(points) {
  const found = [];
  for (let k = 0; k + 3 < points.length; k += 3) {
    for (let t = 0; t <= 1; t += 0.05) {
      const s = 1 - t;
      const shares = [s * s * s, 3 * s * s * t, 3 * s * t * t, t * t * t];
      found.push([0, 1].map((axis) => shares.reduce((sum, share, i) => sum + share * points[k + i][axis], 0)));
    }
  }
  return found;
}

/**
 * The upper left corner of the handle, from that of its box: below the box, above the lowest ones, on the right, on
 * the left, in the middle or anywhere between where it hides least. `frames` are the frames of the arcs of the layout.
 */
export function handlePlace(box, { arcs, height, boxes }, frames) {
  const isLowest = box.y + box.height + HIGH > height && box.y >= HIGH;
  const y = isLowest ? -HIGH : box.height;
  const room = { x: box.x - OUT, y: box.y + y, width: box.width + 2 * OUT, height: HIGH };
  const near = arcs.filter((_, place) => touches(frames[place], room)).flatMap(({ points }) => along(points));
  const others = [...(boxes?.values() ?? [])].filter((other) => other !== box && touches(other, room));
  const hides = (x) => {
    const plate = { x: box.x + x, y: room.y, width: WIDE, height: HIGH };
    const inside = ([px, py]) =>
      px > plate.x - 6 && px < plate.x + WIDE + 6 && py >= plate.y && py <= plate.y + HIGH;
    return near.filter(inside).length + 100 * others.filter((other) => touches(other, plate)).length;
  };
  const right = box.width - WIDE;
  const steps = Array.from({ length: Math.floor((right + 2 * OUT) / STEP) + 1 }, (_, step) => right + OUT - step * STEP);
  const places = [right, 0, right / 2, ...steps];
  const x = places.reduce((best, place) => (hides(place) < hides(best) ? place : best));
  return { x, y };
}
