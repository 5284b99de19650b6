/** One arc: a curve as thick as its information, with a head. */

import { arcPath, arcWidth, arrowHead } from "../../logic/geometry.js";
import { number } from "../../logic/numbers.js";
import { svg } from "../elements.js";

export class ArcLine {
  constructor(arc, model) {
    this.arc = arc;
    const width = arcWidth(arc.bits);
    const [from, to] = [model.byKey.get(arc.from).text, model.byKey.get(arc.to).text];
    const strength = Number.isFinite(arc.bits) && arc.bits !== null ? `: ${number(arc.bits)} bits` : "";
    this.root = svg(
      "g",
      { class: "arc" },
      svg("title", {}, `${from} → ${to}${strength}`),
      svg("path", {
        class: "line",
        d: arcPath(shortened(arc.points, width)),
        "stroke-width": width.toFixed(2),
      }),
      svg("path", { class: "head", d: arrowHead(arc.points, width) }),
    );
  }

  /** Arcs of the chosen variable stand out. */
  mark(chosen) {
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
