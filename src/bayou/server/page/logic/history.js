/** Undo and redo of one immutable value: {past, present, future}. */

import { same } from "./values.js";

const LONGEST = 200;

export const begun = (present) => ({ past: [], present, future: [] });

/** The history after a change; nothing is recorded if nothing changed. */
export function recorded(history, present) {
  if (same(history.present, present)) return history;
  return { past: [...history.past, history.present].slice(-LONGEST), present, future: [] };
}

export const canUndo = (history) => history.past.length > 0;

export const canRedo = (history) => history.future.length > 0;

export function undone(history) {
  if (!canUndo(history)) return history;
  const past = history.past.slice(0, -1);
  return { past, present: history.past[past.length], future: [history.present, ...history.future] };
}

export function redone(history) {
  if (!canRedo(history)) return history;
  const [present, ...future] = history.future;
  return { past: [...history.past, history.present], present, future };
}

/** Back to the beginning at once; every step can be redone. */
export function rewound(history) {
  if (!canUndo(history)) return history;
  const [present, ...rest] = [...history.past, history.present, ...history.future];
  return { past: [], present, future: rest };
}

/** A history read from storage, or a new one if it is not one. */
export function restored(stored, present) {
  const whole = stored && Array.isArray(stored.past) && Array.isArray(stored.future);
  return whole && same(stored.present, present) ? stored : begun(present);
}
