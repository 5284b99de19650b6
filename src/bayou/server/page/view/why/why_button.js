/** The small button that asks why a variable has changed. */

import { button } from "../elements.js";

/** `on.why(key)` answers. */
export const whyButton = ({ key, text }, on) =>
  button("Why?", () => on.why(key), {
    class: "why-button",
    "aria-label": `Why ${text}?`,
    title: `Why ${text}? (W)`,
  });
