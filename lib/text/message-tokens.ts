import { splitHidden } from "./foreign/hidden.ts";
import { FIGURES_WITHIN, findMoney } from "./money.ts";

export interface MessageToken {
  /** `hidden`: invisible characters that change how text reads; shown by name. */
  kind: "text" | "amount" | "date" | "id" | "hidden";
  /** The text as sent. All tokens' texts together are the message. */
  text: string;
}

/** Runs of text and of hidden characters that are told apart: of no honest message are there as many. */
const RUNS_READ = 1_000;
/** Figures that stand out: each is an element of the page. */
const MOST_FIGURES = 1_000;

/**
 * Splits server text into tokens: amounts, dates and ids for people to spot, and hidden characters. What comes after
 * RUNS_READ runs is one text, whatever it hides; figures stand out in the first FIGURES_WITHIN characters.
 */
export function messageTokens(message: string): MessageToken[] {
  const runs = splitHidden(message);
  const rest = runs.splice(RUNS_READ).map(({ text }) => text);
  const left = { characters: FIGURES_WITHIN, figures: MOST_FIGURES };
  const tokens = runs.flatMap((run) => (run.kind === "hidden" ? [run] : figuresIn(run.text, left)));
  return rest.length > 0 ? [...tokens, { kind: "text", text: rest.join("") }] : tokens;
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

/**
 * Splits text at amounts, dates and ids, of which the first wins; on a tie in this order. Takes what it reads and finds from
 * `left`.
 */
function figuresIn(text: string, left: { characters: number; figures: number }): MessageToken[] {
  const read = text.slice(0, left.characters);
  left.characters -= read.length;
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
    if (left.figures === 0) break;
    if (figure.index < from) continue;
    left.figures--;
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
