"use client";

import { queryOptions, useQueryClient } from "@tanstack/react-query";
import type { Mentionable, RequestThread } from "@/lib/requests/comments/comment-schema.ts";
import type { InputRequestDetail } from "@/lib/requests/request-schema.ts";
import { api, query } from "@/lib/web/client/base/client.ts";
import { requestDetail, requestKeys } from "@/lib/web/client/requests.ts";

/** Refetched with the request, at any change of it. */
export function requestThread(id: string) {
  return queryOptions({
    queryKey: [...requestKeys.detail(id), "thread"] as const,
    queryFn: ({ signal }) => api.get<RequestThread>(`/api/v1/input-requests/${id}/comments`, signal),
  });
}

/** Members who can be mentioned, by name. */
export function mentionable(id: string, q: string) {
  return queryOptions({
    queryKey: ["mentionable", id, q] as const,
    queryFn: ({ signal }) =>
      api.get<{ items: Mentionable[] }>(`/api/v1/input-requests/${id}/mentionable${query({ q })}`, signal),
    staleTime: 60_000,
    refetchInterval: false,
  });
}

/** Shows the request as a call has returned it, and reads again what depends on it. */
export function useShowRequest(id: string) {
  const client = useQueryClient();
  return (now?: InputRequestDetail) => {
    if (now) client.setQueryData(requestDetail(id).queryKey, now);
    void client.invalidateQueries({ queryKey: requestKeys.detail(id) });
    void client.invalidateQueries({ queryKey: requestKeys.lists });
  };
}
