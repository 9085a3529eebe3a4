/** Makes a tool's input schema small enough to render and validate in a browser. The schema is untrusted. */

export type Json = Record<string, unknown>;

/** Thrown with the reason why a schema has no form; the JSON view remains. */
export class Beyond extends Error {}

/** Limits the size of a form; a reference counts with all its parts. */
const MOST_PARTS = 600;
const MOST_DEPTH = 12;
const MOST_CHOICES = 500;
/** Characters of a title or description that are shown. */
const LONGEST_TEXT = 2_000;

/**
 * Returns the schema with its references resolved and only the keywords that a form renders or validates.
 * `pattern` is dropped, because a server's expression may run for minutes. Throws Beyond.
 */
export function expand(schema: Json): Json {
  let parts = 0;
  const visit = (given: unknown, depth: number, within: readonly string[]): Json => {
    if (given === false) return { not: {} };
    if (!isJson(given)) return {};
    if (++parts > MOST_PARTS) throw new Beyond("The tool’s schema has too many parts for a form.");
    if (depth > MOST_DEPTH) throw new Beyond("The tool’s schema is nested too deeply for a form.");
    const inner = (child: unknown) => visit(child, depth + 1, within);
    const own = Object.entries(given).flatMap(([keyword, value]) => {
      // Expressions are dropped, so names that one of them allows must not count as additional.
      if (keyword === "additionalProperties" && "patternProperties" in given) return [];
      const read = Object.hasOwn(READERS, keyword) ? READERS[keyword]?.(value, inner) : undefined;
      return read === undefined ? [] : [[keyword, read] as const];
    });
    const { $ref } = given;
    if ($ref === undefined) return Object.fromEntries(own);
    if (typeof $ref !== "string" || !$ref.startsWith("#"))
      throw new Beyond("The tool’s schema refers to another address. Intray does not fetch it.");
    if (within.includes($ref)) throw new Beyond("The tool’s schema refers to itself.");
    const target = visit(lookUp(schema, $ref), depth + 1, [...within, $ref]);
    return { ...target, ...Object.fromEntries(own) };
  };
  if ("$dynamicRef" in schema || "$recursiveRef" in schema)
    throw new Beyond("The tool’s schema refers to itself.");
  return visit(schema, 0, ["#"]);
}

type Reader = (value: unknown, visit: (schema: unknown) => Json) => unknown;

const asIs: Reader = (value) => value;
const text: Reader = (value) => (typeof value === "string" ? value.slice(0, LONGEST_TEXT) : undefined);
const number: Reader = (value) => (typeof value === "number" ? value : undefined);
const one: Reader = (value, visit) => visit(value);
const many: Reader = (value, visit) => (Array.isArray(value) ? value.map(visit) : undefined);
const named: Reader = (value, visit) => {
  if (!isJson(value)) return undefined;
  return Object.fromEntries(
    Object.entries(value).map(([name, child]) => {
      if (RESERVED.has(name)) throw new Beyond("The tool’s schema uses a name that a form can’t have.");
      return [name, visit(child)];
    }),
  );
};

const READERS: Record<string, Reader> = {
  type: (value) => (typeof value === "string" || isTexts(value) ? value : undefined),
  enum: (value) => {
    if (!Array.isArray(value)) return undefined;
    if (value.length > MOST_CHOICES) throw new Beyond("The tool’s schema has too many choices for a form.");
    return value;
  },
  const: asIs,
  default: asIs,
  title: text,
  description: text,
  format: text,
  minimum: number,
  maximum: number,
  exclusiveMinimum: number,
  exclusiveMaximum: number,
  multipleOf: number,
  minLength: number,
  maxLength: number,
  minItems: number,
  maxItems: number,
  uniqueItems: (value) => value === true || undefined,
  required: (value) => (isTexts(value) ? value : undefined),
  properties: named,
  additionalProperties: one,
  items: (value, visit) => (Array.isArray(value) ? undefined : visit(value)),
  prefixItems: many,
  anyOf: many,
  oneOf: many,
  allOf: many,
  not: one,
  if: one,
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: one,
  else: one,
};

/** Property names that would change the object itself. */
const RESERVED = new Set(["__proto__", "constructor", "prototype"]);

function lookUp(root: Json, pointer: string): unknown {
  let at: unknown = root;
  for (const part of pointer.slice(1).split("/").slice(1)) {
    const key = decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
    at = isJson(at) || Array.isArray(at) ? Object.getOwnPropertyDescriptor(at, key)?.value : undefined;
  }
  if (pointer !== "#" && !pointer.startsWith("#/")) at = undefined;
  if (at === undefined) throw new Beyond("The tool’s schema refers to a part that does not exist.");
  return at;
}

export function isJson(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((each) => typeof each === "string");
}
