/** The filters of the list of tasks, as in the address, in a saved view, and in calls of the API. */

import type { Formats } from "../../text/formats/formats.ts";
import { ATTENTION, ATTENTION_CODES, codesOf } from "../task-attention.ts";
import type { TaskCounts, TaskOrder } from "../task-schema.ts";
import { TASK_STATES, type TaskState } from "../task-status.ts";
import { STATE_LABELS } from "./state-labels.ts";

const DAY_MS = 86_400_000;
const SPANS = { "1h": 3_600_000, "1d": DAY_MS, "7d": 7 * DAY_MS, "30d": 30 * DAY_MS };
export type TaskSpan = keyof typeof SPANS;
export const SPAN_WORDS: Record<TaskSpan, string> = {
  "1h": "Last hour",
  "1d": "Last 24 hours",
  "7d": "Last 7 days",
  "30d": "Last 30 days",
};
export const ORDER_WORDS: Record<TaskOrder, string> = {
  newest: "Newest first",
  oldest: "Oldest first",
  ended: "Last ended first",
  expiring: "Ending soonest",
};

/** The built-in views. Each combines with the person's own filters. */
export const SYSTEM_VIEWS = {
  working: { label: "Working", states: ["queued", "starting", "working"], waiting: false },
  waiting: { label: "Waiting for a person", states: ["queued", "input_required"], waiting: true },
  stuck: { label: "Stuck", attention: codesOf("stuck") },
  watch: { label: "Worth a look", attention: codesOf("watch") },
  failed: { label: "Failed today", states: ["failed"], today: true },
  lost: { label: "Lost today", states: ["lost"], today: true },
  completed: { label: "Completed today", states: ["completed"], today: true },
  mine: { label: "Started by me", requester: "me" },
} as const satisfies Record<string, SystemView>;
interface SystemView {
  label: string;
  states?: readonly TaskState[];
  waiting?: boolean;
  attention?: readonly string[];
  today?: true;
  requester?: "me";
}
export type SystemViewName = keyof typeof SYSTEM_VIEWS;

/** An empty text does not filter. */
export interface TaskFilters {
  /** A system view. */
  show: SystemViewName | "";
  q: string;
  /** States, separated by commas. */
  state: string;
  /** `stuck`, `any`, or codes separated by commas. */
  attention: string;
  serverId: string;
  tool: string;
  /** `me`, or the id of a member's account. */
  requester: string;
  /** A cause of failure, see GET /tasks/failures. */
  cause: string;
  /** Started within this. */
  since: TaskSpan | "";
  /** Instants: of the start, and of the end. */
  createdAfter: string;
  createdBefore: string;
  finishedAfter: string;
  finishedBefore: string;
  order: TaskOrder | "";
}
export const NO_TASK_FILTERS: TaskFilters = {
  show: "",
  q: "",
  state: "",
  attention: "",
  serverId: "",
  tool: "",
  requester: "",
  cause: "",
  since: "",
  createdAfter: "",
  createdBefore: "",
  finishedAfter: "",
  finishedBefore: "",
  order: "",
};
const TASK_FILTER_NAMES = Object.keys(NO_TASK_FILTERS) as (keyof TaskFilters)[];

/** Reads an address or a saved view. Unknown values are ignored, so that old links still open. */
export function readTaskFilters(get: (name: string) => string | null | undefined): TaskFilters {
  const text = (name: string) => (get(name) ?? "").slice(0, LONGEST);
  const known = <T extends string>(name: string, values: Record<T, unknown>) =>
    Object.hasOwn(values, text(name)) ? (text(name) as T) : "";
  const instant = (name: string) => {
    const at = new Date(text(name));
    return Number.isNaN(at.getTime()) || at.getFullYear() < 1 ? "" : at.toISOString();
  };
  const listed = (name: string, values: readonly string[]) =>
    text(name)
      .split(",")
      .filter((each) => values.includes(each))
      .join(",");
  return {
    show: known("show", SYSTEM_VIEWS),
    q: text("q"),
    state: listed("state", TASK_STATES),
    attention: listed("attention", ["any", "stuck", ...ATTENTION_CODES]),
    serverId: UUID.test(text("serverId")) ? text("serverId") : "",
    tool: text("tool"),
    requester: text("requester") === "me" || UUID.test(text("requester")) ? text("requester") : "",
    cause: CAUSE.test(text("cause")) ? text("cause") : "",
    since: known("since", SPANS),
    createdAfter: instant("createdAfter"),
    createdBefore: instant("createdBefore"),
    finishedAfter: instant("finishedAfter"),
    finishedBefore: instant("finishedBefore"),
    order: known("order", ORDER_WORDS),
  };
}

/** The longest search that the API takes. */
const LONGEST = 200;
const CAUSE = /^[0-9a-f]{32}$/;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The filters that are set, by their names in the address. */
export function setTaskFilters(filters: TaskFilters): Partial<Record<keyof TaskFilters, string>> {
  return Object.fromEntries(
    TASK_FILTER_NAMES.filter((name) => filters[name]).map((name) => [name, filters[name]]),
  );
}

/** Midnight of the day of `now`, in the person's own zone. Both ms. */
export function startOfDay(now: number): number {
  return new Date(now).setHours(0, 0, 0, 0);
}

/**
 * The filters as the API takes them, with the system view added. Spans become instants counted from `now`
 * (ms), rounded to the minute so that the query key stays stable. Null: no task can match.
 */
export function taskApiFilters(filters: TaskFilters, now: number): Record<string, string> | null {
  const view: SystemView = filters.show === "" ? { label: "" } : SYSTEM_VIEWS[filters.show];
  const state = both(filters.state.split(",").filter(Boolean), view.states ?? []);
  const attention = both(attentionCodes(filters.attention), view.attention ?? []);
  if (state === null || attention === null) return null;
  const minute = Math.floor(now / 60_000) * 60_000;
  const all = {
    q: filters.q,
    state: state.join(","),
    attention: attention.join(","),
    waiting: view.waiting === undefined ? "" : String(view.waiting),
    serverId: filters.serverId,
    tool: filters.tool,
    requester: view.requester ?? filters.requester,
    cause: filters.cause,
    createdAfter: filters.since
      ? new Date(minute - SPANS[filters.since]).toISOString()
      : filters.createdAfter,
    createdBefore: filters.createdBefore,
    finishedAfter: view.today ? new Date(startOfDay(now)).toISOString() : filters.finishedAfter,
    finishedBefore: filters.finishedBefore,
    order: filters.order,
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ""));
}

/** Whether the filters depend on the current time or the person's time zone. */
export function dependsOnNow({ show, since }: TaskFilters): boolean {
  const view: SystemView | false = show !== "" && SYSTEM_VIEWS[show];
  return since !== "" || (view && view.today === true);
}

function attentionCodes(text: string): readonly string[] {
  if (text === "") return [];
  const given = text.split(",");
  if (given.includes("any")) return ATTENTION_CODES;
  return given.includes("stuck") ? codesOf("stuck") : given;
}

/** Returns the values that both allow; an empty list allows all. Null: none. */
function both(own: readonly string[], view: readonly string[]): readonly string[] | null {
  if (own.length === 0) return view;
  if (view.length === 0) return own;
  const common = own.filter((each) => view.includes(each));
  return common.length === 0 ? null : common;
}

export function countOf(
  show: SystemViewName,
  { counts, gated, attention, ended }: TaskCounts,
): number | null {
  switch (show) {
    case "working":
      return (counts.queued ?? 0) - gated + (counts.starting ?? 0) + (counts.working ?? 0);
    case "waiting":
      return (counts.input_required ?? 0) + gated;
    case "stuck":
      return attention.stuck;
    case "watch":
      return attention.watch;
    case "failed":
    case "lost":
    case "completed":
      return ended[show];
    default:
      return null;
  }
}

export interface TaskChip {
  /** The filters that removing the chip clears. */
  clears: Partial<TaskFilters>;
  words: string;
  /** The words depend on the person's time zone. */
  zoned?: boolean;
}

/** The person's own filters in words; the search, the state and the order have their own fields. */
export function taskChipsOf(
  filters: TaskFilters,
  { dateTime }: Formats,
  names: { server: (id: string) => string | undefined; person: (id: string) => string | undefined },
): TaskChip[] {
  const { serverId, tool, requester, attention, cause } = filters;
  const chips: (TaskChip | false)[] = [
    attention !== "" && { clears: { attention: "" }, words: attentionWords(attention) },
    serverId !== "" && { clears: { serverId: "" }, words: names.server(serverId) ?? "A server" },
    tool !== "" && { clears: { tool: "" }, words: tool },
    requester !== "" && {
      clears: { requester: "" },
      words: `By ${requester === "me" ? "me" : (names.person(requester) ?? "somebody")}`,
    },
    cause !== "" && { clears: { cause: "" }, words: "Cause of failure" },
    between("Started", "createdAfter", "createdBefore"),
    between("Ended", "finishedAfter", "finishedBefore"),
  ];
  return chips.filter((chip) => chip !== false);

  function between(what: string, after: TimeFilter, before: TimeFilter): TaskChip | false {
    const [from, to] = [
      filters[after] && dateTime(filters[after]),
      filters[before] && dateTime(filters[before]),
    ];
    if (!from && !to) return false;
    const words =
      from && to ? `${what} ${from} to ${to}` : from ? `${what} after ${from}` : `${what} before ${to}`;
    return { clears: { [after]: "", [before]: "" }, words, zoned: true };
  }
}
type TimeFilter = "createdAfter" | "createdBefore" | "finishedAfter" | "finishedBefore";

export function attentionWords(attention: string): string {
  if (attention === "any") return "Needs attention";
  if (attention === "stuck") return "Stuck";
  return attention
    .split(",")
    .map((code) => ATTENTION[code as keyof typeof ATTENTION]?.label ?? code)
    .join(", ");
}

export function stateWords(states: string): string {
  return states
    .split(",")
    .map((state) => STATE_LABELS[state as TaskState] ?? state)
    .join(", ");
}

export function isTaskListNarrowed(filters: TaskFilters): boolean {
  return TASK_FILTER_NAMES.some((name) => name !== "order" && filters[name] !== "");
}
