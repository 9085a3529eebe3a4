/** Jobs that send to other machines without waiting for them, so that a slow receiver delays no others. */
import type { Logger } from "pino";
import { isDatabaseDown } from "../../base/db/database-errors.ts";
import { Prisma, type Tx } from "../../base/db/db.ts";
import { env } from "../../base/env.ts";
import { organizationsBehind, takeEvents } from "../../history/events/follow.ts";
import {
  callbacksDue,
  deliverCallback,
  organizationsWithCallbacks,
} from "../../lifecycle/human-tasks/callbacks.ts";
import { recordAgentEvents } from "../../outbound/agent-events/subscription-writes.ts";
import { deliverBatch, streamsDue } from "../../outbound/audit-streams/delivery.ts";
import { ANCHOR_MS } from "../../outbound/audit-streams/tunables.ts";
import { LOST_MS } from "../../outbound/channel/press-writes.ts";
import { devicesDue, pushNext } from "../../outbound/push/delivery.ts";
import { sendToSlack, slackDue } from "../../outbound/slack/delivery.ts";
import { tellLost } from "../../outbound/slack/press-writes.ts";
import { teamsCloud } from "../../outbound/teams/cloud.ts";
import { sendToTeams, teamsDue } from "../../outbound/teams/delivery.ts";
import { tellLostInTeams } from "../../outbound/teams/press-writes.ts";
import { deliverNext, webhooksDue } from "../../outbound/webhooks/delivery.ts";
import { recordDeliveries } from "../../outbound/webhooks/outbox.ts";
import {
  AUDIT_STREAM_SENDS,
  EVENTS_A_TURN,
  LOST_PRESSES_MS,
  NOTIFY_EVERY_MS,
  PUSH_SENDS,
  SENDS_OF_ONE,
  SLACK_SENDS,
  TEAMS_SENDS,
  WEBHOOK_SENDS,
  WEBHOOK_SENDS_EACH,
} from "../tunables.ts";
import type { Job, JobContext } from "./job-runner.ts";

/** Queues webhook deliveries for new history lines. */
export const WEBHOOK_OUTBOX: Job = {
  name: "webhook outbox",
  everyMs: NOTIFY_EVERY_MS,
  isTold: true,
  due: () => organizationsBehind("webhooks"),
  run: ({ database }, organizationId) =>
    database.withOrganization(organizationId, async (tx) => {
      const from = { follower: "webhooks", begins: "now" } as const;
      const events = await takeEvents(tx, from, EVENTS_A_TURN);
      await recordDeliveries(tx, events);
      return events.length === EVENTS_A_TURN;
    }),
};

/** Queues deliveries to agents' subscriptions, each from its own place in the history. */
export const EVENT_SUBSCRIPTIONS: Job = {
  name: "event subscriptions",
  everyMs: NOTIFY_EVERY_MS,
  isTold: true,
  due: () => Prisma.sql`SELECT id FROM gate.organizations_with_event_subscriptions()`,
  run: ({ database }, organizationId) => database.withOrganization(organizationId, recordAgentEvents),
};

/** Sends due webhook deliveries. */
export const WEBHOOK_DELIVERIES = sendingJob({
  name: "webhook deliveries",
  due: () => Prisma.sql`SELECT id FROM gate.organizations_with_webhooks()`,
  limits: { all: WEBHOOK_SENDS, each: WEBHOOK_SENDS_EACH },
  receivers: webhooksDue,
  send: deliverNext,
});

/** Sends members' devices what they have to show. */
export const PUSH = sendingJob({
  name: "push",
  due: () => Prisma.sql`SELECT id FROM gate.organizations_with_pushes()`,
  limits: { all: PUSH_SENDS, each: 1 },
  receivers: devicesDue,
  send: (context, organizationId, id) => pushNext(context, organizationId, id, env().url),
});

/** Posts and edits members' messages at Slack. */
export const SLACK = sendingJob({
  name: "slack",
  due: () => Prisma.sql`SELECT id FROM gate.organizations_with_slack_messages()`,
  limits: { all: SLACK_SENDS, each: 1 },
  receivers: slackDue,
  send: (context, organizationId, id) =>
    sendToSlack(context, organizationId, id, { appUrl: env().url, slackUrl: env().slackUrl }),
});

/** Posts and edits members' messages at Teams. */
export const TEAMS = sendingJob({
  name: "teams",
  due: () => Prisma.sql`SELECT id FROM gate.organizations_with_teams_messages()`,
  limits: { all: TEAMS_SENDS, each: 1 },
  receivers: teamsDue,
  send: (context, organizationId, id) =>
    sendToTeams(context, organizationId, id, { appUrl: env().url, cloud: teamsCloud(env().teamsCloud) }),
});

/** Tells people whose press in Slack or Teams was lost with the process that had it. */
export const LOST_PRESSES: Job = {
  name: "lost presses",
  everyMs: LOST_PRESSES_MS,
  isTold: false,
  due: () => Prisma.sql`SELECT id FROM gate.organizations_with_lost_presses(${LOST_MS}::integer)`,
  run: async (context, organizationId) => {
    const { slackUrl, teamsCloud: cloud } = env();
    const inSlack = await tellLost({ ...context, slackUrl }, organizationId);
    return (await tellLostInTeams({ ...context, cloud: teamsCloud(cloud) }, organizationId)) || inSlack;
  },
};

/** Tells the addresses of programs that their requests have ended. */
export const REQUEST_CALLBACKS = sendingJob({
  name: "request callbacks",
  due: organizationsWithCallbacks,
  limits: { all: WEBHOOK_SENDS, each: WEBHOOK_SENDS_EACH },
  receivers: callbacksDue,
  send: deliverCallback,
});

/** Sends new history lines to audit streams. */
export const AUDIT_STREAMS = sendingJob({
  name: "audit streams",
  due: () => Prisma.sql`SELECT id FROM gate.organizations_with_audit_streams(${ANCHOR_MS}::integer)`,
  limits: { all: AUDIT_STREAM_SENDS, each: 1 },
  receivers: streamsDue,
  send: (context, organizationId, id) =>
    deliverBatch(context, organizationId, id, new URL(env().url).hostname),
});

interface Sending extends Pick<Job, "name" | "due"> {
  limits: SenderLimits;
  /** Returns the receivers to whom something is due. */
  receivers(tx: Tx): Promise<string[]>;
  /** Sends the receiver one thing. Returns false if nothing was due. */
  send(context: JobContext, organizationId: string, receiver: string): Promise<boolean>;
}

function sendingJob({ limits, receivers, send, ...job }: Sending): Job {
  /** The senders of each engine in this process. */
  const senders = new WeakMap<JobContext, Senders>();
  return {
    ...job,
    everyMs: NOTIFY_EVERY_MS,
    isTold: true,
    async run(context, organizationId) {
      const own = senders.get(context) ?? new Senders(context.log, limits, () => context.tell?.());
      senders.set(context, own);
      const due = await context.database.withOrganization(organizationId, (tx) => receivers(tx));
      for (const receiver of due)
        own.begin(organizationId, receiver, () => send(context, organizationId, receiver));
      return false;
    },
    async settled(context) {
      await senders.get(context)?.end();
    },
  };
}

interface SenderLimits {
  /** Concurrent senders of one engine. */
  all: number;
  /** Concurrent senders to one receiver. */
  each: number;
}

/** Sends a receiver one thing. Returns false if nothing was due. */
type Next = () => Promise<boolean>;

/**
 * Limits concurrent deliveries in total, of an organization and to a receiver, so that slow receivers delay no others. Organizations
 * that find no place free take turns at those that become free.
 */
export class Senders {
  #log: Logger;
  #limits: SenderLimits;
  #onEnd: () => void;
  #running = new Map<string, Set<Promise<void>>>();
  /** By organization */
  #counts = new Map<string, number>();
  #count = 0;
  /** Receivers without a place by organization, in the order of turns. */
  #waiting = new Map<string, Map<string, Next>>();
  #isStopping = false;

  /** `onEnd` is called whenever a sender has nothing more to send, or has failed. */
  constructor(log: Logger, limits: SenderLimits, onEnd: () => void) {
    this.#log = log;
    this.#onEnd = onEnd;
    this.#limits = limits;
  }

  /** Starts as many senders for an organization's receiver as the limits allow. */
  begin(organizationId: string, receiver: string, next: Next): void {
    while (!this.#isStopping && this.#hasShare(organizationId) && !this.#isBusy(organizationId, receiver)) {
      if (this.#count >= this.#limits.all) {
        const waiting = this.#waiting.get(organizationId) ?? new Map<string, Next>();
        this.#waiting.set(organizationId, waiting.set(receiver, next));
        return;
      }
      this.#start(organizationId, receiver, next);
    }
  }

  /** Waits for deliveries under way. The rest is left to other engines, or to the next start. */
  async end(): Promise<void> {
    this.#isStopping = true;
    await Promise.all([...this.#running.values()].flatMap((running) => [...running]));
  }

  /** Whether the organization may have another sender. */
  #hasShare(organizationId: string): boolean {
    const most = Math.max(1, Math.floor(this.#limits.all * SENDS_OF_ONE));
    return (this.#counts.get(organizationId) ?? 0) < most;
  }

  #isBusy(organizationId: string, receiver: string): boolean {
    return (this.#running.get(`${organizationId} ${receiver}`)?.size ?? 0) >= this.#limits.each;
  }

  #start(organizationId: string, receiver: string, next: Next): void {
    const key = `${organizationId} ${receiver}`;
    const running = this.#running.get(key) ?? new Set();
    this.#count++;
    this.#counts.set(organizationId, (this.#counts.get(organizationId) ?? 0) + 1);
    const sender = this.#send(next).finally(() => {
      this.#count--;
      const left = (this.#counts.get(organizationId) ?? 1) - 1;
      if (left > 0) this.#counts.set(organizationId, left);
      else this.#counts.delete(organizationId);
      running.delete(sender);
      if (running.size === 0) this.#running.delete(key);
      this.#giveOn();
      this.#onEnd();
    });
    running.add(sender);
    this.#running.set(key, running);
  }

  /** Gives free places to those that wait. */
  #giveOn(): void {
    for (const [organizationId, receivers] of this.#waiting) {
      if (this.#isStopping || this.#count >= this.#limits.all) return;
      if (!this.#hasShare(organizationId)) continue;
      const [first] = receivers;
      // An organization with more that wait goes to the back.
      this.#waiting.delete(organizationId);
      if (!first) continue;
      const [receiver, next] = first;
      receivers.delete(receiver);
      if (receivers.size > 0) this.#waiting.set(organizationId, receivers);
      if (!this.#isBusy(organizationId, receiver)) this.#start(organizationId, receiver, next);
    }
  }

  /** Logs every error and never rejects. */
  async #send(next: Next): Promise<void> {
    const isWaitedFor = () =>
      [...this.#waiting.keys()].some((organizationId) => this.#hasShare(organizationId));
    try {
      // A place that others wait for is given up after each delivery.
      while (!this.#isStopping && (await next()) && !isWaitedFor());
    } catch (error) {
      this.#log[isDatabaseDown(error) ? "warn" : "error"]({ err: error }, "a delivery was not made");
    }
  }
}
