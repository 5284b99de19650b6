/** Relatives of a variable, and the variable that an arrow key leads to. Variables are given by key. */

export const RELATIONS = [
  ["blanket", "Markov blanket"],
  ["parents", "parents"],
  ["children", "children"],
  ["ancestors", "ancestors"],
  ["descendants", "descendants"],
];

function reached(start, next) {
  const seen = new Set([start]);
  const waiting = [start];
  while (waiting.length > 0) {
    for (const other of next.get(waiting.pop())) {
      if (!seen.has(other)) {
        seen.add(other);
        waiting.push(other);
      }
    }
  }
  return seen;
}

/** The variable and its relatives, as a set of keys. */
export function relatives(model, key, relation) {
  if (relation === "ancestors") return reached(key, model.parents);
  if (relation === "descendants") return reached(key, model.children);
  const members = new Set([key]);
  if (relation !== "children") model.parents.get(key).forEach((parent) => members.add(parent));
  if (relation !== "parents") model.children.get(key).forEach((child) => members.add(child));
  if (relation === "blanket") {
    for (const child of model.children.get(key)) {
      model.parents.get(child).forEach((spouse) => members.add(spouse));
    }
  }
  return members;
}

const middle = (box) => box.x + box.width / 2;

function nearest(keys, boxes, x) {
  const shown = keys.filter((key) => boxes.has(key));
  const distance = (key) => Math.abs(middle(boxes.get(key)) - x);
  return shown.sort((one, other) => distance(one) - distance(other))[0] ?? null;
}

/** All keys in reading order: from above to below, from left to right; boxes that overlap in height are a row. */
export function readingOrder(boxes) {
  const byTop = [...boxes].sort(([, one], [, other]) => one.y - other.y);
  const rows = [];
  for (const [key, box] of byTop) {
    const row = rows[rows.length - 1];
    if (row && box.y < row.bottom) row.members.push([key, box]);
    else rows.push({ members: [[key, box]], bottom: box.y + Math.min(box.height, 40) });
  }
  return rows.flatMap(({ members }) => members.sort(([, a], [, b]) => a.x - b.x).map(([key]) => key));
}

/** Where an arrow key leads: "parent", "child", "previous" or "next"; null if there is nothing. */
export function neighbour(model, boxes, key, direction) {
  const box = boxes.get(key);
  if (!box) return null;
  if (direction === "parent") return nearest(model.parents.get(key), boxes, middle(box));
  if (direction === "child") return nearest(model.children.get(key), boxes, middle(box));
  const order = readingOrder(boxes);
  return order[order.indexOf(key) + (direction === "next" ? 1 : -1)] ?? null;
}
