/** What a member is asked before an agent may act as them. */
import { type Database, Prisma, type Tx } from "../../base/db/db.ts";
import { hashSecret } from "../../base/ids.ts";
import { type AgentQuestion, agentQuestionSchema } from "./agent-oauth-schema.ts";

/**
 * Returns what the session's person is asked, or null: no such question, one that was asked in another session, that was
 * answered, or that is too old.
 */
export async function readAgentQuestion(
  db: Pick<Database, "gate">,
  handle: string,
  sessionId: string,
): Promise<AgentQuestion | null> {
  const [row] = await db.gate<{ payload: unknown }>(
    Prisma.sql`SELECT payload FROM gate.agent_question(${hashSecret(handle)}, ${sessionId}::uuid)`,
  );
  return row ? agentQuestionSchema.parse(row.payload) : null;
}

/** What the agent may call already, where the member let the same client in before: the servers' names. */
export async function grantedServers(tx: Tx, userId: string, clientId: string): Promise<string[]> {
  const rows = await tx.$queryRaw<{ name: string }[]>`
    SELECT DISTINCT s.name FROM agent_credential a
      JOIN agent_grant g ON g.organization_id = a.organization_id AND g.agent_id = a.id
      JOIN server s ON s.organization_id = g.organization_id AND s.id = g.server_id AND s.removed_at IS NULL
    WHERE a.organization_id = ${tx.organizationId}::uuid AND a.user_id = ${userId}::uuid
      AND a.oauth_client_id = ${clientId} AND a.revoked_at IS NULL ORDER BY s.name`;
  return rows.map(({ name }) => name);
}
