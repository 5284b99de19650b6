/** What was noted when the network was opened, folded away. */

import { html, setShown } from "../elements.js";

export class Remarks {
  constructor() {
    this.root = html("details", { class: "remarks", hidden: true });
  }

  show(remarks) {
    setShown(this.root, remarks.length > 0);
    const lines = remarks.map((text) => html("li", {}, text));
    const head = html("summary", {}, `Remarks on opening (${remarks.length})`);
    this.root.replaceChildren(head, html("ul", {}, ...lines));
  }
}
