/** The bytes of an opened file as text, so that a log of edits can begin with them again. */

const MOST_BYTES = 500_000;

/** The bytes as base64; null if they are too many for the storage of a log: see kept_files.js. */
export function textOf(bytes) {
  if (bytes.byteLength > MOST_BYTES) return null;
  return btoa(Array.from(new Uint8Array(bytes), (byte) => String.fromCharCode(byte)).join(""));
}

/** The bytes of such a text. */
export const bytesOf = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
