import type { Principal } from "../access/principal.ts";
import type { Tx } from "../base/db/db.ts";
import type { Services } from "../base/process/services.ts";
import type { Caller } from "./auth/authenticate.ts";
import { database } from "./database.ts";
import { network, sealing } from "./services.ts";

/**
 * Runs one transaction in the caller's organization, as nearly every handler does. In a view the database
 * refuses every write of it, behind the route's own refusal.
 */
export async function within<T>(
  { principal }: Pick<Caller, "principal">,
  work: (tx: Tx, principal: Principal) => Promise<T>,
): Promise<T> {
  const db = await database();
  return db.withOrganization(principal.organizationId, async (tx) => {
    if (principal.isView) await tx.$executeRaw`SET TRANSACTION READ ONLY`;
    return work(tx, principal);
  });
}

/** The services of handlers that also call servers. */
export async function services(): Promise<Services> {
  return { db: await database(), network: network(), seal: sealing() };
}
