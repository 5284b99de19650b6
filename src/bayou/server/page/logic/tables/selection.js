/** The chosen cells of a table: the active one and the other corner of a range, moved by keys. */

export const chosenCell = (row, column) => ({ row, column, fromRow: row, fromColumn: column });

/** The range of a selection. */
export const rangeOf = ({ row, column, fromRow, fromColumn }) => ({
  top: Math.min(row, fromRow),
  bottom: Math.max(row, fromRow),
  left: Math.min(column, fromColumn),
  right: Math.max(column, fromColumn),
});

export const isInside = ({ top, bottom, left, right }, row, column) =>
  row >= top && row <= bottom && column >= left && column <= right;

const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

/**
 * The selection after a key, null if the key does not move it (Tab at the end leaves the table). `size` is
 * {rows, columns, page}; Shift extends the range, Ctrl goes to the edge.
 */
export function movedBy(selection, { key, shift = false, ctrl = false }, { rows, columns, page }) {
  const { row, column } = selection;
  const kept = (down, across) => {
    const [at, in_] = [clamp(down, rows), clamp(across, columns)];
    return shift ? { ...selection, row: at, column: in_ } : chosenCell(at, in_);
  };
  if (key in STEPS) {
    const [down, across] = STEPS[key].map((step) => (ctrl ? step * Math.max(rows, columns) : step));
    return kept(row + down, column + across);
  }
  if (key === "Home") return kept(ctrl ? 0 : row, 0);
  if (key === "End") return kept(ctrl ? rows - 1 : row, columns - 1);
  if (key === "PageUp") return kept(row - page, column);
  if (key === "PageDown") return kept(row + page, column);
  if (key === "Enter" && !ctrl) return chosenCell(clamp(row + (shift ? -1 : 1), rows), column);
  if (key === "Tab") return stepped(row * columns + column + (shift ? -1 : 1), rows, columns);
  if (key === "a" && ctrl) return { row: rows - 1, column: columns - 1, fromRow: 0, fromColumn: 0 };
  return null;
}

const stepped = (place, rows, columns) =>
  place < 0 || place >= rows * columns ? null : chosenCell(Math.floor(place / columns), place % columns);

const clamp = (value, size) => Math.max(0, Math.min(size - 1, value));

/** The cells [[row, column, cell]] of filling down: the first row of the range into the others, or the row above. */
export function filledDown(range, rows, cellAt) {
  const alone = range.top === range.bottom;
  const source = alone ? range.top - 1 : range.top;
  const cells = [];
  for (let place = alone ? range.top : range.top + 1; source >= 0 && place <= range.bottom; place += 1)
    for (let column = range.left; column <= range.right; column += 1)
      cells.push([rows.row(place), column, cellAt(rows.row(source), column)]);
  return cells;
}
