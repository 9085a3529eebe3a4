/** The rows of the inbox's list: their titles, and the groups they are put in. */

import { visibleText } from "../../text/foreign/hidden.ts";
import { fitsInRow } from "../../text/foreign/names.ts";
import type { Formats } from "../../text/formats/formats.ts";
import type { InputRequestSummary } from "../request-schema.ts";
import type { InboxGrouping } from "./inbox-filters.ts";

/** No row is as wide. */
const TITLE_CHARACTERS = 300;

type Titled = Pick<InputRequestSummary, "label" | "party" | "amount" | "message" | "origin" | "gate">;

/**
 * Returns `INV-100 · ACME Corp · $1,000.00`. A call with fewer than two of these facts gives the first line of
 * its message, after its label unless the message has the label. So does what a person or a program asks in its own words.
 */
export function requestTitle(request: Titled, formats: Formats): string {
  const { name, amount } = titleParts(request, formats);
  return amount === null ? name : `${name} · ${amount}`;
}

/** The title as a list shows it: a narrow row cuts the name short, but never the amount. */
export function titleParts(
  { label: given, party, amount, message, origin, gate }: Titled,
  formats: Formats,
): { name: string; amount: string | null } {
  const label = given !== null && fitsInRow(given) ? given : null;
  const names = [label, party].filter((name) => name !== null);
  const sum = amount && visibleText(formats.amount(amount));
  const inOwnWords = origin === "intray" && gate === null;
  if (names.length + (amount ? 1 : 0) > 1 && !inOwnWords)
    return { name: visibleText(names.join(" · ")), amount: sum };
  const [line = ""] = message.slice(0, TITLE_CHARACTERS).trim().split("\n", 1);
  const isNamed = label === null || line.includes(label);
  return {
    name: visibleText(isNamed ? line : `${label} · ${line}`),
    amount: inOwnWords ? sum : null,
  };
}

type Grouped = Pick<InputRequestSummary, "tool" | "server" | "expiresAt">;

/** Returns the heading above a request. `now`: ms. */
export function groupName(request: Grouped, grouping: InboxGrouping, now: number): string {
  if (grouping === "tool") return visibleText(request.tool);
  if (grouping === "server") return request.server.name;
  return TIMES_LEFT[timeLeftGroup(request, now)]!.words;
}

/** Returns the requests group by group. Within a group they keep their order. */
export function groupRequests<T extends Grouped>(
  requests: T[],
  grouping: InboxGrouping | "",
  now: number,
): T[] {
  if (grouping === "") return requests;
  if (grouping === "due")
    return requests.toSorted((one, other) => timeLeftGroup(one, now) - timeLeftGroup(other, now));
  // Two servers may have the same name.
  const keyOf = (request: T) =>
    grouping === "tool" ? request.tool : `${request.server.name} ${request.server.id}`;
  return requests.toSorted((one, other) => keyOf(one).localeCompare(keyOf(other)));
}

const TIMES_LEFT = [
  { words: "Less than an hour left", ms: 3_600_000 },
  { words: "Less than a day left", ms: 86_400_000 },
  { words: "Less than a week left", ms: 7 * 86_400_000 },
  { words: "More than a week left", ms: Number.POSITIVE_INFINITY },
  { words: "No time limit", ms: null },
];

function timeLeftGroup({ expiresAt }: Grouped, now: number): number {
  if (expiresAt === null) return TIMES_LEFT.length - 1;
  const ms = Date.parse(expiresAt) - now;
  return TIMES_LEFT.findIndex((each) => each.ms !== null && ms < each.ms);
}
