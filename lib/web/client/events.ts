import { infiniteQueryOptions } from "@tanstack/react-query";
import type { SearchedPage } from "@/lib/base/page.ts";
import type { ListedEvent, Verification } from "@/lib/history/events/event-schema.ts";
import { api, query } from "@/lib/web/client/base/client.ts";

/** As in `GET /events`; an empty value does not filter. */
export interface EventFilter {
  q: string;
  type: string;
  actorId: string;
  taskId: string;
  inputRequestId: string;
  from: string;
  to: string;
}

const REFETCH_MS = 30_000;

export function eventList(filter: EventFilter) {
  return infiniteQueryOptions({
    queryKey: ["events", filter] as const,
    initialPageParam: "",
    queryFn: ({ pageParam, signal }) =>
      api.get<SearchedPage<ListedEvent>>(`/api/v1/events${query({ ...filter, cursor: pageParam })}`, signal),
    getNextPageParam: (page) => page.nextCursor,
    // History never changes, so a reader of older pages need not refetch them all.
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) > 1 ? false : REFETCH_MS),
  });
}

export function verifyHistory(): Promise<Verification> {
  return api.get<Verification>("/api/v1/events/verify");
}
