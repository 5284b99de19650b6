/** What people type to build a network, read: states, names of parents. Mistakes are sentences. */

/** A mistake in what was typed: its message is shown beside the fields. */
export class Mistyped extends Error {}

const parts = (text) =>
  text
    .split(/[,;\n]/)
    .map((part) => part.trim())
    .filter((part) => part !== "");

/** States in a text with commas. If all of them are numbers they are numbers, as in a column of data. */
export function typedStates(text) {
  const found = parts(text);
  if (found.length === 0) throw new Mistyped("Type the states with commas between them, such as: no, yes.");
  const twice = found.find((state, place) => found.indexOf(state) < place);
  if (twice !== undefined) throw new Mistyped(`The state ${twice} is there twice.`);
  const plain = found.every((state) => String(Number(state)) === state && Number.isFinite(Number(state)));
  return plain ? found.map(Number) : found;
}

const NO_YES = "no, yes";

/**
 * What the states of a new variable begin with: no and yes in the order that the network has them in, as "yes, no" in
 * asia, so that its tables read alike. Elsewhere no comes first, as in what is learned from a table, which sorts states.
 */
export function usualStates({ variables }) {
  const known = variables.map(({ labels }) => labels?.join(", ").toLowerCase());
  const turned = known.filter((one) => one === "yes, no").length;
  return turned > known.filter((one) => one === NO_YES).length ? "yes, no" : NO_YES;
}

/** The name of a new state, of the kind that the others are of. */
export function typedState(text, others) {
  const name = text.trim();
  if (name === "") throw new Mistyped("A state needs a name.");
  const number = Number(name);
  const counts = others.length > 0 && others.every((state) => typeof state === "number");
  return counts && String(number) === name ? number : name;
}

/** The variable of a model that a text names, by its label or its title; in other letter case if only one fits. */
export function typedVariable(model, text) {
  const name = text.trim();
  const found =
    model.variables.find((one) => one.label === name) ?? model.variables.find((one) => one.text === name);
  const small = name.toLowerCase();
  const alike = ({ label, text: title }) => label.toLowerCase() === small || title.toLowerCase() === small;
  const others = found ? [] : model.variables.filter(alike);
  if (others.length === 1) return others[0];
  if (others.length > 1)
    throw new Mistyped(
      `${name} could be ${others.map(({ label }) => label).join(" or ")}: type capital and small letters as there.`,
    );
  if (!found) throw new Mistyped(`There is no variable ${name || "without a name"}. ${nearest(model, name)}`);
  return found;
}

/** Those of some labels that a list typed with commas does not have yet. */
export function notTyped(labels, text) {
  const typed = new Set([text.trim(), ...parts(text)].map((part) => part.toLowerCase()));
  return labels.filter((label) => !typed.has(label.toLowerCase()));
}

/** The variables that a text with commas names; a name with a comma in it is understood, too. */
export function typedVariables(model, text) {
  if (text.trim() === "") return [];
  const whole = model.variables.find((one) => one.label === text.trim() || one.text === text.trim());
  if (whole) return [whole];
  const found = parts(text).map((part) => typedVariable(model, part));
  const twice = found.find((one, place) => found.indexOf(one) < place);
  if (twice) throw new Mistyped(`The parent ${twice.text} is there twice.`);
  return found;
}

function nearest(model, name) {
  const small = name.toLowerCase();
  const near = model.variables.find(
    ({ label }) => label.toLowerCase().startsWith(small) || small.startsWith(label.toLowerCase()),
  );
  return near && small !== "" ? `Did you mean ${near.label}?` : "Choose one of the network's.";
}
