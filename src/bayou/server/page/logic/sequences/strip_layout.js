/** Where things stand in a strip: columns in view, bands of numbers, and the picture of the two slices. */

/** The columns that are in view, with some beside them: {first, last}, last not included. */
export function columnsInView(columns, width, scroll, room, beside = 4) {
  const first = Math.max(0, Math.floor(scroll / width) - beside);
  return { first, last: Math.min(columns, Math.ceil((scroll + room) / width) + beside) };
}

/** The scroll position that shows a column: as it is, if the column is in view. */
export function scrollFor(column, width, scroll, room) {
  if (column * width < scroll) return column * width;
  return (column + 1) * width > scroll + room ? (column + 1) * width - room : scroll;
}

/** The range of a row of numbers, two deviations around every mean: {low, high}. */
export function rangeOf(track) {
  let [low, high] = [Infinity, -Infinity];
  (track?.means ?? []).forEach((mean, step) => {
    if (mean === null) return;
    const reach = 2 * (track.deviations[step] ?? 0);
    low = Math.min(low, mean - reach);
    high = Math.max(high, mean + reach);
  });
  if (!(low <= high)) return { low: 0, high: 1 };
  const room = high > low ? 0.05 * (high - low) : Math.abs(low) || 1;
  return { low: low - room, high: high + room };
}

/** A number inside of its row: shares of the height from above, {top, bottom, middle}. */
export function bandOf(mean, deviation, { low, high }) {
  const place = (value) => (high - value) / (high - low);
  return { top: place(mean + 2 * deviation), bottom: place(mean - 2 * deviation), middle: place(mean) };
}

/** Shares stacked from below: [{from, to}] as shares of the height from above, the first state lowest. */
export function stacked(shares) {
  let sum = 0;
  return shares.map((share) => {
    const from = 1 - sum - share;
    sum += share;
    return { from: Math.max(from, 0), to: Math.min(from + share, 1) };
  });
}

export const BOX = { width: 74, height: 26, across: 96, down: 46, left: 4, top: 22 };

/** The two slices: boxes {row, slice, x, y} and arcs {d, tip, lag}. Slice 0 is the step before. */
export function templatePicture(model) {
  const { rows, arcs } = model;
  const x = (slice) => BOX.left + slice * (BOX.width + BOX.across);
  const y = (row) => BOX.top + row * BOX.down;
  const slices = (row) => (rows[row].role === "each" ? [0, 1] : [0]);
  const boxes = rows.flatMap((_, row) => slices(row).map((slice) => ({ row, slice, x: x(slice), y: y(row) })));
  const lines = arcs.flatMap(({ from, to, lag }) => {
    const outside = rows[from].role !== "each";
    if (outside || lag > 0) {
      const target = rows[to].role === "each" ? 1 : 0;
      return [{ ...across(x(0), y(from), x(target), y(to)), lag }];
    }
    return slices(to).map((slice) => ({ ...within(x(slice), y(from), y(to), to - from), lag }));
  });
  return { boxes, lines, width: x(1) + BOX.width + 30, height: y(rows.length - 1) + BOX.height + 6 };
}

/** An arc from the right of one box to the left of another: {d, tip}. */
function across(x0, y0, x1, y1) {
  const [start, end, half] = [x0 + BOX.width, x1, BOX.height / 2];
  if (end <= x0) return within(x0, y0, y1, 2);
  const bend = (end - start) / 2;
  const [from, to] = [y0 + half, y1 + half];
  const d = `M${start} ${from}C${start + bend} ${from} ${end - bend} ${to} ${end - 6} ${to}`;
  return { d, tip: `M${end} ${to}l-7 -4v8z` };
}

/** An arc down in one slice, or, over more than one row and upwards, round on the right: {d, tip}. */
function within(x, y0, y1, rows) {
  const centre = x + BOX.width / 2;
  if (rows === 1) return { d: `M${centre} ${y0 + BOX.height}V${y1 - 6}`, tip: `M${centre} ${y1}l-4 -7h8z` };
  const side = x + BOX.width;
  const [from, to] = [y0 + BOX.height / 2, y1 + BOX.height / 2];
  const d = `M${side} ${from}C${side + 26} ${from} ${side + 26} ${to} ${side + 6} ${to}`;
  return { d, tip: `M${side} ${to}l7 -4v8z` };
}
