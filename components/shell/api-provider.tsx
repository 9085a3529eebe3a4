"use client";

import { type QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { DrawnAt } from "@/components/time/use-now.ts";
import { createQueryClient } from "@/lib/api-client/base/query-client.ts";

/** Query data that the Next server read, in the API's format, by query key. */
export type ReadAlready = [key: readonly unknown[], data: unknown][];

/** `drawnAt`: when the server rendered the page, in ms. */
export function ApiProvider({
  read,
  drawnAt,
  children,
}: {
  read: ReadAlready;
  drawnAt: number;
  children: ReactNode;
}) {
  const [client] = useState(createQueryClient);
  useRead(client, read);
  return (
    <DrawnAt value={drawnAt}>
      <QueryClientProvider client={client}>{children}</QueryClientProvider>
    </DrawnAt>
  );
}

/**
 * Puts the data into the query cache before any child renders. Keeps cached data, which is at least as new.
 */
export function useRead(client: QueryClient, read: ReadAlready): void {
  useState(() => {
    for (const [key, data] of read)
      if (client.getQueryData(key) === undefined) client.setQueryData(key, data);
  });
}
