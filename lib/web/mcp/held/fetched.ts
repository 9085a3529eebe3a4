/** Stores that results arrived, once they have: beside the answer, and awaited by a repeated call that needs to know. */

import { log } from "../../../base/log.ts";
import { markFetched } from "../../../lifecycle/agent-calls/agent-call-writes.ts";
import { database } from "../../database.ts";

const underWay = new Set<Promise<void>>();

/** Stores that a connection took the results of these tasks. One that can't be stored is sent again to a repeated call. */
export function noteFetched(organizationId: string, taskIds: string[]): void {
  if (taskIds.length === 0) return;
  const noted: Promise<void> = store(organizationId, taskIds)
    .catch((error: unknown) =>
      log.warn({ err: error, taskIds }, "That results were fetched could not be stored"),
    )
    .finally(() => underWay.delete(noted));
  underWay.add(noted);
}

async function store(organizationId: string, taskIds: string[]): Promise<void> {
  const db = await database();
  await db.withOrganization(organizationId, (tx) => markFetched(tx, taskIds));
}

/** Resolves once what this process knows of fetched results is stored. */
export async function fetchedNoted(): Promise<void> {
  await Promise.all(underWay);
}
