"use strict";
// Search in the browser: sections ranked by BM25 over headings and text. The index is a script, which loads from file:// too.

(() => {
  const form = document.querySelector(".search");
  const input = form.querySelector("input");
  const list = form.querySelector(".hits");
  const up = document.body.dataset.up;
  const WEIGHTS = { title: 3, heading: 4, keywords: 4, text: 1 };
  const STOP = new Set("a an and are as at be by can do does for from has have how i in is it its my of on or that the this to what when which with".split(" "));

  // Endings that grammar adds are taken off, so that 'learning' finds 'learn'; names of code stay as they are.
  const stem = (word) => (word.length > 4 && !word.includes("_")
    ? word.replace(/(?:ies)$/, "y").replace(/(?:ings?|ed|es|s)$/, "").replace(/([^aeiou])\1$/, "$1") : word);
  // American and British spellings are one: discretize and discretise, color and colour, center and centre.
  const spelled = (word) => (word.length > 4
    ? word.replace(/is(e[drs]?|ers?|es|ing|ations?)$/, "iz$1").replace(/yse([drs]?)$/, "yze$1").replace(/our(s|ed|ing|al|ally)?$/, "or$1").replace(/tre(s?)$/, "ter$1")
    : word);
  const words = (text) => {
    const found = [];
    for (const word of text.toLowerCase().normalize("NFKD").match(/[\p{L}\p{N}_]+/gu) ?? []) {
      found.push(stem(spelled(word)));
      if (word.includes("_")) for (const part of word.split("_")) if (part) found.push(stem(spelled(part)));
    }
    return found;
  };

  let sections = null;
  let holders = null; // word → sections with it
  let length = 0;

  const prepare = () => {
    holders = new Map();
    sections = window.searchIndex.map(([url, title, heading, shelf, text, keywords, weight], at) => {
      const counts = new Map();
      let long = 0;
      const add = (part, weight) => {
        for (const word of words(part)) { counts.set(word, (counts.get(word) ?? 0) + weight); long += 1; }
      };
      add(title, WEIGHTS.title); add(heading, WEIGHTS.heading); add(keywords, WEIGHTS.keywords); add(text, WEIGHTS.text);
      for (const [word, count] of counts) {
        if (!holders.has(word)) holders.set(word, []);
        holders.get(word).push([at, count]);
      }
      length += long;
      return { url, title, heading, shelf, text, weight, long };
    });
    length /= sections.length;
  };

  // The last word may be unfinished: words that begin with it count a little less.
  const meant = (word, last) => {
    const found = holders.has(word) ? [[word, 1]] : [];
    if (last && word.length > 2) {
      for (const other of holders.keys()) if (other !== word && other.startsWith(word)) found.push([other, 0.5]);
    }
    return found;
  };

  // The entry of the reference that has the name asked for, or a member of this name: it comes first.
  const entryOf = (ranked, exact) => {
    const entries = ranked.filter(([section]) => sections[section].url.startsWith("lookup/reference/"));
    const named = ([section], name) => sections[section].heading.toLowerCase() === name;
    return entries.find((one) => named(one, exact)) ?? entries.find((one) => named(one, `network.${exact}`))
      ?? entries.find(([section]) => sections[section].heading.toLowerCase().endsWith(`.${exact}`));
  };

  // What is in the title of a page is answered by the page, from its top.
  const place = (at, exact) => {
    const found = sections[at];
    if (!words(exact).length || !words(exact).every((word) => words(found.title).includes(word))) return found;
    if (found.url.startsWith("lookup/reference/")) return found;
    return sections.find(({ url }) => url === found.url.split("#")[0]) ?? found;
  };

  const search = (question) => {
    const all = words(question);
    const asked = all.filter((word) => !STOP.has(word));
    const terms = asked.length ? asked : all;
    const scores = new Map();
    terms.forEach((term, at) => {
      const best = new Map();
      for (const [word, share] of meant(term, at === terms.length - 1)) {
        const where = holders.get(word);
        const rarity = Math.log(1 + (sections.length - where.length + 0.5) / (where.length + 0.5));
        for (const [section, count] of where) {
          const dense = (2.2 * count) / (count + 1.2 * (0.4 + 0.6 * (sections[section].long / length)));
          best.set(section, Math.max(best.get(section) ?? 0, share * rarity * dense));
        }
      }
      for (const [section, score] of best) {
        const had = scores.get(section) ?? { score: 0, terms: 0 };
        scores.set(section, { score: had.score + score, terms: had.terms + 1 });
      }
    });
    const exact = question.trim().toLowerCase().replace(/^bayou\.|\(\)$/g, "");
    const ranked = [...scores].map(([section, { score, terms: met }]) => {
      const { heading, title, text, weight } = sections[section];
      let worth = weight * score * (met / terms.length) ** 2;
      if (heading.toLowerCase() === exact || title.toLowerCase() === exact) worth *= 1.6;
      else if (terms.length > 1 && `${heading} ${text}`.toLowerCase().includes(exact)) worth *= 1.25;
      return [section, worth];
    });
    ranked.sort((one, other) => other[1] - one[1]);
    const entry = entryOf(ranked, exact);
    if (entry) entry[1] += ranked[0][1];
    // A page is one hit: its best section, and a little for further ones.
    const pages = new Map();
    for (const [section, worth] of ranked) {
      const page = sections[section].url.split("#")[0];
      const hit = pages.get(page);
      if (!hit) pages.set(page, { section: place(section, exact), worth, more: 0 });
      else if (hit.more < 3) { hit.worth += 0.15 * worth; hit.more += 1; }
    }
    const hits = [...pages.values()].sort((one, other) => other.worth - one.worth);
    return hits.slice(0, 10).map(({ section }) => section);
  };

  const excerpt = (text, question) => {
    const asked = new Set(words(question));
    const parts = text.split(/([\p{L}\p{N}_]+)/u);
    const first = Math.max(0, parts.findIndex((part) => words(part).some((word) => asked.has(word))) - 16);
    const line = document.createElement("p");
    for (const part of parts.slice(first, first + 70)) {
      if (words(part).some((word) => asked.has(word))) {
        const mark = document.createElement("mark");
        mark.textContent = part;
        line.append(mark);
      } else line.append(part);
    }
    return line;
  };

  const show = () => {
    const question = input.value.trim();
    list.replaceChildren();
    list.hidden = !question || !sections;
    if (list.hidden) return;
    const found = search(question);
    for (const { url, title, heading, shelf, text } of found) {
      const item = document.createElement("li");
      const link = document.createElement("a");
      const place = document.createElement("small");
      link.href = up + url;
      place.textContent = shelf;
      link.append(place, heading === title ? title : `${title}: ${heading}`, excerpt(text, question));
      item.append(link);
      list.append(item);
    }
    if (!found.length) {
      const none = document.createElement("li");
      none.className = "none"; none.textContent = "Nothing found.";
      list.append(none);
    }
    list.querySelector("a")?.classList.add("chosen");
  };

  const load = () => {
    if (form.dataset.loading) return;
    form.dataset.loading = "yes";
    const script = document.createElement("script");
    script.src = `${up}search-index.js`;
    script.addEventListener("load", () => { prepare(); form.dataset.ready = "yes"; show(); });
    document.head.append(script);
  };

  const choose = (step) => {
    const links = [...list.querySelectorAll("a")];
    const at = links.findIndex((link) => link.classList.contains("chosen"));
    if (!links.length) return;
    links[at]?.classList.remove("chosen");
    const next = links[(at + step + links.length) % links.length];
    next.classList.add("chosen");
    next.scrollIntoView({ block: "nearest" });
  };

  input.addEventListener("focus", load);
  input.addEventListener("input", show);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const link = list.querySelector("a.chosen");
    if (link) location.href = link.href;
  });
  input.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") { event.preventDefault(); choose(event.key === "ArrowDown" ? 1 : -1); }
    if (event.key === "Escape") { list.hidden = true; input.blur(); }
  });
  document.addEventListener("keydown", (event) => {
    const writing = event.target.closest?.("input, textarea, select, [contenteditable]");
    if (event.key === "/" && !writing && !event.ctrlKey && !event.metaKey) { event.preventDefault(); input.focus(); }
  });
  document.addEventListener("click", (event) => { if (!form.contains(event.target)) list.hidden = true; });
})();
