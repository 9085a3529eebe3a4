import type { Schema } from "./from-schema.ts";
import type { Operation } from "./operations.ts";

/** Places of a call where a list or text may be as long as the body. What may be any JSON at all is bounded by the body alone. */
export function unbounded({ name, body, query }: Operation): string[] {
  const parameters = query.flatMap((each) => placesIn(each.schema, `query.${each.name}`));
  return [...(body ? placesIn(body, "body") : []), ...parameters].map((place) => `${name}: ${place}`);
}

function placesIn(schema: Schema, place: string): string[] {
  const types = [schema.type].flat();
  const inner = schema.additionalProperties;
  return [
    ...[...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].flatMap((choice) => placesIn(choice, place)),
    ...(types.includes("array") && schema.maxItems === undefined ? [place] : []),
    ...(schema.items ? placesIn(schema.items, `${place}[]`) : []),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, each]) => placesIn(each, `${place}.${name}`)),
    ...(typeof inner === "object" ? placesIn(inner, `${place}.*`) : []),
    ...(types.includes("string") && !isShort(schema) ? [place] : []),
  ];
}

function isShort({ maxLength, format, pattern, enum: choices, const: only }: Schema): boolean {
  return (
    maxLength !== undefined ||
    format !== undefined ||
    choices !== undefined ||
    only !== undefined ||
    // Anchored, and without a part that may be repeated for ever.
    (pattern !== undefined &&
      /^\^.*\$$/.test(pattern) &&
      !/[*+]|\d,\}/.test(pattern.replace(/\[[^\]]*\]/g, "")))
  );
}
