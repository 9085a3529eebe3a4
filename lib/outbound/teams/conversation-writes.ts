/** Where people's conversations with the bot are, which Teams alone can say. */
import type { Tx } from "../../base/db/db.ts";
import type { Conversation } from "./teams-api.ts";

/** Keeps where a person's conversation is, and has what waits for them sent there. Returns whether it was not known. */
export async function keepConversation(
  tx: Tx,
  oid: string,
  { id, serviceUrl }: Conversation,
): Promise<boolean> {
  const { organizationId } = tx;
  const kept =
    await tx.$executeRaw`INSERT INTO teams_conversation AS c (organization_id, oid, conversation, service_url)
    VALUES (${organizationId}::uuid, ${oid}, ${id}, ${serviceUrl})
    ON CONFLICT (organization_id, oid) DO UPDATE SET conversation = excluded.conversation, service_url = excluded.service_url
    WHERE c.conversation <> excluded.conversation OR c.service_url <> excluded.service_url`;
  if (kept === 0) return false;
  await tx.$executeRaw`UPDATE teams_account SET due_at = now(), not_before = now(), failing_since = NULL, error = NULL
    WHERE organization_id = ${organizationId}::uuid AND oid = ${oid}`;
  return true;
}

/** The person removed the app. Messages that were posted stay. */
export async function forgetConversation(
  { organizationId, teamsConversation }: Tx,
  oid: string,
): Promise<void> {
  await teamsConversation.deleteMany({ where: { organizationId, oid } });
}

/** A member's. Null: they have not added the app. */
export async function readConversation(tx: Tx, userId: string): Promise<Conversation | null> {
  const [row] = await tx.$queryRaw<Conversation[]>`SELECT c.conversation AS id, c.service_url AS "serviceUrl"
    FROM teams_account a JOIN teams_conversation c ON c.organization_id = a.organization_id AND c.oid = a.oid
    WHERE a.organization_id = ${tx.organizationId}::uuid AND a.user_id = ${userId}::uuid`;
  return row ?? null;
}
