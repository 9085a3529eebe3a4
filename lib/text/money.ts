/** Returns true if a field's name suggests that its numbers are money. */
export function isMoneyName(name: string): boolean {
  const words = name
    .replace(/([a-z])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .split(/[^a-z]+/);
  return words.some((word) => MONEY_WORDS.has(word));
}

const MONEY_WORDS = new Set(
  "amount price total subtotal cost fee balance budget salary payment paid tax vat refund cents pence usd eur gbp chf jpy".split(
    " ",
  ),
);

/** Adds without the drift of binary fractions, by scaling each value to whole millionths first. */
export function sumAmounts(values: number[]): number {
  return values.reduce((sum, value) => sum + Math.round(value * 1e6), 0) / 1e6;
}

const CODES =
  "USD|EUR|GBP|CHF|JPY|CAD|AUD|NZD|SEK|NOK|DKK|PLN|CZK|HUF|CNY|INR|BRL|MXN|ZAR|SGD|HKD|KRW|TRY|ILS";
const SIGNS: Record<string, string> = {
  "€": "EUR",
  "£": "GBP",
  "¥": "JPY",
  US$: "USD",
  C$: "CAD",
  A$: "AUD",
};
const BEFORE = `(?:US|C|A)?\\$|[€£¥]|\\b(?:${CODES})`;
const FIGURE = "\\d(?:[\\d,.'’\\u00a0\\u202f]*\\d)?";
const AMOUNT = new RegExp(
  `(?<minus>[-−]?)(?:(?<before>${BEFORE})\\s?(?<inner>[-−]?)(?<leading>${FIGURE})|(?<![\\w.,])(?<trailing>${FIGURE})\\s?(?<after>[€£]|(?:${CODES})\\b))`,
  "g",
);

export interface Money {
  value: number;
  /** An ISO code, or `$`, which may be any dollar; null if none is given. */
  currency: string | null;
}

/** Finds amounts such as `($1000.00)` and their positions. Figures without a currency do not count. */
export function findMoney(text: string): (Money & { index: number; text: string })[] {
  return [...text.matchAll(AMOUNT)].flatMap((match) => {
    const { minus = "", inner = "", leading, trailing, before, after } = match.groups ?? {};
    const value = parseFigure(leading ?? trailing ?? "");
    if (!Number.isFinite(value)) return [];
    const sign = before ?? after ?? null;
    const currency = sign && (SIGNS[sign] ?? sign);
    return [{ value: minus || inner ? -value : value, currency, index: match.index, text: match[0] }];
  });
}

/** Returns the values of a text's amounts of money. */
export function findAmounts(text: string): number[] {
  return findMoney(text).map(({ value }) => value);
}

/**
 * Reads a number, or text that is nothing but an amount (`"1000.00"`, `"$1,000"`). Returns null otherwise, or
 * if the amount cannot be held exactly.
 */
export function readMoney(value: unknown): Money | null {
  if (typeof value === "number") return Number.isFinite(value) ? { value, currency: null } : null;
  if (typeof value !== "string" || value.length > 40) return null;
  const text = value.trim();
  const [found] = findMoney(text);
  if (found?.text === text) return safe(found);
  const figure = new RegExp(`^([-−]?)(${FIGURE})$`).exec(text);
  if (!figure?.[2] || /^0\d/.test(figure[2])) return null;
  const parsed = parseFigure(figure[2]);
  return safe({ value: figure[1] ? -parsed : parsed, currency: null });
}

/** Rejects amounts beyond 1e13, where binary fractions lose cents. */
function safe({ value, currency }: Money): Money | null {
  return Math.abs(value) <= 1e13 ? { value, currency } : null;
}

/** Reads `1,000.00`, `1.000,00`, `1'000` and `1000`. The last separator is decimal or groups thousands. */
function parseFigure(figure: string): number {
  const last = Math.max(figure.lastIndexOf("."), figure.lastIndexOf(","));
  if (last === -1) return Number(figure.replace(/\D/g, ""));
  const decimals = figure.slice(last + 1);
  const mark = figure[last]!;
  const groups = decimals.length === 3 && (mark === "," || figure.indexOf(mark) !== last);
  const whole = figure.slice(0, last).replace(/\D/g, "");
  return Number(groups ? whole + decimals : `${whole}.${decimals}`);
}

/** Returns true if two amounts are equal to the cent. */
export function sameAmount(a: number, b: number): boolean {
  return Math.abs(a - b) < 0.005;
}

const DOLLARS = new Set(["USD", "CAD", "AUD", "NZD", "SGD", "HKD", "MXN"]);

/** Returns true if two currencies may be the same. null may be any currency. */
export function mayBeSameCurrency(one: string | null, other: string | null): boolean {
  if (one === null || other === null) return true;
  const [a, b] = [SIGNS[one] ?? one, SIGNS[other] ?? other];
  return a === b || (a === "$" && DOLLARS.has(b)) || (b === "$" && DOLLARS.has(a));
}
