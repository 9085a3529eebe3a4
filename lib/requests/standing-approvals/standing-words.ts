/** Words for approvals for a while. Pure, client-safe. */
import { currencyOfAmount, isInCents } from "../../text/amount.ts";
import type { Formats } from "../../text/formats/formats.ts";
import { plural } from "../../text/labels.ts";
import { differsAs } from "./bounds.ts";
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

/** What an argument that may differ may be, up to the amount that a person typed; empty: any. An argument in cents has its bound in cents. */
export function differenceWords(
  name: string,
  args: Record<string, unknown>,
  most: string,
  { number }: Pick<Formats, "number">,
): string {
  if (most === "") return "anything";
  const kind = differsAs(name, args[name]);
  if (kind === null) return "can’t differ with a largest amount";
  if (kind === "text") return "another text, without an amount";
  const bound = `up to ${number(Number(most) * (isInCents(name) ? 100 : 1))}`;
  return isInCents(name)
    ? `${bound} (${number(Number(most))} ${currencyOfAmount(args, "") ?? "in whole units"})`
    : bound;
}

/** `Used once`, `Used 2 of 5 times` */
export function usesWords({ uses, mostUses }: Pick<StandingApproval, "uses" | "mostUses">): string {
  if (mostUses !== null) return `Used ${uses} of ${plural(mostUses, "time")}`;
  return uses === 0 ? "Not used yet" : uses === 1 ? "Used once" : `Used ${uses} times`;
}

function inList(names: string[]): string {
  return names.length < 2 ? names.join() : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}
