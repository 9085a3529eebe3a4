/** Scoped reads of history. */
import { z } from "zod";
import { readSequence, toPage } from "../cursor.ts";
import type { Tx } from "../db.ts";
import { actorSchema } from "../members/schema.ts";
import type { Page, PageQuery } from "../page.ts";
import type { TaskEvent } from "../tasks/schema.ts";
import type { ExportedEvent, OrganizationEvent, Verification } from "./schema.ts";

/** A task's history, oldest first. The caller has made sure that the task may be seen. */
export async function listTaskEvents(
  organizationId: string,
  tx: Tx,
  taskId: string,
  query: PageQuery,
): Promise<Page<TaskEvent>> {
  const rows = await tx.event.findMany({
    where: { organizationId, taskId, seq: { gt: readSequence(query.cursor) ?? 0n } },
    select: { seq: true, at: true, type: true, actor: true, data: true },
    orderBy: { seq: "asc" },
    take: query.limit + 1,
  });
  return toPage(rows, query.limit, (row) => row.seq, toEvent);
}

/** The organization's history, newest first. */
export async function listEvents(
  organizationId: string,
  tx: Tx,
  query: PageQuery,
): Promise<Page<OrganizationEvent>> {
  const before = readSequence(query.cursor);
  const rows = await tx.event.findMany({
    where: { organizationId, ...(before !== null && { seq: { lt: before } }) },
    select: { seq: true, at: true, type: true, actor: true, taskId: true, inputRequestId: true, data: true },
    orderBy: { seq: "desc" },
    take: query.limit + 1,
  });
  return toPage(
    rows,
    query.limit,
    (row) => row.seq,
    (row) => ({ ...toEvent(row), taskId: row.taskId, inputRequestId: row.inputRequestId }),
  );
}

/** The next lines after `after`, oldest first. */
export async function exportEvents(
  organizationId: string,
  tx: Tx,
  after: bigint,
  limit: number,
): Promise<ExportedEvent[]> {
  const rows = await tx.event.findMany({
    where: { organizationId, seq: { gt: after } },
    orderBy: { seq: "asc" },
    take: limit,
  });
  return rows.map((row) => ({
    ...toEvent(row),
    taskId: row.taskId,
    inputRequestId: row.inputRequestId,
    digest: Buffer.from(row.digest).toString("hex"),
    hash: Buffer.from(row.hash).toString("hex"),
  }));
}

/** Reads the whole chain. Also broken: lines that were cut off its end, which the head still counts. */
export async function verifyEvents(organizationId: string, tx: Tx): Promise<Verification> {
  const [found] = await tx.$queryRaw<
    {
      brokenAt: bigint | null;
      lines: bigint;
      headSeq: bigint;
      head: Uint8Array | null;
      lastHash: Uint8Array | null;
    }[]
  >`SELECT first_broken_event() AS "brokenAt",
      (SELECT count(*) FROM event WHERE organization_id = ${organizationId}::uuid) AS lines,
      coalesce((SELECT seq FROM event_head WHERE organization_id = ${organizationId}::uuid), 0) AS "headSeq",
      (SELECT hash FROM event_head WHERE organization_id = ${organizationId}::uuid) AS head,
      (SELECT hash FROM event WHERE organization_id = ${organizationId}::uuid ORDER BY seq DESC LIMIT 1) AS "lastHash"`;
  if (!found) throw new Error("the chain could not be read");
  const hex = (bytes: Uint8Array | null) => (bytes?.length ? Buffer.from(bytes).toString("hex") : null);
  const cut = found.headSeq !== found.lines || hex(found.head) !== hex(found.lastHash);
  const brokenAt = found.brokenAt ?? (cut ? found.lines + 1n : null);
  return {
    ok: brokenAt === null,
    lines: Number(found.lines),
    head: hex(found.head),
    brokenAt: brokenAt === null ? null : Number(brokenAt),
  };
}

function toEvent(row: { seq: bigint; at: Date; type: string; actor: unknown; data: unknown }): TaskEvent {
  return {
    seq: Number(row.seq),
    at: row.at.toISOString(),
    type: row.type,
    actor: actorSchema.parse(row.actor),
    data: z.record(z.string(), z.unknown()).parse(row.data ?? {}),
  };
}
