/** Converts history events to counts: pure. statistics-writes.ts reads and writes. */
import type { FollowedEvent } from "../../history/events/follow.ts";
import { classOf } from "./durations.ts";
import {
  type DeliveryResult,
  type EndState,
  failureKindOf,
  type Measure,
  RUNGS,
  type Rung,
} from "./measures.ts";

/** Facts about an event that the event itself lacks. */
export interface Context {
  serverId: string;
  /** The demonstration started the task, and may have answered it. */
  isDemo: boolean;
  /** When the event's question was opened; null if the event concerns none. */
  openedAt: Date | null;
  /** The last delivery method of the question's answer. */
  rung: string | null;
  /** The decision that is undone, what its line says, and the opening of its question. */
  undone: { at: Date; openedAt: Date; data: unknown } | null;
}

export interface Count {
  at: Date;
  measure: Measure;
  amount: number;
}

const ENDS: Partial<Record<string, EndState>> = {
  "task.completed": "completed",
  "task.failed": "failed",
  "task.cancelled": "cancelled",
  "task.lost": "lost",
  "task.expired": "expired",
};
const DELIVERIES: Partial<Record<string, DeliveryResult>> = {
  "delivery.accepted": "accepted",
  "delivery.confirmed": "confirmed",
  "delivery.unsent": "unsent",
  "delivery.flagged": "flagged",
  "request.undeliverable": "undeliverable",
};

/** Returns true if events of this type are counted. */
export function counts(type: string): boolean {
  return STARTS.has(type) || DECISIONS.has(type) || type in ENDS || type in DELIVERIES;
}

const STARTS = new Set(["task.queued"]);
const DECISIONS = new Set(["answer.recorded", "answer.undone"]);

/** What a rule answers by itself is no decision of people, whose time is counted. */
export function countsOf(
  event: Pick<FollowedEvent, "at" | "type" | "data"> & { actor?: Pick<FollowedEvent["actor"], "kind"> },
  context: Context,
): Count[] {
  const { at, type } = event;
  if (STARTS.has(type)) return [{ at, measure: "started", amount: 1 }];
  const end = ENDS[type];
  if (end) {
    const kind = failureKindOf(end, event.data);
    const failures: Count[] = kind ? [{ at, measure: `cause:${kind}`, amount: 1 }] : [];
    return [{ at, measure: `ended:${end}`, amount: 1 }, ...failures];
  }
  const delivery = DELIVERIES[type];
  if (delivery) return [{ at, measure: `delivery:${rungOf(context.rung)}:${delivery}`, amount: 1 }];
  if (type === "answer.recorded" && context.openedAt && event.actor?.kind !== "rule")
    return isPrepared(context, at, context.openedAt) ? [] : [decided(at, context.openedAt, 1)];
  if (type === "answer.undone" && context.undone) {
    const { at: decidedAt, openedAt } = context.undone;
    return isPrepared(context, decidedAt, openedAt) ? [] : [decided(decidedAt, openedAt, -1)];
  }
  return [];
}

/** The demonstration gives its prepared answers within a second. None of its visitors is as quick. */
const PREPARED_MS = 5_000;

function isPrepared({ isDemo }: Context, at: Date, openedAt: Date): boolean {
  return isDemo && at.getTime() - openedAt.getTime() < PREPARED_MS;
}

/** The decision that an event makes or, with the amount -1, undoes; null: neither. */
export function decisionOf(
  { at, type, data }: Pick<FollowedEvent, "at" | "type" | "data">,
  context: Pick<Context, "openedAt" | "undone"> | undefined,
): { at: Date; data: unknown; openedAt: Date | null; amount: 1 | -1 } | null {
  if (!context) return null;
  if (type === "answer.recorded") return { at, data, openedAt: context.openedAt, amount: 1 };
  return type === "answer.undone" && context.undone ? { ...context.undone, amount: -1 } : null;
}

function decided(at: Date, openedAt: Date, amount: number): Count {
  return { at, measure: `decided:${classOf(at.getTime() - openedAt.getTime())}`, amount };
}

function rungOf(rung: string | null): Rung {
  return RUNGS.find((known) => known === rung) ?? "none";
}
