/** Mentions in a text that is being typed. Pure. */
import type { Person } from "@/lib/access/access-schema.ts";

/** Most characters of a name that are typed before somebody is chosen. */
const LONGEST_TYPED = 40;

/** What is typed of a name after an `@`, up to the caret, and where the `@` stands. Null: no name is being typed. */
export function typedMention(text: string, caret: number): { at: number; words: string } | null {
  const before = text.slice(0, caret);
  const at = before.lastIndexOf("@");
  const words = before.slice(at + 1);
  const beginsWord = at === 0 || /[\s(]/.test(before.charAt(at - 1));
  if (at === -1 || !beginsWord || words.length > LONGEST_TYPED || words.includes("\n") || /^\s/.test(words))
    return null;
  return { at, words };
}

/** The text with the person's name in place of what was typed of it, and where the caret is then. */
export function withMention(
  text: string,
  { at, words }: { at: number; words: string },
  person: Person,
): { text: string; caret: number } {
  const before = `${text.slice(0, at)}@${person.name} `;
  return { text: before + text.slice(at + 1 + words.length).replace(/^ /, ""), caret: before.length };
}

/** Those whose names still stand in the text. Where a name begins with another, as Anna with Ann, it is the longer one. */
export function mentionsIn(text: string, chosen: Person[]): string[] {
  const longestFirst = chosen.toSorted((one, other) => other.name.length - one.name.length);
  const found = new Set<string>();
  for (let at = text.indexOf("@"); at !== -1; at = text.indexOf("@", at + 1)) {
    const name = longestFirst.find((person) => text.startsWith(person.name, at + 1))?.name;
    // Two people can have the same name.
    for (const person of chosen) if (person.name === name) found.add(person.id);
  }
  return [...found];
}
