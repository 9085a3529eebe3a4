import { queryOptions } from "@tanstack/react-query";
import type { Page } from "@/lib/base/page.ts";
import type { SavedView } from "@/lib/requests/saved-views/saved-view-schema.ts";
import { api, query } from "@/lib/web/client/base/client.ts";

/** A person's own views of a page and those shared with everyone. */
export function savedViews(page: SavedView["page"]) {
  return queryOptions({
    queryKey: ["views", page] as const,
    queryFn: ({ signal }) => api.get<Page<SavedView>>(`/api/v1/views${query({ page })}`, signal),
  });
}
