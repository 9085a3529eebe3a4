/** The filters of an inbox list, as in the address, in a saved view, and in calls of the API. */
export const ORDERS = ["urgent", "oldest", "newest", "decided", "due", "expiring", "amount"] as const;
export type InboxOrder = (typeof ORDERS)[number];

/** Done is looked back on from the last decision; what is open is done by urgency. */
export function defaultOrder(tab: string): InboxOrder {
  return tab === "done" ? "decided" : "urgent";
}

/** The orders that say something of the requests in a tab. */
export function ordersOf(tab: string): InboxOrder[] {
  const other = tab === "done" ? "urgent" : "decided";
  return ORDERS.filter((order) => order !== other);
}

/** What the loaded rows are grouped by; the API knows nothing of it. */
export const GROUPINGS = ["due", "tool", "server"] as const;
export type InboxGrouping = (typeof GROUPINGS)[number];

const SPANS = { "1h": 3_600_000, "1d": 86_400_000, "1w": 7 * 86_400_000 };
export type Span = keyof typeof SPANS;

/** An empty text does not filter. Amounts are numbers as text. */
export interface InboxFilters {
  q: string;
  serverId: string;
  tool: string;
  /** Requests that have waited longer than this. */
  age: Span | "";
  /** Requests that end within this. */
  expiring: Span | "";
  /** Requests that people should have decided by now. */
  overdue: "true" | "";
  /** Requests on which the reader has voted, and others have not yet. */
  voted: "true" | "";
  /** Requests that wait for the task's requester. */
  needsInfo: "true" | "";
  /** Requests that the reader has put off. */
  snoozed: "true" | "";
  amountMin: string;
  amountMax: string;
  order: InboxOrder | "";
  group: InboxGrouping | "";
}

export const NO_FILTERS: InboxFilters = {
  q: "",
  serverId: "",
  tool: "",
  age: "",
  expiring: "",
  overdue: "",
  voted: "",
  needsInfo: "",
  snoozed: "",
  amountMin: "",
  amountMax: "",
  order: "",
  group: "",
};
export const FILTER_NAMES = Object.keys(NO_FILTERS) as (keyof InboxFilters)[];

/** Reads an address or a saved view. Unknown values are ignored, so that old links still open. */
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
    overdue: text("overdue") === "true" ? "true" : "",
    voted: text("voted") === "true" ? "true" : "",
    needsInfo: text("needsInfo") === "true" ? "true" : "",
    snoozed: text("snoozed") === "true" ? "true" : "",
    amountMin: amount(text("amountMin")),
    amountMax: amount(text("amountMax")),
    order: ORDERS.find((each) => each === get("order")) ?? "",
    group: GROUPINGS.find((each) => each === get("group")) ?? "",
  };
}

/** The longest search that the API takes. */
const LONGEST = 200;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The filters that are set, by their names in the address. */
export function setFilters(filters: InboxFilters): Partial<Record<keyof InboxFilters, string>> {
  return Object.fromEntries(
    FILTER_NAMES.filter((name) => filters[name]).map((name) => [name, filters[name]]),
  );
}

/** The filters as the API takes them; spans become instants, counted from `now` (ms). */
export function apiFilters(filters: InboxFilters, now: number): Record<string, string> {
  const { age, expiring, group: _, ...same } = setFilters(filters);
  return {
    ...same,
    ...(filters.age && { askedBefore: new Date(now - SPANS[filters.age]).toISOString() }),
    ...(filters.expiring && { expiresBefore: new Date(now + SPANS[filters.expiring]).toISOString() }),
  };
}

/** No filters, in the same order and grouping: neither hides a request. */
export function withoutFilters({ order, group }: InboxFilters): InboxFilters {
  return { ...NO_FILTERS, order, group };
}

/** The number of filters that narrow the list; two amounts count as one. */
export function filterCount(filters: InboxFilters): number {
  const { serverId, tool, age, expiring, overdue, voted, needsInfo, snoozed, amountMin, amountMax } = filters;
  return [
    ...[serverId, tool, age, expiring, overdue, voted, needsInfo, snoozed],
    amountMin || amountMax,
  ].filter(Boolean).length;
}

/** The content of a saved view: the tab and the filters, by their names in the address. */
export function viewQuery(tab: string, filters: InboxFilters): Record<string, string> {
  return { tab, ...setFilters(filters) };
}
