import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { api, query } from "@/components/api/client.ts";
import type { InputRequestDetail, InputRequestSummary } from "@/lib/input-requests/schema.ts";
import type { Page } from "@/lib/page.ts";

export const REQUEST_TABS = ["mine", "unassigned", "all", "done"] as const;
export type RequestTab = (typeof REQUEST_TABS)[number];

const FILTERS: Record<RequestTab, { state: string; assignee?: string; order?: string }> = {
  mine: { state: "open", assignee: "me" },
  unassigned: { state: "open", assignee: "none" },
  all: { state: "open" },
  done: { state: "answered,settled,withdrawn,expired,undeliverable", order: "newest" },
};

export const requestKeys = {
  lists: ["input-requests", "list"] as const,
  list: (tab: RequestTab, q: string) => ["input-requests", "list", tab, q] as const,
  detail: (id: string) => ["input-requests", "detail", id] as const,
  ofTask: (taskId: string) => ["input-requests", "list", "task", taskId] as const,
};

export function requestList(tab: RequestTab, q = "") {
  return infiniteQueryOptions({
    queryKey: requestKeys.list(tab, q),
    initialPageParam: "",
    queryFn: ({ pageParam, signal }) =>
      api.get<Page<InputRequestSummary>>(
        `/api/v1/input-requests${query({ ...FILTERS[tab], q, cursor: pageParam })}`,
        signal,
      ),
    getNextPageParam: (page) => page.nextCursor,
  });
}

export function requestDetail(id: string) {
  return queryOptions({
    queryKey: requestKeys.detail(id),
    queryFn: ({ signal }) => api.get<InputRequestDetail>(`/api/v1/input-requests/${id}`, signal),
  });
}

/** The open questions of one task, to find the one that replaced another. */
export function openRequestsOfTask(taskId: string) {
  return queryOptions({
    queryKey: requestKeys.ofTask(taskId),
    queryFn: ({ signal }) =>
      api.get<Page<InputRequestSummary>>(`/api/v1/input-requests${query({ taskId, state: "open" })}`, signal),
  });
}
