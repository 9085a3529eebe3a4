/**
 * Writes down that agents were there. Calls are counted in memory and written once a minute, since all calls of an agent would
 * change one row; a process that is killed loses those of its last minute.
 */

import { Prisma, storableText } from "../../base/db/db.ts";
import { log } from "../../base/log.ts";
import { drainSignal } from "../../base/process/lifecycle.ts";
import { database } from "../database.ts";

/** What a client says of itself (`clientInfo`). */
export interface ClaimedClient {
  name: string;
  version: string | null;
}

const NOTED_EVERY_MS = 60_000;
/** The longest name and version that are kept. */
const CLIENT_CHARACTERS = 100;

interface Counted {
  organizationId: string;
  calls: number;
  timer: NodeJS.Timeout;
}

/** Calls that are not written down yet, by agent. */
const counted = new Map<string, Counted>();

/** Counts a call of a tool. */
export function countAgentCall(organizationId: string, agentId: string): void {
  const known = counted.get(agentId);
  if (known) known.calls++;
  else {
    const timer = setTimeout(() => inBackground(organizationId, agentId), NOTED_EVERY_MS).unref();
    counted.set(agentId, { organizationId, calls: 1, timer });
  }
}

/** Writes down that an agent was there now, with the calls counted since the last time. `client`: as it introduced itself. */
export async function noteAgentUse(
  organizationId: string,
  agentId: string,
  { network = null, client = null }: { network?: string | null; client?: ClaimedClient | null } = {},
): Promise<void> {
  const calls = counted.get(agentId)?.calls ?? 0;
  clearTimeout(counted.get(agentId)?.timer);
  counted.delete(agentId);
  const db = await database();
  await db.gate(Prisma.sql`SELECT 1 AS done FROM gate.note_agent_use(${organizationId}::uuid, ${agentId}::uuid, ${network},
    ${client && kept(client.name)}, ${client?.version == null ? null : kept(client.version)}, ${calls}::integer)`);
}

function kept(text: string): string {
  return storableText(text.slice(0, CLIENT_CHARACTERS));
}

function inBackground(organizationId: string, agentId: string): void {
  noteAgentUse(organizationId, agentId).catch((error: unknown) => {
    log.warn({ err: error }, "The calls of an agent could not be written down");
  });
}

drainSignal().addEventListener("abort", () => {
  for (const [agentId, { organizationId }] of counted) inBackground(organizationId, agentId);
});
