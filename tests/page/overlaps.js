() => {
  const seen = (node) => {
    const frame = node.getBoundingClientRect();
    return frame.width > 0 && frame.height > 0 && node.checkVisibility(); // not in a fold that is closed
  };
  /** What is seen of a control: the part that the panel or the fields, which scroll, do not hide. */
  const seenPart = (node, frame = node.getBoundingClientRect()) => {
    const scroller = node.parentElement?.closest(".work > .panel, .rows-guide, .fields");
    if (!scroller) return frame;
    const room = scroller.getBoundingClientRect();
    const [top, bottom] = [Math.max(frame.top, room.top), Math.min(frame.bottom, room.bottom)];
    return seenPart(scroller, new DOMRect(frame.left, top, frame.width, Math.max(0, bottom - top)));
  };
  const above = document.querySelector("dialog:modal") ?? document; // what is behind a dialog is out of reach
  /** Must this word stay whole? Not in a long or strange run without blanks that no line can hold. */
  const mustStay = (text, index) => {
    const { data, parentElement } = text;
    const from = data.slice(0, index).search(/\S+$/);
    const run = data.slice(from < 0 ? index : from).match(/^\S+/)[0];
    if (/^[\p{L}\p{N}_.,:;()?!%-]{1,24}$/u.test(run)) return true;
    const pen = document.createElement("canvas").getContext("2d");
    pen.font = getComputedStyle(parentElement).font;
    let block = parentElement;
    while (getComputedStyle(block).display === "inline") block = block.parentElement;
    return pen.measureText(run).width <= block.clientWidth;
  };
  /** Words of letters and digits that go on in the next line, though there was room for them. */
  const brokenWords = () => {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const [broken, range] = [[], document.createRange()];
    for (let text = walker.nextNode(); text; text = walker.nextNode()) {
      if (text.parentElement.closest("svg, pre, noscript, textarea, option")) continue;
      range.selectNodeContents(text);
      if (range.getClientRects().length < 2) continue;
      for (const { 0: word, index } of text.data.matchAll(/[\p{Script=Latin}\d]{2,}/gu)) {
        range.setStart(text, index);
        range.setEnd(text, index + word.length);
        const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
        if (lines.size > 1 && mustStay(text, index)) broken.push(word);
      }
    }
    return broken;
  };
  const faults = [];
  if (document.documentElement.scrollWidth > innerWidth) faults.push("the page is wider than the window");
  const pen = document.createElement("canvas").getContext("2d");
  for (const field of [...document.querySelectorAll("input[placeholder]")].filter(seen)) {
    const style = getComputedStyle(field);
    pen.font = `${style.fontSize} ${style.fontFamily}`;
    const room = field.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
    if (pen.measureText(field.placeholder).width > room + 1) faults.push(`cut off: ${field.placeholder}`);
  }
  const first = [...document.querySelectorAll(".panel > section")].filter(seen)[0];
  const edge = first && parseFloat(getComputedStyle(first).borderTopWidth);
  if (edge > 0) faults.push("a line above the first section of the panel");
  const controls = [...above.querySelectorAll("button, select, a, input")].filter(seen);
  controls.forEach((one, place) => {
    const frame = one.getBoundingClientRect();
    const name = one.textContent || one.getAttribute("aria-label");
    if (frame.width < 24 || frame.height < 24) faults.push(`small: ${name}`);
    if (frame.right > innerWidth + 1) faults.push(`outside: ${name}`);
    if (one.scrollWidth > one.clientWidth + 1 && one.tagName === "BUTTON") faults.push(`cut off: ${name}`);
    for (const other of controls.slice(place + 1)) {
      const [part, box] = [seenPart(one), seenPart(other)];
      const across = Math.min(part.right, box.right) - Math.max(part.left, box.left);
      const down = Math.min(part.bottom, box.bottom) - Math.max(part.top, box.top);
      const apart = !one.closest(".tabs") && !one.contains(other); // tabs stay above what scrolls below them
      if (apart && across > 1 && down > 1) faults.push(`overlap: ${name} and ${other.textContent}`);
    }
  });
  for (const lines of [...document.querySelectorAll("pre")].filter(seen))
    if (lines.scrollWidth > lines.clientWidth + 1) faults.push("lines that are cut off");
  const map = document.querySelector(".focused ~ .small-map")?.getBoundingClientRect();
  const canvas = document.querySelector(".canvas")?.getBoundingClientRect();
  const over = [...document.querySelectorAll(".drawing .controls > *, .said")].filter(seen);
  const shared = (one, other) =>
    Math.min(one.right, other.right) - Math.max(one.left, other.left) > 1 &&
    Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > 1;
  for (const one of canvas?.width ? over : [])
    if (shared(one.getBoundingClientRect(), canvas)) faults.push(`on the drawing: ${one.textContent}`);
  const labels = [...document.querySelectorAll(".node .dot ~ .label")].map((label) => label.getBoundingClientRect());
  if (labels.some((one, place) => labels.slice(place + 1).some((other) => shared(one, other))))
    faults.push("names of dots on each other");
  for (const node of document.querySelectorAll(".node")) {
    const frame = node.querySelector(".frame").getBoundingClientRect();
    if (map?.width && frame.right > map.left && frame.top < map.bottom) faults.push("a box under the small map");
    for (const text of [...node.querySelectorAll("text:not(.arc-handle text, .dot ~ text)")].filter(seen)) {
      const box = text.getBoundingClientRect();
      const inside = box.left >= frame.left - 1 && box.right <= frame.right + 1 && box.bottom <= frame.bottom + 2;
      if (!inside) faults.push(`outside of its box: ${text.textContent}`);
    }
    for (const state of node.querySelectorAll(".state")) {
      const [label, value] = [".label", ".value"].map((part) => state.querySelector(part).getBoundingClientRect());
      if (label.width > 0 && label.right > value.left) faults.push(`label on value: ${state.textContent}`);
    }
  }
  for (const word of brokenWords()) faults.push(`broken: ${word}`);
  return faults;
}
