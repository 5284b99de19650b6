/** The first page: networks to start from, and a place to open a file. */

import { counted } from "../logic/numbers.js";
import { isOfSequences } from "../logic/sequences/strip_model.js";
import { button, html, setEntries, setShown } from "./elements.js";

export class Gallery {
  /** `on` has exhibit(name), served(entry), file(file). */
  constructor(on) {
    this.on = on;
    this.picker = html("input", { type: "file", hidden: true, "aria-label": "Network file" });
    this.picker.addEventListener("change", () => this.picked());
    this.served = html("ul", { class: "exhibits", "aria-label": "Served networks" });
    this.exhibits = html("ul", { class: "exhibits", "aria-label": "Networks to start from" });
    this.servedPart = html("section", { hidden: true }, html("h2", {}, "Served here"), this.served);
    this.exhibitPart = html(
      "section",
      { hidden: true },
      html("h2", {}, "Start with one of these"),
      this.exhibits,
    );
    this.ways = this.dropZone();
    this.added = [];
    this.root = html("div", { class: "gallery" }, this.intro(), this.ways, this.servedPart, this.exhibitPart);
  }

  intro() {
    return html(
      "div",
      { class: "intro" },
      html("h1", {}, "Ask a Bayesian network"),
      html(
        "p",
        {},
        "A network says what depends on what, and how strongly. Open one and click a bar to say what you know: every other bar moves to show what follows.",
      ),
    );
  }

  dropZone() {
    const zone = html("div", { class: "drop-zone" });
    zone.append(
      button("Open a file…", () => this.picker.click(), { class: "primary" }),
      html("span", {}, "or drop one here: a network (bayou, BIF, NET, XDSL, DSL, XMLBIF, UAI, DNE) or a table (CSV, TSV, Parquet …)"),
      this.picker,
    );
    return zone;
  }

  /** Sections of contributions: {root, show(listing)}, above the networks; `way` is a button beside "Open a file". */
  add(sections) {
    this.added.push(...sections);
    this.ways.prepend(...sections.map(({ way }) => way).filter(Boolean));
    this.ways.after(...sections.map(({ root }) => root).filter(Boolean));
  }

  picked() {
    const [file] = this.picker.files;
    this.picker.value = "";
    if (file) this.on.file(file);
  }

  /** Show what the server has: {models, gallery}. */
  show(listing) {
    const { models, gallery } = listing;
    for (const section of this.added) section.show?.(listing);
    setShown(this.servedPart, models.length > 0);
    setShown(this.exhibitPart, gallery.length > 0);
    setEntries(this.served, models, (entry) =>
      exhibit(entry.name, entry.path_name ?? "", entry, () => this.on.served(entry)),
    );
    setEntries(this.exhibits, gallery, (one) =>
      exhibit(one.title || one.name, one.about, one, () => this.on.exhibit(one)),
    );
  }
}

/** How large a model is: a network by its arcs, a model of sequences by its states. */
const sizeOf = ({ kind, variables, arcs, states, columns }) => {
  if (variables === undefined && states === undefined) return isOfSequences(kind) ? "Over time" : "";
  const size =
    variables === undefined
      ? `${counted(states ?? 0, "state")}, ${counted(columns ?? 0, "column")}`
      : `${counted(variables, "variable")}, ${counted(arcs, "arc")}`;
  return isOfSequences(kind) ? `${size}, over time` : size;
};

/** A button in a list that opens a network. */
export function exhibit(title, about, facts, open) {
  const inside = [
    html("strong", {}, title),
    html("span", { class: "about" }, about),
    html("span", { class: "size" }, sizeOf(facts)),
  ];
  return html("li", {}, html("button", { type: "button", class: "exhibit", on: { click: open } }, ...inside));
}

/** Files dropped anywhere on the page are opened. */
export function acceptDrops(target, opened) {
  target.addEventListener("dragover", (event) => {
    if (![...event.dataTransfer.types].includes("Files")) return;
    event.preventDefault();
    document.body.classList.add("dropping");
  });
  target.addEventListener("dragleave", (event) => {
    if (event.relatedTarget === null) document.body.classList.remove("dropping");
  });
  target.addEventListener("drop", (event) => {
    document.body.classList.remove("dropping");
    const [file] = event.dataTransfer.files;
    if (!file) return;
    event.preventDefault();
    opened(file);
  });
}
