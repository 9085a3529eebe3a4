/** Values that fit one of our JSON Schemas, for generated calls of every route. */

export interface Schema {
  type?: string | string[];
  format?: string;
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  minItems?: number;
  maxItems?: number;
  additionalProperties?: Schema | boolean;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
}

/** The place of a value, e.g. `body.items.0.id`. */
export type Place = string;

/**
 * The smallest value that `schema` takes. A value of `given` for the place takes precedence, unless
 * undefined. Optional ids are included, for tests that put another organization's ids in them.
 */
export function sample(
  schema: Schema,
  place: Place,
  given: (place: Place, schema: Schema) => unknown,
): unknown {
  const own = given(place, schema);
  if (own !== undefined) return own;
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return sample(choices.find(({ type }) => type !== "null") ?? {}, place, given);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  switch (Array.isArray(schema.type) ? schema.type[0] : schema.type) {
    case "object":
      return objectOf(schema, place, given);
    case "array": {
      const count = Math.max(1, schema.minItems ?? 0);
      return Array.from({ length: count }, (_, at) => sample(schema.items ?? {}, `${place}.${at}`, given));
    }
    case "integer":
    case "number":
      return schema.minimum ?? 1;
    case "boolean":
      return true;
    case "string":
      return textOf(schema);
    default:
      return {};
  }
}

function objectOf(schema: Schema, place: Place, given: (place: Place, schema: Schema) => unknown) {
  const properties = Object.entries(schema.properties ?? {});
  const wanted = properties.filter(([name, each]) => schema.required?.includes(name) || isId(each));
  // An empty change may be refused.
  const chosen = wanted.length > 0 ? wanted : properties.slice(0, 1);
  return Object.fromEntries(chosen.map(([name, each]) => [name, sample(each, `${place}.${name}`, given)]));
}

export function isId(schema: Schema): boolean {
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return choices.some(isId);
  if (schema.type === "array") return schema.items !== undefined && isId(schema.items);
  return schema.format === "uuid";
}

function textOf({ format, minLength = 1 }: Schema): string {
  if (format === "date-time") return "2026-01-01T00:00:00.000Z";
  if (format === "email") return "somebody@test.example";
  if (format === "uri") return "https://test.example/";
  return "a".repeat(Math.max(3, minLength));
}
