/** Names that others chose: how they are labelled, and whether a row can show them. Pure. */
import { asJson, humanise } from "../labels.ts";

/** `-admin` may take away what `admin` gives. */
const SIGNED = /^[\s_.-]|[\s_.-]$|(?<![\p{L}\p{N}])-|[-.](?=\d)|(?<![\p{L}\p{N}_-])\./u;

/** A name in words, or as JSON has it where a sign stands at its beginning or end or behind another, which words would not show. */
export function nameInWords(name: string): string {
  return SIGNED.test(name) ? asJson(name) : humanise(name);
}

/** What lists write between a name and an amount, and what looks like it. */
const SEPARATOR =
  /\s[\u00b7\u0387\u2022\u2219\u22c5\u2027\u30fb\uff65\u2e31\u2e33\u16eb\u25cf\u25e6]|[\u00b7\u0387\u2022\u2219\u22c5\u2027\u30fb\uff65\u2e31\u2e33\u16eb\u25cf\u25e6]\s/u;
/** With a currency, or nothing but a figure that ends as amounts do. */
const LIKE_AMOUNT =
  /[€£¥$]\s?[-−]?\d|\d\s?(?:[€£¥$]|(?:EUR|USD|GBP|CHF|JPY)\b)|\d[.,]\d{2}\s?[A-Z]{3}\b|\b(?:EUR|USD|GBP|CHF|JPY)\s?[-−]?\d|\b[A-Z]{3}\s?[-−]?\d[\d.,'’]{0,20}[.,]\d{2}(?!\d)/;
const isFigure = (text: string) => /^[-−]?\d[\d.,'’\s]*$/.test(text) && /[.,]\d{2}$/.test(text);

/** Whether a label or a party can stand in a row of others: “ACME · 5.00 EUR” would be read as a name and an amount. */
export function fitsInRow(name: string): boolean {
  const seen = name.normalize("NFKC").trim();
  return ![name, seen].some((text) => SEPARATOR.test(text)) && !LIKE_AMOUNT.test(seen) && !isFigure(seen);
}
