import type { DataTag, QueryClient, QueryKey } from "@tanstack/react-query";

/**
 * Shows what a write returned. A read that was under way is dropped: it may be older, and the screen would show the
 * state of before until the next one.
 */
export async function showSaved<T>(
  client: QueryClient,
  queryKey: QueryKey | DataTag<QueryKey, T>,
  saved: T,
): Promise<void> {
  await client.cancelQueries({ queryKey, exact: true });
  client.setQueryData(queryKey, saved);
}
