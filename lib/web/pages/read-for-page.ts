import type { Principal } from "../../access/principal.ts";
import type { Tx } from "../../base/db/db.ts";
import { currentPrincipal } from "../auth/session.ts";
import { database } from "../database.ts";
import { forPage } from "./page-failure.ts";

/**
 * Runs one transaction in the organization of the signed-in member, with their rights at the API. Only behind
 * `requireSession`. Returns data as the API would send it: dates are text.
 */
export async function readForPage<T>(work: (tx: Tx, principal: Principal) => Promise<T>): Promise<T> {
  const principal = await currentPrincipal();
  if (!principal) throw new Error("no session");
  const read = async () => {
    const db = await database();
    return db.withOrganization(principal.organizationId, async (tx) => {
      if (principal.isView) await tx.$executeRaw`SET TRANSACTION READ ONLY`;
      return work(tx, principal);
    });
  };
  return JSON.parse(JSON.stringify(await forPage(read()))) as T;
}
