import { Prisma } from "../../base/db/db.ts";
import { env } from "../../base/env.ts";
import { deliverBatch, streamsDue } from "../../outbound/audit-streams/delivery.ts";
import { ANCHOR_MS } from "../../outbound/audit-streams/tunables.ts";
import { AUDIT_STREAM_SENDS, NOTIFY_EVERY_MS } from "../tunables.ts";
import type { Job, JobContext } from "./jobs.ts";
import { Senders } from "./senders.ts";

/** The senders of each engine in this process. */
const senders = new WeakMap<JobContext, Senders>();

/** Sends new history lines to audit streams, without waiting, so that a slow destination delays no others. */
export const AUDIT_STREAMS: Job = {
  name: "audit streams",
  everyMs: NOTIFY_EVERY_MS,
  isTold: true,
  due: () => Prisma.sql`SELECT id FROM gate.organizations_with_audit_streams(${ANCHOR_MS}::integer)`,
  async run(context, organizationId) {
    const own =
      senders.get(context) ??
      new Senders(context.log, { all: AUDIT_STREAM_SENDS, each: 1 }, () => context.tell?.());
    senders.set(context, own);
    const due = await context.database.withOrganization(organizationId, (tx) => streamsDue(tx));
    const { hostname } = new URL(env().url);
    for (const id of due)
      own.begin(`${organizationId} ${id}`, () => deliverBatch(context, organizationId, id, hostname));
    return false;
  },
  async settled(context) {
    await senders.get(context)?.end();
  },
};
