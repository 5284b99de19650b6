/** Copied variables as text for the clipboard: JSON with a mark, so that other texts are not taken for it. */

const MARK = "bayou variables";

/** The text of variables that the server has packed. */
export const copiedText = (content, names) => JSON.stringify({ kind: MARK, names, content });

/** What the server packed, from a text; null if it is another text. */
export function contentOf(text) {
  try {
    const { kind, content } = JSON.parse(text);
    return kind === MARK && typeof content === "string" ? content : null;
  } catch {
    return null;
  }
}
