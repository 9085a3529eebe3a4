/** Scoped reads of found tasks. Sealed columns are never selected. */
import { readPosition, toPage } from "../../base/cursor.ts";
import type { Prisma, Tx } from "../../base/db/db.ts";
import type { Page, PageQuery } from "../../base/page.ts";
import type { Candidate, FoundTask } from "../../tasks/found-task-schema.ts";
import { sharedConnection } from "./guards.ts";

/** The finds on a server's shared connection, newest first. Throws `not_found`. */
export async function listFoundTasks(tx: Tx, serverId: string, query: PageQuery): Promise<Page<FoundTask>> {
  const connectionId = await sharedConnection(tx, serverId);
  const after = readPosition(query.cursor);
  const rows = await tx.foundTask.findMany({
    where: {
      organizationId: tx.organizationId,
      connectionId,
      ...(after && {
        OR: [{ foundAt: { lt: after.createdAt } }, { foundAt: after.createdAt, id: { lt: after.id } }],
      }),
    },
    select: SELECT,
    orderBy: [{ foundAt: "desc" }, { id: "desc" }],
    take: query.limit + 1,
  });
  return toPage(
    rows,
    query.limit,
    (row) => ({ createdAt: row.foundAt, id: row.id }),
    (row) => ({ ...toCandidate(row), taskId: row.taskId }),
  );
}

const SELECT = {
  id: true,
  taskId: true,
  status: true,
  statusMessage: true,
  serverCreatedAt: true,
  foundAt: true,
} satisfies Prisma.FoundTaskSelect;

function toCandidate(row: Prisma.FoundTaskGetPayload<{ select: typeof SELECT }>): Candidate {
  return {
    id: row.id,
    status: row.status,
    statusMessage: row.statusMessage,
    serverCreatedAt: row.serverCreatedAt?.toISOString() ?? null,
    foundAt: row.foundAt.toISOString(),
  };
}
