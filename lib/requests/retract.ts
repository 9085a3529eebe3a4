import { Prisma, storable, type Tx } from "../base/db/db.ts";
import type { RpcId } from "../mcp/peer.ts";
import { type LiveRequest, liveRequests } from "./capture/close-request.ts";

/** The way to a question that is taken back: a JSON-RPC id of a session, or the elicitation task as which it was put. */
export type RetractedAsk = { sessionDigest: Buffer; rpcId: RpcId } | { elicitationTaskId: string };

/**
 * Takes one ask back (`notifications/cancelled` or `tasks/cancel` from the server). Returns the request, for the caller to
 * judge, or null if another ask is left that an answer could go to.
 */
export async function retractAsk(tx: Tx, taskId: string, ask: RetractedAsk): Promise<LiveRequest | null> {
  // A server may use the id of the request that made an elicitation task anew.
  const isIt =
    "elicitationTaskId" in ask
      ? Prisma.sql`elicitation_task_id = ${ask.elicitationTaskId}::uuid`
      : Prisma.sql`session_digest = ${ask.sessionDigest}
          AND rpc_id = ${JSON.stringify(storable(ask.rpcId))}::jsonb AND elicitation_task_id IS NULL`;
  const rows = await tx.$queryRaw<{ input_request_id: string }[]>`
    UPDATE ask SET retracted_at = now() WHERE organization_id = ${tx.organizationId}::uuid AND task_id = ${taskId}::uuid
      AND ${isIt} AND retracted_at IS NULL AND accepted_at IS NULL RETURNING input_request_id`;
  const requestId = rows[0]?.input_request_id;
  if (!requestId) return null;
  const others = await tx.ask.count({
    where: {
      organizationId: tx.organizationId,
      inputRequestId: requestId,
      retractedAt: null,
      acceptedAt: null,
    },
  });
  if (others > 0) return null;
  const openRequests = await liveRequests(tx, taskId);
  return openRequests.find(({ id }) => id === requestId) ?? null;
}
