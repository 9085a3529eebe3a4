/** Words for approvals for a while. Pure, client-safe. */
import { currencyOfAmount } from "../../text/amount.ts";
import { named } from "../../text/foreign/quoted.ts";
import { plural } from "../../text/labels.ts";
import type { StandingApproval, StandingState, Unusable } from "./standing-approval-schema.ts";

const LABELS: Record<StandingState, string> = {
  pending: "Can still be undone",
  active: "Active",
  unusable: "Unusable",
  used_up: "Used up",
  expired: "Expired",
  ended: "Ended with its approver",
  revoked: "Revoked",
};

const REASONS: Record<Unusable, string> = {
  agent_revoked: "agent revoked",
  agent_ended: "agent ended",
  not_granted: "agent has no grant for the tool",
  second_person: "a second person is required",
  tool_changed: "tool changed",
  call_not_made: "the approved call was not made",
};

/** `Active`, `Unusable: agent revoked` */
export function standingLabel({ state, unusable }: Pick<StandingApproval, "state" | "unusable">): string {
  return unusable === null ? LABELS[state] : `${LABELS[state]}: ${REASONS[unusable]}`;
}

/** Which calls pass: `the same arguments but for amount and note, up to 500`. */
export function likeWords({
  except,
  mostAmount,
  arguments: approved,
}: Pick<StandingApproval, "except" | "mostAmount" | "arguments">): string {
  const same = except.length === 0 ? "The same arguments" : `The same arguments but for ${inList(except)}`;
  const currency = currencyOfAmount(approved, "");
  return mostAmount === null ? same : `${same}, up to ${mostAmount}${currency ? ` ${currency}` : ""}`;
}

/** `Used once`, `Used 2 of 5 times` */
export function usesWords({ uses, mostUses }: Pick<StandingApproval, "uses" | "mostUses">): string {
  if (mostUses !== null) return `Used ${uses} of ${plural(mostUses, "time")}`;
  return uses === 0 ? "Not used yet" : uses === 1 ? "Used once" : `Used ${uses} times`;
}

function inList(names: string[]): string {
  const shown = names.map(named);
  return shown.length < 2 ? shown.join() : `${shown.slice(0, -1).join(", ")} and ${shown.at(-1)}`;
}

export interface StandingTime {
  words: string;
  ms: number;
  /** When it ends, as an ISO 8601 text. */
  at: string;
}

const MINUTE_MS = 60_000;

/** How long an approval for a while may last, if it is given now: 15 minutes, an hour, and until midnight, where the person is. */
export function timesFrom(now: number): StandingTime[] {
  const day = new Date(now);
  const midnight = new Date(day.getFullYear(), day.getMonth(), day.getDate() + 1).getTime();
  const until = (words: string, end: number) => ({ words, ms: end - now, at: new Date(end).toISOString() });
  const tonight = until("Until tonight", midnight);
  // What is nearly over is left out.
  const isLong = tonight.ms > 60 * MINUTE_MS && tonight.ms <= 24 * 60 * MINUTE_MS;
  return [
    until("15 minutes", now + 15 * MINUTE_MS),
    until("1 hour", now + 60 * MINUTE_MS),
    ...(isLong ? [tonight] : []),
  ];
}

/** The time of these words; the shortest, where it is not on offer any more. */
export function timeIn(times: StandingTime[], words: string): StandingTime {
  return times.find((time) => time.words === words) ?? times[0]!;
}
