/** The networks of this tab that no list of the server has: those that were learned, opened from a file, or built. */

/** So many variables are named. */
const NAMED = 5;

/** What tells a network from others in a list. */
export function aboutOf({ title, variables, arcs }) {
  const names = variables.slice(0, NAMED).map(({ text }) => text);
  return { title, names, variables: variables.length, arcs: arcs.length };
}

/** Where a network came from, as far as a tab has room for it: the bytes of a file stay in the browser's database. */
export function storedSource({ file: _, ...source }) {
  return source;
}

/** Whether this is a source that no other list has. */
export const isOwn = (source) => Boolean(source?.name) && !source.gallery && !source.served;

/**
 * What is listed, the newest first: {revision, source, about, kind}. Networks with unsaved changes stand in a list of
 * their own: `unsaved` has the ids of their logs.
 */
export function recentOf(memory, unsaved = new Set()) {
  return memory.all
    .filter(([, { source, about, log }]) => isOwn(source) && about?.variables !== 0 && !unsaved.has(log))
    .map(([revision, { source, about, kind }]) => ({ revision, source, about, kind }))
    .reverse();
}

/** "smoke, lung, xray and 5 more". */
export function namesText({ names, variables }) {
  const more = variables - names.length;
  return more > 0 ? `${names.join(", ")} and ${more} more` : names.join(", ");
}

/** The name of a log of edits in a list: of a network that was built with the variables that it has by now. */
export function logName({ source, edits }) {
  const name = source.name || "New network";
  const names = source.begun ? builtNames(edits) : [];
  return names.length === 0 ? name : `${name} (${namesText({ names: names.slice(0, NAMED), variables: names.length })})`;
}

function builtNames(edits) {
  let names = [];
  for (const { edit, name, variable, content } of edits) {
    if (edit === "add_node") names.push(name);
    if (edit === "paste") names.push(...(content?.variables ?? []).map((one) => one.name));
    if (edit === "rename_node") names = names.map((one) => (one === variable ? name : one));
    if (edit === "remove_node" || edit === "absorb_node") names = names.filter((one) => one !== variable);
  }
  return names.map(String);
}
