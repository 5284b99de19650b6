/** The start of the page of the API: it shows openapi.json of this server. */

import { ReferencePage } from "./view/reference/reference_page.js";

const page = new ReferencePage(document.body);

try {
  const response = await fetch(new URL("openapi.json", document.baseURI), { credentials: "same-origin" });
  if (!response.ok) throw new Error(`The server answered ${response.status}.`);
  page.show(await response.json());
} catch (problem) {
  page.tell(`The description of the API could not be loaded. ${problem.message}`);
}
