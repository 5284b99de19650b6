/** Measured widths of texts in the page's font; they are remembered, as names come again and again. */

let context = null;
const known = new Map();

function family() {
  return getComputedStyle(document.body).fontFamily;
}

/** The width of a text in px at a size of the font, with a weight. */
export function textWidth(text, size, weight = 400) {
  const name = `${weight} ${text}`;
  let width = known.get(name);
  if (width === undefined) {
    context ??= document.createElement("canvas").getContext("2d");
    context.font = `${weight} 100px ${family()}`;
    width = context.measureText(text).width / 100;
    if (known.size > 20_000) known.clear();
    known.set(name, width);
  }
  return width * size;
}
