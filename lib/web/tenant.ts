import type { Tx } from "../db.ts";
import type { Principal } from "../principal.ts";
import type { Means } from "../servers/check.ts";
import type { Caller } from "./authenticate.ts";
import { database } from "./database.ts";
import { outside } from "./outside.ts";
import { sealing } from "./sealing.ts";

/** One transaction in the caller's organization: what nearly every handler is. */
export async function within<T>(
  { principal }: Caller,
  work: (organizationId: string, tx: Tx, principal: Principal) => Promise<T>,
): Promise<T> {
  const db = await database();
  return db.withOrganization(principal.organizationId, (tx) => work(principal.organizationId, tx, principal));
}

/** For what reaches out to servers, too. */
export async function means(): Promise<Means> {
  return { db: await database(), network: outside(), seal: sealing() };
}
