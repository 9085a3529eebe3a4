/** The filters, the order and the search of an inbox list, in words. */
import type { Formats } from "../../text/formats/formats.ts";
import {
  FILTER_NAMES,
  type InboxFilters,
  type InboxGrouping,
  type InboxOrder,
  type Span,
} from "./inbox-filters.ts";

export const SPAN_WORDS: Record<Span, string> = { "1h": "1 hour", "1d": "1 day", "1w": "1 week" };

export const ORDER_WORDS: Record<InboxOrder, string> = {
  urgent: "Most urgent",
  oldest: "Oldest first",
  newest: "Newest first",
  decided: "Last decided",
  due: "Due soonest",
  expiring: "Ending soonest",
  amount: "Largest amount",
};

export const GROUPING_WORDS: Record<InboxGrouping, string> = {
  due: "Time left",
  tool: "Tool",
  server: "Server",
};

export interface Chip {
  /** The filters that removing the chip clears. */
  clears: Partial<InboxFilters>;
  words: string;
}

/** The filters that narrow the list, in words. The search has its own field, and the order hides nothing. */
export function chipsOf(
  filters: InboxFilters,
  formats: Formats,
  serverName: (id: string) => string | undefined,
): Chip[] {
  const { serverId, tool, age, expiring, overdue, voted, needsInfo, snoozed } = filters;
  const chips: (Chip | false)[] = [
    serverId !== "" && { clears: { serverId: "" }, words: serverName(serverId) ?? "A server" },
    tool !== "" && { clears: { tool: "" }, words: tool },
    age !== "" && { clears: { age: "" }, words: `Waiting over ${SPAN_WORDS[age]}` },
    expiring !== "" && { clears: { expiring: "" }, words: `Ends within ${SPAN_WORDS[expiring]}` },
    overdue !== "" && { clears: { overdue: "" }, words: "Overdue" },
    voted !== "" && { clears: { voted: "" }, words: "Voted, waits for others" },
    needsInfo !== "" && { clears: { needsInfo: "" }, words: "Waiting for the requester" },
    snoozed !== "" && { clears: { snoozed: "" }, words: "Snoozed by me" },
    amountChip(filters, formats),
  ];
  return chips.filter((chip) => chip !== false);
}

function amountChip({ amountMin, amountMax }: InboxFilters, { money }: Formats): Chip | false {
  const [min, max] = [amountMin, amountMax].map((text) => money(Number(text)));
  const clears = { amountMin: "", amountMax: "" };
  if (amountMin && amountMax) return { clears, words: `Amount ${min} to ${max}` };
  if (amountMin) return { clears, words: `Amount from ${min}` };
  return amountMax !== "" && { clears, words: `Amount up to ${max}` };
}

export function isNarrowed(filters: InboxFilters): boolean {
  return FILTER_NAMES.some((name) => name !== "order" && name !== "group" && filters[name] !== "");
}

/** Beside the results of a search where what tasks are about is sealed. */
export const NOT_SEARCHED = "Task content is encrypted: search finds only tools and servers.";
