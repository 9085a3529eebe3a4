import { z } from "zod";
import type { RpcId } from "../../mcp/peer.ts";

/** A `tasks/result` that waits for the answer, and the session that its response goes to (a digest in hex). */
export interface WaitingResult {
  session: string;
  rpcId: RpcId;
}

/** `elicitation_task.waiting`. */
export const waitingSchema = z.array(
  z.object({ session: z.string(), rpcId: z.union([z.string(), z.number()]) }),
);
