/**
 * Turns an expanded schema into one for the form library: one type per field, readable titles, no `pattern`.
 */
import { readAs } from "@/lib/text/foreign/alike.ts";
import { nameInWords } from "@/lib/text/foreign/names.ts";
import { saysJust } from "@/lib/text/foreign/yes-no.ts";
import { asJson } from "@/lib/text/labels.ts";
import { trimEndOf } from "@/lib/text/trim-end.ts";
import { Beyond, expand, isJson, type Json } from "./schema-tree.ts";

export type ReadForm =
  /** `judge` validates values; `form` is rendered. */
  { judge: Json; form: Json } | { judge: Json | null; reason: string };

/** Returns the form of a tool's arguments, or why there is none. */
export function readForm(inputSchema: Json): ReadForm {
  try {
    const judge = expand(inputSchema);
    const form = draw(judge);
    const isObject = form.type === "object" || form.anyOf || form.oneOf || form.allOf;
    if (!isObject || (form.$id === AS_JSON && !isEmpty(judge)))
      return { judge, reason: "The tool’s schema does not say which arguments the tool takes." };
    const { $id: _, ...root } = form;
    return { judge, form: { ...root, title: "", description: "" } };
  } catch (error) {
    if (error instanceof Beyond) return { judge: null, reason: error.message };
    throw error;
  }
}

/** Whether the tool takes no arguments, rather than any. */
function isEmpty({ additionalProperties }: Json): boolean {
  return (
    additionalProperties === undefined || (isJson(additionalProperties) && "not" in additionalProperties)
  );
}

/** Fields with this `$id` are typed as JSON: any value, maps, and lists of mixed types. */
export const AS_JSON = "JsonField";

/** `isPart`: another schema of the same value may say what it can be. */
function draw(schema: Json, isPart = false): Json {
  const flat = withoutNull(schema);
  const { additionalProperties: _, not: __, prefixItems, ...rest } = flat;
  const type = typeOf(flat);
  const shown: Json = { ...rest, ...(type !== null && { type }) };
  for (const keyword of ["anyOf", "oneOf"])
    if (Array.isArray(flat[keyword])) shown[keyword] = flat[keyword].map((each) => drawOption(each as Json));
  // The form library would let a part rename the field.
  const part = ({ title: _, ...each }: Json) => draw(each, true);
  if (Array.isArray(flat.allOf)) shown.allOf = flat.allOf.map((each) => part(each as Json));
  for (const keyword of ["if", "then", "else"])
    if (isJson(flat[keyword])) shown[keyword] = { ...part(flat[keyword]), $id: undefined };
  const isOneOfSeveral = Boolean(flat.anyOf ?? flat.oneOf ?? flat.allOf);
  if (isJson(flat.properties)) shown.properties = drawProperties(flat.properties, isPart);
  if (type === "array") {
    if (prefixItems || !isJson(flat.items)) return { ...shown, $id: AS_JSON };
    shown.items = draw(flat.items, isPart);
  }
  if (type === "object" && !isOneOfSeveral && Object.keys((shown.properties ?? {}) as Json).length === 0)
    shown.$id = AS_JSON;
  if (Array.isArray(flat.enum) && !flat.enum.every(isScalar)) shown.$id = AS_JSON;
  if (type === null && !isOneOfSeveral && !Array.isArray(flat.enum) && !("const" in flat))
    shown.$id = AS_JSON;
  if (typeof shown.format === "string" && !DRAWN_FORMATS.has(shown.format)) delete shown.format;
  return shown;
}

/** Renders one kind of value, and names it. */
function drawOption(option: Json): Json {
  const drawn = draw(option, true);
  const isNamed = (typeof drawn.title === "string" && drawn.title !== "") || "const" in drawn;
  return isNamed ? drawn : { ...drawn, title: OPTIONS.get(String(drawn.type)) ?? "Something else" };
}

const OPTIONS = new Map([
  ["string", "Text"],
  ["number", "Number"],
  ["integer", "Whole number"],
  ["boolean", "Yes or no"],
  ["array", "List"],
  ["object", "Group of fields"],
]);

const DRAWN_FORMATS = new Set(["date", "date-time", "time", "email", "uri"]);

const PLAIN_NAME = /^[\w.-]+$/;

function drawProperties(properties: Json, isPart: boolean): Json {
  const drawn = Object.entries(properties).map(([name, property]) => {
    const { title } = property as Json;
    // Generators derive titles by capitalising the name; Intray's own wording of the name reads better.
    const own = typeof title === "string" && title.trim() !== "" && !looksGenerated(title, name);
    return { name, property: property as Json, title: own ? title : nameInWords(name) };
  });
  const alike = Map.groupBy(drawn, ({ title }) => readAs(title));
  return Object.fromEntries(
    drawn.map(({ name, property, title }) => {
      const isAlone = alike.get(readAs(title))?.length === 1;
      // A yes or a choice could be sent under a name that says the opposite of the title.
      const offers = isPart || mayOffer(withoutNull(property));
      const isNamed = !offers || saysJust(trimEndOf(title, "?"), nameInWords(name));
      const called = isAlone && isNamed ? title : `${title} (${PLAIN_NAME.test(name) ? name : asJson(name)})`;
      return [name, { ...draw(property, isPart), title: called }];
    }),
  );
}

/** Whether an argument may be a yes, a no or a choice: all but plain texts, numbers, and groups and lists of these. */
function mayOffer(property: Json): boolean {
  if (["enum", "const", "anyOf", "oneOf", "allOf", "if"].some((keyword) => keyword in property)) return true;
  const type = typeOf(property);
  if (type === "array") return !isJson(property.items) || mayOffer(property.items);
  return !["string", "number", "integer", "object"].includes(type ?? "");
}

/** Drops null: an argument that may be null may be omitted, so the form does not offer null. */
function withoutNull(schema: Json): Json {
  for (const keyword of ["anyOf", "oneOf"]) {
    const choices = schema[keyword];
    if (!Array.isArray(choices)) continue;
    const real = choices.filter((each) => (each as Json).type !== "null");
    const { [keyword]: _, ...rest } = schema;
    if (real.length === 1) return withoutNull({ ...(real[0] as Json), ...rest });
    if (real.length < choices.length) return { ...rest, [keyword]: real };
  }
  if (Array.isArray(schema.enum) && schema.enum.includes(null))
    return { ...schema, enum: schema.enum.filter((each) => each !== null) };
  return schema;
}

/** Returns the only type of a field, or null if the schema gives none or several. */
function typeOf(schema: Json): string | null {
  const types = (Array.isArray(schema.type) ? schema.type : [schema.type]).filter((type) => type !== "null");
  if (types.length === 1 && typeof types[0] === "string") return types[0];
  if (types.length > 1)
    return types.every((type) => type === "integer" || type === "number") ? "number" : null;
  if (isJson(schema.properties)) return "object";
  if (isJson(schema.items)) return "array";
  if ("const" in schema) return typeof schema.const === "object" ? null : typeof schema.const;
  if (Array.isArray(schema.enum) && schema.enum.every((each) => typeof each === "string")) return "string";
  return null;
}

function isScalar(value: unknown): boolean {
  return ["string", "number", "boolean"].includes(typeof value);
}

function looksGenerated(title: string, name: string): boolean {
  return title.toLowerCase().replace(/[^a-z\d]/g, "") === name.toLowerCase().replace(/[^a-z\d]/g, "");
}

/** Returns the initial values: one empty item of each required list, nothing else. */
export function emptyArguments(form: Json): Json {
  const empty = emptyValue(form);
  return isJson(empty) ? empty : {};
}

function emptyValue(schema: Json): unknown {
  if (schema.$id === AS_JSON) return undefined;
  if (schema.type === "array") {
    const items = schema.items as Json;
    return items.type === "object" && !items.anyOf && !items.oneOf ? [emptyValue(items) ?? {}] : [];
  }
  if (schema.type !== "object" || !isJson(schema.properties)) return undefined;
  const required = Array.isArray(schema.required) ? schema.required : [];
  return Object.fromEntries(
    Object.entries(schema.properties).flatMap(([name, property]) => {
      const start = required.includes(name) ? emptyValue(property as Json) : undefined;
      return start === undefined ? [] : [[name, start]];
    }),
  );
}

/** Removes empty values: keys without a value, and optional groups without content. */
export function withoutEmpty(schema: unknown, value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = isJson(schema) ? schema.items : undefined;
    return value.map((each) => withoutEmpty(items, each));
  }
  if (!isJson(value)) return value;
  const properties = isJson(schema) && isJson(schema.properties) ? schema.properties : {};
  const required = isJson(schema) && Array.isArray(schema.required) ? schema.required : [];
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, each]) => {
      const kept = withoutEmpty(properties[name], each);
      const isEmptyGroup = isJson(kept) && Object.keys(kept).length === 0 && isGroup(properties[name]);
      return kept === undefined || (isEmptyGroup && !required.includes(name)) ? [] : [[name, kept]];
    }),
  );
}

/** Whether a field or a group of the form shows a problem at this path. A line of a list does not, nor what depends on a choice. */
export function showsProblem(form: Json, path: (string | number)[]): boolean {
  let at: unknown = form;
  for (const part of path) {
    if (!isJson(at)) return false;
    at = typeof part === "number" ? at.items : isJson(at.properties) ? at.properties[part] : undefined;
  }
  return path.length > 0 && isJson(at) && (at.type !== "object" || typeof path.at(-1) === "string");
}

/** The arguments of an earlier call that no field of the form shows: they are sent all the same. */
export function undrawn(form: Json, values: Json): Json {
  const drawn = propertiesIn(form);
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => {
      const known = Object.hasOwn(drawn, name) ? drawn[name] : undefined;
      if (known === undefined) return [[name, value]];
      const left = undrawnIn(known, value);
      return left === undefined ? [] : [[name, left]];
    }),
  );
}

function undrawnIn(form: Json, value: unknown): unknown {
  if (form.$id === AS_JSON) return undefined;
  if (Array.isArray(value)) {
    const items = isJson(form.items) ? form.items : {};
    const left = value.map((each) => undrawnIn(items, each)).filter((each) => each !== undefined);
    return left.length > 0 ? left : undefined;
  }
  if (!isJson(value)) return undefined;
  const left = undrawn(form, value);
  return Object.keys(left).length > 0 ? left : undefined;
}

/** Of all variants of a group, since another may be drawn once something is chosen. */
function propertiesIn(form: Json): Record<string, Json> {
  const variants = ["anyOf", "oneOf", "allOf"].flatMap(
    (keyword) => (form[keyword] as Json[] | undefined) ?? [],
  );
  const others = ["then", "else"].flatMap((keyword) => (isJson(form[keyword]) ? [form[keyword]] : []));
  return Object.assign(
    {},
    ...[...variants, ...others].map(propertiesIn),
    isJson(form.properties) ? form.properties : {},
  );
}

function isGroup(schema: unknown): boolean {
  return isJson(schema) && isJson(schema.properties) && schema.$id !== AS_JSON;
}
