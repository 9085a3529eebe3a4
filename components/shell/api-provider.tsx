"use client";

import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { DrawnAt } from "@/components/time/use-now.ts";
import { ApiError } from "@/lib/api-client/base/client.ts";

/** The stream makes it fast; reading again every half minute makes it true. */
const REFETCH_MS = 30_000;

/** What the server has read already, as the API would have said it, by its query key. */
export type ReadAlready = [key: readonly unknown[], data: unknown][];

/** `drawnAt`: when the server drew the page, in ms. */
export function ApiProvider({
  read,
  drawnAt,
  children,
}: {
  read: ReadAlready;
  drawnAt: number;
  children: ReactNode;
}) {
  const [client] = useState(
    () =>
      new QueryClient({
        defaultOptions: {
          queries: {
            staleTime: 5_000,
            refetchInterval: REFETCH_MS,
            // A refusal stays a refusal; only a lost connection or a tired server is asked again.
            retry: (failures, error) => failures < 2 && !(error instanceof ApiError && error.status < 500),
          },
          // Offline, a decision is refused at once: it must never wait in the browser and go out later.
          mutations: { networkMode: "always" },
        },
      }),
  );
  useRead(client, read);
  return (
    <DrawnAt value={drawnAt}>
      <QueryClientProvider client={client}>{children}</QueryClientProvider>
    </DrawnAt>
  );
}

/** Remembers it before anything below is drawn. What the page knows already is newer, or as good. */
export function useRead(client: QueryClient, read: ReadAlready): void {
  useState(() => {
    for (const [key, data] of read)
      if (client.getQueryData(key) === undefined) client.setQueryData(key, data);
  });
}
