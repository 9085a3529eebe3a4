/** What an inbox list is narrowed to, as it stands in the address, in a saved view, and in calls of the API. */
import { formatAmount } from "./amount-words.ts";

export const ORDERS = ["oldest", "newest", "expiring", "amount"] as const;
export type InboxOrder = (typeof ORDERS)[number];

const SPANS = { "1h": 3_600_000, "1d": 86_400_000, "1w": 7 * 86_400_000 };
export type Span = keyof typeof SPANS;
export const SPAN_WORDS: Record<Span, string> = { "1h": "1 hour", "1d": "1 day", "1w": "1 week" };

export const ORDER_WORDS: Record<InboxOrder, string> = {
  oldest: "Oldest first",
  newest: "Newest first",
  expiring: "Ending soonest",
  amount: "Largest amount",
};

/** Empty text: not narrowed by this. Amounts are numbers as text. */
export interface InboxFilters {
  q: string;
  serverId: string;
  tool: string;
  /** Waits longer than this. */
  age: Span | "";
  /** Ends within this. */
  expiring: Span | "";
  amountMin: string;
  amountMax: string;
  order: InboxOrder | "";
}

export const NO_FILTERS: InboxFilters = {
  q: "",
  serverId: "",
  tool: "",
  age: "",
  expiring: "",
  amountMin: "",
  amountMax: "",
  order: "",
};
export const FILTER_NAMES = Object.keys(NO_FILTERS) as (keyof InboxFilters)[];

/** Reads an address or a saved view. What is not understood is left out: an old link still opens. */
export function readFilters(get: (name: string) => string | null | undefined): InboxFilters {
  const span = (value: string) => (Object.hasOwn(SPANS, value) ? (value as Span) : "");
  const amount = (value: string) => (value.trim() !== "" && Number.isFinite(Number(value)) ? value : "");
  const text = (name: string) => (get(name) ?? "").slice(0, LONGEST);
  return {
    q: text("q"),
    serverId: UUID.test(text("serverId")) ? text("serverId") : "",
    tool: text("tool"),
    age: span(text("age")),
    expiring: span(text("expiring")),
    amountMin: amount(text("amountMin")),
    amountMax: amount(text("amountMax")),
    order: ORDERS.find((each) => each === get("order")) ?? "",
  };
}

/** As long a search as the API takes. */
const LONGEST = 200;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Only what is set, by its name in the address. */
export function setFilters(filters: InboxFilters): Partial<Record<keyof InboxFilters, string>> {
  return Object.fromEntries(
    FILTER_NAMES.filter((name) => filters[name]).map((name) => [name, filters[name]]),
  );
}

/** As the API takes them: spans become instants, counted from `now` (ms). */
export function apiFilters(filters: InboxFilters, now: number): Record<string, string> {
  const { age, expiring, ...same } = setFilters(filters);
  return {
    ...same,
    ...(filters.age && { askedBefore: new Date(now - SPANS[filters.age]).toISOString() }),
    ...(filters.expiring && { expiresBefore: new Date(now + SPANS[filters.expiring]).toISOString() }),
  };
}

export interface Chip {
  /** What a click on the chip takes away. */
  clears: Partial<InboxFilters>;
  words: string;
}

/** The filters that narrow the list, in words. The search has its own field, and the order hides nothing. */
export function chipsOf(filters: InboxFilters, serverName: (id: string) => string | undefined): Chip[] {
  const { serverId, tool, age, expiring } = filters;
  const chips: (Chip | false)[] = [
    serverId !== "" && { clears: { serverId: "" }, words: serverName(serverId) ?? "A server" },
    tool !== "" && { clears: { tool: "" }, words: tool },
    age !== "" && { clears: { age: "" }, words: `Waiting over ${SPAN_WORDS[age]}` },
    expiring !== "" && { clears: { expiring: "" }, words: `Ends within ${SPAN_WORDS[expiring]}` },
    amountChip(filters),
  ];
  return chips.filter((chip) => chip !== false);
}

function amountChip({ amountMin, amountMax }: InboxFilters): Chip | false {
  const [min, max] = [amountMin, amountMax].map((text) =>
    formatAmount({ value: Number(text), currency: null }),
  );
  const clears = { amountMin: "", amountMax: "" };
  if (amountMin && amountMax) return { clears, words: `Amount ${min} to ${max}` };
  if (amountMin) return { clears, words: `Amount from ${min}` };
  return amountMax !== "" && { clears, words: `Amount up to ${max}` };
}

export function isNarrowed(filters: InboxFilters): boolean {
  return FILTER_NAMES.some((name) => name !== "order" && filters[name] !== "");
}

/** What a saved view keeps: the tab and the filters, by their names in the address. */
export function viewQuery(tab: string, filters: InboxFilters): Record<string, string> {
  return { tab, ...setFilters(filters) };
}
