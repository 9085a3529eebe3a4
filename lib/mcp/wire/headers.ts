/** Headers of 2026-07-28 that repeat parts of the body (SEP-2243), so that gateways need not parse it. */

/** Encodes a header value: plain if HTTP allows, else UTF-8 in Base64 between `=?base64?` and `?=`. */
export function headerValue(value: string): string {
  const isPlain =
    /^[\t\x20-\x7e]+$/.test(value) && value === value.trim() && !/^=\?base64\?.*\?=$/.test(value);
  return isPlain ? value : `=?base64?${base64(value)}?=`;
}

/** Works in browsers too, which show these headers in a command to copy. */
function base64(text: string): string {
  return btoa(Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join(""));
}

/**
 * Returns a call's `Mcp-Param-*` headers: one for each property with `x-mcp-header`, at any depth of
 * `properties`, whose value is not null. Expects a schema that passed `hasSoundHeaders`.
 */
export function parameterHeaders(inputSchema: unknown, args: unknown): Record<string, string> {
  const headers: Record<string, string> = {};
  if (!isObject(inputSchema) || !isObject(inputSchema.properties) || !isObject(args)) return headers;
  for (const [key, property] of Object.entries(inputSchema.properties)) {
    const value = args[key];
    if (!isObject(property) || value === undefined || value === null) continue;
    const name = property[ANNOTATION];
    const isPrimitive =
      typeof value === "string" || typeof value === "boolean" || Number.isSafeInteger(value);
    if (typeof name === "string" && TOKEN.test(name) && isPrimitive) {
      headers[`mcp-param-${name.toLowerCase()}`] = headerValue(String(value));
    } else {
      Object.assign(headers, parameterHeaders(property, value));
    }
  }
  return headers;
}

/** The schema of a tool as it is offered on, where nobody's headers repeat its arguments. Expects what `parameterHeaders` does. */
export function withoutParameterHeaders(inputSchema: Record<string, unknown>): Record<string, unknown> {
  const { [ANNOTATION]: _, properties, ...rest } = inputSchema;
  if (properties === undefined) return rest;
  if (!isObject(properties)) return { ...rest, properties };
  const plain = Object.entries(properties).map(([key, property]) => [
    key,
    isObject(property) ? withoutParameterHeaders(property) : property,
  ]);
  return { ...rest, properties: Object.fromEntries(plain) as Record<string, unknown> };
}

const ANNOTATION = "x-mcp-header";
const ANNOTATED_TYPES = ["string", "integer", "boolean"];
/** Keywords that hold values, not schemas. */
const DATA = new Set(["default", "const", "enum", "examples"]);
const MAX_DEPTH = 64;

/**
 * Checks a tool's `x-mcp-header` annotations against the specification: valid header names, unique ignoring
 * case, on texts, integers and booleans reached by a chain of `properties`. A tool that fails must not be
 * called.
 */
export function hasSoundHeaders(inputSchema: unknown): boolean {
  const names = new Set<string>();
  const isSound = (schema: unknown, isProperty: boolean, onChain: boolean, depth: number): boolean => {
    if (depth > MAX_DEPTH) return true;
    if (Array.isArray(schema)) return schema.every((one) => isSound(one, false, false, depth + 1));
    if (!isObject(schema)) return true;
    if (Object.hasOwn(schema, ANNOTATION)) {
      const name = schema[ANNOTATION];
      if (!isProperty || typeof name !== "string" || !TOKEN.test(name)) return false;
      if (!ANNOTATED_TYPES.includes(schema.type as string) || names.has(name.toLowerCase())) return false;
      names.add(name.toLowerCase());
    }
    return Object.entries(schema).every(([keyword, value]) => {
      if (DATA.has(keyword)) return true;
      if (!NAMED.has(keyword) || !isObject(value)) return isSound(value, false, false, depth + 1);
      const goesOn = keyword === "properties" && onChain;
      return Object.values(value).every((one) => isSound(one, goesOn, goesOn, depth + 1));
    });
  };
  return isSound(inputSchema, false, true, 0);
}

/** Keywords that hold schemas under names of the server's choice. */
const NAMED = new Set(["properties", "patternProperties", "dependentSchemas", "$defs", "definitions"]);

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
