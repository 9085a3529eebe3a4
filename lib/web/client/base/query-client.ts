"use client";

import { type DataTag, type Query, QueryClient, type QueryKey } from "@tanstack/react-query";
import { useState } from "react";
import { ApiError } from "@/lib/web/client/base/client.ts";
import { isLive } from "@/lib/web/client/connection.ts";

/** The stream makes updates fast; rereading at this interval makes them reliable. */
const REFETCH_MS = 30_000;

export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 5_000,
        refetchInterval,
        // A refusal is final; only a lost connection or a server error is retried.
        retry: (failures, error) => failures < 2 && !(error instanceof ApiError && error.status < 500),
      },
      // Offline, a decision is refused at once: it must never wait in the browser and be sent later.
      mutations: { networkMode: "always" },
    },
  });
}

/**
 * A refetch of a list rereads all of its pages. A list of more than one page relies on the stream's hints
 * while they come; `Live` rereads everything when they stop and when they are back.
 */
function refetchInterval({ state }: Query): number | false {
  const pages = (state.data as { pages?: unknown } | undefined)?.pages;
  return Array.isArray(pages) && pages.length > 1 && isLive() ? false : REFETCH_MS;
}

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

/**
 * Returns why no data can be shown, or null if data exists or the first try is under way. Keeps the error
 * during a retry: a query without data forgets its error then, and the page would flash a skeleton again and
 * again.
 */
export function useKeptError({ data, error }: { data: unknown; error: Error | null }): Error | null {
  const [kept, keep] = useState<Error | null>(null);
  const now = data === undefined ? (error ?? kept) : null;
  if (now !== kept) keep(now);
  return now;
}
