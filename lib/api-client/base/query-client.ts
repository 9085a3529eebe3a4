import { type Query, QueryClient } from "@tanstack/react-query";
import { ApiError } from "@/lib/api-client/base/client.ts";
import { isLive } from "@/lib/api-client/connection.ts";

/** The stream makes it fast; reading again every half minute makes it true. */
const REFETCH_MS = 30_000;

export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 5_000,
        refetchInterval,
        // A refusal stays a refusal; only a lost connection or a tired server is asked again.
        retry: (failures, error) => failures < 2 && !(error instanceof ApiError && error.status < 500),
      },
      // Offline, a decision is refused at once: it must never wait in the browser and go out later.
      mutations: { networkMode: "always" },
    },
  });
}

/**
 * A list is read again with all of its pages. Where that is more than one, the stream's hints have to do as long as
 * they come: `Live` has everything read again when they stop and when they are back.
 */
function refetchInterval({ state }: Query): number | false {
  const pages = (state.data as { pages?: unknown } | undefined)?.pages;
  return Array.isArray(pages) && pages.length > 1 && isLive() ? false : REFETCH_MS;
}
