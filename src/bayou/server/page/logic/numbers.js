/** Numbers as people read them. */

/** A probability as a percentage with one digit: "5.5%", "<0.1%", "100%". */
export function percent(probability) {
  if (!Number.isFinite(probability)) return "–";
  if (probability <= 0) return "0%";
  if (probability >= 1 - 1e-12) return "100%";
  if (probability < 0.0005) return "<0.1%";
  if (probability >= 0.9995) return ">99.9%";
  return `${(100 * probability).toFixed(1)}%`;
}

/** A percentage with four significant digits, for the entries of tables: "5%", "9.184%". */
export const finePercent = (probability) => `${number(100 * probability)}%`;

/** A probability in whole percents, for little room: "95%", "<1%", ">99%". */
export function wholePercent(probability) {
  if (!(probability > 0)) return "0%";
  if (probability >= 1 - 1e-12) return "100%";
  if (probability < 0.005) return "<1%";
  return probability >= 0.995 ? ">99%" : `${Math.round(100 * probability)}%`;
}

/** A change of probability in percentage points: "+12.3", "−0.4", "0.0". */
export function points(change) {
  if (!Number.isFinite(change)) return "–";
  const text = Math.abs(100 * change).toFixed(1);
  if (text === "0.0") return text;
  return `${change > 0 ? "+" : "−"}${text}`;
}

/** A number with four significant digits and no needless zeros: "1.7", "0.03125", "1.2e+12". */
export function number(value) {
  if (!Number.isFinite(value)) return "–";
  const rounded = Number(value.toPrecision(4));
  const text = Math.abs(rounded) >= 1e6 ? rounded.toExponential() : String(rounded);
  return text.replace("-", "−");
}

/** Bits with two significant digits: "0.68 bits". */
export const shortBits = (bits) => `${number(Number(bits.toPrecision(2)))} bits`;

const SCALES = [
  [1e12, "trillion"],
  [1e9, "billion"],
  [1e6, "million"],
];

/** How rare something with this log probability is: "93.5%", "1 in 480", "1 in 3.2 million", "1 in 10³⁷". */
export function oneIn(logProbability) {
  if (!Number.isFinite(logProbability)) return "never";
  if (logProbability > -1e-12) return "certain";
  const digits = -logProbability / Math.LN10;
  if (digits >= 15) return `1 in 10${superscript(Math.round(digits))}`;
  const times = Math.exp(-logProbability);
  if (times < 2.5) return percent(1 / times);
  if (times < 9.95) return `1 in ${Number(times.toFixed(1))}`;
  const rounded = Number(times.toPrecision(3));
  const scale = SCALES.find(([size]) => rounded >= size);
  if (scale) return `1 in ${Number((rounded / scale[0]).toPrecision(3))} ${scale[1]}`;
  return `1 in ${grouped(Math.round(rounded))}`;
}

/** A whole number with commas between thousands. */
export const grouped = (whole) => String(whole).replace(/\B(?=(\d{3})+$)/g, ",");

/** "1 variable", "8 variables". */
export const counted = (count, noun) => `${grouped(count)} ${noun}${count === 1 ? "" : "s"}`;

const superscript = (whole) => [...String(whole)].map((digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(digit)]).join("");

/** A number as people type it: decimal comma, percent and fractions are understood; NaN otherwise. */
export function typedNumber(text) {
  const plain = text.trim().replace("−", "-").replace(",", ".");
  if (plain === "") return NaN;
  const fraction = plain.match(/^([^/]+)\/([^/]+)$/);
  if (fraction) return typedNumber(fraction[1]) / typedNumber(fraction[2]);
  return plain.endsWith("%") ? Number(plain.slice(0, -1)) / 100 : Number(plain);
}
