/** Download in any format, after showing what the format cannot hold. */

import { button, html, setShown } from "./elements.js";

const FORMATS = [
  ["bayou", "bayou (loses nothing)"],
  ["bif", "BIF"],
  ["xdsl", "XDSL (GeNIe)"],
  ["dsl", "DSL (GeNIe)"],
  ["net", "NET (Hugin)"],
  ["dne", "DNE (Netica)"],
  ["xmlbif", "XMLBIF"],
  ["uai", "UAI"],
  ["svg", "Picture (SVG)"],
];

export class DownloadDialog {
  constructor(explorer) {
    this.explorer = explorer;
    const options = FORMATS.map(([value, text]) => html("option", { value }, text));
    this.format = html("select", { on: { change: () => this.ask() } }, ...options);
    this.losses = html("div", { role: "status", class: "losses" });
    this.link = html("a", { class: "primary button", download: true }, "Download");
    this.link.addEventListener("click", () => this.root.close());
    const label = html("label", { class: "row text-row" }, html("span", {}, "Format"), this.format);
    const buttons = html(
      "div",
      { class: "buttons" },
      button("Cancel", () => this.root.close()),
      this.link,
    );
    const head = html("h2", { id: "download-head" }, "Download the network");
    this.root = html("dialog", { "aria-labelledby": "download-head" }, head, label, this.losses, buttons);
    this.asked = 0;
  }

  open() {
    this.root.showModal();
    this.ask();
  }

  /** What would be lost is shown first; only then can the file be had. */
  async ask() {
    const { connection, model } = this.explorer;
    const format = this.format.value;
    this.asked += 1;
    const mine = this.asked;
    setShown(this.link, false);
    this.losses.replaceChildren();
    let lines = [];
    try {
      ({ losses: lines } = await connection.losses(model.revision, format));
    } catch (problem) {
      if (mine === this.asked)
        this.losses.replaceChildren(html("p", { class: "notice problem" }, problem.message));
      return;
    }
    if (mine !== this.asked) return;
    this.link.href = connection.fileAddress(model.revision, format);
    setShown(this.link, true);
    const told = lines.map((line) => html("li", {}, line));
    const nothing = html("p", { class: "hint" }, "Nothing is lost in this format.");
    const lost = [html("p", {}, "This format cannot hold:"), html("ul", {}, ...told)];
    this.losses.replaceChildren(...(lines.length === 0 ? [nothing] : lost));
  }
}
