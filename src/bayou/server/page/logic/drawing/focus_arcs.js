/** Arcs between rows of boxes: through the gaps of the rows on their way, so that none runs behind a box. */

/** How far from a box an arc may pass, at most, where only one passes. */
const ASIDE = 14;

/** The ways through a row, from left to right: {from, to} between its boxes, and beside the first and the last. */
function gapsOf(row, boxes) {
  const inRow = row.map((key) => boxes.get(key));
  const first = inRow[0];
  const last = inRow[inRow.length - 1];
  const between = inRow.slice(1).map((box, place) => ({
    from: inRow[place].x + inRow[place].width,
    to: box.x,
  }));
  const beside = [
    { from: first.x - 2 * ASIDE, to: first.x },
    { from: last.x + last.width, to: last.x + last.width + 2 * ASIDE },
  ];
  return [beside[0], ...between, beside[1]];
}

const middle = ({ from, to }) => (from + to) / 2;

/** Which gap of each row to take, so that the way from x to x is shortest (dynamic programming). */
function shortestWay(start, end, rows) {
  let best = [{ x: start, cost: 0, way: [] }];
  for (const gaps of rows) {
    best = gaps.map((gap, place) => {
      const x = middle(gap);
      const from = best.reduce((one, other) =>
        other.cost + Math.abs(other.x - x) < one.cost + Math.abs(one.x - x) ? other : one,
      );
      return { x, cost: from.cost + Math.abs(from.x - x), way: [...from.way, place] };
    });
  }
  const total = ({ x, cost }) => cost + Math.abs(x - end);
  return best.reduce((one, other) => (total(other) < total(one) ? other : one)).way;
}

/** Down a straight line, as a cubic Bézier triple. */
const down = (x, from, to) => [
  [x, from + (to - from) / 3],
  [x, from + (2 * (to - from)) / 3],
  [x, to],
];

/** From one height to another, upright at both ends. */
const across = (start, end) => {
  const half = (start[1] + end[1]) / 2;
  return [[start[0], half], [end[0], half], end];
};

/** The points of an arc from box to box, at x through each row {top, bottom} on its way. */
function pointsOf(parent, child, edge, passed) {
  const start = [parent.x + parent.width / 2, parent.y + parent.height];
  const points = [start];
  let at = start;
  if (edge > start[1] + 0.5) {
    points.push(...down(start[0], start[1], edge));
    at = [start[0], edge];
  }
  for (const { x, top, bottom } of passed) {
    points.push(...across(at, [x, top]), ...down(x, top, bottom));
    at = [x, bottom];
  }
  return [...points, ...across(at, [child.x + child.width / 2, child.y])];
}

/**
 * The arcs of a focus with their points. `rows` are lists of keys from above to below, `arcs` lead downwards.
 * Arcs in the same gap stand side by side, in the order of where they come from.
 */
export function routed(arcs, rows, boxes) {
  const rowOf = new Map(rows.flatMap((row, place) => row.map((key) => [key, place])));
  const gaps = rows.map((row) => gapsOf(row, boxes));
  const frames = rows.map((row) => {
    const inRow = row.map((key) => boxes.get(key));
    return { top: inRow[0].y, bottom: Math.max(...inRow.map((box) => box.y + box.height)) };
  });
  const centre = (key) => boxes.get(key).x + boxes.get(key).width / 2;
  const taken = new Map();
  const ways = arcs.map((arc) => {
    const [from, to] = [rowOf.get(arc.from), rowOf.get(arc.to)];
    const way = shortestWay(centre(arc.from), centre(arc.to), gaps.slice(from + 1, to));
    const passes = way.map((gap, step) => ({ row: from + 1 + step, gap, arc }));
    for (const pass of passes) {
      const name = `${pass.row} ${pass.gap}`;
      taken.set(name, [...(taken.get(name) ?? []), pass]);
    }
    return { arc, from, passes };
  });
  for (const passes of taken.values()) spread(passes, gaps, centre);
  return ways.map(({ arc, from, passes }) => {
    const passed = passes.map(({ row, x }) => ({ x, ...frames[row] }));
    return { ...arc, points: pointsOf(boxes.get(arc.from), boxes.get(arc.to), frames[from].bottom, passed) };
  });
}

/** Side by side in a gap, with the same room between them and to the boxes. */
function spread(passes, gaps, centre) {
  const { row, gap } = passes[0];
  const { from, to } = gaps[row][gap];
  const order = [...passes].sort((one, other) => centre(one.arc.from) - centre(other.arc.from));
  order.forEach((pass, place) => {
    pass.x = from + ((to - from) * (place + 1)) / (order.length + 1);
  });
}
