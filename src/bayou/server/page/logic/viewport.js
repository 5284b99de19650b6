/** The window on the drawing: {x, y, scale}; (x, y) is the corner of the window in px of the drawing. */

export const SMALLEST = 0.04;
export const LARGEST = 3;
const FIT_LARGEST = 1.3;
const READABLE = 0.5;

/** What is drawn at a scale: bars of all states, the winning state, or dots with names. */
export function levelOf(scale) {
  if (scale >= 0.62) return "bars";
  return scale >= 0.3 ? "winners" : "dots";
}

const limited = (scale) => Math.min(Math.max(scale, SMALLEST), LARGEST);

/** Room around the drawing, and for the controls below it, in px of the window. */
const [AROUND, BELOW] = [14, 52];

/** The whole drawing {width, height} in the middle of a window {width, height}, above its controls. */
export function fitted(drawing, size) {
  const high = Math.max(size.height - AROUND - BELOW, 1);
  const across = Math.max(size.width - 2 * AROUND, 1) / Math.max(drawing.width, 1);
  const scale = limited(Math.min(across, high / Math.max(drawing.height, 1), FIT_LARGEST));
  return {
    x: (drawing.width - size.width / scale) / 2,
    y: (drawing.height - high / scale) / 2 - AROUND / scale,
    scale,
  };
}

/**
 * How a drawing is first shown: the whole of it, or, if its texts were too small and it is not too wide for
 * bars, its upper part.
 */
export function opening(drawing, size) {
  const whole = fitted(drawing, size);
  const scale = Math.min((size.width - 2 * AROUND) / Math.max(drawing.width, 1), 1);
  if (whole.scale >= READABLE || levelOf(scale) !== "bars") return whole;
  return { x: (drawing.width - size.width / scale) / 2, y: -AROUND / scale, scale };
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
export function revealing(view, box, size, border = 24) {
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

/** A box in the middle of the window, large enough to show its bars. */
export function centred(view, box, size) {
  const scale = Math.max(view.scale, 0.8);
  return {
    x: box.x + box.width / 2 - size.width / scale / 2,
    y: box.y + box.height / 2 - size.height / scale / 2,
    scale,
  };
}
