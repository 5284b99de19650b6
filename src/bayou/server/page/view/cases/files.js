/** A text that the page has made, handed to the browser as a file. */

import { html } from "../elements.js";

export function savedText(name, text) {
  const address = URL.createObjectURL(new Blob([text], { type: "text/plain;charset=utf-8" }));
  html("a", { href: address, download: name }).click();
  // The browser has taken the file by then.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
