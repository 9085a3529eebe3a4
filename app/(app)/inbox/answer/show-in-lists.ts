import type { InfiniteData, QueryClient } from "@tanstack/react-query";
import type { SearchedPage } from "@/lib/base/page.ts";
import type { InputRequestSummary } from "@/lib/requests/request-schema.ts";
import { requestKeys } from "@/lib/web/client/requests.ts";

/**
 * Shows a request as the server has just answered with it, in the lists that hold it. Until they are read again, none may offer what was
 * decided as the next request.
 */
export function showInLists(client: QueryClient, request: InputRequestSummary): void {
  client.setQueriesData<InfiniteData<SearchedPage<InputRequestSummary>>>(
    { queryKey: requestKeys.lists },
    (list) => {
      // Counts and single pages have the same beginning of a key.
      if (!list || !("pages" in list)) return list;
      const shown = (each: InputRequestSummary) => (each.id === request.id ? request : each);
      return { ...list, pages: list.pages.map((page) => ({ ...page, items: page.items.map(shown) })) };
    },
  );
}
