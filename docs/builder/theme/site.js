"use strict";
// What a page can do besides being read: light or dark, the list of pages folded on narrow windows, code copied.

(() => {
  const root = document.documentElement;
  const shade = document.querySelector(".shade");
  const stored = (() => { try { return localStorage.getItem("bayou-shade"); } catch { return null; } })();
  if (stored) root.dataset.shade = stored;
  shade.hidden = false;
  shade.addEventListener("click", () => {
    const dark = root.dataset.shade ? root.dataset.shade === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.shade = dark ? "light" : "dark";
    try { localStorage.setItem("bayou-shade", root.dataset.shade); } catch { /* pages of files may not keep anything */ }
  });

  const narrow = matchMedia("(max-width: 52rem)").matches;
  for (const list of document.querySelectorAll(".beside details, details.names")) list.open = !narrow;
  document.querySelector(".beside [aria-current]")?.scrollIntoView({ block: "nearest" });

  // What is wider than its place scrolls: its edge tells that there is more, and the keyboard reaches it.
  const edges = (box) => {
    const rest = box.scrollWidth - box.clientWidth;
    box.classList.toggle("more-left", rest > 1 && box.scrollLeft > 1);
    box.classList.toggle("more-right", rest > 1 && box.scrollLeft < rest - 1);
    if (rest > 1) box.tabIndex = 0; else box.removeAttribute("tabindex");
  };
  const watch = new ResizeObserver((seen) => seen.forEach(({ target }) => edges(target)));
  for (const box of document.querySelectorAll("main .wide, main pre")) {
    box.addEventListener("scroll", () => edges(box), { passive: true });
    edges(box);
    watch.observe(box);
  }

  // Code is copied without prompts and without what it prints.
  const typed = (pre) => {
    const text = pre.querySelector("code").textContent;
    const prompt = pre.className === "pycon" ? /^(>>>|\.\.\.) ?/ : pre.className === "console" ? /^\$ ?/ : null;
    if (!prompt) return text;
    return text.split("\n").filter((line) => prompt.test(line)).map((line) => line.replace(prompt, "")).join("\n");
  };
  for (const pre of document.querySelectorAll("main pre")) {
    const button = document.createElement("button");
    button.className = "copy"; button.type = "button"; button.textContent = "Copy";
    button.addEventListener("click", async () => {
      const text = typed(pre);
      await navigator.clipboard.writeText(text);
      button.textContent = "Copied";
      setTimeout(() => { button.textContent = "Copy"; }, 1500);
    });
    if (pre.querySelector("code") && !pre.classList.contains("signature")) pre.append(button);
  }
})();
