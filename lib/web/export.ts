import { exportedLines } from "../events/export.ts";
import type { Caller } from "./authenticate.ts";
import { within } from "./tenant.ts";

/** History as NDJSON, read while it is taken. */
export function exportLines(caller: Caller): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const lines = exportedLines(caller.principal.organizationId, (work) => within(caller, (_, tx) => work(tx)));
  return new ReadableStream({
    async pull(controller) {
      const { value, done } = await lines.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    async cancel() {
      await lines.return(undefined);
    },
  });
}
