/**
 * What every key does, as data: the handlers ask `commandFor`, the help page lists the same table.
 * Places: "field" (a text is typed), "state" (a bar has the focus), "node", "canvas" (the drawing), "page".
 */

export const KEYS = [
  { keys: ["/"], command: "search", help: "Search variables and states" },
  { keys: ["Ctrl+z"], command: "undo", help: "Undo the last change, of findings or of the network" },
  { keys: ["Ctrl+Shift+z", "Ctrl+y"], command: "redo", help: "Do it again" },
  { keys: ["u"], command: "clear-all", help: "Clear all findings" },
  { keys: ["Shift+u"], command: "undo-all", help: "Undo everything: findings and changes of the network" },
  {
    keys: ["m"],
    command: "menu",
    places: ["node", "state"],
    help: "All kinds of findings about this variable",
  },
  { keys: ["Enter"], command: "states", places: ["node"], help: "Go to the states of this variable" },
  { keys: [" "], command: "toggle", places: ["state"], help: "Set this state as a finding, or clear it" },
  { keys: ["Enter"], command: "toggle", places: ["state"] },
  { keys: ["n"], command: "exclude", places: ["state"], help: "Not this state" },
  { keys: ["d"], command: "intervene", places: ["state"], help: "Set this state by intervention: do()" },
  { keys: ["Escape"], command: "leave", places: ["state"], help: "Back to the variable" },
  { keys: ["Delete", "Backspace"], command: "clear", places: ["node", "state"], help: "Clear this variable" },
  { keys: ["f"], command: "focus", places: ["node", "state"], help: "Show what is around this variable" },
  { keys: ["ArrowUp"], command: "parent", places: ["node"], help: "Go to a parent" },
  { keys: ["ArrowDown"], command: "child", places: ["node"], help: "Go to a child" },
  { keys: ["ArrowLeft"], command: "previous", places: ["node"], help: "Go to the variable before" },
  { keys: ["ArrowRight"], command: "next", places: ["node"], help: "Go to the variable after" },
  { keys: ["ArrowUp"], command: "state-before", places: ["state"] },
  { keys: ["ArrowDown"], command: "state-after", places: ["state"] },
  {
    keys: ["ArrowUp"],
    command: "pan-up",
    places: ["canvas"],
    help: "Move the drawing (the other arrows, too)",
  },
  { keys: ["ArrowDown"], command: "pan-down", places: ["canvas"] },
  { keys: ["ArrowLeft"], command: "pan-left", places: ["canvas"] },
  { keys: ["ArrowRight"], command: "pan-right", places: ["canvas"] },
  { keys: ["+", "="], command: "zoom-in", places: ["canvas", "node", "state"], help: "Zoom in" },
  { keys: ["-"], command: "zoom-out", places: ["canvas", "node", "state"], help: "Zoom out" },
  {
    keys: ["0"],
    command: "fit",
    places: ["canvas", "node", "state"],
    help: "Fit the drawing into the window",
  },
  { keys: ["w"], command: "ask-why", help: "Why the chosen variable changed" },
  { keys: ["a"], command: "ask-next", help: "What to ask next about the chosen variable" },
  { keys: ["r"], command: "ask-related", help: "Whether the chosen variable is related to another" },
  { keys: ["t"], command: "edit-table", help: "Edit the table of the chosen variable" },
  { keys: ["e"], command: "explanation", help: "Most probable explanation" },
  { keys: ["k"], command: "keep", help: "Keep the present scenario as A" },
  { keys: ["v"], command: "new-variable", help: "New variable" },
  { keys: ["c"], command: "add-arc", help: "Add an arc from the chosen variable to another" },
  { keys: ["l"], command: "arcs", help: "The arcs of the chosen variable: remove, reverse, note" },
  { keys: ["b"], command: "edit-variable", help: "Edit the chosen variable: its names, states, arcs" },
  { keys: ["F2"], command: "rename", help: "Name and notes of the chosen variable" },
  { keys: ["Shift+Delete"], command: "remove-variable", help: "Remove the chosen variable" },
  { keys: ["Delete", "Backspace"], command: "remove-arc", help: "Remove the chosen arc" },
  { keys: ["Ctrl+c"], command: "copy", help: "Copy the chosen variable (Ctrl+V pastes)" },
  { keys: ["Alt+ArrowLeft"], command: "move-left", help: "Move the chosen variable (the other arrows, too)" },
  { keys: ["Alt+ArrowRight"], command: "move-right" },
  { keys: ["Alt+ArrowUp"], command: "move-up" },
  { keys: ["Alt+ArrowDown"], command: "move-down" },
  { keys: ["Ctrl+s"], command: "save", help: "Save the file, where the server writes it back" },
  { keys: ["?"], command: "help", help: "This list of keys" },
];

/** Other keys mean the same with and without Shift. */
const SHIFTED = ["Delete", "u"];

/** The name of the pressed key as in the table: "Ctrl+Shift+z", "Alt+ArrowUp"; Command counts as Ctrl. */
export function keyName({ key, ctrlKey, metaKey, shiftKey, altKey }) {
  const held = ctrlKey || metaKey;
  if (altKey) return key.startsWith("Arrow") && !held ? `Alt+${key}` : "";
  const plain = key.length === 1 ? key.toLowerCase() : key;
  if (SHIFTED.includes(plain) && shiftKey && !held) return `Shift+${plain}`;
  return held ? `Ctrl+${shiftKey ? "Shift+" : ""}${plain}` : plain;
}

/** The command of a key in a place, or null. In a field only Ctrl+S is ours. */
export function commandFor(event, place) {
  const name = keyName(event);
  if (place === "field" && name !== "Ctrl+s") return null;
  const special = KEYS.find(({ keys, places }) => places?.includes(place) && keys.includes(name));
  const general = KEYS.find(({ keys, places }) => !places && keys.includes(name));
  return (special ?? general)?.command ?? null;
}

const SHOWN = { " ": "Space", ArrowUp: "↑", ArrowDown: "↓", ArrowLeft: "←", ArrowRight: "→" };

const GROUPS = [
  ["Everywhere", ({ places }) => !places],
  ["On a variable", ({ places }) => places?.includes("node") && !places.includes("canvas")],
  ["On a state of it", ({ places }) => places?.includes("state") && !places.includes("node")],
  ["In the drawing", ({ places }) => places?.includes("canvas")],
];

/** The groups of the help page: [title, [keys in words, what they do] …]; each key stands once in a group. */
export function helpGroups() {
  const shown = (name) =>
    name
      .split(/(?<=.)\+/)
      .map((part) => SHOWN[part] ?? (part.length === 1 ? part.toUpperCase() : part))
      .join("+");
  const told = KEYS.filter(({ help }) => help);
  const line = ({ keys, help }) => [keys.map(shown).join(" or "), help];
  return GROUPS.map(([title, belongs]) => [title, told.filter(belongs).map(line)]);
}
