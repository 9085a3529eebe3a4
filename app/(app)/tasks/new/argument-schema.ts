import { humanise } from "@/lib/format/labels.ts";

/** What the form can show of a tool's input schema. */
export type ArgumentNode =
  | { kind: "text"; format: string | null }
  | { kind: "number"; integer: boolean }
  | { kind: "boolean" }
  | { kind: "choice"; options: (string | number)[] }
  | { kind: "object"; fields: ArgumentField[] }
  | { kind: "list"; item: ArgumentNode };

export interface ArgumentField {
  name: string;
  title: string;
  description: string | null;
  required: boolean;
  node: ArgumentNode;
}

type Json = Record<string, unknown>;

/** Deeper than this nobody fills in by hand, and a schema may refer to itself. */
const MOST_DEPTH = 5;

/** The schema as a form, or null where a part of it is beyond the form: then JSON is the way. */
export function readArgumentSchema(schema: Json): ArgumentNode | null {
  return readNode(schema, schema, 0);
}

function readNode(given: Json, root: Json, depth: number): ArgumentNode | null {
  const schema = unwrap(given, root);
  if (!schema || depth > MOST_DEPTH) return null;
  const options = schema.enum;
  if (Array.isArray(options)) {
    const plain = options.every((each) => typeof each === "string" || typeof each === "number");
    return plain ? { kind: "choice", options } : null;
  }
  switch (schema.type) {
    case "string":
      return { kind: "text", format: typeof schema.format === "string" ? schema.format : null };
    case "number":
    case "integer":
      return { kind: "number", integer: schema.type === "integer" };
    case "boolean":
      return { kind: "boolean" };
    case "array": {
      const item = isJson(schema.items) ? readNode(schema.items, root, depth + 1) : null;
      return item && item.kind !== "list" ? { kind: "list", item } : null;
    }
    case "object":
      return readObject(schema, root, depth);
    default:
      return null;
  }
}

function readObject(schema: Json, root: Json, depth: number): ArgumentNode | null {
  if (schema.oneOf || schema.allOf || schema.anyOf) return null;
  const properties = isJson(schema.properties) ? schema.properties : {};
  // An object that only says “anything” has no fields to show.
  if (depth > 0 && Object.keys(properties).length === 0) return null;
  const required = Array.isArray(schema.required) ? schema.required : [];
  const fields: ArgumentField[] = [];
  for (const [name, property] of Object.entries(properties)) {
    const node = isJson(property) ? readNode(property, root, depth + 1) : null;
    if (!node || !isJson(property)) return null;
    const resolved = unwrap(property, root);
    // Generators title a field like its name with capitals; our own wording of the name reads better.
    const title =
      typeof property.title === "string" && !looksGenerated(property.title, name) ? property.title : null;
    const description = property.description ?? resolved?.description;
    fields.push({
      name,
      title: title ?? humanise(name),
      description: typeof description === "string" ? description : null,
      required: required.includes(name),
      node,
    });
  }
  return { kind: "object", fields };
}

/** Follows a local `$ref` and the `anyOf [X, null]` that marks an optional value. */
function unwrap(schema: Json, root: Json, hops = 0): Json | null {
  if (hops > 8) return null;
  if (typeof schema.$ref === "string") {
    const target = lookUp(root, schema.$ref);
    return target && unwrap(target, root, hops + 1);
  }
  if (Array.isArray(schema.anyOf)) {
    const real = schema.anyOf.filter((each): each is Json => isJson(each) && each.type !== "null");
    return real.length === 1 ? unwrap(real[0]!, root, hops + 1) : null;
  }
  return schema;
}

function lookUp(root: Json, pointer: string): Json | null {
  if (!pointer.startsWith("#/")) return null;
  let at: unknown = root;
  for (const key of pointer.slice(2).split("/")) {
    if (!isJson(at)) return null;
    at = at[key.replaceAll("~1", "/").replaceAll("~0", "~")];
  }
  return isJson(at) ? at : null;
}

function looksGenerated(title: string, name: string): boolean {
  return title.toLowerCase().replace(/[^a-z\d]/g, "") === name.toLowerCase().replace(/[^a-z\d]/g, "");
}

function isJson(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** What a new line of a list starts with: one empty line of each required list, nothing invented. */
export function emptyValue(node: ArgumentNode): unknown {
  if (node.kind === "object") {
    return Object.fromEntries(
      node.fields.flatMap((field) => {
        const start = field.required && (field.node.kind === "object" || field.node.kind === "list");
        return start ? [[field.name, emptyValue(field.node)]] : [];
      }),
    );
  }
  if (node.kind === "list") return node.item.kind === "object" ? [emptyValue(node.item)] : [];
  return undefined;
}
