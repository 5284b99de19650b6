/** Revisions that a server has dropped or lost, made again from the log of edits. */

/**
 * Make a revision again. `connection` asks the server, `reopen(source)` opens where the log began and returns its
 * revision, or null. Returns whether the server has the revision now.
 */
export async function healed(connection, log, revision, reopen) {
  const chain = log?.chain(revision);
  if (!chain) return false;
  const known = [chain.base, ...chain.steps.map((step) => step.revision)];
  const editsFrom = (place) => chain.steps.slice(place).flatMap(({ edits }) => edits);
  const begun = known.indexOf(await reopen(log.source));
  const places =
    begun >= 0
      ? [begun]
      : known
          .map((_, place) => place)
          .slice(0, -1)
          .reverse();
  for (const place of places) {
    try {
      const edits = editsFrom(place);
      if (edits.length === 0) return true;
      return (await connection.edit(known[place], edits)).revision === revision;
    } catch (problem) {
      if (problem.status !== 404) return false;
    }
  }
  return false;
}

/** Edits made again one list at a time: those that are refused are left out and returned with their reasons. */
export async function madeAgain(explorer, edits) {
  const refused = [];
  let left = edits;
  while (left.length > 0) {
    const problem = await explorer.edit(left, { tell: false });
    if (!problem) break;
    if (problem.edit === null || problem.edit >= left.length) return { refused, problem };
    const place = problem.edit;
    refused.push({ edit: left[place], reason: problem.message });
    left = left.filter((_, at) => at !== place);
  }
  return { refused, problem: null };
}
