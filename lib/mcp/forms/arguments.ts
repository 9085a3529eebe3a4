/** Server only: validates arguments against a tool's `inputSchema`, a server's arbitrary JSON Schema. */
import { createHash } from "node:crypto";
import { Ajv, type ErrorObject, type ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { FIELD_CHARACTERS } from "../../base/errors.ts";
import { plural } from "../../text/labels.ts";
import { deeperThan } from "../messages.ts";
import type { FieldError } from "./content.ts";
import { FORMATS, typesInWords } from "./field-checks.ts";

/** What it costs to judge values by a JSON Schema. */
interface SchemaWeight {
  /** The schema's parts with every reference expanded, as a validator visits them: a few lines may expand to 2^40 parts. */
  parts: number;
  /** A reference leads back to a part that holds it, so that the parts visited depend on the values. */
  isCyclic: boolean;
  /** Has keywords that take time with the square of a value's size. */
  isQuadratic: boolean;
}

/** A cycle's parts count once. They are Infinity for a reference that cannot be resolved. */
function weightOf(schema: Record<string, unknown>): SchemaWeight {
  const known = new Map<object, number>();
  const visiting = new Set<object>();
  const found = { isCyclic: false, isQuadratic: false };
  const weigh = (value: unknown): number => {
    if (typeof value !== "object" || value === null) return 1;
    // One within the other: a validator's calls would be too deep.
    if (visiting.size > MOST_DEPTH) return Number.POSITIVE_INFINITY;
    if (visiting.has(value)) {
      found.isCyclic = true;
      return 1;
    }
    const before = known.get(value);
    if (before !== undefined) return before;
    visiting.add(value);
    let parts = 1;
    for (const [key, inner] of Object.entries(value)) {
      // Compares items with each other, or runs a library's regular expression.
      if ((key === "uniqueItems" && inner === true) || (key === "format" && typeof inner === "string"))
        found.isQuadratic = true;
      // References below it start from it, where there may be a cycle.
      if (key === "$id" && typeof inner === "string" && value !== schema) found.isCyclic = true;
      parts += REFERENCES.has(key) && typeof inner === "string" ? weighTarget(inner) : weigh(inner);
    }
    visiting.delete(value);
    known.set(value, parts);
    return parts;
  };
  const weighTarget = (reference: string): number => {
    const target = reference.startsWith("#") ? lookUp(schema, reference) : undefined;
    return target === undefined ? Number.POSITIVE_INFINITY : weigh(target);
  };
  return { parts: weigh(schema), ...found };
}

const MOST_DEPTH = 500;
const REFERENCES = new Set(["$ref", "$dynamicRef", "$recursiveRef"]);

/** Resolves JSON pointers from the root. Does not resolve anchors. The validator takes `#/` for the root, and not for its member "". */
function lookUp(root: unknown, reference: string): unknown {
  if (reference === "#" || reference === "#/") return root;
  if (!reference.startsWith("#/")) return undefined;
  let at = root;
  for (const part of reference.split("/").slice(1)) {
    if (typeof at !== "object" || at === null) return undefined;
    at = (at as Record<string, unknown>)[unescaped(part)];
  }
  return at;
}

function unescaped(part: string): string {
  try {
    return decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
  } catch {
    return part;
  }
}

/**
 * The result of a validation. `checked: false`: the schema exceeds the limits, so only the server can judge
 * the arguments. An error's `field` is a path such as `invoice.lines[0].amount`, or empty for the arguments
 * as a whole.
 */
export type ArgumentsCheck = { checked: true; errors: FieldError[] } | { checked: false; reason: string };

const MAX_SCHEMA_BYTES = 256 * 1024;
const MAX_DEPTH = 64;
export const MAX_ERRORS = 50;
/** Limits the schema's size with all references resolved, since a validator visits every part. */
const MAX_WEIGHT = 100_000;

/** Limits what is judged in this process: about 50 ms, of which compiling takes most. */
const QUICK_PARTS = 200;
const QUICK_STEPS = 1_000_000;

const MAX_KNOWN = 100;
/** By the schema's hash, the one used last at the end. */
const known = new Map<string, Known>();

interface Known {
  schema: Record<string, unknown>;
  weight: SchemaWeight;
  /** Made when first used. A string tells why the schema cannot be used. */
  validate: ValidateFunction | string | null;
}

/**
 * Whether `validateArguments` is sure to take so little time that nobody has to wait for it. Otherwise its time may grow
 * without limit: call it through judge-arguments.ts.
 */
export function areQuick(inputSchema: Record<string, unknown>, args: unknown): boolean {
  const schema = find(inputSchema);
  // It is known why not.
  if (typeof schema === "string" || typeof schema.validate === "string") return true;
  const { parts, isCyclic, isQuadratic } = schema.weight;
  if (parts > MAX_WEIGHT) return true;
  const size = JSON.stringify(args ?? null).length;
  const steps = parts * size * (isQuadratic ? Math.max(1, size / 100) : 1);
  return !isCyclic && parts <= QUICK_PARTS && steps <= QUICK_STEPS && parts * pathsOf(args) <= QUICK_STEPS;
}

/** The characters of the paths of all values: an error has its value's path. Infinity: more than is quick in any case. */
function pathsOf(args: unknown): number {
  let characters = 0;
  const left: [value: unknown, path: number][] = [[args, 0]];
  while (left.length > 0) {
    const [value, path] = left.pop()!;
    characters += path;
    if (characters > QUICK_STEPS) return Number.POSITIVE_INFINITY;
    if (typeof value !== "object" || value === null) continue;
    for (const [key, inner] of Object.entries(value)) left.push([inner, path + 1 + key.length]);
  }
  return characters;
}

/** Validates without converting values. Never fetches remote references, never throws. May take long (`areQuick`). */
export function validateArguments(inputSchema: Record<string, unknown>, args: unknown): ArgumentsCheck {
  const schema = find(inputSchema);
  if (typeof schema === "string") return { checked: false, reason: schema };
  schema.validate ??= compiled(schema);
  const { validate } = schema;
  if (typeof validate === "string") return { checked: false, reason: validate };
  try {
    if (validate(args)) return { checked: true, errors: [] };
    const errors = (validate.errors ?? []).slice(0, MAX_ERRORS).map(explain);
    // The validator is kept, and would keep all its errors: hundreds of thousands of some schemas.
    validate.errors = null;
    return { checked: true, errors };
  } catch (error) {
    return { checked: false, reason: unusable(error) };
  }
}

/** As `validateArguments`, of JSON. */
export function validateTexts(inputSchema: string, args: string): ArgumentsCheck {
  return validateArguments(JSON.parse(inputSchema), JSON.parse(args));
}

/** Returns what is known of the schema, or why it cannot be used. */
function find(inputSchema: Record<string, unknown>): Known | string {
  // Before anything that would follow it down.
  if (deeperThan(inputSchema, MAX_DEPTH)) return "The tool’s schema is nested too deeply";
  const text = JSON.stringify(inputSchema);
  if (text.length > MAX_SCHEMA_BYTES) return "The tool’s schema is too large";
  const key = createHash("sha256").update(text).digest("base64url");
  const found = known.get(key) ?? { schema: inputSchema, weight: weightOf(inputSchema), validate: null };
  known.delete(key);
  known.set(key, found);
  const oldest = known.keys().next();
  if (known.size > MAX_KNOWN && !oldest.done) known.delete(oldest.value);
  return found;
}

function compiled({ schema, weight }: Known): ValidateFunction | string {
  if (weight.parts > MAX_WEIGHT) return "The tool’s schema has too many parts, or refers to another address";
  try {
    return compile(schema);
  } catch (error) {
    return unusable(error);
  }
}

function unusable(error: unknown): string {
  return `The tool’s schema cannot be used: ${(error as Error).message.slice(0, 200)}`;
}

/** Draft 2020-12 unless the schema says draft-07. */
function compile({ $schema, ...schema }: Record<string, unknown>): ValidateFunction {
  const draft = typeof $schema === "string" && $schema.includes("draft-07") ? Ajv : Ajv2020;
  metaOf(draft).validateSchema(schema, true);
  const validate = newAjv(draft).compile(schema);
  // An asynchronous validator would return a promise, which is truthy.
  if ("$async" in validate) throw new Error("it is asynchronous");
  return validate;
}

type Draft = typeof Ajv | typeof Ajv2020;

const metas = new Map<Draft, Ajv>();

/**
 * Returns the validator that checks schemas themselves. It is shared, because it keeps no schema, and compiling it takes many
 * times as long as compiling a tool's schema.
 */
function metaOf(draft: Draft): Ajv {
  const meta = metas.get(draft) ?? newAjv(draft);
  metas.set(draft, meta);
  return meta;
}

/** A new one for each schema, because an instance keeps all schemas it ever compiled, and what they call themselves. */
function newAjv(Draft: Draft): Ajv {
  const ajv = new Draft({
    ...{ allErrors: true, strict: false, logger: false, validateSchema: false },
    code: { regExp: anything },
  });
  addFormats.default(ajv);
  for (const keyword of ["pattern", "patternProperties", "unevaluatedProperties"]) ajv.removeKeyword(keyword);
  return ajv;
}

/**
 * Replaces all regular expressions, since a server could send one that runs for minutes. `pattern` is not
 * checked. Every name matches `patternProperties`, so that `additionalProperties: false` does not reject it.
 * `unevaluatedProperties` cannot be decided then.
 */
const anything = Object.assign(() => ({ test: () => true }), { code: "anything" });

function explain(error: ErrorObject): FieldError {
  const params = error.params as Record<string, unknown>;
  const own = params.missingProperty ?? params.additionalProperty ?? params.unevaluatedProperty;
  const path = error.instancePath.split("/").slice(1);
  const field = [...path, ...(own === undefined ? [] : [String(own)])]
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))
    .reduce(
      (left, part) => (/^\d+$/.test(part) ? `${left}[${part}]` : left === "" ? part : `${left}.${part}`),
      "",
    )
    .slice(0, FIELD_CHARACTERS);
  const name = field === "" ? "The arguments" : field;
  return { field, message: `${name} ${phrase(error, params)}.` };
}

function phrase(error: ErrorObject, params: Record<string, unknown>): string {
  switch (error.keyword) {
    case "required":
      return "is missing";
    case "additionalProperties":
    case "unevaluatedProperties":
      return "is not an argument of this tool";
    case "enum":
      return `must be one of ${(params.allowedValues as unknown[])
        .slice(0, 10)
        .map((value) => JSON.stringify(value))
        .join(", ")}`;
    case "const":
      return `must be ${JSON.stringify(params.allowedValue)}`;
    case "type":
      return `must be ${typesInWords([params.type].flat())}`;
    case "format":
      return `must be ${FORMATS.get(String(params.format))?.words ?? `written as ${params.format}`}`;
    case "minimum":
      return `must be at least ${params.limit}`;
    case "maximum":
      return `must be at most ${params.limit}`;
    case "exclusiveMinimum":
      return `must be more than ${params.limit}`;
    case "exclusiveMaximum":
      return `must be less than ${params.limit}`;
    case "multipleOf":
      return `must be a multiple of ${params.multipleOf}`;
    case "minLength":
      return `must have at least ${plural(Number(params.limit), "character")}`;
    case "maxLength":
      return `must have at most ${plural(Number(params.limit), "character")}`;
    case "minItems":
      return `must have at least ${plural(Number(params.limit), "item")}`;
    case "maxItems":
      return `must have at most ${plural(Number(params.limit), "item")}`;
    case "uniqueItems":
      return "must not have an item twice";
    case "anyOf":
    case "oneOf":
      return "must be one of the kinds that the tool takes";
    case "not":
      return "is not allowed";
    default:
      return error.message ?? "is not valid";
  }
}
