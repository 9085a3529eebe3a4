import type { Tx } from "../../lib/base/db/db.ts";
import { makePasswordLink } from "../../lib/people/members/member-writes.ts";
import { passwordLinkUrl } from "../../lib/people/members/set-password.ts";
import { PASSWORD_LINK_LIFETIME_MS } from "../../lib/web/tunables.ts";

/** Returns the address at which a new member sets a password, once, within a week. */
export async function passwordLink(tx: Tx, userId: string): Promise<string> {
  return passwordLinkUrl(await makePasswordLink(tx, userId, PASSWORD_LINK_LIFETIME_MS));
}
