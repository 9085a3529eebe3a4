import { FIGURES_WITHIN, findMoney } from "./money.ts";

export interface MessageToken {
  /** `hidden`: invisible characters that change how text reads; shown by name. */
  kind: "text" | "amount" | "date" | "id" | "hidden";
  /** The text as sent. All tokens' texts together are the message. */
  text: string;
}

/** Splits server text into tokens: amounts, dates and ids for people to spot, and hidden characters. */
export function messageTokens(message: string): MessageToken[] {
  return splitHidden(message).flatMap((part) => (part.kind === "hidden" ? [part] : figuresIn(part.text)));
}

const INVISIBLE = /(?!\t|\r?\n)[\p{DI}\p{Cc}\p{Cs}\u2028\u2029\ufff9-\ufffb]/gu;
/** Joiners and variation selectors that are legitimate: inside emoji, and in scripts that use joiners. */
const PART_OF_A_LETTER =
  /(?<=\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f)\u200d(?=\p{Extended_Pictographic})|(?<=[^\s\p{DI}])(?:\ufe0e|\ufe0f)|(?<=[\p{Script=Arabic}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Malayalam}\p{Script=Sinhala}])[\u200c\u200d]/gu;

/** Separates hidden characters from text, run by run: control, zero-width and direction-changing ones. */
export function splitHidden(text: string): MessageToken[] {
  const harmless = new Set([...text.matchAll(PART_OF_A_LETTER)].map((match) => match.index));
  const tokens: MessageToken[] = [];
  let from = 0;
  for (const { 0: char, index } of text.matchAll(INVISIBLE)) {
    if (harmless.has(index)) continue;
    const last = tokens.at(-1);
    if (index === from && last?.kind === "hidden") last.text += char;
    else {
      if (index > from) tokens.push({ kind: "text", text: text.slice(from, index) });
      tokens.push({ kind: "hidden", text: char });
    }
    from = index + char.length;
  }
  if (from < text.length) tokens.push({ kind: "text", text: text.slice(from) });
  return tokens;
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
  "\u2066": "left-to-right isolate",
  "\u2067": "right-to-left isolate",
  "\u2068": "isolate",
  "\u2069": "end of isolate",
  "\ufeff": "byte order mark",
};

/** Returns the code (`U+202E`, `U+200B ×12`, `U+200B U+202E …`) and the name shown for a hidden token. */
export function nameHidden(text: string): { code: string; name: string } {
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

/** Text as a reader takes it: no hidden characters, nor marks for them, and letters of one width. To compare words by. */
export function bareText(text: string): string {
  return visibleText(text).replaceAll("\ufffd", "").normalize("NFKC").replace(/\s+/g, " ").trim();
}

const MONTH = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*";
const DATE = new RegExp(
  `\\b\\d{4}-\\d{2}-\\d{2}(?:T\\d{2}:\\d{2}(?::\\d{2}(?:\\.\\d+)?)?(?:Z|[+-]\\d{2}:?\\d{2})?)?\\b|\\b\\d{1,2}\\.? ${MONTH}\\.?,? \\d{4}\\b|\\b${MONTH}\\.? \\d{1,2},? \\d{4}\\b|\\b\\d{1,2}[./]\\d{1,2}[./]\\d{4}\\b`,
  "g",
);
/**
 * Matches `INV-100`, `PO-2026-17`, `AB1234`, `#4812`, a UUID, a commit hash. An id's first digit is looked for in
 * 40 characters alone: without that limit a long row of `A-A-A-…` would be read to its end from each `A`.
 */
const ID =
  /\b[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b|\b[A-Z][A-Z\d]{0,9}[-_/](?=[\w-]{0,40}\d)[A-Za-z\d]+(?:[-_][A-Za-z\d]+)*\b|\b[A-Z]{2,6}\d{2,}\b|(?<!\w)#\d+\b|\b(?=[\da-f]*\d)(?=\d*[a-f])[\da-f]{7,40}\b/g;

/** Splits text at amounts, dates and ids, of which the first wins; on a tie in this order. */
function figuresIn(text: string): MessageToken[] {
  const read = text.slice(0, FIGURES_WITHIN);
  const found = [
    ...findMoney(read).map((amount) => ({ kind: "amount" as const, index: amount.index, text: amount.text })),
    ...[...read.matchAll(DATE)].map((match) => ({
      kind: "date" as const,
      index: match.index,
      text: match[0],
    })),
    ...[...read.matchAll(ID)].map((match) => ({ kind: "id" as const, index: match.index, text: match[0] })),
  ].sort((a, b) => a.index - b.index);
  const tokens: MessageToken[] = [];
  let from = 0;
  for (const figure of found) {
    if (figure.index < from) continue;
    if (figure.index > from) tokens.push({ kind: "text", text: text.slice(from, figure.index) });
    tokens.push({ kind: figure.kind, text: figure.text });
    from = figure.index + figure.text.length;
  }
  if (from < text.length) tokens.push({ kind: "text", text: text.slice(from) });
  return tokens;
}

/** Splits a message into title and body. The title is the first line, unless longer than 240 characters. */
export function splitMessage(message: string): { title: string; body: string } {
  const at = message.search(/\r?\n/);
  if (at === -1 || at > 240) return { title: message, body: "" };
  return { title: message.slice(0, at), body: message.slice(at).replace(/^(\r?\n)+/, "") };
}
