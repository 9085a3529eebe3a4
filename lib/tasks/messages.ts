import { z } from "zod";
import { readSequence, toPage } from "../cursor.ts";
import type { Tx } from "../db.ts";
import type { Page, PageQuery } from "../page.ts";
import type { TaskMessage } from "./schema.ts";

/** A task's protocol messages, oldest first. The caller has made sure that the task may be seen. */
export async function listMessages(
  organizationId: string,
  tx: Tx,
  taskId: string,
  query: PageQuery,
): Promise<Page<TaskMessage>> {
  const rows = await tx.protocolMessage.findMany({
    where: { organizationId, taskId, id: { gt: readSequence(query.cursor) ?? 0n } },
    orderBy: { id: "asc" },
    take: query.limit + 1,
  });
  return toPage(
    rows,
    query.limit,
    (row) => row.id,
    (row) => ({
      at: row.at.toISOString(),
      direction: z.enum(["out", "in"]).parse(row.direction),
      method: row.method,
      body: row.body,
    }),
  );
}
