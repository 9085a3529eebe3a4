/** Compares two wordings of a question by what matters in it: amounts, dates, references, names. Pure. */

import { nameInWords } from "./foreign/names.ts";
import type { Formats } from "./formats/formats.ts";
import { messageTokens } from "./message-tokens.ts";
import { FIGURES_WITHIN, findMoney, writeFound } from "./money.ts";
import { diffWords } from "./text-diff.ts";

export interface ChangedFact {
  label: string;
  /** Null: the wording does not mention any. */
  before: string | null;
  after: string | null;
}

/** A long list of figures is read better in the text itself. */
const LONGEST_LIST = 80;
const LONGEST_NAME = 60;
/** Each is looked for in both texts, which takes a millisecond where a text is made to take long. */
const MOST_NAMES = 50;
/** Texts with less in common are no edits of each other: a comparison word by word would be noise. */
const LIKE_SHARE = 0.5;

/** Returns the facts that differ. `values`: the call's arguments, whose names are looked for in both texts. */
export function changedFacts(
  before: string,
  after: string,
  values: Record<string, unknown>,
  formats: Formats,
): ChangedFact[] {
  const seen = [before, after].map((text) => text.slice(0, FIGURES_WITHIN));
  const facts = [
    {
      label: "Amount",
      of: (text: string) => findMoney(text).map((found) => writeFound(found, formats.amount)),
    },
    { label: "Date", of: (text: string) => tokensOf(text, "date") },
    { label: "Reference", of: (text: string) => tokensOf(text, "id") },
    ...namesOf(values).map(([label, name]) => ({
      label,
      of: (text: string) => (text.includes(name) ? [name] : []),
    })),
  ];
  return facts.flatMap(({ label, of }) => {
    const [old = "", now = ""] = seen.map((text) => of(text).join(", "));
    if (old === now || old.length > LONGEST_LIST || now.length > LONGEST_LIST) return [];
    return [{ label, before: old || null, after: now || null }];
  });
}

/** Whether one text is an edit of the other: at least half of both texts together is the same. */
export function areAlike(before: string, after: string): boolean {
  const same = diffWords(before, after)
    .filter((part) => part.kind === "same")
    .reduce((sum, part) => sum + part.text.length, 0);
  return 2 * same >= (before.length + after.length) * LIKE_SHARE;
}

function tokensOf(text: string, kind: "date" | "id"): string[] {
  return messageTokens(text).flatMap((token) => (token.kind === kind ? [token.text] : []));
}

/** Whether a text is no amount, date or reference, which are compared by themselves. */
function isName(text: string): boolean {
  return messageTokens(text).every((token) => token.kind === "text");
}

/** The first short texts among the arguments, at the top and one level down. References are found by themselves. */
function namesOf(values: Record<string, unknown>): [label: string, name: string][] {
  return Object.entries(values)
    .slice(0, MOST_NAMES)
    .flatMap(([key, value]) =>
      typeof value === "object" && value !== null && !Array.isArray(value)
        ? Object.entries(value)
        : [[key, value] as const],
    )
    .slice(0, MOST_NAMES)
    .flatMap(([key, value]) =>
      typeof value === "string" && value.length > 2 && value.length <= LONGEST_NAME && isName(value)
        ? [[nameInWords(key), value] as [string, string]]
        : [],
    );
}
