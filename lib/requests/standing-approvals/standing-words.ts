/** Words for approvals for a while. Pure, client-safe. */
import { currencyOfAmount } from "../../text/amount.ts";
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
  return names.length < 2 ? names.join() : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}
