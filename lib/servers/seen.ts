/** Reads servers' data from other tables: connections, back-off, slow polling, call statistics. */

import type { Principal } from "../access/principal.ts";
import type { Tx } from "../base/db/db.ts";
import { callsOfLastDay } from "./call-statistics/call-statistics-reads.ts";
import type { Calls } from "./call-statistics/call-statistics-schema.ts";
import type { Late } from "./server-schema.ts";

/** The user whose own connections count. Keys have none. */
export type Asker = Pick<Principal, "userId">;
export const NOBODY: Asker = { userId: null };

/** Servers' data from other tables. */
export interface Seen {
  connected: Map<string, "own" | "shared">;
  circuits: Map<string, { failures: number; openUntil: Date | null }>;
  late: Map<string, Late>;
  lastDays: Map<string, Calls>;
}

export async function readSeen(tx: Tx, asker: Asker, serverIds: string[]): Promise<Seen> {
  return {
    connected: await connectedServers(tx, asker, serverIds),
    circuits: await openCircuits(tx, asker, serverIds),
    late: await lateServers(tx, asker, serverIds),
    lastDays: await callsOfLastDay(tx, serverIds),
  };
}

/** Returns the servers with OAuth to which the user has a connection, and whether that is their own. */
async function connectedServers(
  tx: Tx,
  { userId }: Asker,
  serverIds: string[],
): Promise<Map<string, "own" | "shared">> {
  const rows = await tx.$queryRaw<{ serverId: string; isOwn: boolean }[]>`
    SELECT c.server_id AS "serverId", bool_or(c.user_id IS NOT NULL) AS "isOwn" FROM oauth_grant g
      JOIN connection c ON c.organization_id = g.organization_id AND c.id = g.connection_id
    WHERE g.organization_id = ${tx.organizationId}::uuid AND g.state IN ('connected', 'needs_scope')
      AND (c.user_id IS NULL OR c.user_id = ${userId}::uuid) AND c.server_id = ANY (${serverIds}::uuid[])
    GROUP BY c.server_id`;
  return new Map(rows.map((row) => [row.serverId, row.isOwn ? "own" : "shared"]));
}

/** Returns servers whose last call failed. Of two connections, the one with more failures counts. */
async function openCircuits(tx: Tx, { userId }: Asker, serverIds: string[]): Promise<Seen["circuits"]> {
  const rows = await tx.$queryRaw<{ serverId: string; failures: number; openUntil: Date | null }[]>`
    SELECT DISTINCT ON (server_id) server_id AS "serverId", circuit_failures AS failures,
      CASE WHEN circuit_open_until > now() THEN circuit_open_until END AS "openUntil"
    FROM connection WHERE organization_id = ${tx.organizationId}::uuid AND circuit_failures > 0
      AND (user_id IS NULL OR user_id = ${userId}::uuid) AND server_id = ANY (${serverIds}::uuid[])
    ORDER BY server_id, circuit_failures DESC`;
  return new Map(rows.map(({ serverId, ...circuit }) => [serverId, circuit]));
}

/** Returns slowly polled servers, as reported by current watchers. Of two connections, the slower counts. */
async function lateServers(tx: Tx, { userId }: Asker, serverIds: string[]): Promise<Seen["late"]> {
  const rows = await tx.$queryRaw<({ serverId: string } & Late)[]>`
    SELECT DISTINCT ON (server_id) server_id AS "serverId", late_every_ms AS "everyMs",
      late_instead_of_ms AS "insteadOfMs", late_answer_ms AS "answerMs"
    FROM connection WHERE organization_id = ${tx.organizationId}::uuid AND late_every_ms IS NOT NULL
      AND watched_by IS NOT NULL AND (user_id IS NULL OR user_id = ${userId}::uuid)
      AND server_id = ANY (${serverIds}::uuid[])
    ORDER BY server_id, late_every_ms DESC`;
  return new Map(rows.map(({ serverId, ...late }) => [serverId, late]));
}
