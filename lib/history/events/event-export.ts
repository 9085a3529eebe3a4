import type { Prisma, Tx } from "../../base/db/db.ts";
import { exportEvents } from "./event-reads.ts";

/** Lines read per transaction, and held in memory at once. */
const BATCH = 200;

/**
 * Yields the history as NDJSON, oldest first, in pieces. `within` opens a transaction for each; `hidden` is as for
 * `exportEvents`.
 */
export async function* exportedLines(
  within: <T>(work: (tx: Tx) => Promise<T>) => Promise<T>,
  { batch = BATCH, hidden }: { batch?: number; hidden?: Prisma.Sql } = {},
): AsyncGenerator<string> {
  let after = 0n;
  for (;;) {
    const events = await within((tx) => exportEvents(tx, after, batch, hidden));
    const last = events.at(-1);
    if (last) {
      after = BigInt(last.seq);
      yield events.map((event) => `${JSON.stringify(event)}\n`).join("");
    }
    if (events.length < batch) return;
  }
}
