import { AppError } from "../../base/errors.ts";
import type { Caller } from "../auth/authenticate.ts";
import { ORGANIZATION_HEADER } from "../pages/page-headers.ts";

/**
 * A page says which organization it was drawn for. When the session works in another one by now, because its person
 * chose that in another tab or is no member there any more, nothing that the page asks or sends is taken for it.
 */
export function refuseOtherOrganization(request: Request, { via, me }: Caller): void {
  const drawnFor = request.headers.get(ORGANIZATION_HEADER);
  if (via !== "session" || drawnFor === null || drawnFor === me.organization.id) return;
  throw new AppError("organization_changed", `You work in ${me.organization.name} now. Nothing was sent.`);
}
