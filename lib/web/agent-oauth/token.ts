import { Prisma } from "../../base/db/db.ts";
import { hashSecret } from "../../base/ids.ts";
import { database } from "../database.ts";
import { mcpAddress } from "./addresses.ts";

/**
 * Returns the agent that an access token for /mcp belongs to, or null for any other text, and once anything is gone that
 * the token rests on: the agent, its member's membership, sign-in or right to be here. Looks at all of it at each call.
 */
export async function agentByToken(
  token: string,
): Promise<{ organizationId: string; agentId: string; signInId: string } | null> {
  const db = await database();
  const [row] = await db.gate<{
    organization_id: string;
    agent_id: string;
    sign_in_id: string;
    noted: boolean;
  }>(Prisma.sql`SELECT * FROM gate.agent_of_token(${hashSecret(token)}, ${mcpAddress()})`);
  if (!row) return null;
  if (!row.noted)
    await db.gate(Prisma.sql`SELECT 1 AS done FROM gate.note_agent_session(${row.sign_in_id}::uuid)`);
  return { organizationId: row.organization_id, agentId: row.agent_id, signInId: row.sign_in_id };
}

/** Whether all is there still that the sign-in rests on, but for the token. */
export async function signInStands(signInId: string): Promise<boolean> {
  const db = await database();
  const rows = await db.gate(Prisma.sql`SELECT 1 AS stands FROM gate.agent_sign_in(${signInId}::uuid)`);
  return rows.length > 0;
}
