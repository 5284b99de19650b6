/** Small pictures of a test: what was said against what came true, and the ROC curve of a state. */

import { calibrationPoints, placed } from "../../logic/cases/test_words.js";
import { number, percent } from "../../logic/numbers.js";
import { html, svg } from "../elements.js";

const SIZE = 180;
const EDGE = 34;

/** A square with axes from 0 to 1, the diagonal, and what is drawn in it. */
function square(label, across, up, ...content) {
  const box = [-EDGE, -8, SIZE + EDGE + 12, SIZE + EDGE + 12];
  const text = (x, y, words, more = {}) => svg("text", { x, y, ...more }, words);
  return svg(
    "svg",
    { class: "plot", viewBox: box.join(" "), role: "img", "aria-label": label },
    svg("rect", { class: "frame", width: SIZE, height: SIZE }),
    svg("line", { class: "diagonal", x1: 0, y1: SIZE, x2: SIZE, y2: 0 }),
    ...content,
    text(0, SIZE + 14, "0"),
    text(SIZE, SIZE + 14, "100%", { "text-anchor": "end" }),
    text(-5, SIZE, "0", { "text-anchor": "end" }),
    text(-5, 10, "100%", { "text-anchor": "end" }),
    text(SIZE / 2, SIZE + 28, across, { "text-anchor": "middle" }),
    text(-SIZE / 2, -22, up, { "text-anchor": "middle", transform: "rotate(-90)" }),
  );
}

export function calibrationPicture({ calibration, calibration_error: error }) {
  const points = calibrationPoints(calibration);
  const dots = points.map(({ x, y, radius, text }) =>
    svg("circle", { cx: x * SIZE, cy: (1 - y) * SIZE, r: radius }, svg("title", {}, text)),
  );
  const label = `Calibration: ${points.map(({ text }) => text).join("; ")}`;
  const picture = square(label, "said", "came true", ...dots);
  return figure(`Calibration: on the diagonal, what is said comes true. Error ${percent(error)}.`, picture);
}

export function rocPicture(state, { auc, curve }, pick) {
  const line = svg("polyline", { class: "curve", points: placed(curve, SIZE) });
  const area = auc === null ? "not defined: no rows of one kind" : number(auc);
  const picture = square(`ROC curve of ${state}, area ${area}`, "false alarms", "found", line);
  return figure(`ROC: area ${area} (1 is perfect, 0.5 is guessing).`, picture, pick);
}

const figure = (words, ...content) => html("figure", {}, ...content, html("figcaption", {}, words));
