/** Characters that cannot be seen, in texts of others: they could make a text read as something else. Pure. */
import { shorten } from "../labels.ts";

export interface TextPart {
  kind: "text" | "hidden";
  text: string;
}

/**
 * Among them what puts the rest of a text out of sight, 80 blanks, as wide a row with tabs (10) or wide blanks (20), or four line
 * breaks in a row; the blank of Braille; lines and
 * boxes over the letter before (not the one of keycap emoji); marks beyond the fourth of a letter, which draw over other lines; and
 * what stands for an object.
 */
const INVISIBLE =
  /(?<![^\S\n\ufeff])(?:[^\S\n\ufeff]{80,}|(?:(?:[^\S\n\ufeff\t]*\t){10}|(?:[^\S\n\ufeff\u2001\u2003\u3000]*[\u2001\u2003\u3000]){20})[^\S\n\ufeff]*)|(?<![^\S\ufeff])(?:[^\S\n\ufeff]*\n){4,}|(?!\t|\r?\n|\u20e3)(?:[\u0334-\u0338\p{DI}\p{Cc}\p{Cs}\p{Me}\u2028\u2029\u2800\ufff9-\ufffc\u{13441}\u{13442}\u{16fe4}\u{1d159}]|[\u20d2-\u20da]|[\u20e5-\u20eb]|(?<=\p{M}{4})\p{M})/gu;
/** Joiners and variation selectors that are legitimate: inside emoji, and in scripts that use joiners. */
const PART_OF_A_LETTER =
  /(?<=\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f)\u200d(?=\p{Extended_Pictographic})|(?<=\p{Extended_Pictographic}|\p{Emoji_Modifier}|[#*\d](?=\ufe0f\u20e3))(?:\ufe0e|\ufe0f)|(?<=[\p{Script=Arabic}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Malayalam}\p{Script=Sinhala}])[\u200c\u200d]/gu;

/** Letters of ASCII with single blanks between them: nothing in them is hidden, and they are as they are read. */
const PLAIN = /^[!-~]+(?: [!-~]+)*$/;

/**
 * Separates hidden characters from text, run by run: control, zero-width and direction-changing ones. What comes after `most`
 * runs is one text, with each replaced.
 */
export function splitHidden(text: string, most = Number.POSITIVE_INFINITY): TextPart[] {
  if (PLAIN.test(text)) return [{ kind: "text", text }];
  const harmless = new Set([...text.matchAll(PART_OF_A_LETTER)].map((match) => match.index));
  const tokens: TextPart[] = [];
  let [from, runs] = [0, 0];
  for (const { 0: char, index } of text.matchAll(INVISIBLE)) {
    if (harmless.has(index)) continue;
    const last = tokens.at(-1);
    if (index === from && last?.kind === "hidden") last.text += char;
    else {
      if (++runs > most) {
        tokens.push({ kind: "text", text: visibleText(text.slice(from)) });
        return tokens;
      }
      if (index > from) tokens.push({ kind: "text", text: text.slice(from, index) });
      tokens.push({ kind: "hidden", text: char });
    }
    from = index + char.length;
  }
  if (from < text.length) tokens.push({ kind: "text", text: text.slice(from) });
  return tokens;
}

/** Counts hidden characters up to `most`, those that are part of a letter too. */
export function countHidden(text: string, most: number): number {
  if (PLAIN.test(text)) return 0;
  let count = 0;
  for (const _ of text.matchAll(INVISIBLE)) if (++count === most) break;
  return count;
}

const NAMES: Record<string, string> = {
  "\u00ad": "soft hyphen",
  "\u061c": "Arabic letter mark",
  "\u200b": "zero-width space",
  "\u200c": "zero-width non-joiner",
  "\u200d": "zero-width joiner",
  "\u200e": "left-to-right mark",
  "\u200f": "right-to-left mark",
  "\u202a": "left-to-right embedding",
  "\u202b": "right-to-left embedding",
  "\u202c": "end of direction",
  "\u202d": "left-to-right override",
  "\u202e": "right-to-left override",
  "\u2060": "word joiner",
  "\u2800": "blank of Braille",
  "\u2066": "left-to-right isolate",
  "\u2067": "right-to-left isolate",
  "\u2068": "isolate",
  "\u2069": "end of isolate",
  "\ufeff": "byte order mark",
  "\ufffc": "object that is not there",
};

/** Returns the code (`U+202E`, `U+200B ×12`, `U+200B U+202E …`, `90 blanks`) and the name shown for a hidden token. */
export function nameHidden(text: string): { code: string; name: string } {
  if (isSpace(text)) {
    const breaks = text.split("\n").length - 1;
    return {
      code: breaks > 0 ? `${breaks} line breaks` : `${text.length} blanks`,
      name: "space that hides what follows",
    };
  }
  const chars = [...text];
  const kinds = [...new Set(chars)];
  const code = kinds
    .slice(0, 2)
    .map((char) => `U+${char.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}`);
  const more = kinds.length > 2 ? " …" : kinds.length === 1 && chars.length > 1 ? ` ×${chars.length}` : "";
  return {
    code: code.join(" ") + more,
    name:
      kinds.length === 1
        ? (NAMES[text[0]!] ?? "character that cannot be seen")
        : "characters that cannot be seen",
  };
}

/** Replaces hidden characters, which could reorder or lengthen the surrounding line of a list or a toast. */
export function visibleText(text: string): string {
  return splitHidden(text)
    .map((token) => (token.kind === "hidden" ? "\ufffd" : token.text))
    .join("");
}

/** Texts up to this length are shown whole beside their box. */
const SHOWN = 400;

/** What stands beside a box, which shows a text as its hidden characters turn it. Null: none are in it. */
export function hiddenWords(value: string): string | null {
  const read = visibleText(value);
  if (read === value) return null;
  const [first] = splitHidden(value, 1);
  const from = first?.kind === "text" && read.length > SHOWN ? Math.max(0, first.text.length - SHOWN / 4) : 0;
  return `Contains invisible characters: “${from > 0 ? "…" : ""}${shorten(read.slice(from), SHOWN)}”`;
}

function isSpace(hidden: string): boolean {
  return hidden.length >= 4 && /^[^\S\ufeff\u2028\u2029]+$/.test(hidden);
}

/** Whether a text hides characters, or did before they were marked. */
export function hides(text: string): boolean {
  return visibleText(text).includes("\ufffd");
}

/** Normalising sorts the marks of a letter, in time with the square of their number. No word has as many. */
const MARKS = /([\p{M}\uff9e\uff9f]{30})[\p{M}\uff9e\uff9f]+/gu;

/** Arabic phrases of one character, which normalising makes 18 and 8 of: a short text would become a long one. */
const PHRASES = /[\ufdfa\ufdfb]/g;

/** Text as a reader takes it: no hidden characters, nor marks for them, and letters of one width. To compare words by. */
export function bareText(text: string): string {
  if (PLAIN.test(text)) return text;
  // Variation selectors too, which are marked nowhere: most letters look the same with them.
  const seen = text
    .replace(INVISIBLE, (hidden) => (isSpace(hidden) ? " " : ""))
    .replaceAll("\ufffd", "")
    .replace(MARKS, "$1")
    .replace(PHRASES, "\u25a1");
  return seen.normalize("NFKC").replace(/\s+/g, " ").trim();
}

/** Letters that are written from right to left. */
export const RIGHT_TO_LEFT =
  /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/** Signs that point to the same side in a line from right to left: of “א → ב”, the arrow is drawn to the first. */
const ARROW =
  /[\u2190-\u21ff\u25b6\u25b8\u25ba\u25c0\u25c2\u25c4\u2794\u2798-\u27af\u27b1-\u27be\u27f0-\u27ff\u2900-\u297f\u2b00-\u2b11\u2b30-\u2b4f\u2b5a-\u2bb9\u{1f448}\u{1f449}\u{1f800}-\u{1f8ff}]/u;

/** Whether a text has letters from right to left beside an arrow, or beside several figures, which they put in another order. */
export function readsFromRight(text: string): boolean {
  if (!RIGHT_TO_LEFT.test(text)) return false;
  if (ARROW.test(text)) return true;
  const figures = text.matchAll(/\p{Nd}[\p{Nd}.,]*/gu);
  return !figures.next().done && !figures.next().done;
}
