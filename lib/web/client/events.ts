import { queryOptions } from "@tanstack/react-query";
import type { Page, SearchedPage } from "@/lib/base/page.ts";
import type { ListedEvent, Verification } from "@/lib/history/events/event-schema.ts";
import type { ApiKey } from "@/lib/people/api-keys/api-key-schema.ts";
import type { Member } from "@/lib/people/members/member-schema.ts";
import { api, query } from "@/lib/web/client/base/client.ts";
import { readingPages } from "@/lib/web/client/base/reading.ts";

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
  return readingPages<SearchedPage<ListedEvent>>(
    ["events", filter],
    (cursor) => `/api/v1/events${query({ ...filter, cursor })}`,
    {
      // History never changes, so a reader of older pages need not refetch them all.
      refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) > 1 ? false : REFETCH_MS),
    },
  );
}

export function verifyHistory(): Promise<Verification> {
  return api.get<Verification>("/api/v1/events/verify");
}

/** Members and API keys, by their ids in the history. */
export function actors() {
  return queryOptions({
    queryKey: ["actors"] as const,
    refetchInterval: false,
    queryFn: async ({ signal }) => {
      const [members, keys] = await Promise.all([
        api.get<Page<Member>>(`/api/v1/members${query({ limit: 200 })}`, signal),
        api.get<Page<ApiKey>>(`/api/v1/api-keys${query({ limit: 200 })}`, signal),
      ]);
      return {
        members: members.items.map(({ userId, name }) => ({ id: userId, name })),
        keys: keys.items.map(({ id, name }) => ({ id, name })),
      };
    },
  });
}
