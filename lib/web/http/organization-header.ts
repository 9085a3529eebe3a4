import type { Principal } from "../../access/principal.ts";
import { AppError } from "../../base/errors.ts";
import type { Caller } from "../auth/authenticate.ts";
import { ORGANIZATION_HEADER } from "../pages/page-headers.ts";

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
