/** The two slices of a model of sequences as a small picture: what depends on what, from step to step. */

import { BOX, templatePicture } from "../../logic/sequences/strip_layout.js";
import { clipped } from "../../logic/geometry.js";
import { textWidth } from "../drawing/text_width.js";
import { svg } from "../elements.js";

const SIZE = 12;

/** The picture of a model, with a description for those who cannot see it. */
export function templateDrawing(model) {
  const { boxes, lines, width, height } = templatePicture(model);
  const heads = ["step before", "step"].map((text, slice) =>
    svg("text", { class: "slice", x: BOX.left + slice * (BOX.width + BOX.across), y: 12 }, text),
  );
  const arcs = lines.map(({ d, tip, lag }) =>
    svg(
      "g",
      { class: "strip-arc" },
      lag > 1 ? svg("title", {}, `over ${lag} steps`) : null,
      svg("path", { class: "line", d }),
      svg("path", { class: "tip", d: tip }),
    ),
  );
  const drawn = boxes.map(({ row, x, y }) => box(model.rows[row], x, y));
  const label = `What depends on what: ${arcWords(model)}`;
  const attributes = { class: "template", role: "img", "aria-label": label, viewBox: `0 0 ${width} ${height}` };
  return svg("svg", { ...attributes, width, height }, ...heads, ...arcs, ...drawn);
}

function box(row, x, y) {
  const text = clipped(row.label, BOX.width - 12, (part) => textWidth(part, SIZE, 500));
  return svg(
    "g",
    { class: row.hidden ? "slice-box hidden-row" : "slice-box", transform: `translate(${x} ${y})` },
    svg("title", {}, row.label),
    svg("rect", { width: BOX.width, height: BOX.height, rx: 6 }),
    svg("text", { x: BOX.width / 2, y: 17, "text-anchor": "middle" }, text),
  );
}

const arcWords = ({ rows, arcs }) =>
  arcs
    .map(({ from, to, lag }) => {
      const later = lag === 0 ? "" : lag === 1 ? " of the next step" : ` ${lag} steps later`;
      return `${rows[from].label} on ${rows[to].label}${later}`;
    })
    .join("; ");
