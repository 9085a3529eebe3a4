/** The colour of a label. */
export type Tone = "neutral" | "accent" | "wait" | "bad" | "good";

const ACRONYMS = new Set(["id", "url", "uri", "api", "iban", "vat", "erp", "sku", "ip", "usd", "eur"]);

/** Splits the title of a choice from what it sends, which stands behind it (lib/mcp/forms/choices.ts). */
export function splitSent(title: string): { called: string; sent: string } {
  const at = title.lastIndexOf(" (sends ");
  if (at < 0 || !title.endsWith(")")) return { called: title, sent: "" };
  return { called: title.slice(0, at), sent: title.slice(at) };
}

/** Turns `due_date` and `dueDate` into `Due date`, and `invoice_id` into `Invoice ID`. */
export function humanise(name: string): string {
  const words = name
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .split(/[\s_.-]+/)
    .filter(Boolean)
    .map((word) => (ACRONYMS.has(word.toLowerCase()) ? word.toUpperCase() : word.toLowerCase()));
  return capitalise(words.join(" ")) || name;
}

/** `-admin` may take away what `admin` gives. */
const SIGNED = /^[\s_.-]|[\s_.-]$|(?<![\p{L}\p{N}])-|[-.](?=\d)|(?<![\p{L}\p{N}_-])\./u;

/** A name in words, or as JSON has it where a sign stands at its beginning or end or behind another, which words would not show. */
export function nameInWords(name: string): string {
  return SIGNED.test(name) ? asJson(name) : humanise(name);
}

/** With its blanks (one behind another as its code), its capitals, and no character that another may look like. */
export function asJson(name: string): string {
  return JSON.stringify(name).replace(
    /[^ -~]| (?= )/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

export function capitalise(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** For words amid a sentence: `Answered “Yes”` becomes `answered “Yes”`. */
export function uncapitalise(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** Cuts long text after a word. */
export function shorten(text: string, length: number): string {
  if (text.length <= length) return text;
  const cut = text.slice(0, length - 1);
  const space = cut.lastIndexOf(" ");
  return `${cut.slice(0, space > length / 2 ? space : undefined)}…`;
}

/** Longer addresses are shown without their middle. */
export const ADDRESS_CHARACTERS = 240;

/** A long address without its middle: the host and the file's name both stay. */
export function bothEnds(address: string): string {
  return address.length > ADDRESS_CHARACTERS ? `${address.slice(0, 120)} … ${address.slice(-119)}` : address;
}

/** What lists write between a name and an amount, and what looks like it. */
const SEPARATOR =
  /\s[\u00b7\u0387\u2022\u2219\u22c5\u2027\u30fb\uff65\u2e31\u2e33\u16eb\u25cf\u25e6]|[\u00b7\u0387\u2022\u2219\u22c5\u2027\u30fb\uff65\u2e31\u2e33\u16eb\u25cf\u25e6]\s/u;
const LIKE_AMOUNT =
  /^\s*[-−]?\d[\d.,'’\s]*[.,]\d{2}\s*$|[€£¥$]\s?[-−]?\d|\d\s?(?:[€£¥$]|(?:EUR|USD|GBP|CHF|JPY)\b)|\d[.,]\d{2}\s?[A-Z]{3}\b|\b(?:EUR|USD|GBP|CHF|JPY)\s?[-−]?\d|\b[A-Z]{3}\s?[-−]?\d[\d.,'’]*[.,]\d{2}(?!\d)/;

/** Whether a label or a party can stand in a row of others: “ACME · 5.00 EUR” would be read as a name and an amount. */
export function fitsInRow(name: string): boolean {
  const seen = name.normalize("NFKC");
  return !SEPARATOR.test(name) && !SEPARATOR.test(seen) && !LIKE_AMOUNT.test(seen);
}
