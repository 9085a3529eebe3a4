import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import type { Page } from "@/lib/base/page.ts";
import type { BulkItem, BulkOperation } from "@/lib/lifecycle/bulk-operations/bulk-operation-schema.ts";
import { api, query } from "@/lib/web/client/base/client.ts";

/** Begins with the topic of its hints. */
const key = (id: string) => ["bulk_operation", id] as const;
export const bulkKeys = { operation: key };

const PAGE_SIZE = 100;

export function bulkOperation(id: string) {
  return queryOptions({
    queryKey: key(id),
    queryFn: ({ signal }) => api.get<BulkOperation>(`/api/v1/bulk-operations/${id}`, signal),
  });
}

/** `state`: of the items; empty: all. */
export function bulkItems(id: string, state: string) {
  return infiniteQueryOptions({
    queryKey: [...key(id), "items", state] as const,
    initialPageParam: "",
    queryFn: ({ pageParam, signal }) =>
      api.get<Page<BulkItem>>(
        `/api/v1/bulk-operations/${id}/items${query({ state, limit: PAGE_SIZE, cursor: pageParam })}`,
        signal,
      ),
    getNextPageParam: (page) => page.nextCursor,
  });
}
