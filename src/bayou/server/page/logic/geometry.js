/** The inside of a box: a head with the name, then a row for each state with its text above its bar. */

export const HEAD = 28;
export const ROW = 24;
export const FOOT = 6;
export const PAD = 9;
/** A line of text and its bar: in less, texts stand on the bars above them. */
const LEAST_ROW = 22;

/** How the states share the box: {height of a row, how many are shown, how many are not, whether a line can tell so}. */
export function rowsOf(box, count) {
  const room = Math.max(box.height - HEAD - FOOT, LEAST_ROW);
  if (count * LEAST_ROW <= room + 1e-6) {
    return { height: Math.min(ROW, room / Math.max(count, 1)), shown: count, more: 0, told: false };
  }
  const lines = Math.max(1, Math.floor(room / LEAST_ROW));
  const shown = Math.max(1, lines - 1);
  return { height: Math.min(ROW, room / lines), shown, more: count - shown, told: lines > 1 };
}

/**
 * Which states are shown, in their order, if not all fit: those with findings and the most probable ones.
 * The order of the states never changes.
 */
export function shownStates(count, shown, probabilities, marked) {
  const all = Array.from({ length: count }, (_, place) => place);
  if (shown >= count) return all;
  const weight = (place) => (marked(place) ? 2 : 0) + (probabilities[place] ?? 0);
  const best = [...all].sort((one, other) => weight(other) - weight(one) || one - other).slice(0, shown);
  return best.sort((one, other) => one - other);
}

/** The place along a bar, 0 … 1, of a point: what dragging there means as a weight. */
export function weightAt(x, left, width) {
  const share = Math.min(Math.max((x - left) / width, 0), 1);
  return Math.round(share * 100) / 100;
}

/** The width of an arc: as thick as its information; arcs of unknown strength are thin. */
export function arcWidth(bits) {
  if (bits === null || bits === undefined || !Number.isFinite(bits)) return 1.4;
  return 1 + 5 * Math.sqrt(Math.min(Math.max(bits, 0), 1));
}

/** The d of an SVG path: the start, then cubic Bézier triples. */
export function arcPath(points) {
  const text = ([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`;
  let path = `M${text(points[0])}`;
  for (let k = 1; k + 2 < points.length; k += 3) {
    path += `C${text(points[k])} ${text(points[k + 1])} ${text(points[k + 2])}`;
  }
  return path;
}

/**
 * The points of an arc as cubic Bézier triples. Lists of another length are places to go through: a smooth
 * curve (Catmull and Rom 1974) through them.
 */
export function cubic(points) {
  if (points.length >= 4 && points.length % 3 === 1) return points;
  const at = (k) => points[Math.min(Math.max(k, 0), points.length - 1)];
  const shifted = (from, a, b) => [from[0] + (b[0] - a[0]) / 6, from[1] + (b[1] - a[1]) / 6];
  const rest = points
    .slice(1)
    .map((end, k) => [shifted(at(k), at(k - 1), end), shifted(end, at(k + 2), at(k)), end]);
  return [points[0], ...rest.flat()];
}

/** The head of an arrow at the end of an arc, as an SVG path: it points along the last bit of the curve. */
export function arrowHead(points, width) {
  const tip = points[points.length - 1];
  const before = points[points.length - 2] ?? tip;
  const [dx, dy] = [tip[0] - before[0], tip[1] - before[1]];
  const length = Math.hypot(dx, dy) || 1;
  const [ux, uy] = [dx / length, dy / length];
  const [long, half] = [7 + 1.2 * width, 2.8 + 0.8 * width];
  const back = [tip[0] - ux * long, tip[1] - uy * long];
  const corner = (side) =>
    `${(back[0] - side * uy * half).toFixed(1)} ${(back[1] + side * ux * half).toFixed(1)}`;
  return `M${tip[0].toFixed(1)} ${tip[1].toFixed(1)}L${corner(1)}L${corner(-1)}z`;
}

/** The frame around an arc: its control points enclose the curve. */
export function arcFrame(points) {
  const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)];
  const [x, y] = [Math.min(...xs), Math.min(...ys)];
  return { x, y, width: Math.max(...xs) - x, height: Math.max(...ys) - y };
}

/** The text, or its beginning and "…" if it is wider than there is room; `measure` gives widths. */
export const clipped = (text, room, measure) =>
  shortened(text, room, measure, (letters, count) => `${letters.slice(0, count).join("")}…`);

/** The same for names, whose ends tell as much as their beginnings: "R_LNL…LOSS". */
export const clippedName = (text, room, measure) =>
  shortened(text, room, measure, (letters, count) => {
    const end = letters.slice(letters.length - (count >> 1));
    return `${letters.slice(0, count - (count >> 1)).join("")}…${end.join("")}`;
  });

/** As many letters as there is room for; `part(letters, count)` is the text of some of them. */
function shortened(text, room, measure, part) {
  if (measure(text) <= room) return text;
  const letters = [...text];
  let [low, high] = [0, letters.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (measure(part(letters, middle)) <= room) low = middle;
    else high = middle - 1;
  }
  return low === 0 ? "" : part(letters, low);
}
