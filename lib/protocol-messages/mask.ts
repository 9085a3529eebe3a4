const SECRET_KEYS = new Set([
  "requestState",
  "authorization",
  "cookie",
  "set-cookie",
  "mcp-session-id",
  "taskId",
]);
const MASK = "•••";

/**
 * A copy of a protocol message without what would let a reader act in our name: bearer handles, session ids, opaque
 * state. `secrets` are values to hide wherever they stand.
 */
export function maskMessage(body: unknown, secrets: readonly string[]): unknown {
  if (typeof body === "string") {
    return secrets.reduce((text, secret) => (secret === "" ? text : text.replaceAll(secret, MASK)), body);
  }
  if (Array.isArray(body)) return body.map((item) => maskMessage(item, secrets));
  if (typeof body !== "object" || body === null) return body;
  return Object.fromEntries(
    Object.entries(body).map(([key, value]) => [
      key,
      SECRET_KEYS.has(key) && typeof value === "string" ? MASK : maskMessage(value, secrets),
    ]),
  );
}
