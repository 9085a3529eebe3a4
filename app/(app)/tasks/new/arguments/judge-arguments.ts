/**
 * Validates values against an expanded schema without generating code, which the page's CSP forbids and the
 * server's validator does. Unsupported keywords pass: the server validates again in full.
 */
import { typesInWords } from "@/lib/mcp/forms/field-checks.ts";
import { readFormat } from "@/lib/requests/words/answer-values.ts";
import { humanise } from "@/lib/text/labels.ts";
import { isJson, type Json } from "./schema-tree.ts";

export type Path = (string | number)[];
export interface Problem {
  path: Path;
  message: string;
}

/** More problems at once do not help. */
const MOST_PROBLEMS = 50;

export function judge(schema: unknown, value: unknown): Problem[] {
  return inspect(schema, value, []).slice(0, MOST_PROBLEMS);
}

export function fits(schema: unknown, value: unknown): boolean {
  return inspect(schema, value, []).length === 0;
}

function inspect(schema: unknown, value: unknown, path: Path): Problem[] {
  if (!isJson(schema)) return schema === false ? [{ path, message: "is not allowed" }] : [];
  const says = (wrong: unknown, message: string): Problem[] => (wrong ? [{ path, message }] : []);
  const types = Array.isArray(schema.type) ? schema.type : schema.type === undefined ? null : [schema.type];
  if (types && !types.some((type) => isOf(type, value)))
    return says(
      true,
      typeof value === "number" && isTooLarge(value) ? TOO_LARGE : `must be ${typesInWords(types)}`,
    );
  return [
    ...says("const" in schema && !isSame(schema.const, value), `must be ${JSON.stringify(schema.const)}`),
    ...says(
      Array.isArray(schema.enum) && !schema.enum.some((each) => isSame(each, value)),
      "must be one of the choices",
    ),
    ...(typeof value === "number" ? ofNumber(schema, value, says) : []),
    ...(typeof value === "string" ? ofText(schema, value, says) : []),
    ...(Array.isArray(value) ? ofList(schema, value, path, says) : []),
    ...(isJson(value) ? ofObject(schema, value, path) : []),
    ...ofSeveral(schema, value, path, says),
  ];
}

type Says = (wrong: unknown, message: string) => Problem[];

const TOO_LARGE = "is too large: it would lose digits when it is sent";
const limit = (schema: Json, keyword: string): number | null =>
  typeof schema[keyword] === "number" ? (schema[keyword] as number) : null;

function ofNumber(schema: Json, value: number, says: Says): Problem[] {
  const [min, max, above, below, step] = [
    limit(schema, "minimum"),
    limit(schema, "maximum"),
    limit(schema, "exclusiveMinimum"),
    limit(schema, "exclusiveMaximum"),
    limit(schema, "multipleOf"),
  ];
  return [
    ...says(isTooLarge(value), TOO_LARGE),
    ...says(min !== null && value < min, `must be at least ${min}`),
    ...says(max !== null && value > max, `must be at most ${max}`),
    ...says(above !== null && value <= above, `must be more than ${above}`),
    ...says(below !== null && value >= below, `must be less than ${below}`),
    ...says(
      step !== null && step > 0 && Math.abs(value / step - Math.round(value / step)) > 1e-9,
      `must be a multiple of ${step}`,
    ),
  ];
}

/** Whether JSON.parse may have rounded the number. */
function isTooLarge(value: number): boolean {
  return Number.isInteger(value) && !Number.isSafeInteger(value);
}

/** The formats that have a picker. The server checks the others. */
const MOMENTS = new Set(["date", "date-time", "time"]);

function ofText(schema: Json, value: string, says: Says): Problem[] {
  const [min, max] = [limit(schema, "minLength"), limit(schema, "maxLength")];
  const length = [...value].length;
  const moment = MOMENTS.has(String(schema.format)) ? readFormat(String(schema.format), value) : null;
  return [
    ...says(moment && "error" in moment, moment && "error" in moment ? moment.error : ""),
    // A time without its zone is read as the person's own, but sent as it stands.
    ...says(moment && "value" in moment && moment.value !== value, "a date and time with its zone"),
    ...says(min !== null && length < min, `must have at least ${counted(min ?? 0, "character")}`),
    ...says(max !== null && length > max, `must have at most ${counted(max ?? 0, "character")}`),
  ];
}

function ofList(schema: Json, value: unknown[], path: Path, says: Says): Problem[] {
  const [min, max] = [limit(schema, "minItems"), limit(schema, "maxItems")];
  const first = Array.isArray(schema.prefixItems) ? schema.prefixItems : [];
  return [
    ...says(min !== null && value.length < min, `must have at least ${counted(min ?? 0, "item")}`),
    ...says(max !== null && value.length > max, `must have at most ${counted(max ?? 0, "item")}`),
    ...says(
      schema.uniqueItems === true && new Set(value.map(inOrder)).size < value.length,
      "must not have an item twice",
    ),
    ...value.flatMap((each, at) => inspect(first[at] ?? schema.items ?? {}, each, [...path, at])),
  ];
}

function ofObject(schema: Json, value: Json, path: Path): Problem[] {
  const properties = isJson(schema.properties) ? schema.properties : {};
  const required = Array.isArray(schema.required) ? (schema.required as string[]) : [];
  const missing = required.filter((name) => value[name] === undefined);
  return [
    ...missing.map((name) => ({ path: [...path, name], message: "is missing" })),
    ...Object.entries(value).flatMap(([name, each]) => {
      if (each === undefined) return [];
      if (Object.hasOwn(properties, name)) return inspect(properties[name], each, [...path, name]);
      if (isClosed(schema)) return [{ path: [...path, name], message: "is not an argument of this tool" }];
      return inspect(schema.additionalProperties ?? {}, each, [...path, name]);
    }),
  ];
}

/** The expanded form of `additionalProperties: false`. */
function isClosed({ additionalProperties }: Json): boolean {
  return (
    isJson(additionalProperties) &&
    isJson(additionalProperties.not) &&
    Object.keys(additionalProperties.not).length === 0
  );
}

function ofSeveral(schema: Json, value: unknown, path: Path, says: Says): Problem[] {
  const list = (keyword: string) => (Array.isArray(schema[keyword]) ? (schema[keyword] as unknown[]) : null);
  const any = list("anyOf");
  const one = list("oneOf");
  const fitting = (choices: unknown[]) => choices.filter((choice) => fits(choice, value)).length;
  const then = isJson(schema.if) && (fits(schema.if, value) ? schema.then : schema.else);
  return [
    ...(list("allOf") ?? []).flatMap((each) => inspect(each, value, path)),
    ...(any && fitting(any) === 0 ? closest(any, value, path) : []),
    ...(one && fitting(one) === 0 ? closest(one, value, path) : []),
    ...says(one && fitting(one) > 1, "matches more than one choice, but must match exactly one"),
    ...says(isJson(schema.not) && fits(schema.not, value), "is not allowed"),
    ...(then ? inspect(then, value, path) : []),
  ];
}

/** Returns the problems of the choice probably meant: the one with the fewest problems. */
function closest(choices: unknown[], value: unknown, path: Path): Problem[] {
  const problems = choices.map((choice) => inspect(choice, value, path));
  return problems.sort((a, b) => a.length - b.length)[0] ?? [];
}

function isOf(type: unknown, value: unknown): boolean {
  switch (type) {
    case "string":
    case "boolean":
      return typeof value === type;
    case "number":
      return typeof value === "number" && Number.isFinite(value);
    case "integer":
      return Number.isInteger(value);
    case "null":
      return value === null;
    case "array":
      return Array.isArray(value);
    case "object":
      return isJson(value);
    default:
      return true;
  }
}

function isSame(a: unknown, b: unknown): boolean {
  return a === b || inOrder(a) === inOrder(b);
}

/** Returns the value as JSON with sorted names, because their order means nothing. */
function inOrder(value: unknown): string | undefined {
  return JSON.stringify(value, (_, each) =>
    isJson(each) ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1))) : each,
  );
}

function counted(count: number, noun: string): string {
  return `${count} ${count === 1 ? noun : `${noun}s`}`;
}

/** The prefix that the form library puts before a field's id. */
export const ID_PREFIX = "argument";
export const ID_SEPARATOR = "/";

/** Returns a field's id in the page. Argument names may contain characters that ids and id lists may not. */
export function domId(id: string): string {
  return encodeURI(id).replaceAll("%", "~");
}

export function idOf(path: Path): string {
  return domId([ID_PREFIX, ...path].join(ID_SEPARATOR));
}

/**
 * Parses the API's field names: `lines[0].amount`, or `starts[1].lines[0].amount` in a race. An empty path
 * means the arguments as a whole.
 */
export function toPath(field: string): Path {
  const own = field.replace(/^starts\[\d+\]\.?/, "").replace(/^arguments(\.|$)/, "");
  return own
    .replace(/\[(\d+)\]/g, ".$1")
    .split(".")
    .filter((part) => part !== "")
    .map((part) => (/^\d+$/.test(part) ? Number(part) : part));
}

/** Returns `Lines › 2 › amount`; list positions count from 1. */
export function pathInWords(path: Path): string {
  return path.map((part) => (typeof part === "number" ? part + 1 : part)).join(" › ");
}

/** Returns the name of one list item: `line` for items of `lines`. */
export function itemName(list: Path): string {
  return humanise(String(list.findLast((part) => typeof part === "string") ?? "item"))
    .toLowerCase()
    .replace(/s$/, "");
}
