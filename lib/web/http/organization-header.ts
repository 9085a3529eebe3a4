import { AppError } from "../../base/errors.ts";
import type { Caller } from "../auth/authenticate.ts";
import { ORGANIZATION_HEADER } from "../pages/page-headers.ts";

/**
 * Refuses a call from a page that was rendered for another organization than the session's. The session may
 * have moved since, because its person switched in another tab or is no member there any more.
 */
export function refuseOtherOrganization(request: Request, { via, me }: Caller): void {
  const drawnFor = request.headers.get(ORGANIZATION_HEADER);
  if (via !== "session" || drawnFor === null || drawnFor === me.organization.id) return;
  throw new AppError("organization_changed", `You work in ${me.organization.name} now. Nothing was sent.`);
}
