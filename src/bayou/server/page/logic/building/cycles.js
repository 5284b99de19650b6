/** The cycle that an arc would close, by keys: shown and marked where the arc is refused. */

/** The keys from `to` along arcs to `from`, the shortest way; null if there is none. */
export function pathBetween(model, start, end) {
  const before = new Map([[start, null]]);
  const waiting = [start];
  for (const key of waiting) {
    if (key === end) break;
    for (const child of model.children.get(key) ?? []) {
      if (before.has(child)) continue;
      before.set(child, key);
      waiting.push(child);
    }
  }
  if (!before.has(end)) return null;
  const path = [];
  for (let key = end; key !== null; key = before.get(key)) path.unshift(key);
  return path;
}
