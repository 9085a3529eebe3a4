/** Refusals of calls with a session: from another site, from a page that is out of date, in a view as a member. */

import type { Principal } from "../../access/principal.ts";
import { env } from "../../base/env.ts";
import { AppError } from "../../base/errors.ts";
import type { Caller } from "../auth/authenticate.ts";
import { ORGANIZATION_HEADER } from "../pages/page-headers.ts";

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

/** For whom a page is rendered: the organization, and in a view the member too. */
export function drawnFor({ organizationId, userId, isView }: Principal): string {
  return isView ? `${organizationId} as ${userId}` : organizationId;
}

/**
 * Refuses a call from a page that was rendered for another organization than the session's, or for another
 * member's view. The session may have moved since: in another tab its person switched, or began or ended a
 * view; a view ends by itself; or they are no member there any more.
 */
export function refuseOtherOrganization(request: Request, { via, me, principal }: Caller): void {
  const page = request.headers.get(ORGANIZATION_HEADER);
  if (via !== "session" || page === null || page === drawnFor(principal)) return;
  if (page.startsWith(me.organization.id))
    throw new AppError("organization_changed", "This page is out of date. Nothing was sent.");
  throw new AppError("organization_changed", `You work in ${me.organization.name} now. Nothing was sent.`);
}

/** The refusal of whatever an admin does while they look as a member. */
export function viewOnly(): AppError {
  return new AppError("view_only", "You are viewing as a member: read only, and only lists.");
}
