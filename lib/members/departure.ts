/** Memberships that end, here at once, and at the authorization servers of the person's connections as well as it goes. */
import { revokeAll } from "../connections/disconnect.ts";
import type { Principal } from "../principal.ts";
import type { Means } from "../servers/check.ts";
import { leaveOrganization, removeMember } from "./transitions.ts";

/** Throws as `removeMember`. */
export async function dropMember(means: Means, principal: Principal, memberId: string): Promise<void> {
  const { organizationId } = principal;
  const forgotten = await means.db.withOrganization(organizationId, (tx) =>
    removeMember(organizationId, tx, principal, means.seal, memberId),
  );
  await revokeAll(means.network, forgotten);
}

/** Throws as `leaveOrganization`. */
export async function leave(means: Means, principal: Principal): Promise<void> {
  const { organizationId } = principal;
  const forgotten = await means.db.withOrganization(organizationId, (tx) =>
    leaveOrganization(organizationId, tx, principal, means.seal),
  );
  await revokeAll(means.network, forgotten);
}
