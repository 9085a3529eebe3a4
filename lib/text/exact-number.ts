/** Numbers typed or pasted by people. */
import { trimEndOf } from "./trim-end.ts";

export type ReadNumber = { value: number } | { error: string };

/** Spaces between groups of three are unambiguous. Commas are not, so they are refused. */
const GROUPED = /^[+-]?\d{1,3}([ \u00a0\u202f]\d{3})+(?=\.|$)/;
const DECIMAL = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;

/** Reads a number that JSON can carry exactly. Refuses numbers that would be rounded, or lie beyond 2^53. */
export function readExactNumber(typed: string): ReadNumber {
  const trimmed = typed.trim().replace(/^\u2212/, "-");
  const text = GROUPED.test(trimmed) ? trimmed.replace(/[ \u00a0\u202f]/g, "") : trimmed;
  if (!DECIMAL.test(text)) {
    const grouped = /^[+-]?[\d.,'’_]+$/.test(text);
    return {
      error: grouped ? "Write it like 1234.5: no commas, a point for decimals" : "A number, such as 1234.5",
    };
  }
  const value = Number(text);
  if (Math.abs(value) > Number.MAX_SAFE_INTEGER || plainDigits(text) !== plainDigits(String(value)))
    return { error: "Too many digits to be sent exactly" };
  return { value: Object.is(value, -0) ? 0 : value };
}

/** Whether a number of a JSON text is the same after JSON.parse and JSON.stringify, however large it is. */
export function isKeptExactly(text: string): boolean {
  const value = Number(text);
  const kept = String(value);
  return kept === text || (Number.isFinite(value) && plainDigits(text) === plainDigits(kept));
}

/** Normalizes a number, e.g. `-012.50e1` to `-125e0`, so that all spellings of one number are equal. */
function plainDigits(text: string): string {
  const [mantissa = "", exponent = "0"] = text.toLowerCase().split("e");
  const [whole = "", fraction = ""] = mantissa.replace(/^[+-]/, "").split(".");
  const digits = `${whole}${fraction}`.replace(/^0+/, "");
  const significant = trimEndOf(digits, "0");
  if (significant === "") return "0";
  const power = Number(exponent) - fraction.length + (digits.length - significant.length);
  return `${mantissa.startsWith("-") ? "-" : ""}${significant}e${power}`;
}
