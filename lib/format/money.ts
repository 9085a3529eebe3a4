/** Whether a field's name says that its numbers are money. */
export function isMoneyName(name: string): boolean {
  const words = name
    .replace(/([a-z])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .split(/[^a-z]+/);
  return words.some((word) => MONEY_WORDS.has(word));
}

const MONEY_WORDS = new Set(
  "amount price total subtotal cost fee balance budget salary payment paid tax vat refund usd eur gbp chf jpy".split(
    " ",
  ),
);

/** The number as it was sent, with separators and at least two decimals: `1,000.00`. */
export function formatMoney(value: number): string {
  return new Intl.NumberFormat("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 6 }).format(value);
}

/** Adds without the drift of binary fractions: each value is scaled to whole millionths first. */
export function sumAmounts(values: number[]): number {
  return values.reduce((sum, value) => sum + Math.round(value * 1e6), 0) / 1e6;
}

const CURRENCY = "[$€£¥]|\\b(?:USD|EUR|GBP|CHF|JPY)";
const FIGURE = "-?\\d(?:[\\d,.'\\u00a0\\u202f]*\\d)?";
const AMOUNT = new RegExp(
  `(?:${CURRENCY})\\s?(${FIGURE})|(${FIGURE})\\s?(?:[€£]|(?:USD|EUR|GBP|CHF|JPY)\\b)`,
  "g",
);

/** The amounts of money that a text states, e.g. `($1000.00)`; figures without a currency are not amounts. */
export function findAmounts(text: string): number[] {
  return [...text.matchAll(AMOUNT)]
    .map((match) => parseFigure(match[1] ?? match[2] ?? ""))
    .filter(Number.isFinite);
}

/** `1,000.00`, `1.000,00`, `1'000` and `1000` alike: the last separator is decimal unless it groups thousands. */
function parseFigure(figure: string): number {
  const last = Math.max(figure.lastIndexOf("."), figure.lastIndexOf(","));
  if (last === -1) return Number(figure.replace(/[^\d-]/g, ""));
  const decimals = figure.slice(last + 1);
  const mark = figure[last]!;
  const groups = decimals.length === 3 && (mark === "," || figure.indexOf(mark) !== last);
  const whole = figure.slice(0, last).replace(/[^\d-]/g, "");
  return Number(groups ? whole + decimals : `${whole}.${decimals}`);
}

export type SumJudgement =
  | { kind: "agrees" }
  | { kind: "differs"; stated: number[] }
  | { kind: "not_stated" };

/** Compares a recomputed sum with the amounts in the server's message. */
export function judgeSum(sum: number, message: string): SumJudgement {
  const stated = findAmounts(message);
  if (stated.length === 0) return { kind: "not_stated" };
  const agrees = stated.some((amount) => Math.abs(amount - sum) < 0.005);
  return agrees ? { kind: "agrees" } : { kind: "differs", stated };
}
