import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import type { Page, SearchedPage } from "@/lib/base/page.ts";
import type { RequestCounts } from "@/lib/requests/lists/request-list-schema.ts";
import type { InputRequestDetail, InputRequestSummary } from "@/lib/requests/request-schema.ts";
import type { SavedView } from "@/lib/requests/saved-views/saved-view-schema.ts";
import {
  apiFilters,
  defaultOrder,
  type InboxFilters,
  NO_FILTERS,
} from "@/lib/requests/words/inbox-filters.ts";
import { api, query } from "@/lib/web/client/base/client.ts";
import { reading } from "@/lib/web/client/base/reading.ts";

export const REQUEST_TABS = ["mine", "unassigned", "all", "done"] as const;
export type RequestTab = (typeof REQUEST_TABS)[number];

/** `mine` is what waits for the person: the count of `waiting` is the badge, the title and the tab. */
const TABS: Record<RequestTab, { state: string; assignee?: string; waiting?: string }> = {
  mine: { state: "open", waiting: "me" },
  unassigned: { state: "open", assignee: "none" },
  all: { state: "open" },
  done: { state: "answered,settled,withdrawn,expired,undeliverable" },
};

/** What a tab is called. Addresses and saved views keep `mine`. */
export const TAB_NAMES: Record<RequestTab, string> = {
  mine: "For you",
  unassigned: "Unassigned",
  all: "All",
  done: "Done",
};

/** What a tab holds, on hover: where any member may decide everything, several tabs have the same count. */
export const TAB_HINTS: Record<RequestTab, string> = {
  mine: "Requests that you may decide now, and that nobody else has",
  unassigned: "Open requests that nobody has claimed or was assigned",
  all: "All open requests that you may see",
  done: "Requests that were decided, or ended without a decision",
};

export const requestKeys = {
  /** Lists and counts, which any change of any request may affect. */
  lists: ["input-requests", "list"] as const,
  // Grouping changes what the list looks like, not what it holds.
  list: (tab: RequestTab, { group: _, ...held }: InboxFilters) =>
    ["input-requests", "list", tab, held] as const,
  newest: (tab: RequestTab, { group: _, ...held }: InboxFilters) =>
    ["input-requests", "list", "newest", tab, held] as const,
  these: (ids: string[]) => ["input-requests", "list", "these", ids] as const,
  counts: (filters: InboxFilters) => ["input-requests", "list", "counts", filters] as const,
  detail: (id: string) => ["input-requests", "detail", id] as const,
  ofTask: (taskId: string) => ["input-requests", "list", "task", taskId] as const,
};

/** The first page is small, to load fast; later pages are large, since a change refetches all of them. */
export const FIRST_PAGE = 50;
const LATER_PAGES = 200;

export function requestList(tab: RequestTab, filters: InboxFilters = NO_FILTERS) {
  return infiniteQueryOptions({
    queryKey: requestKeys.list(tab, filters),
    initialPageParam: "",
    queryFn: ({ pageParam, signal }) =>
      readList(
        tab,
        filters,
        { cursor: pageParam, limit: String(pageParam ? LATER_PAGES : FIRST_PAGE) },
        signal,
      ),
    getNextPageParam: (page) => page.nextCursor,
  });
}

/** The latest requests of a list, to announce those that its loaded part does not hold. */
export function newestRequests(tab: RequestTab, filters: InboxFilters) {
  return queryOptions({
    queryKey: requestKeys.newest(tab, filters),
    queryFn: ({ signal }) => readList(tab, filters, { order: "newest", limit: "20" }, signal),
  });
}

function readList(
  tab: RequestTab,
  filters: InboxFilters,
  more: Record<string, string>,
  signal: AbortSignal,
): Promise<SearchedPage<InputRequestSummary>> {
  return api.get(`/api/v1/input-requests${query({ ...listQuery(tab, filters), ...more })}`, signal);
}

/** The API's parameters for a list. */
export function listQuery(tab: RequestTab, filters: InboxFilters): Record<string, string> {
  return { ...TABS[tab], order: defaultOrder(tab), ...apiFilters(filters, Date.now()) };
}

/** The number of requests in a tab; Done is not counted. */
export function tabCount(tab: RequestTab, counts: RequestCounts): number {
  return { mine: counts.waiting, unassigned: counts.unassigned, all: counts.all, done: 0 }[tab];
}

/** What a tab says of itself where nothing is in it. Only “For you” speaks of all that waits for the person. */
export const EMPTY_TABS: Record<RequestTab, string> = {
  mine: "You’re all caught up",
  unassigned: "No unassigned requests",
  all: "No open requests",
  done: "No decisions yet",
};

/** The tab that opens first: who may answer looks at what waits for them, the others at everything. */
export function firstTab(mayAnswer: boolean): RequestTab {
  return mayAnswer ? "mine" : "all";
}

/** Exact counts of open requests, as `tabCount` reads them. */
export function requestCounts(filters: InboxFilters = NO_FILTERS) {
  const counted = { ...filters, order: "", group: "" } as const;
  return queryOptions({
    queryKey: requestKeys.counts(counted),
    // The path depends on the time at which it is read.
    queryFn: ({ signal }) =>
      api.get<RequestCounts>(
        `/api/v1/input-requests/counts${query(apiFilters(counted, Date.now()))}`,
        signal,
      ),
  });
}

export function requestDetail(id: string) {
  return reading<InputRequestDetail>(requestKeys.detail(id), `/api/v1/input-requests/${id}`);
}

/** Some requests, IDS_AT_ONCE at most, to follow them. */
export function theseRequests(ids: string[]) {
  return reading<Page<InputRequestSummary>>(
    requestKeys.these(ids),
    `/api/v1/input-requests${query({ ids: ids.join(","), limit: String(ids.length) })}`,
  );
}

/** The open questions of one task, to find the one that replaced another. */
export function openRequestsOfTask(taskId: string) {
  return reading<Page<InputRequestSummary>>(
    requestKeys.ofTask(taskId),
    `/api/v1/input-requests${query({ taskId, state: "open" })}`,
  );
}

/** A person's own views of a page and those shared with everyone. */
export function savedViews(page: SavedView["page"]) {
  return reading<Page<SavedView>>(["views", page], `/api/v1/views${query({ page })}`);
}
