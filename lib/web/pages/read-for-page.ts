import type { Principal } from "../../access/principal.ts";
import type { Tx } from "../../base/db/db.ts";
import { currentPrincipal } from "../auth/session.ts";
import { database } from "../database.ts";
import { forPage } from "./page-failure.ts";

/**
 * One transaction in the organization of whoever looks at the page that is being rendered, with the rights they have
 * at the API. Only behind `requireSession`. The answer is what the API would send: dates are text.
 */
export async function readForPage<T>(
  work: (organizationId: string, tx: Tx, principal: Principal) => Promise<T>,
): Promise<T> {
  const principal = await currentPrincipal();
  if (!principal) throw new Error("no session");
  const read = async () => {
    const db = await database();
    return db.withOrganization(principal.organizationId, (tx) =>
      work(principal.organizationId, tx, principal),
    );
  };
  return JSON.parse(JSON.stringify(await forPage(read()))) as T;
}
