/** Deletes what organizations no longer keep, and what is of no more use to anybody. */
import { setTimeout as sleep } from "node:timers/promises";
import { type Database, Prisma, type Tx } from "../../base/db/db.ts";
import { deleteMessages, deleteTasks, dropPayloads } from "../../history/retention/retention-writes.ts";
import { forgetHandled } from "../../mcp/stream-messages/stream-message-writes.ts";
import { forgetNobodys } from "../../requests/elicitation-tasks/elicitation-task-writes.ts";
import { RETENTION_EVERY_MS, RETENTION_PAUSE_MS } from "../tunables.ts";
import type { Job } from "./jobs.ts";

/** Maximum number of batches of each kind per organization's turn, so that one backlog delays no others. */
const BATCHES_A_TURN = 20;

type Batch = (tx: Tx) => Promise<number>;

export const RETENTION: Job = {
  name: "retention",
  everyMs: RETENTION_EVERY_MS,
  isTold: false,
  due: () => Prisma.sql`SELECT id FROM gate.organizations_with_old_data()`,
  async run({ database }, organizationId) {
    for (const batch of [deleteMessages, dropPayloads, deleteTasks, forgetHandled, forgetNobodys])
      await inTurn(database, organizationId, batch);
    return false;
  },
};

async function inTurn(database: Database, organizationId: string, batch: Batch): Promise<void> {
  for (let turn = 0; turn < BATCHES_A_TURN; turn++) {
    const gone = await database.withOrganization(organizationId, (tx) => batch(tx));
    if (gone === 0) return;
    await sleep(RETENTION_PAUSE_MS);
  }
}
