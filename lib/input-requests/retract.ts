import { storable, type Tx } from "../base/db/db.ts";
import type { RpcId } from "../mcp/peer.ts";
import { type LiveRequest, liveRequests } from "./capture/settle.ts";

/**
 * Takes one ask back (`notifications/cancelled` from the server). Returns the request, for the caller to
 * judge, or null if another ask is left that an answer could go to.
 */
export async function retractAsk(
  organizationId: string,
  tx: Tx,
  taskId: string,
  sessionDigest: Buffer,
  rpcId: RpcId,
): Promise<LiveRequest | null> {
  const rows = await tx.$queryRaw<{ input_request_id: string }[]>`
    UPDATE ask SET retracted_at = now() WHERE organization_id = ${organizationId}::uuid AND task_id = ${taskId}::uuid
      AND session_digest = ${sessionDigest} AND rpc_id = ${JSON.stringify(storable(rpcId))}::jsonb
      AND retracted_at IS NULL AND accepted_at IS NULL RETURNING input_request_id`;
  const requestId = rows[0]?.input_request_id;
  if (!requestId) return null;
  const others = await tx.ask.count({
    where: { organizationId, inputRequestId: requestId, retractedAt: null, acceptedAt: null },
  });
  if (others > 0) return null;
  const openRequests = await liveRequests(organizationId, tx, taskId);
  return openRequests.find(({ id }) => id === requestId) ?? null;
}
