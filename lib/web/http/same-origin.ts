import { env } from "../../base/env.ts";
import { AppError } from "../../base/errors.ts";

/**
 * Refuses writes with a session from other sites' pages, which could send the cookie along. Browsers name the
 * origin in Sec-Fetch-Site (a page cannot set it), older ones in Origin; a request with neither is refused.
 */
export function refuseCrossSite(request: Request): void {
  const site = request.headers.get("sec-fetch-site");
  if (site !== null ? site === "same-origin" || site === "none" : isOwnOrigin(request)) return;
  throw new AppError("cross_site", "This was not sent by a page of Intray.");
}

/**
 * Refuses a read that leaves a trace, with a session from another site's page, e.g. a link there. A browser sends no
 * Origin along with a link, so that older ones, which do not name the site, are let through.
 */
export function refuseCrossSiteRead(request: Request): void {
  if (request.headers.has("sec-fetch-site")) refuseCrossSite(request);
}

function isOwnOrigin(request: Request): boolean {
  const origin = request.headers.get("origin");
  if (!origin || !URL.canParse(origin)) return false;
  return origin === new URL(env().url).origin || new URL(origin).host === request.headers.get("host");
}
