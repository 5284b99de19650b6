/** One arc: a curve as thick as its information, with a head. */

import { arcPath, arcWidth, arrowHead } from "../../logic/geometry.js";
import { shortBits } from "../../logic/numbers.js";
import { arcName } from "../../logic/why/trails.js";
import { setAttribute, svg } from "../elements.js";

export class ArcLine {
  constructor(arc, model) {
    this.arc = arc;
    const width = arcWidth(arc.bits);
    const [from, to] = [model.byKey.get(arc.from).text, model.byKey.get(arc.to).text];
    const strength = Number.isFinite(arc.bits) && arc.bits !== null ? `: ${shortBits(arc.bits)}` : "";
    this.width = width;
    this.hit = svg("path", { class: "arc-hit" });
    this.line = svg("path", { class: "line", "stroke-width": width.toFixed(2) });
    this.head = svg("path", { class: "head" });
    const told = `${from} → ${to}${strength}${arc.note ? `\n${arc.note}` : ""}`;
    const ends = { "data-from": arc.from, "data-to": arc.to };
    this.root = svg("g", { class: "arc", ...ends }, svg("title", {}, told), this.hit, this.line, this.head);
    this.follow(arc.points);
  }

  /** Run along these points. */
  follow(points) {
    setAttribute(this.hit, "d", arcPath(points));
    setAttribute(this.line, "d", arcPath(shortened(points, this.width)));
    setAttribute(this.head, "d", arrowHead(points, this.width));
  }

  /** Arcs of the chosen variable stand out, and those on the trails that are told. */
  mark(chosen, highlight, chosenArc) {
    const picked = chosenArc?.from === this.arc.from && chosenArc?.to === this.arc.to;
    this.root.classList.toggle("chosen", picked);
    this.root.classList.toggle("trail", highlight?.arcs.has(arcName(this.arc.from, this.arc.to)) ?? false);
    const near = chosen !== null && (this.arc.from === chosen || this.arc.to === chosen);
    this.root.classList.toggle("near", near);
  }
}

/** The line ends inside the head, so that a wide line does not hide the tip. */
function shortened(points, width) {
  const last = points.length - 1;
  const [tip, before] = [points[last], points[last - 1]];
  const length = Math.hypot(tip[0] - before[0], tip[1] - before[1]) || 1;
  const back = Math.min(4 + width, length / 2) / length;
  const end = [tip[0] - (tip[0] - before[0]) * back, tip[1] - (tip[1] - before[1]) * back];
  return [...points.slice(0, last), end];
}
