/** The window on the drawing: {x, y, scale}; (x, y) is the corner of the window in px of the drawing. */

export const SMALLEST = 0.04;
export const LARGEST = 3;
const FIT_LARGEST = 1.3;
const BARS = 0.62;

/** Where a drawing opens on a part of it: no smaller than this, and this large if it is too wide for that. */
const [PART_LEAST, PART_USUAL] = [0.7, 0.9];

/** What is drawn at a scale: bars of all states, the winning state, or dots with names. */
export function levelOf(scale) {
  if (scale >= BARS) return "bars";
  return scale >= 0.3 ? "winners" : "dots";
}

const limited = (scale) => Math.min(Math.max(scale, SMALLEST), LARGEST);

/** Room around the drawing, in px of the window. */
const AROUND = 14;

/** The whole drawing {width, height} in the middle of a window {width, height}. */
export function fitted(drawing, size) {
  const room = (side) => Math.max(size[side] - 2 * AROUND, 1) / Math.max(drawing[side], 1);
  const scale = limited(Math.min(room("width"), room("height"), FIT_LARGEST));
  return {
    x: (drawing.width - size.width / scale) / 2,
    y: (drawing.height - size.height / scale) / 2,
    scale,
  };
}

/** The corner of the window at its upper right, {width, height}, as a part of the drawing. */
const cornerFrame = (view, size, corner) => ({
  x: view.x + (size.width - corner.width) / view.scale,
  y: view.y,
  width: corner.width / view.scale,
  height: corner.height / view.scale,
});

const covers = (view, size, corner, boxes) => {
  const frame = cornerFrame(view, size, corner);
  return boxes.some((box) => touches(frame, box));
};

/** Fitted so that no box is under what stands in the upper right corner: beside it or below it. */
export function fittedClear(drawing, size, corner, boxes) {
  const view = fitted(drawing, size);
  if (corner === null || !covers(view, size, corner, boxes)) return view;
  const beside = fitted(drawing, { ...size, width: Math.max(size.width - corner.width, 1) });
  const below = fitted(drawing, { ...size, height: Math.max(size.height - corner.height, 1) });
  if (beside.scale >= below.scale) return beside;
  return { ...below, y: below.y - corner.height / below.scale };
}

/**
 * How a drawing is first shown: all of it where its bars can be read. Otherwise a part at a scale of bars: the upper
 * part if the drawing is narrow enough, else where most boxes are whole. `whole`: always all of it (a part of a
 * network that was asked for). No box is under what stands in the upper right corner then.
 */
export function opening(drawing, size, { corner = null, boxes = [], whole = false } = {}) {
  const view = fittedClear(drawing, size, whole ? corner : null, boxes);
  const across = Math.max(size.width - 2 * AROUND, 1) / Math.max(drawing.width, 1);
  if (levelOf(view.scale) === "bars" || (whole && across < BARS)) return view;
  if (!whole && across < PART_LEAST) return fullest(size, corner, boxes);
  const scale = Math.min(across, PART_USUAL);
  const upper = { x: (drawing.width - size.width / scale) / 2, y: -AROUND / scale, scale };
  if (corner === null || !covers(upper, size, corner, boxes)) return upper;
  const beside = opening(drawing, { ...size, width: Math.max(size.width - corner.width, 1) }, { boxes, whole });
  if (levelOf(beside.scale) === "bars") return beside;
  return whole ? view : upper;
}

const inside = (box, frame) =>
  box.x >= frame.x &&
  box.y >= frame.y &&
  box.x + box.width <= frame.x + frame.width &&
  box.y + box.height <= frame.y + frame.height;

/** The window in which most boxes are whole and none is under the corner; of several the upper one. */
function fullest(size, corner, boxes) {
  const scale = PART_USUAL;
  const margin = AROUND / scale;
  const places = (side) => [...new Set(boxes.map((box) => box[side] - margin))].sort((a, b) => a - b);
  const hides = (view, box) => corner !== null && touches(cornerFrame(view, size, corner), box);
  let [best, most] = [{ x: 0, y: 0, scale }, -Infinity];
  for (const y of places("y")) {
    for (const x of places("x")) {
      const view = { x, y, scale };
      const frame = shownFrame(view, size);
      const count = boxes.filter((box) => inside(box, frame)).length;
      const found = count > most ? count - 2 * boxes.filter((box) => hides(view, box)).length : most;
      if (found > most) [best, most] = [view, found];
    }
  }
  return balanced(best, size, corner, boxes);
}

/** As much room on the left as on the right of the boxes that are whole, if none comes under the corner by that. */
function balanced(view, size, corner, boxes) {
  const frame = shownFrame(view, size);
  const seen = boxes.filter((box) => inside(box, frame));
  const right = Math.max(...seen.map((box) => box.x + box.width));
  const shift = (frame.x + frame.width - right - AROUND / view.scale) / 2;
  const moved = { ...view, x: view.x - shift };
  const spoilt = corner !== null && covers(moved, size, corner, boxes) && !covers(view, size, corner, boxes);
  return seen.length === 0 || spoilt ? view : moved;
}

/** Larger or smaller by a factor, while the point at (px, py) of the window stays where it is. */
export function zoomed(view, factor, px, py) {
  const scale = limited(view.scale * factor);
  return { x: view.x + px / view.scale - px / scale, y: view.y + py / view.scale - py / scale, scale };
}

/** Moved by pixels of the window: the drawing follows the pointer. */
export const panned = (view, dx, dy) => ({
  ...view,
  x: view.x - dx / view.scale,
  y: view.y - dy / view.scale,
});

/** The same part of the network in another drawing of it, which begins at another (left, top). */
export const shifted = (view, before, after) => ({
  ...view,
  x: view.x + (before.left ?? 0) - (after.left ?? 0),
  y: view.y + (before.top ?? 0) - (after.top ?? 0),
});

/** At least a part of the drawing stays in the window. */
export function kept(view, drawing, size) {
  const [wide, high] = [size.width / view.scale, size.height / view.scale];
  const margin = 0.25;
  const clamp = (at, length, room) => Math.min(Math.max(at, -room * (1 - margin)), length - room * margin);
  return { ...view, x: clamp(view.x, drawing.width, wide), y: clamp(view.y, drawing.height, high) };
}

/** The part of the drawing that the window shows, with a border of some px of the window around it. */
export function shownFrame(view, size, border = 0) {
  return {
    x: view.x - border / view.scale,
    y: view.y - border / view.scale,
    width: (size.width + 2 * border) / view.scale,
    height: (size.height + 2 * border) / view.scale,
  };
}

export const touches = (one, other) =>
  one.x <= other.x + other.width &&
  other.x <= one.x + one.width &&
  one.y <= other.y + other.height &&
  other.y <= one.y + one.height;

/** The view moved as little as needed so that a box is inside the window. */
export function revealing(view, box, size, border = AROUND - 2) {
  const frame = shownFrame(view, size, -border);
  const shift = (at, length, from, room) => {
    if (length > room || at < from) return at - from;
    return at + length > from + room ? at + length - from - room : 0;
  };
  return {
    ...view,
    x: view.x + shift(box.x, box.width, frame.x, frame.width),
    y: view.y + shift(box.y, box.height, frame.y, frame.height),
  };
}

/** Whether all of a drawing is in the window. */
export const showsWhole = (view, drawing, size) =>
  inside({ x: 0, y: 0, width: drawing.width, height: drawing.height }, shownFrame(view, size, 1));

/**
 * As `revealing`; where the window must move, and was on the whole drawing before an edit, it is again, in the
 * middle and no larger than before, as long as the bars can be read.
 */
export function revealingAll(view, box, drawing, size, wasWhole) {
  const moved = revealing(view, box, size);
  if (!wasWhole || (moved.x === view.x && moved.y === view.y)) return moved;
  const all = fitted(drawing, size);
  if (levelOf(all.scale) !== "bars") return moved;
  const scale = Math.min(view.scale, all.scale);
  return { x: (drawing.width - size.width / scale) / 2, y: (drawing.height - size.height / scale) / 2, scale };
}

/** A box in the middle of the window, large enough to show its bars. */
export function centred(view, box, size) {
  const scale = Math.max(view.scale, 0.8);
  return {
    x: box.x + box.width / 2 - size.width / scale / 2,
    y: box.y + box.height / 2 - size.height / scale / 2,
    scale,
  };
}
