import { callbacksDue, deliverCallback, organizationsWithCallbacks } from "../../human-tasks/callbacks.ts";
import { NOTIFY_EVERY_MS, WEBHOOK_SENDS, WEBHOOK_SENDS_EACH } from "../tunables.ts";
import type { Job, JobContext } from "./jobs.ts";
import { Senders } from "./senders.ts";

/** The senders of each engine in this process. */
const senders = new WeakMap<JobContext, Senders>();

/** Tells the addresses of programs that their requests have ended, without waiting, as webhooks are sent. */
export const REQUEST_CALLBACKS: Job = {
  name: "request callbacks",
  everyMs: NOTIFY_EVERY_MS,
  isTold: true,
  due: organizationsWithCallbacks,
  async run(context, organizationId) {
    const own =
      senders.get(context) ??
      new Senders(context.log, { all: WEBHOOK_SENDS, each: WEBHOOK_SENDS_EACH }, () => context.tell?.());
    senders.set(context, own);
    const hosts = await context.database.withOrganization(organizationId, (tx) => callbacksDue(tx));
    for (const host of hosts)
      own.begin(`${organizationId} ${host}`, () => deliverCallback(context, organizationId, host));
    return false;
  },
  async settled(context) {
    await senders.get(context)?.end();
  },
};
