/** What people read of a field's choices: no two look the same, and none is called the opposite of what it sends. Pure. */
import { readAs } from "../../text/foreign/alike.ts";
import { bareText, hides, readsFromRight, visibleText } from "../../text/foreign/hidden.ts";
import { asSent } from "../../text/foreign/quoted.ts";
import { affirms, refuses, saysJust } from "../../text/foreign/yes-no.ts";
import { asJson } from "../../text/labels.ts";
import type { ChoiceValue } from "./form.ts";

/**
 * The choices with a title each that can be told apart: the value stands beside it where it has to. Null if two values
 * look the same.
 */
export function distinctChoices<T extends ChoiceValue>(
  options: { value: T; title: string }[],
): { value: T; title: string }[] | null {
  if (new Set(options.map(({ value }) => bareText(String(value)))).size < options.length) return null;
  const named = options.map(({ value, title }) => {
    const sent = String(value);
    const shown = visibleText(title.trim() || sent);
    const called = shown.trim() === "" ? nothingWords(sent) : shown;
    const sentKey = readAs(sent);
    return { value, sent, title: called, sentKey, key: shown === sent ? sentKey : readAs(shown) };
  });
  // Titles of one key look the same at a glance.
  const alike = counted(named.map(({ key }) => key));
  const sentAlike = counted(named.map(({ sentKey }) => sentKey));
  // A choice without a title is called by its value.
  const initials = named.filter(({ title, sent }) => title !== sent).map(({ title }) => initialOf(title));
  return named.map(({ value, sent, title, key, sentKey }) => {
    const isTurned = readsFromRight(title);
    const isAnothers = sentAlike.has(key) && key !== sentKey;
    const isClear =
      alike.get(key) === 1 && key !== "" && !isAnothers && !isTurned && !misleads(title, sent, initials);
    if (isClear) return { value, title };
    const isAlike = (sentAlike.get(sentKey) ?? 0) > 1;
    const beside = `(sends ${isAlike || isTurned ? asJson(sent) : asSent(value)})`;
    return { value, title: title.endsWith(beside) ? title : `${title} ${beside}`.trim() };
  });
}

/** How often each text is there. */
function counted(texts: string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return counts;
}

/** Names a choice whose title and value cannot be seen. */
function nothingWords(value: string): string {
  return value === "" ? "Empty text" : "Blank text";
}

const CODE = /^[a-z]\d?$/i;
const initialOf = (title: string) => bareText(title).trim().charAt(0).toLowerCase();

/** Whether a value names its choice and says nothing itself: `d` may stand for “Delete”, if there is one. */
function isCode(value: string, title: string, initials: string[]): boolean {
  const initial = initialOf(value);
  return CODE.test(value) && (initial === initialOf(title) || !initials.includes(initial));
}

/** What a letter stands for is said where a choice decides: `a` may be “Approve” or “Abort”. */
const isDecision = (title: string) => affirms(title) || refuses(title);

/** Whether a title hides characters of its own, says itself what it sends, says other words than are sent, or is what Intray calls no answer. */
function misleads(title: string, value: string, initials: string[]): boolean {
  const read = bareText(title);
  return (
    (hides(title) && title !== visibleText(value)) ||
    /\bsends\b/i.test(read) ||
    !(saysJust(title, value) || (isCode(value, title, initials) && !isDecision(title))) ||
    /^(no answer|choose)\W*$/i.test(read)
  );
}
