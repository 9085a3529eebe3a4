/**
 * Parses filters (RFC 7644, section 3.4.2.2) in one pass over the text, with limits: a filter of a token's holder must
 * cost no more than what it finds. conditions.ts makes SQL of the result.
 */
import { ScimError } from "./error.ts";

const COMPARISONS = ["eq", "ne", "co", "sw", "ew", "pr", "gt", "ge", "lt", "le"] as const;
export type Comparison = (typeof COMPARISONS)[number];

export type Filter =
  | { kind: "and"; parts: Filter[] }
  | { kind: "or"; parts: Filter[] }
  | { kind: "not"; part: Filter }
  | {
      kind: "compare";
      /** Lower case, without the schema's URN: `name.givenname`. */
      path: string;
      comparison: Comparison;
      value: FilterValue;
    };
export type FilterValue = string | number | boolean | null;

/** The longest filter, in characters, and how much it may ask for. */
const LONGEST = 4_000;
const MOST_COMPARISONS = 100;
const DEEPEST = 20;

/** Throws `invalidFilter`. */
export function parseFilter(text: string): Filter {
  const reader = new Reader(text);
  const filter = reader.any("", 0);
  reader.end();
  return filter;
}

/** A path of a PATCH operation: `name.givenName`, `members[value eq "…"]`, `emails[type eq "work"].value`. */
export interface Path {
  /** Lower case, without the schema's URN. */
  attribute: string;
  filter: Filter | null;
  /** Lower case; null: the attribute itself. */
  sub: string | null;
}

/** Throws `invalidPath`. */
export function parsePath(text: string): Path {
  try {
    const reader = new Reader(text);
    const path = reader.path();
    reader.end();
    return path;
  } catch (error) {
    if (error instanceof ScimError) throw new ScimError(400, "invalidPath", "This path is not understood.");
    throw error;
  }
}

/** `urn:…:User:userName` → `username`. Extensions keep their URN, so that they are not taken for core attributes. */
function nameOf(text: string): string {
  const lower = text.toLowerCase();
  const core = /^urn:ietf:params:scim:schemas:core:2\.0:(user|group):/.exec(lower);
  return core ? lower.slice(core[0].length) : lower;
}

// Each matches from where the reader stands, without anything nested, so that reading stays linear.
const BLANKS = /[ \t]*/y;
const NAME = /[A-Za-z$_][\w$:.-]*/y;
const NUMBER = /-?\d{1,15}(?:\.\d{1,6})?/y;
const STRING = /"(?:[^"\\]|\\.)*"/y;
const WORD = /[A-Za-z]+/y;

class Reader {
  readonly #text: string;
  #at = 0;
  #comparisons = 0;

  constructor(text: string) {
    if (text.length > LONGEST) throw invalid("The filter is too long.");
    this.#text = text;
  }

  end(): void {
    this.#take(BLANKS);
    if (this.#at < this.#text.length) throw invalid("The filter goes on where it should end.");
  }

  /** `or` binds weaker than `and`. `prefix`: the attribute whose parts are compared, within brackets. */
  any(prefix: string, depth: number): Filter {
    return this.#joined("or", depth, () => this.#all(prefix, depth));
  }

  #all(prefix: string, depth: number): Filter {
    return this.#joined("and", depth, () => this.#one(prefix, depth + 1));
  }

  #joined(kind: "and" | "or", depth: number, next: () => Filter): Filter {
    if (depth > DEEPEST) throw invalid("The filter is nested too deeply.");
    const parts = [next()];
    while (this.#takeWord(kind)) parts.push(next());
    const [only] = parts;
    return parts.length === 1 && only ? only : { kind, parts };
  }

  #one(prefix: string, depth: number): Filter {
    const isNegated = this.#takeWord("not");
    if (this.#takeMark("(")) {
      const part = this.any(prefix, depth + 1);
      if (!this.#takeMark(")")) throw invalid("A bracket is not closed.");
      return isNegated ? { kind: "not", part } : part;
    }
    if (isNegated) throw invalid("After 'not' comes a bracket.");
    const name = prefix + this.#name();
    if (prefix === "" && this.#takeMark("[")) {
      const part = this.any(`${name}.`, depth + 1);
      if (!this.#takeMark("]")) throw invalid("A bracket is not closed.");
      return part;
    }
    return this.#comparison(name);
  }

  #comparison(path: string): Filter {
    if (++this.#comparisons > MOST_COMPARISONS) throw invalid("The filter compares too much.");
    this.#take(BLANKS);
    const word = this.#take(WORD)?.toLowerCase();
    const comparison = COMPARISONS.find((each) => each === word);
    if (!comparison) throw invalid("Compare with eq, ne, co, sw, ew, pr, gt, ge, lt or le.");
    return { kind: "compare", path, comparison, value: comparison === "pr" ? null : this.#value() };
  }

  #value(): FilterValue {
    this.#take(BLANKS);
    const text = this.#take(STRING);
    if (text !== null) return unquoted(text);
    const number = this.#take(NUMBER);
    if (number !== null) return Number(number);
    const word = this.#take(WORD)?.toLowerCase();
    if (word === "true" || word === "false") return word === "true";
    if (word === "null") return null;
    throw invalid("A value is text in quotes, a number, true, false or null.");
  }

  path(): Path {
    const attribute = this.#name();
    const filter = this.#takeMark("[") ? this.any("", 0) : null;
    if (filter && !this.#takeMark("]")) throw invalid("A bracket is not closed.");
    if (filter) return { attribute, filter, sub: this.#takeMark(".") ? this.#name() : null };
    const [first = "", ...rest] = attribute.startsWith("urn:") ? [attribute] : attribute.split(".");
    return { attribute: first, filter: null, sub: rest.length > 0 ? rest.join(".") : null };
  }

  #name(): string {
    this.#take(BLANKS);
    const name = this.#take(NAME);
    if (name === null) throw invalid("An attribute is missing.");
    return nameOf(name);
  }

  #takeWord(word: string): boolean {
    const before = this.#at;
    this.#take(BLANKS);
    if (this.#take(WORD)?.toLowerCase() === word && !/[\w.:$-]/.test(this.#text[this.#at] ?? " "))
      return true;
    this.#at = before;
    return false;
  }

  #takeMark(mark: string): boolean {
    const before = this.#at;
    this.#take(BLANKS);
    if (this.#text[this.#at] === mark) {
      this.#at++;
      return true;
    }
    this.#at = before;
    return false;
  }

  #take(pattern: RegExp): string | null {
    pattern.lastIndex = this.#at;
    const [found] = pattern.exec(this.#text) ?? [];
    if (found === undefined) return null;
    this.#at += found.length;
    return found;
  }
}

function unquoted(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    return String(value);
  } catch {
    throw invalid("A text is not quoted as in JSON.");
  }
}

function invalid(detail: string): ScimError {
  return new ScimError(400, "invalidFilter", detail);
}
