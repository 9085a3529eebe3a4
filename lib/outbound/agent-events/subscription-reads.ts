import { Prisma, type Tx } from "../../base/db/db.ts";
import { iso } from "../../tasks/task-row.ts";
import { hostOf } from "../webhooks/webhook-writes.ts";
import { agentEventArgumentsSchema, agentEventNameSchema, type Subscription } from "./agent-event-schema.ts";

/** Lists an agent's subscriptions that have not ended, newest first. There are at most `MOST_SUBSCRIPTIONS`. */
export async function listSubscriptions(tx: Tx, agentId: string): Promise<Subscription[]> {
  const rows = await tx.$queryRaw<Row[]>(Prisma.sql`
    SELECT id, url, events, arguments, created_at AS "createdAt", expires_at AS "expiresAt", failing_since AS "failingSince"
    FROM webhook_endpoint WHERE organization_id = ${tx.organizationId}::uuid AND agent_id = ${agentId}::uuid
      AND NOT terminated AND expires_at > now() ORDER BY created_at DESC, id DESC`);
  return rows.map(({ id, url, events, arguments: args, createdAt, expiresAt, failingSince }) => ({
    id,
    event: agentEventNameSchema.parse(events[0]),
    taskId: agentEventArgumentsSchema.parse(args).taskId ?? null,
    host: hostOf(url),
    createdAt: createdAt.toISOString(),
    expiresAt: expiresAt.toISOString(),
    failingSince: iso(failingSince),
  }));
}

interface Row {
  id: string;
  url: string;
  events: string[];
  arguments: unknown;
  createdAt: Date;
  expiresAt: Date;
  failingSince: Date | null;
}
