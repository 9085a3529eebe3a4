import { type ExportedRows, exportRows, PARTS } from "../organizations/export.ts";
import { markExported } from "../organizations/transitions.ts";
import type { Caller } from "./authenticate.ts";
import { within } from "./tenant.ts";
import { EXPORT_BATCH } from "./tunables.ts";

/**
 * A whole organization as NDJSON, read batch by batch while it is taken. The last line is `{kind: "end", lines}`:
 * without it the export is not whole, and does not count.
 */
export function exportOrganization(caller: Caller): ReadableStream<Uint8Array> {
  const all = batches(caller);
  return new ReadableStream({
    async pull(controller) {
      const { value, done } = await all.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: async () => void (await all.return(undefined)),
  });
}

async function* batches(caller: Caller): AsyncGenerator<Uint8Array, undefined> {
  let count = 0;
  for (const part of PARTS) {
    let after: string | null = null;
    do {
      const start = after;
      const { lines, last }: ExportedRows = await within(caller, (organizationId, tx) =>
        exportRows(organizationId, tx, part, start, EXPORT_BATCH),
      );
      if (lines.length > 0) yield encode(lines);
      count += lines.length;
      after = lines.length < EXPORT_BATCH ? null : last;
    } while (after !== null);
  }
  await within(caller, (organizationId, tx, principal) => markExported(organizationId, tx, principal, count));
  yield encode([JSON.stringify({ kind: "end", lines: count })]);
}

function encode(lines: string[]): Uint8Array {
  return new TextEncoder().encode(lines.map((line) => `${line}\n`).join(""));
}
