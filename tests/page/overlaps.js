() => {
  const seen = (node) => {
    const frame = node.getBoundingClientRect();
    return frame.width > 0 && frame.height > 0;
  };
  const faults = [];
  if (document.documentElement.scrollWidth > innerWidth) faults.push("the page is wider than the window");
  const controls = [...document.querySelectorAll("button, select, a, input")].filter(seen);
  controls.forEach((one, place) => {
    const frame = one.getBoundingClientRect();
    const name = one.textContent || one.getAttribute("aria-label");
    if (frame.width < 24 || frame.height < 24) faults.push(`small: ${name}`);
    if (frame.right > innerWidth + 1) faults.push(`outside: ${name}`);
    if (one.scrollWidth > one.clientWidth + 1 && one.tagName === "BUTTON") faults.push(`cut off: ${name}`);
    for (const other of controls.slice(place + 1)) {
      const box = other.getBoundingClientRect();
      const across = Math.min(frame.right, box.right) - Math.max(frame.left, box.left);
      const down = Math.min(frame.bottom, box.bottom) - Math.max(frame.top, box.top);
      const apart = !one.closest(".tabs") && !one.contains(other); // tabs stay above what scrolls below them
      if (apart && across > 1 && down > 1) faults.push(`overlap: ${name} and ${other.textContent}`);
    }
  });
  for (const node of document.querySelectorAll(".node")) {
    const frame = node.querySelector(".frame").getBoundingClientRect();
    for (const text of [...node.querySelectorAll("text")].filter(seen)) {
      const box = text.getBoundingClientRect();
      const inside = box.left >= frame.left - 1 && box.right <= frame.right + 1 && box.bottom <= frame.bottom + 2;
      if (!inside) faults.push(`outside of its box: ${text.textContent}`);
    }
    for (const state of node.querySelectorAll(".state")) {
      const [label, value] = [".label", ".value"].map((part) => state.querySelector(part).getBoundingClientRect());
      if (label.width > 0 && label.right > value.left) faults.push(`label on value: ${state.textContent}`);
    }
  }
  return faults;
}
