/** What the URL says after "#" about a strip: the model, the number of steps, the findings, what is asked. */

const WHATS = ["smooth", "filter"];

/** The part after "#" for {sequence, gallery, name, steps, findings, what, forecast, path}. */
export function stripAddress(place) {
  const parts = new URLSearchParams();
  parts.set("sequence", place.sequence);
  if (place.gallery) parts.set("gallery", place.gallery);
  if (place.name) parts.set("name", place.name);
  parts.set("steps", place.steps);
  if (place.findings.length > 0) parts.set("findings", JSON.stringify(place.findings));
  if (place.what !== "smooth") parts.set("what", place.what);
  if (place.forecast > 0) parts.set("forecast", place.forecast);
  if (!place.path) parts.set("path", "no");
  return `#${parts}`;
}

/** The place that an address names, or null if it is none of a strip. */
export function stripPlace(address) {
  const parts = new URLSearchParams(address.replace(/^#/, ""));
  if (!parts.get("sequence")) return null;
  let findings = [];
  let damaged = false;
  try {
    findings = JSON.parse(parts.get("findings") ?? "[]");
    damaged = !Array.isArray(findings);
  } catch {
    damaged = true;
  }
  const what = parts.get("what") ?? "smooth";
  return {
    sequence: parts.get("sequence"),
    gallery: parts.get("gallery") || null,
    name: parts.get("name") || null,
    steps: whole(parts.get("steps")),
    findings: damaged ? [] : findings,
    what: WHATS.includes(what) ? what : "smooth",
    forecast: whole(parts.get("forecast")) ?? 0,
    path: parts.get("path") !== "no",
    damaged,
  };
}

const whole = (text) => (/^\d+$/.test(text ?? "") ? Number(text) : null);
