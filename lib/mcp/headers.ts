/** Headers of 2026-07-28 that repeat parts of the body (SEP-2243), so that gateways need not read it. */

/** A header value: plain where HTTP can carry it, else UTF-8 in Base64 between `=?base64?` and `?=`. */
export function headerValue(value: string): string {
  const isPlain =
    /^[\t\x20-\x7e]+$/.test(value) && value === value.trim() && !/^=\?base64\?.*\?=$/.test(value);
  return isPlain ? value : `=?base64?${Buffer.from(value, "utf8").toString("base64")}?=`;
}

/**
 * The `Mcp-Param-*` headers of a call: one for each property of the tool's schema that carries `x-mcp-header`, at
 * any depth of `properties`, and has a value. Annotations in other places are the server's fault and count as absent.
 */
export function parameterHeaders(inputSchema: unknown, args: unknown): Record<string, string> {
  const headers: Record<string, string> = {};
  if (!isObject(inputSchema) || !isObject(inputSchema.properties) || !isObject(args)) return headers;
  for (const [key, property] of Object.entries(inputSchema.properties)) {
    const value = args[key];
    if (!isObject(property) || value === undefined || value === null) continue;
    const name = property["x-mcp-header"];
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

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
