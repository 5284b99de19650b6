/** A continuous variable in the drawing: a small density, the prior as a dashed ghost, mean ± deviation. */

import { densityPath, extent } from "../../logic/densities.js";
import { FOOT, HEAD, PAD } from "../../logic/geometry.js";
import { setAttribute, setText, svg } from "../elements.js";
import { momentsText } from "../node_marks.js";

const LINE = 17;

export class DensityRow {
  constructor(box) {
    const height = Math.max(box.height - HEAD - FOOT - LINE, 8);
    this.frame = { x: PAD, y: HEAD, width: box.width - 2 * PAD, height };
    this.ghost = svg("path", { class: "ghost-curve" });
    this.kept = svg("path", { class: "kept-curve" });
    this.curve = svg("path", { class: "curve" });
    this.area = svg("path", { class: "area" });
    this.text = svg("text", { class: "value", x: PAD, y: box.height - FOOT - 2 });
    const hit = svg("rect", {
      class: "hit",
      x: 3,
      y: HEAD - 2,
      width: box.width - 6,
      height: height + LINE,
      rx: 4,
    });
    this.root = svg("g", { class: "density", role: "button", tabindex: -1 }, hit, this.area, this.ghost);
    this.root.append(this.kept, this.curve, this.text);
  }

  update(facts) {
    const [now, before] = [facts.belief?.density ?? [], facts.changed ? (facts.prior?.density ?? []) : []];
    const kept = facts.kept?.density ?? [];
    const range = extent([now, before, kept]);
    const path = (points) => densityPath(points, this.frame, range);
    const line = path(now);
    const { x, y, width, height } = this.frame;
    setAttribute(this.curve, "d", line);
    setAttribute(this.area, "d", line && `${line}L${x + width} ${y + height}L${x} ${y + height}z`);
    setAttribute(this.ghost, "d", path(before));
    setAttribute(this.kept, "d", path(kept));
    const moments = momentsText(facts.belief);
    setText(this.text, `${facts.hasFinding ? "● " : ""}${moments}`);
    setAttribute(this.root, "aria-label", `${moments}. Type a value as a finding`);
    setAttribute(this.root, "aria-pressed", facts.hasFinding);
  }
}
