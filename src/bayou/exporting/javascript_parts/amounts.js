/** Texts that spell numbers: with commas between thousands, a currency, k, M or %, or plain. */

const DIGITS = "(?:(?:0|[1-9][0-9]*)(?:\\.[0-9]*)?|\\.[0-9]+)";
const GROUPED = "(?:[1-9][0-9]{0,2}(?:,[0-9]{3})+(?:\\.[0-9]*)?)";
const CURRENCY =
  "(?:[$\\u00a2-\\u00a5\\u0e3f\\u20a0-\\u20bf]|USD|EUR|GBP|CHF|JPY|CNY|INR|CAD|AUD|NZD|SEK|NOK|DKK|PLN|CZK|HUF|BRL|TRY|ZAR|SGD|HKD)";
const BLANK = "[ \\u00a0\\u202f]?";
const AMOUNT = `(?:${GROUPED}|${DIGITS})`;
const SPACES = /^[ \t\n\r\f\v]+|[ \t\n\r\f\v]+$/g;
const PLAIN = new RegExp(`^[+-]?${DIGITS}(?:[eE][+-]?[0-9]+)?$`);
const ENDLESS = /^[+-]?inf(?:inity)?$/i;
const WHOLE = /^[+-]?[0-9]+$/;
const MARKED = new RegExp(
  `^([+-]?${CURRENCY}${BLANK}|${CURRENCY}${BLANK}[+-]|[+-]?)(${AMOUNT})([kKM]?)(?:${BLANK}(${CURRENCY}|%))?$`,
);
const TIMES = { k: 1e3, K: 1e3, M: 1e6 };
const GAP_WORDS = new Set(["", "na", "nan", "n/a", "null", "none", "<na>", "-nan", "#n/a", "?"]);

/** Whether a text stands for a missing number. */
export const isGapText = (text) => GAP_WORDS.has(text.trim().toLowerCase());

/** The number that a text spells, such as 7211.66 of "$7,211.66" or 0.12 of "12 %"; null without one. */
export function amountOf(text) {
  const bare = text.replace(SPACES, "");
  if (PLAIN.test(bare)) return text.length > 300 && WHOLE.test(bare) ? null : Number(bare);
  if (ENDLESS.test(bare)) return bare.startsWith("-") ? -Infinity : Infinity;
  const found = text.length > 300 ? null : bare.match(MARKED);
  if (found === null) return null;
  const [, before, amount, thousands, unit] = found;
  if (unit && (before.replace(/[+-]/g, "") || (unit === "%" && thousands))) return null;
  let number = Number(amount.replaceAll(",", "")) * (TIMES[thousands] ?? 1);
  if (unit === "%") number /= 100;
  return before.includes("-") ? -number : number;
}
