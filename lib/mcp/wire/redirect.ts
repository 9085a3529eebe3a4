/** Redirects of MCP servers. The network follows none by itself. */
import { SHOWN_URL_CHARACTERS } from "../limits.ts";

/**
 * Returns where a reply to a request for `from` sends the whole request, method and body (307, 308), if that is at
 * the same origin; else null. Credentials in the headers go along, so that no other origin may have them.
 */
export function sameOriginTarget(status: number, location: string | undefined, from: URL): URL | null {
  const to = status === 307 || status === 308 ? targetOf(location, from) : null;
  return to?.origin === from.origin && to.username === "" && to.password === "" ? to : null;
}

/** Returns the text of a redirect's target for people, without what may hold a secret; null for other replies. */
export function shownTarget(status: number, location: string | undefined, from: URL): string | null {
  const to = status >= 300 && status < 400 ? targetOf(location, from) : null;
  const isWeb = to?.protocol === "https:" || to?.protocol === "http:";
  return to && isWeb ? `${to.origin}${to.pathname}`.slice(0, SHOWN_URL_CHARACTERS) : null;
}

function targetOf(location: string | undefined, from: URL): URL | null {
  return location !== undefined && URL.canParse(location, from) ? new URL(location, from) : null;
}
