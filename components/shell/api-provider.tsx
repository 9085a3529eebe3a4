"use client";

import { type QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { DrawnAt } from "@/components/time/use-now.ts";
import { speaksFor } from "@/lib/web/client/base/client.ts";
import { createQueryClient } from "@/lib/web/client/base/query-client.ts";

/**
 * Query data that the Next server read, in the API's format, by query key. Under `drawnFor`: for whom it was
 * read.
 */
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
 * Leaves out what was read for another than the page around it, as after the end of a view: the page's own
 * calls are then refused, which tells so. On the server both come from one request.
 */
export function useRead(client: QueryClient, read: ReadAlready): void {
  useState(() => {
    if (typeof window !== "undefined" && read.some(([key, of]) => key[0] === "drawnFor" && !speaksFor(of)))
      return;
    for (const [key, data] of read)
      if (client.getQueryData(key) === undefined) client.setQueryData(key, data);
  });
}
