import { PARTS } from "../../people/organizations/exported-columns.ts";
import { type ExportedRows, exportRows } from "../../people/organizations/organization-export.ts";
import {
  markExportBegun,
  markExportBroken,
  markExported,
} from "../../people/organizations/organization-writes.ts";
import type { Caller } from "../auth/authenticate.ts";
import { within } from "../tenant.ts";
import { EXPORT_BATCH } from "../tunables.ts";
import { withinStill } from "./pieces.ts";

/**
 * Streams a whole organization as NDJSON, read batch by batch as the client takes it. The last line is
 * `{kind: "end", lines}`; an export without it is incomplete, and does not count. That it began is in the history
 * before the first byte leaves.
 */
export async function exportOrganization(
  caller: Caller,
  request: Request,
): Promise<ReadableStream<Uint8Array>> {
  await within(caller, markExportBegun);
  const all = batches(caller, request);
  return new ReadableStream({
    async pull(controller) {
      const { value, done } = await all.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: async () => void (await all.return(undefined)),
  });
}

async function* batches(caller: Caller, request: Request): AsyncGenerator<Uint8Array, undefined> {
  let count = 0;
  let isWhole = false;
  try {
    for (const part of PARTS) {
      let after: string | null = null;
      let limit = nextLimit(1, 1);
      do {
        const rows: ExportedRows = await withinStill(caller, request, (tx) =>
          exportRows(tx, part, after, limit),
        );
        if (rows.lines.length > 0) yield encode(rows.lines);
        count += rows.lines.length;
        limit = nextLimit(limit, rows.lines.length);
        after = rows.last;
      } while (after !== null);
    }
    await within(caller, (tx, principal) => markExported(tx, principal, count));
    isWhole = true;
    yield encode([JSON.stringify({ kind: "end", lines: count })]);
  } finally {
    if (!isWhole) await within(caller, (tx, principal) => markExportBroken(tx, principal, count));
  }
}

/**
 * Returns how many rows the next batch looks at: the size of each is found by reading it, and large ones, of which few make a batch,
 * would take longer than a statement may.
 */
export function nextLimit(limit: number, read: number): number {
  return Math.min(EXPORT_BATCH, read < limit ? Math.max(1, 2 * read) : 10 * limit);
}

function encode(lines: string[]): Uint8Array {
  return new TextEncoder().encode(lines.map((line) => `${line}\n`).join(""));
}
