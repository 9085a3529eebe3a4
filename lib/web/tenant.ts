import type { Principal } from "../access/principal.ts";
import type { Tx } from "../base/db/db.ts";
import type { Services } from "../base/process/services.ts";
import type { Caller } from "./auth/authenticate.ts";
import { database } from "./database.ts";
import { type Answer, type Call, type Definition, type Handler, route } from "./http/route.ts";
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

/** A route whose handler is one transaction in the caller's organization. */
export function tenantRoute<const D extends Definition>(
  definition: D,
  handle: (tx: Tx, call: Call<D> & { caller: Caller; principal: Principal }) => Answer<D>,
): Handler {
  const work = (call: Call<D> & { caller: Caller }) =>
    within(call.caller, async (tx, principal) => handle(tx, { ...call, principal }));
  // Definitions that ask for no credential have no caller; their handlers do not compile.
  return route(definition, work as never);
}

/** The services of handlers that also call servers. */
export async function services(): Promise<Services> {
  return { db: await database(), network: network(), seal: sealing() };
}
