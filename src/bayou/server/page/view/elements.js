/** Small makers of elements. Text enters as text only. */

const SVG = "http://www.w3.org/2000/svg";

function filled(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "on")
      for (const [type, handler] of Object.entries(value)) node.addEventListener(type, handler);
    else setAttribute(node, name, value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

/** An HTML element; `on: {click: …}` adds listeners, null attributes are left out. */
export const html = (tag, attributes = {}, ...children) =>
  filled(document.createElement(tag), attributes, children);

/** An SVG element. */
export const svg = (tag, attributes = {}, ...children) =>
  filled(document.createElementNS(SVG, tag), attributes, children);

/** A button with a text, and what it does. */
export const button = (text, click, attributes = {}) =>
  html("button", { type: "button", ...attributes, on: { click } }, text);

/** Set an attribute if it differs; null and false remove it, true sets it empty. */
export function setAttribute(node, name, value) {
  if (value === null || value === undefined || value === false) {
    node.removeAttribute(name);
    return;
  }
  const text = value === true ? "" : String(value);
  if (node.getAttribute(name) !== text) node.setAttribute(name, text);
}

/** A name that may be broken after "_", "." and "-", as its parts: it has no other place for a break. */
export const breakable = (text) => String(text).split(/(?<=[_.-])/u).flatMap((part, place) => (place > 0 ? [html("wbr"), part] : [part]));

/** What may be wider than its place: it scrolls there. */
export const wide = (...content) => html("div", { class: "wide" }, ...content);

export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** Show or hide an element. */
export function setShown(node, shown) {
  if (node.hasAttribute("hidden") === shown) node.toggleAttribute("hidden", !shown);
}

/** The children of a node become these, in this order; those that stay are not touched. */
export function setChildren(node, children) {
  const wanted = new Set(children);
  for (const old of [...node.childNodes]) if (!wanted.has(old)) old.remove();
  children.forEach((child, place) => {
    if (node.childNodes[place] !== child) node.insertBefore(child, node.childNodes[place] ?? null);
  });
}

const SHOWN = new WeakMap();

/**
 * The children of a node become those that `make` makes of entries. The child of an entry that was there before stays:
 * a click on it may be half done.
 */
export function setEntries(node, entries, make, keyOfEntry = JSON.stringify) {
  const before = SHOWN.get(node) ?? new Map();
  const now = new Map();
  for (const entry of entries) {
    const key = keyOfEntry(entry);
    now.set(key, before.get(key) ?? make(entry));
  }
  SHOWN.set(node, now);
  setChildren(node, [...now.values()]);
}
