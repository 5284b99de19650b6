/** For findings that cannot occur together: the smallest sets of them to release, the best first. */

const MOST_SETS = 300;

/** `logChance(findings)` is the logarithm of their probability. Interventions are never released. */
export function releases(findings, logChance) {
  const candidates = findings.filter((finding) => !("do" in finding));
  let tried = 0;
  for (let size = 1; size <= candidates.length; size += 1) {
    const found = [];
    for (const set of subsets(candidates, size)) {
      tried += 1;
      if (tried > MOST_SETS) break;
      const chance = logChance(findings.filter((finding) => !set.includes(finding)));
      if (chance > -Infinity) found.push({ set, chance });
    }
    if (found.length > 0) return found.sort((a, b) => b.chance - a.chance).map(({ set }) => set);
    if (tried > MOST_SETS) return [];
  }
  return [];
}

function* subsets(items, size, from = 0) {
  if (size === 0) {
    yield [];
    return;
  }
  for (let at = from; at <= items.length - size; at += 1) {
    for (const rest of subsets(items, size - 1, at + 1)) yield [items[at], ...rest];
  }
}
