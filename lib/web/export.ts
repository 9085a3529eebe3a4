import { exportEvents } from "../events/queries.ts";
import type { Caller } from "./authenticate.ts";
import { within } from "./tenant.ts";
import { EXPORT_BATCH } from "./tunables.ts";

/** History as NDJSON, read batch by batch while it is taken: short transactions, and never more than one in memory. */
export function exportLines(caller: Caller): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let after = 0n;
  return new ReadableStream({
    async pull(controller) {
      const events = await within(caller, (organizationId, tx) =>
        exportEvents(organizationId, tx, after, EXPORT_BATCH),
      );
      const last = events.at(-1);
      if (last) {
        after = BigInt(last.seq);
        controller.enqueue(encoder.encode(events.map((event) => `${JSON.stringify(event)}\n`).join("")));
      }
      if (events.length < EXPORT_BATCH) controller.close();
    },
  });
}
