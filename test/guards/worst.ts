/** The largest bodies that one of our JSON Schemas may be sent, in shapes that are costly to judge. */
import { type Schema, sample } from "./from-schema.ts";

/** What fits a body beside the rest of it (MAX_BODY_BYTES). */
const BYTES = 1_000_000;
const TEXTS = ["a", " ", "a@a."];

/** A body, and what is large in it. */
export interface Worst {
  place: string;
  make(): unknown;
}

/**
 * For every place of the schema, bodies that are ordinary but for this place. `known`: schemas of lists and texts that were
 * had before, as JSON, since the same ones stand in many places.
 */
export function* worstOf(schema: Schema, place: string, known: Set<string>): Generator<Worst> {
  const choices = schema.anyOf ?? schema.oneOf;
  const types = [schema.type].flat();
  const text = JSON.stringify(schema);
  if (!schema.properties && known.has(text)) return;
  known.add(text);
  if (choices) for (const choice of choices) yield* worstOf(choice, place, known);
  else if (schema.properties) yield* worstObjects(schema, schema.properties, place, known);
  else if (types.includes("array")) yield* worstLists(schema, place, known);
  else if (types.includes("string"))
    for (const text of TEXTS) yield { place: `${place} of "${text}"`, make: () => long(text) };
  else if (schema.const === undefined && (types.includes("object") || types[0] === undefined))
    yield* worstAny(schema, place);
}

function* worstObjects(
  schema: Schema,
  properties: Record<string, Schema>,
  place: string,
  known: Set<string>,
): Generator<Worst> {
  const rest = ordinary(schema) as object;
  for (const [name, property] of Object.entries(properties))
    for (const each of worstOf(property, `${place}.${name}`, known))
      yield { ...each, make: () => ({ ...rest, [name]: each.make() }) };
}

function* worstLists({ items = {}, maxItems }: Schema, place: string, known: Set<string>): Generator<Worst> {
  for (const item of [ordinary(items), 1, {}, []])
    yield { place: `${place} of ${JSON.stringify(item).slice(0, 40)}`, make: () => many(item, BYTES) };
  yield { place: `${place} as long as may be`, make: () => many(ordinary(items), BYTES).slice(0, maxItems) };
  yield {
    place: `${place} full`,
    make: () => fullest({ type: "array", items, ...(maxItems && { maxItems }) }),
  };
  for (const each of worstOf(items, `${place}[]`, known)) yield { ...each, make: () => [each.make()] };
}

function* worstAny({ additionalProperties }: Schema, place: string): Generator<Worst> {
  const names = (value: unknown) =>
    Object.fromEntries(many(value, BYTES / 5).map((each, n) => [`n${n}`, each]));
  const inner = typeof additionalProperties === "object" ? additionalProperties : {};
  for (const value of [ordinary(inner), 1, []])
    yield {
      place: `${place} of many names for ${JSON.stringify(value).slice(0, 40)}`,
      make: () => names(value),
    };
  yield { place: `${place} of a long name`, make: () => ({ [long("a")]: ordinary(inner) }) };
  yield { place: `${place} of many lists`, make: () => ({ a: many([], BYTES) }) };
  yield { place: `${place} of deep lists`, make: () => ({ a: many(deep, BYTES) }) };
  yield { place: `${place} of a long text`, make: () => ({ a: long("a") }) };
}

/** Every list as long as it may be, within the bytes. */
export function fullest(schema: Schema, bytes = BYTES): unknown {
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return fullest(choices.find(({ type }) => type !== "null") ?? {}, bytes);
  if (schema.properties) {
    const properties = Object.entries(schema.properties);
    return Object.fromEntries(
      properties.map(([name, each]) => [name, fullest(each, bytes / properties.length)]),
    );
  }
  const { items, maxItems } = schema;
  return items ? many(fullest(items, bytes / 50), bytes).slice(0, maxItems) : ordinary(schema);
}

const deep = JSON.parse(`${"[".repeat(50)}${"]".repeat(50)}`);
const ordinary = (schema: Schema) => sample(schema, "", () => undefined);
const long = (text: string) => text.repeat(BYTES / text.length);

function many(item: unknown, bytes: number): unknown[] {
  return Array(Math.max(1, Math.floor(bytes / (JSON.stringify(item).length + 1)))).fill(item);
}
