import { queryOptions } from "@tanstack/react-query";
import { api } from "@/lib/api-client/base/client.ts";
import type { Page } from "@/lib/base/page.ts";
import type { SavedView } from "@/lib/saved-views/schema.ts";

export const viewKeys = { inbox: ["views", "inbox"] as const };

/** One's own views of the inbox and those shared with everyone. */
export function inboxViews() {
  return queryOptions({
    queryKey: viewKeys.inbox,
    queryFn: ({ signal }) => api.get<Page<SavedView>>("/api/v1/views?page=inbox", signal),
  });
}
