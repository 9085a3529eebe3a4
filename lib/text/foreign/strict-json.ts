/**
 * JSON that is read as it was written, or not at all. JSON.parse keeps the last of two members of one name, and rounds
 * numbers. Somebody would then approve something else than a program runs. Pure.
 */
import { isKeptExactly } from "../exact-number.ts";

/** Why a text is refused. The message is for the person who wrote the program. */
export class StrictJsonError extends Error {}

/** Throws StrictJsonError for a name that occurs twice in an object, and for a number that can't be kept exactly. */
export function parseStrictJson(text: string): unknown {
  const value = parse(text);
  refuseInexact(text);
  return value;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new StrictJsonError("The body is not JSON.", { cause });
  }
}

/** Walks the tokens of a text that is JSON. */
function refuseInexact(text: string): void {
  /** The names so far of each object that is open; null for a list. */
  const open: (Set<string> | null)[] = [];
  let isName = false;
  for (let at = 0; at < text.length; at++) {
    const sign = text[at] ?? "";
    if (sign === '"') {
      const end = endOfText(text, at);
      if (isName) addName(open.at(-1), nameIn(text.slice(at, end)));
      isName = false;
      at = end - 1;
    } else if (sign === "{" || sign === "[") {
      open.push(sign === "{" ? new Set() : null);
      isName = sign === "{";
    } else if (sign === "}" || sign === "]") open.pop();
    else if (sign === ",") isName = open.at(-1) instanceof Set;
    else if (sign === "-" || (sign >= "0" && sign <= "9")) {
      const end = endOfNumber(text, at);
      const written = text.slice(at, end);
      if (!isShort(written) && !isKeptExactly(written))
        throw new StrictJsonError(
          `The number ${written.slice(0, 40)} can’t be kept exactly. Send it as a text.`,
        );
      at = end - 1;
    }
  }
}

/** A double keeps 15 digits, whichever they are. Most numbers need no closer look. */
const isShort = (written: string) => /^-?[\d.]{1,15}(?:e[+-]?\d\d?)?$/i.test(written);

/** `quoted`: without an escape it is the name itself. */
function nameIn(quoted: string): string {
  return quoted.includes("\\") ? JSON.parse(quoted) : quoted.slice(1, -1);
}

function addName(names: Set<string> | null | undefined, name: string): void {
  // Readers with schemas leave it out without a word.
  if (name === "__proto__") throw new StrictJsonError("A member can’t have the name __proto__.");
  if (names?.has(name))
    throw new StrictJsonError(`The name ${JSON.stringify(name.slice(0, 100))} occurs twice in an object.`);
  names?.add(name);
}

/** The index after a text that begins at `at`. */
function endOfText(text: string, at: number): number {
  let end = at + 1;
  while (text[end] !== '"') end += text[end] === "\\" ? 2 : 1;
  return end + 1;
}

function endOfNumber(text: string, at: number): number {
  let end = at;
  while (end < text.length && "+-.0123456789eE".includes(text[end] ?? "")) end++;
  return end;
}
