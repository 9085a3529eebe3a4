/** Where an authorization server may send a member's browser with a code, for a client that anybody may have made. */

/** `site`: a web site. `computer`: a program that listens on the member's own machine. `app`: one that the machine opens. */
export type Redirect =
  | { kind: "site"; host: string }
  | { kind: "computer" }
  | { kind: "app"; scheme: string };

const LONGEST = 2_000;

/**
 * Schemes of programs that speak MCP. Any other has to be a reversed domain name, as RFC 8252 (7.1) asks: a scheme that
 * the system has for itself, such as `ms-msdt:` or `search-ms:`, would open what the client chose.
 */
const APP_SCHEMES = new Set([
  "claude",
  "cursor",
  "goose",
  "lmstudio",
  "raycast",
  "vscode",
  "vscode-insiders",
  "vscodium",
  "warp",
  "windsurf",
]);

/** A reversed domain name, such as `com.example.app`. */
const REVERSED_DOMAIN = /^[a-z][a-z0-9-]*(\.[a-z0-9-]+)+$/;
const LOOPBACK = new Set(["127.0.0.1", "[::1]", "localhost"]);

/** Returns what a redirect URI leads to, or null for one that no client may have. */
export function judgeRedirect(uri: string): Redirect | null {
  // URL drops tabs and line feeds and turns backslashes, so that a reader would see another address than it goes to.
  if (uri.length > LONGEST || /[^\x21-\x7e]|\\/.test(uri) || !URL.canParse(uri)) return null;
  const { protocol, hostname, host, username, password, hash } = new URL(uri);
  if (hash !== "" || uri.includes("#") || username !== "" || password !== "") return null;
  if (protocol === "https:") return LOOPBACK.has(hostname) ? null : { kind: "site", host };
  if (protocol === "http:") return LOOPBACK.has(hostname) ? { kind: "computer" } : null;
  const scheme = protocol.slice(0, -1);
  return APP_SCHEMES.has(scheme) || REVERSED_DOMAIN.test(scheme) ? { kind: "app", scheme } : null;
}

/** A client with a redirect to the member's machine may use any port of it (RFC 8252, 7.3), which only `native` ones may. */
export function applicationTypeOf(redirectUris: readonly string[]): "web" | "native" {
  return redirectUris.every((uri) => judgeRedirect(uri)?.kind === "site") ? "web" : "native";
}

/**
 * A client's name as it may be shown: one line, without characters that hide, turn or stack others, and without what could
 * be taken for Intray's own words around it.
 */
export function shownName(name: unknown): string | null {
  if (typeof name !== "string") return null;
  const line = name
    .normalize("NFKC")
    .replace(/[\p{C}\p{Z}\s]+/gu, " ")
    .replace(/\p{M}{3,}/gu, "")
    .trim();
  if (line === "") return null;
  const letters = [...line];
  return letters.length > 60 ? `${letters.slice(0, 59).join("")}…` : line;
}
