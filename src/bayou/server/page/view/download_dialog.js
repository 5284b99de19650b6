/** Download in any format, after showing what the format cannot hold. */

import { button, html, setShown } from "./elements.js";
import { drawnFile } from "./drawn_file.js";

const FORMATS = [
  ["bayou", "bayou (loses nothing)"],
  ["bif", "BIF"],
  ["xdsl", "XDSL (GeNIe)"],
  ["dsl", "DSL (GeNIe)"],
  ["net", "NET (Hugin)"],
  ["dne", "DNE (Netica)"],
  ["xmlbif", "XMLBIF"],
  ["uai", "UAI"],
  ["json", "JSON"],
  ["svg", "Picture with these beliefs (SVG)"],
  ["png", "Picture with these beliefs (PNG)"],
  ["report", "Report to print (HTML)"],
  ["html", "This page in one file (HTML)"],
];

export class DownloadDialog {
  constructor(explorer) {
    this.explorer = explorer;
    const options = FORMATS.map(([value, text]) => html("option", { value }, text));
    this.format = html("select", { on: { change: () => this.ask() } }, ...options);
    this.losses = html("div", { role: "status", class: "losses" });
    this.link = html("a", { class: "primary button", download: true }, "Download");
    this.link.addEventListener("click", () => this.downloaded());
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

  /** A file that holds everything counts as saved. */
  downloaded() {
    const { editing, model } = this.explorer;
    if (this.whole && model) editing.saved(model.revision);
    this.root.close();
  }

  /** What would be lost is shown first; only then can the file be had. */
  async ask() {
    const { connection, model } = this.explorer;
    const format = this.format.value;
    this.asked += 1;
    const mine = this.asked;
    setShown(this.link, false);
    this.losses.replaceChildren();
    let [lines, file] = [[], null];
    try {
      file = await drawnFile(this.explorer, format);
      if (!file) ({ losses: lines } = await connection.losses(model.revision, format));
    } catch (problem) {
      if (mine === this.asked)
        this.losses.replaceChildren(html("p", { class: "notice problem" }, problem.message));
      return;
    }
    if (mine !== this.asked) return;
    this.whole = file === null && lines.length === 0;
    this.link.href = file ? URL.createObjectURL(file.content) : connection.fileAddress(model.revision, format);
    this.link.download = file ? file.name : "";
    setShown(this.link, true);
    const told = lines.map((line) => html("li", {}, line));
    const nothing = html("p", { class: "hint" }, file?.about ?? "Nothing is lost in this format.");
    const lost = [html("p", {}, "This format cannot hold:"), html("ul", {}, ...told)];
    this.losses.replaceChildren(...(lines.length === 0 ? [nothing] : lost));
  }
}
