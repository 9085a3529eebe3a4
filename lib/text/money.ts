/** Returns true if a field's name suggests that its numbers are money. */
export function isMoneyName(name: string): boolean {
  // Most names have none of the words, also as part of a longer one.
  if (!MAY_BE_MONEY.test(plainName(name))) return false;
  return wordsOf(name).some((word) => isOneOf(MONEY_WORDS, word));
}

/**
 * As `isMoneyName`, and for names such as `net` and `order_value`, if the currency is named: `isNamed` beside them, or at their end
 * (`net_sek`).
 */
export function isMoneyBeside(name: string, isNamed: boolean): boolean {
  if (isMoneyName(name)) return true;
  if (!MAY_BE_VALUE.test(plainName(name))) return false;
  const words = wordsOf(name).filter((word) => word !== "minor");
  const last = words.pop() ?? "";
  const isCode = words.length > 0 && CURRENCIES.has(last.toUpperCase());
  return isCode ? isOneOf(VALUE_WORDS, words.pop() ?? "") : isNamed && isOneOf(VALUE_WORDS, last);
}

const isOneOf = (singulars: ReadonlySet<string>, word: string) =>
  singulars.has(word) || singulars.has(word.replace(/s$/, ""));

/** Longer names are read so far: one may have a megabyte. */
const NAME_CHARACTERS = 500;

/** A field's name in letters of one width, as some programs read names: `ａｍｏｕｎｔ` is `amount`. */
export function plainName(name: string): string {
  const read = name.slice(0, NAME_CHARACTERS);
  return /\P{ASCII}/u.test(read) ? read.normalize("NFKC").slice(0, NAME_CHARACTERS) : read;
}

/**
 * The words of a field's name, in lower case: `USDAmount_2`, `usd-amount` and `usdAmount` are `usd` and `amount`, as are `usdamount`
 * and `USDAMOUNT`.
 */
export function wordsOf(name: string): string[] {
  return plainName(name)
    .replace(/([a-z])([A-Z])/g, "$1_$2")
    .replace(/(?<=[A-Z]{2})(?=[A-Z][a-z])/g, "_")
    .toLowerCase()
    .replace(JOINED, "_$&_")
    .replace(JOINED_AT_END, "_$&_")
    .split(/[^a-z]+/)
    .filter((word) => word !== "");
}

/** Words of money that people write together with others: `totalamount`, `amountdue`. “Tantamount” and “balancer” are no such words. */
const JOINED =
  /(?<!par|tant)amounts?|payments?|refunds?|(?:sub)?totals?|prices?|salar(?:y|ies)|budgets?|(?<!load|re|im)balances?(?!(?:rs?|d)(?![a-z]))/g;
const TAIL = "(?:due|paid|cents|pence|minor|usd|eur|gbp|chf|jpy)";
/** Shorter ones, which other words begin with: `unitcost`, `salestax`, `feeusd`. “Checksum”, “coffee” and “prepaid” are other words. */
const JOINED_AT_END = new RegExp(
  `(?:(?<!check|dim|gyp|ip|os)sums?|(?<!ac|pente)costs?|(?<!cof|tof)fees?|(?<!syn)tax(?:es)?|(?<!cra)vat|(?<!pre|re|un)paid|usd|gbp|chf|jpy|(?:value|gross|payout|payable|deposit)s?|(?:net|worth)(?=${TAIL}(?![a-z])))(?=${TAIL}?(?![a-z]))`,
  "g",
);

/** In the singular. The inbox and call rules know money by them; docs/conditions.md lists them for people who write rules. */
const MONEY_WORDS = new Set(
  "amount price total subtotal sum cost fee balance budget salary salaries payment paid tax taxes vat refund cents pence usd eur gbp chf jpy".split(
    " ",
  ),
);
const MAY_BE_MONEY = new RegExp([...MONEY_WORDS].join("|"), "i");
/** In the singular, as the last word of a name: money beside a currency, and elsewhere anything. */
const VALUE_WORDS = new Set("net gross value worth payout payable deposit".split(" "));
const MAY_BE_VALUE = new RegExp([...VALUE_WORDS].join("|"), "i");

/** Adds without the drift of binary fractions, by scaling each value to whole millionths first. */
export function sumAmounts(values: number[]): number {
  return values.reduce((sum, value) => sum + Math.round(value * 1e6), 0) / 1e6;
}

/** Codes of ISO 4217, except those that are words of capitals: “Delete ALL 14 files” is no amount in lek. */
export const CURRENCIES = new Set(
  Intl.supportedValuesOf("currency").filter((code) => !/^(ALL|SOS|TOP)$/.test(code)),
);
const CODES = [...CURRENCIES].join("|");
const SIGNS: Record<string, string> = {
  "€": "EUR",
  "£": "GBP",
  US$: "USD",
  C$: "CAD",
  A$: "AUD",
};
const BEFORE = `(?:US|C|A)?\\$|[€£¥]|\\b(?:${CODES})`;
/** Groups of three behind plain spaces, as few as an amount has, else digits with single separators and none behind them. */
const FIGURE =
  "(?:\\d{1,3}(?: \\d{3}){1,4}(?:[.,]\\d{1,2})?(?![.,'’]?\\d)|\\d+(?:[,.'’\\u00a0\\u202f]\\d+)*(?![,.'’\\u00a0\\u202f]{0,40}\\d))";
const BARE_FIGURE = new RegExp(`^([-−]?)(${FIGURE})$`);
/** A figure is read from its first digit alone: from each of `1'1'1'…`, it would be read as often as it is long. */
const AMOUNT = new RegExp(
  `(?<minus>[-−]?)(?:(?<before>${BEFORE})\\s?(?<inner>[-−]?)(?<leading>${FIGURE})(?:\\s?(?<code>${CODES})\\b(?!\\s?[-−]?\\d))?|(?<![\\w.,]|[\\d'’\\u00a0\\u202f]['’\\u00a0\\u202f])(?<trailing>${FIGURE})\\s?(?<after>[€£]|(?:${CODES})\\b))`,
  "g",
);
/** What multiplies the amount before it: `EUR 3 million`, `$3k`, `EUR 3-5 Mio` */
const TIMES =
  /(?:\s?[-–]\s?\d[\d.,]{0,12})?\s?-?(?:k|m|mm|mn|mio|mln|mil|mill|mille|milli(?:on|ard)[a-z]{0,3}|millones|b|bn|billion[a-z]{0,2}|tn|trillion[a-z]{0,2}|mrd|tsd|tausend|hundreds?|thousands?|grand|lakhs?|crores?)\b/iy;

export interface Money {
  value: number;
  /** An ISO code, or `$` or `¥`, which several currencies have; null if none is given. */
  currency: string | null;
}

export interface FoundMoney extends Money {
  index: number;
  /** As sent. */
  text: string;
  /**
   * Given if the text can be read in more ways than one: as these values (`12.500 EUR`), or as any if empty
   * (`EUR 3 million`). `value` is NaN then.
   */
  readings?: number[];
}

/** Longer texts are read no further for figures, so that one question's reading stays short. */
export const FIGURES_WITHIN = 64 * 1024;

/**
 * Finds amounts such as `($1000.00)` and their positions, in the first FIGURES_WITHIN characters. Figures without
 * a currency do not count.
 */
export function findMoney(text: string): FoundMoney[] {
  return [...text.slice(0, FIGURES_WITHIN).matchAll(AMOUNT)].map((match) => {
    const { minus, inner, leading, trailing, before, code, after } = match.groups ?? {};
    const sign = before ?? after ?? "";
    TIMES.lastIndex = match.index + match[0].length;
    const [times = ""] = TIMES.exec(text) ?? [];
    const unclear = times || (code && !mayBeSameCurrency(sign, code));
    const readings = (unclear ? [] : parseFigure(leading ?? trailing ?? "")).map((each) =>
      minus || inner ? -each : each,
    );
    const [value, ...others] = readings;
    const found = { currency: code ?? SIGNS[sign] ?? sign, index: match.index, text: match[0] + times };
    return value !== undefined && others.length === 0
      ? { ...found, value }
      : { ...found, value: Number.NaN, readings };
  });
}

/** Writes an amount as a person's locale has it; one that can be read in more ways than one as it was sent. */
export function writeFound(found: FoundMoney, write: (money: Money) => string): string {
  return found.readings ? found.text : write(found);
}

/**
 * Reads a number, or text that is nothing but an amount (`"1000.00"`, `"$1,000"`). Returns null otherwise, or
 * if the amount cannot be held exactly, or can be read in more ways than one (`"12.500"`).
 */
export function readMoney(value: unknown): Money | null {
  if (typeof value === "number") return Number.isFinite(value) ? { value, currency: null } : null;
  if (typeof value !== "string" || value.length > 40) return null;
  const text = value.trim();
  const [found] = findMoney(text);
  if (found?.text === text) return safe(found);
  const figure = BARE_FIGURE.exec(text);
  if (!figure?.[2] || /^0\d/.test(figure[2])) return null;
  const [parsed = Number.NaN, ...others] = parseFigure(figure[2]);
  return others.length > 0 ? null : safe({ value: figure[1] ? -parsed : parsed, currency: null });
}

/** Rejects what is no number, and amounts beyond 1e13, where binary fractions lose cents. */
function safe({ value, currency }: Money): Money | null {
  return Math.abs(value) <= 1e13 ? { value, currency } : null;
}

/** Digits, groups of three, or groups as in India; then decimals. */
const FORM = /^(\d+|\d{1,3}([ .,'’\u00a0\u202f])\d{3}(?:\2\d{3})*|\d{1,2}(?:,\d{2})+,\d{3})(?:([.,])(\d+))?$/;

/**
 * Reads `1,000.00`, `1.000,00`, `1'000`, `1 000` and `1000`. Returns every value that the figure may have: two for `12.500`, which is
 * a German's thousands, two for `0,900000`, from which programs drop the comma, and none for what is no such figure (`1.2.3`).
 */
function parseFigure(figure: string): number[] {
  const [, whole = "", group, mark, decimals = ""] = FORM.exec(figure) ?? [];
  if (whole === "" || (mark && mark === group)) return [];
  const digits = whole.replace(/\D/g, "");
  const read = Number(`${digits}.${decimals || 0}`);
  const mayBeGroup = !group && decimals.length === 3 && digits.length <= 3 && !digits.startsWith("0");
  const joined = Number(digits + decimals);
  // No group has one or two digits: those are cents.
  if (mark === "," && decimals.length > 2) return mayBeGroup ? [joined] : [joined, read];
  return mayBeGroup ? [joined, read] : [read];
}

/** Returns true if two amounts are equal to the cent. */
export function sameAmount(a: number, b: number): boolean {
  return Math.abs(a - b) < 0.005;
}

/** Signs of several currencies. */
const OF_SIGN = new Map([
  ["$", new Set(["USD", "CAD", "AUD", "NZD", "SGD", "HKD", "MXN"])],
  ["¥", new Set(["JPY", "CNY"])],
]);

/** Returns true if two currencies may be the same. null may be any currency. */
export function mayBeSameCurrency(one: string | null, other: string | null): boolean {
  if (one === null || other === null) return true;
  const [a, b] = [SIGNS[one] ?? one, SIGNS[other] ?? other];
  return a === b || OF_SIGN.get(a)?.has(b) === true || OF_SIGN.get(b)?.has(a) === true;
}
