import { createDatabase, type Database } from "../lib/base/db/db.ts";
import { env } from "../lib/base/env.ts";
import { operatorServers } from "../lib/servers/operator-file.ts";
import { type SyncedEntry, syncOperatorServers } from "../lib/servers/operator-sync.ts";

/** Runs `syncServers` after a start's migrations, and reports changes. No-op without INTRAY_SERVERS_FILE. */
export async function syncServersAt(ownerUrl: string, say: (line: string) => void): Promise<void> {
  if (env().serversFile === undefined) return;
  const db = createDatabase(ownerUrl, { connections: 1 });
  try {
    for (const line of await syncServers(db, say)) say(line);
  } finally {
    await db.close();
  }
}

/**
 * Gives organizations the servers of the operator's file, as the database's owner. Returns a line for each
 * change, and warns of unknown organizations. Throws ConfigurationError.
 */
export async function syncServers(db: Database, warn: (line: string) => void): Promise<string[]> {
  const { synced, unknownOrganizations } = await syncOperatorServers(db, operatorServers());
  for (const { organization, entry } of unknownOrganizations)
    warn(`The server "${entry}" is for "${organization}", an organization that is not there yet.`);
  return synced.flatMap(({ organization, entry, outcome }) =>
    outcome === "unchanged" ? [] : [`The server "${entry}" of "${organization}" ${WORDS[outcome]}.`],
  );
}

const WORDS: Record<Exclude<SyncedEntry["outcome"], "unchanged">, string> = {
  created: "was created",
  updated: "was changed",
  removed: "was removed",
  in_use: "has no entry any more and is removed when its tasks have ended",
};
