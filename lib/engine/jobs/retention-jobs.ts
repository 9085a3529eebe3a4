/** Deletes what organizations no longer keep, and what is of no more use to anybody. */
import { setTimeout as sleep } from "node:timers/promises";
import { type Database, Prisma, type Tx } from "../../base/db/db.ts";
import { deleteMessages, deleteTasks, dropPayloads } from "../../history/retention/retention-writes.ts";
import { forgetHandled } from "../../mcp/stream-messages/stream-message-writes.ts";
import { forgetOldMessages } from "../../outbound/channel/delivery.ts";
import { PLATFORMS } from "../../outbound/channel/platforms.ts";
import { forgetOldPresses } from "../../outbound/channel/press-writes.ts";
import { forgetOldMail } from "../../outbound/mail/mail-writes.ts";
import { forgetOldNotices } from "../../outbound/notices/notice-writes.ts";
import { forgetOldDevices } from "../../outbound/push/device-writes.ts";
import { forgetOldDeliveries, forgetOldSecrets } from "../../outbound/webhooks/delivery.ts";
import { forgetNobodys } from "../../requests/elicitation-tasks/elicitation-task-writes.ts";
import { dropOldCalls } from "../../servers/call-statistics/call-statistics-writes.ts";
import {
  CALLS_FIVE_MINUTES_MS,
  CALLS_HOURS_MS,
  CALLS_SWEEP_MS,
  FORGET_BATCH,
  FORGET_EVERY_MS,
  KEEP_DELIVERIES_MS,
  KEEP_DEVICES_MS,
  KEEP_NOTICES_MS,
  RETENTION_EVERY_MS,
  RETENTION_PAUSE_MS,
} from "../tunables.ts";
import { ALL_ORGANIZATIONS, type Job } from "./job-runner.ts";

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

/** Deletes old notices, mail, devices, closed messages at Slack and Teams, webhook secrets and deliveries. */
export const DELETE_OLD_NOTIFICATIONS: Job = {
  name: "forget what was told",
  everyMs: FORGET_EVERY_MS,
  isTold: false,
  due: () => Prisma.sql`SELECT id FROM gate.organizations_without_hold()`,
  run: ({ database }, organizationId) =>
    database.withOrganization(organizationId, async (tx) => {
      const more = await forgetOldNotices(tx, KEEP_NOTICES_MS, FORGET_BATCH);
      await forgetOldMail(tx, KEEP_NOTICES_MS);
      await forgetOldSecrets(tx);
      await forgetOldDevices(tx, KEEP_DEVICES_MS);
      for (const platform of PLATFORMS) {
        await forgetOldMessages(platform, tx, KEEP_NOTICES_MS);
        await forgetOldPresses(platform, tx, KEEP_DELIVERIES_MS);
      }
      return (await forgetOldDeliveries(tx, KEEP_DELIVERIES_MS, FORGET_BATCH)) || more;
    }),
};

/** Deletes old notices about accounts, in one turn for all people. */
export const DELETE_OLD_ACCOUNT_NOTICES: Job = {
  name: "forget what accounts were told",
  everyMs: FORGET_EVERY_MS,
  isTold: false,
  due: () => Prisma.sql`SELECT 'everybody'::text AS id`,
  async run({ database }) {
    const [row] = await database.gate<{ gone: number }>(
      Prisma.sql`SELECT gate.sweep_account_notices() AS gone`,
    );
    return row?.gone === 1_000;
  },
};

/** Call statistics that are deleted per transaction. */
const CALLS_BATCH = 1_000;

/** Deletes call statistics older than any screen shows. Concurrent engines delete different rows. */
export const SWEEP_CALLS: Job = {
  name: "calls",
  everyMs: CALLS_SWEEP_MS,
  isTold: false,
  due: () => ALL_ORGANIZATIONS,
  async run({ database }, organizationId) {
    const kept = { fiveMinutesMs: CALLS_FIVE_MINUTES_MS, hoursMs: CALLS_HOURS_MS };
    const dropped = await database.withOrganization(organizationId, (tx) =>
      dropOldCalls(tx, kept, CALLS_BATCH),
    );
    return dropped === CALLS_BATCH;
  },
};
