/** Names and values of others within sentences of Intray's own: none may read as the sentence going on. Pure. */

import { asJson } from "../labels.ts";
import { RIGHT_TO_LEFT, visibleText } from "./hidden.ts";

/** Modifier letters, accents and signs that look like an apostrophe; two of them look like a quotation mark. No letters of Japanese. */
const APOSTROPHE = "(?![々ー^¨゛ﾞʺˮ˝˵˶])['’′‵՚׳❛❜Ꞌꞌᛌᑊᐞᐟᐠ\\p{Lm}\\p{Sk}]";
/** Signs that look like a quotation mark alone; an accent over a blank among them. */
const MARK =
  "(?!['’])\\p{Quotation_Mark}|[″‴⁗‶‷¨゛ʺˮ˝˵˶״〃❝❞❠ᐦ\\u{1f676}-\\u{1f678}]|(?<![ｦ-ﾝ])ﾞ|(?<=^|\\s)\\p{M}";
/** Signs that may read as the end of a quotation, with the apostrophes beside them; an apostrophe alone does not. */
const QUOTATION = `(?:${APOSTROPHE})*(?:(?:${MARK})(?:${APOSTROPHE})*)+|(?:${APOSTROPHE}){2,}`;
const ANY_QUOTATION = new RegExp(QUOTATION, "u");
const EACH_QUOTATION = new RegExp(QUOTATION, "gu");

/** What is not read as it is written: characters that cannot be seen, and blanks that look like fewer or like other ones. */
const UNSEEN = /\p{C}|[^\S ]| {2}|^ | $/u;

/** A value in quotation marks; as JSON where it has some itself, is not read as it is written, or turns the text around it. */
export function quoted(text: string): string {
  const isOdd = [ANY_QUOTATION, UNSEEN, RIGHT_TO_LEFT].some((pattern) => pattern.test(text));
  return isOdd ? asJson(text) : `“${text}”`;
}

/** A name of others as it is where it is one word, and in quotation marks where it could read as more. */
export function named(name: string): string {
  return /^[\w.-]+$/.test(name) ? name : quoted(name);
}

/** A value as others sent it, in quotation marks; as JSON where it has some itself. */
export function asSent(value: unknown): string {
  const text = String(value);
  return ANY_QUOTATION.test(text) ? asJson(text) : `“${visibleText(text)}”`;
}

/** A name in quotation marks on one line, without its own quotation marks: for what only has to be recognised. */
export function namedInQuotes(name: string): string {
  return `“${name.replace(EACH_QUOTATION, "").replace(/\s+/gu, " ").trim()}”`;
}
