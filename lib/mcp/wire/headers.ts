/** Headers of 2026-07-28 that repeat parts of the body (SEP-2243), so that gateways need not read it. */

/** A header value: plain where HTTP can carry it, else UTF-8 in Base64 between `=?base64?` and `?=`. */
export function headerValue(value: string): string {
  const isPlain =
    /^[\t\x20-\x7e]+$/.test(value) && value === value.trim() && !/^=\?base64\?.*\?=$/.test(value);
  return isPlain ? value : `=?base64?${base64(value)}?=`;
}

/** In a way that browsers have too: they write the same headers into a command to copy. */
function base64(text: string): string {
  return btoa(Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join(""));
}

/**
 * The `Mcp-Param-*` headers of a call: one for each property of the tool's schema that carries `x-mcp-header`, at
 * any depth of `properties`, and has a value that is not null. For schemas with sound annotations.
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

const ANNOTATION = "x-mcp-header";
const ANNOTATED_TYPES = ["string", "integer", "boolean"];
/** What holds values and no schemas. */
const DATA = new Set(["default", "const", "enum", "examples"]);
const MAX_DEPTH = 64;

/**
 * Whether the `x-mcp-header` annotations of a tool's schema are as the specification wants them: header names, unique
 * in any case, on texts, integers and booleans that a chain of `properties` leads to. A tool that breaks this must not
 * be called.
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

/** What holds schemas under names of the server's choice. */
const NAMED = new Set(["properties", "patternProperties", "dependentSchemas", "$defs", "definitions"]);

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
