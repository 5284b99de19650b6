/** What the URL says after "#": the revision, the findings and the scenario that is kept. */

/** The part after "#" for a place: {model, gallery, name, findings, kept}. */
export function addressOf(place) {
  if (!place.model) return "";
  const parts = new URLSearchParams();
  parts.set("model", place.model);
  if (place.gallery) parts.set("gallery", place.gallery);
  if (place.name) parts.set("name", place.name);
  if (place.findings?.length > 0) parts.set("findings", JSON.stringify(place.findings));
  if (place.kept) parts.set("kept", JSON.stringify(place.kept));
  return `#${parts}`;
}

/** The place that an address names; `damaged` tells that a part of it could not be read. */
export function placeOf(address) {
  const parts = new URLSearchParams(address.replace(/^#/, ""));
  const findings = listIn(parts.get("findings"));
  const kept = listIn(parts.get("kept"));
  return {
    model: parts.get("model") || null,
    gallery: parts.get("gallery") || null,
    name: parts.get("name") || null,
    findings: findings ?? [],
    kept: parts.has("kept") ? kept : null,
    damaged: (parts.has("findings") && findings === null) || (parts.has("kept") && kept === null),
  };
}

function listIn(text) {
  if (text === null) return null;
  try {
    const value = JSON.parse(text);
    return Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}
