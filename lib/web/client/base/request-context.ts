import { queryOptions } from "@tanstack/react-query";
import type { Page } from "@/lib/base/page.ts";
import type { InputRequestSummary } from "@/lib/requests/request-schema.ts";
import type { SimilarRequests } from "@/lib/requests/similar/similar-schema.ts";
import { api, query } from "@/lib/web/client/base/client.ts";
import { requestKeys } from "@/lib/web/client/requests.ts";

/** Past decisions on similar requests. Refetched at any change of any request, which may be a duplicate. */
export function similarRequests(id: string) {
  return queryOptions({
    queryKey: [...requestKeys.lists, "similar", id] as const,
    // A request is better shown without similar ones than late.
    retry: false,
    queryFn: ({ signal }) => api.get<SimilarRequests>(`/api/v1/input-requests/${id}/similar`, signal),
  });
}

/** Every question of one task, oldest first, at most 50. */
export function requestsOfTask(taskId: string) {
  return queryOptions({
    queryKey: [...requestKeys.ofTask(taskId), "all"] as const,
    queryFn: ({ signal }) =>
      api.get<Page<InputRequestSummary>>(`/api/v1/input-requests${query({ taskId })}`, signal),
  });
}
