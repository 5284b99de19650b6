/** The names in the drawing where room is short: what is left of them stays distinct among all that are drawn. */

import { PAD, clippedName } from "../geometry.js";

/** Sizes of texts in px: of titles above bars; of two lines, between a smallest and a largest size; below dots. */
export const TITLE_SIZE = 13;
export const WINNER_SIZES = [9, 12.5];
export const DOT_SIZE = 9.5;

/** The button at the upper right of a box with bars. */
export const MORE = 24;

/** A name of which fewer letters are left tells nothing. */
const LEAST_TOLD = 4;

/** How large the two lines of a box may be at a scale, in px of the drawing. */
export const largestLine = (box, scale) => Math.min(WINNER_SIZES[1] / scale, box.height / 2.6, 34);

/** How wide the label of each dot may be: as far as the nearest label beside it, in px of the drawing. */
function dotRooms(boxes, scale) {
  const line = 14 / scale;
  const list = [...boxes.values()].map((box) => ({
    x: box.x + box.width / 2,
    y: box.y + box.height / 2,
    room: 2.5 * box.width,
  }));
  list.forEach((one, place) => {
    for (const other of list.slice(place + 1)) {
      if (Math.abs(one.y - other.y) >= line) continue;
      const apart = Math.abs(one.x - other.x) - 2 / scale;
      one.room = Math.min(one.room, apart);
      other.room = Math.min(other.room, apart);
    }
  });
  return list.map(({ room }) => Math.max(room, 0));
}

/** The room for each name, in multiples of the size of its text: [{key, text, room}]. */
function rooms(boxes, textOf, level, scale) {
  const dots = level === "dots" ? dotRooms(boxes, scale) : [];
  return [...boxes].map(([key, box], place) => {
    const room = {
      bars: () => (box.width - PAD - MORE - 4) / TITLE_SIZE,
      winners: () => (box.width - PAD) / Math.min(largestLine(box, scale), WINNER_SIZES[0] / scale),
      dots: () => dots[place] / (DOT_SIZE / scale),
    }[level]();
    return { key, text: textOf(key), room };
  });
}

/** The name of each box at a level of detail and a scale, by key; "" for what tells nothing. `measure`: see `distinct`. */
export function shownNames(boxes, textOf, { level, scale }, measure) {
  const names = distinct(rooms(boxes, textOf, level, scale), measure);
  if (level !== "dots") return names;
  for (const [key, name] of names) if (name !== textOf(key) && [...name].length <= LEAST_TOLD) names.set(key, "");
  return names;
}

/**
 * Names of [{key, text, room}] that fit into their room, by key. Names that would read the same are shortened
 * elsewhere: where they differ. `measure` gives the width of a text.
 */
export function distinct(entries, measure) {
  const short = new Map(entries.map(({ key, text, room }) => [key, clippedName(text, room, measure)]));
  const groups = new Map();
  for (const entry of entries) {
    const name = short.get(entry.key);
    if (name !== "") groups.set(name, [...(groups.get(name) ?? []), entry]);
  }
  const used = new Set(groups.keys());
  for (const [name, group] of groups) {
    if (new Set(group.map(({ text }) => text)).size === 1) continue;
    used.delete(name);
    for (const entry of group) {
      const others = group.filter(({ text }) => text !== entry.text).map(({ text }) => text);
      const told = elsewhere(entry, name, others, used, measure) ?? name;
      used.add(told);
      short.set(entry.key, told);
    }
  }
  return short;
}

/** A name shortened so that it fits none of the others; failing that, so that it reads otherwise than all of them. */
function elsewhere({ text, room }, name, others, used, measure) {
  const letters = [...text];
  const fits = (told) => measure(told) <= room && !used.has(told);
  const ways = [...splits(letters, [...name].length - 1), ...middles(letters, [...name].length - 2, others)];
  const fitting = ways.filter(({ told }) => fits(told));
  const alone = fitting.find(({ parts }) => !others.some((other) => agrees(other, parts)));
  return (alone ?? fitting[0])?.told ?? null;
}

/** "R_LNL…SS": so many letters in all, or one less, of the beginning and the end, balanced ones first. */
function splits(letters, count) {
  const found = [];
  for (const kept of [count, count - 1]) {
    for (let head = 0; head <= kept; head += 1) {
      const parts = [letters.slice(0, head).join(""), "", letters.slice(letters.length - kept + head).join("")];
      found.push({ parts, told: `${parts[0]}…${parts[2]}`, tilt: Math.abs(2 * head - kept) + (count - kept) / 2 });
    }
  }
  return found.sort((one, other) => one.tilt - other.tilt);
}

/** "R…MEDD…": the first letter, and a part from where it differs from others. */
function middles(letters, count, others) {
  const common = (other) => {
    const far = letters.findIndex((letter, place) => letter !== other[place]);
    return far < 0 ? letters.length - 1 : far;
  };
  const starts = [...new Set(others.map((other) => common([...other])))].sort((a, b) => b - a);
  return starts.flatMap((start) =>
    [count - 1, count - 2, count - 3]
      .filter((kept) => kept > 0)
      .map((kept) => {
        const part = letters.slice(start, start + kept).join("");
        const parts = [letters[0], part, ""];
        return { parts, told: `${letters[0]}…${part}${start + kept < letters.length ? "…" : ""}` };
      }),
  );
}

/** Whether another name could be meant by what is left of one. */
const agrees = (other, [head, middle, tail]) =>
  other.length >= head.length + middle.length + tail.length &&
  other.startsWith(head) &&
  other.endsWith(tail) &&
  other.slice(head.length, other.length - tail.length).includes(middle);
