"use client";

import { type QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { DrawnAt } from "@/components/time/use-now.ts";
import { createQueryClient } from "@/lib/api-client/base/query-client.ts";

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
  const [client] = useState(createQueryClient);
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
