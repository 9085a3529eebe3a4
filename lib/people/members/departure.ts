/** Ends memberships: at once in Intray, and by best effort at the connections' authorization servers. */

import type { Principal } from "../../access/principal.ts";
import type { Services } from "../../base/process/services.ts";
import { revokeAll } from "../../servers/connections/disconnect.ts";
import { leaveOrganization, removeMember, suspendMember } from "./member-writes.ts";

/** Throws as `removeMember`. */
export async function dropMember(services: Services, principal: Principal, memberId: string): Promise<void> {
  const { organizationId } = principal;
  const forgotten = await services.db.withOrganization(organizationId, (tx) =>
    removeMember(tx, principal, services.seal, memberId),
  );
  await revokeAll(services.network, forgotten);
}

/** Throws as `suspendMember`. */
export async function suspend(services: Services, principal: Principal, memberId: string): Promise<void> {
  const { organizationId } = principal;
  const forgotten = await services.db.withOrganization(organizationId, (tx) =>
    suspendMember(tx, principal, services.seal, memberId, "admin"),
  );
  await revokeAll(services.network, forgotten);
}

/** Throws as `leaveOrganization`. */
export async function leave(services: Services, principal: Principal): Promise<void> {
  const { organizationId } = principal;
  const forgotten = await services.db.withOrganization(organizationId, (tx) =>
    leaveOrganization(tx, principal, services.seal),
  );
  await revokeAll(services.network, forgotten);
}
