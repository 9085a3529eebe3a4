"use client";

import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { ApiError } from "@/components/api/client.ts";

/** The stream makes it fast; reading again every half minute makes it true. */
const REFETCH_MS = 30_000;

export function ApiProvider({ children }: { children: ReactNode }) {
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
  return <QueryClientProvider client={client}>{children}</QueryClientProvider>;
}
