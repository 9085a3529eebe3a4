import {
  type InfiniteData,
  infiniteQueryOptions,
  type QueryKey,
  queryOptions,
  type UndefinedInitialDataInfiniteOptions,
  type UndefinedInitialDataOptions,
} from "@tanstack/react-query";
import { api } from "@/lib/web/client/base/client.ts";

/** A query that reads a path of the API. `more`: when it is read again, and what is shown meanwhile. */
export function reading<Output>(
  queryKey: QueryKey,
  path: string,
  more: Omit<UndefinedInitialDataOptions<Output>, "queryKey" | "queryFn"> = {},
) {
  return queryOptions({
    ...more,
    queryKey,
    queryFn: ({ signal }) => api.get<Output>(path, signal),
  });
}

type Paged<Output> = UndefinedInitialDataInfiniteOptions<
  Output,
  Error,
  InfiniteData<Output>,
  QueryKey,
  string
>;

/** As `reading`, page by page. `path` gets the page's cursor, which is empty for the first page. */
export function readingPages<Output extends { nextCursor: string | null }>(
  queryKey: QueryKey,
  path: (cursor: string) => string,
  more: Pick<Paged<Output>, "refetchInterval" | "placeholderData"> = {},
) {
  return infiniteQueryOptions({
    ...more,
    queryKey,
    queryFn: ({ pageParam, signal }) => api.get<Output>(path(pageParam), signal),
    initialPageParam: "",
    getNextPageParam: (page: Output) => page.nextCursor,
  });
}
