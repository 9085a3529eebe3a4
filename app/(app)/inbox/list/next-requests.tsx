"use client";

import { useQueries, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { requestDocuments, requestsOfTask, similarRequests } from "@/lib/web/client/request-context.ts";
import { requestDetail } from "@/lib/web/client/requests.ts";
import { taskEvents } from "@/lib/web/client/tasks/task-history.ts";

/**
 * Reads the requests that come next, so that each opens at once, and keeps up with their changes: what opens is the
 * question of now. Their documents' contents are read only when a person opens one.
 */
export function NextRequests({ ids }: { ids: string[] }) {
  const client = useQueryClient();
  const requests = useQueries({
    queries: ids.map((id) => ({ ...requestDetail(id), refetchInterval: false as const })),
  });
  const read = requests.flatMap(({ data }) => data ?? []);
  const key = read.map(({ id }) => id).join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each request
  useEffect(() => {
    for (const { id, taskId, documents } of read) {
      void client.prefetchQuery(similarRequests(id));
      void client.prefetchQuery(requestsOfTask(taskId));
      void client.prefetchQuery(taskEvents(taskId));
      if (documents.mayHaveMore) void client.prefetchQuery(requestDocuments(id));
    }
  }, [client, key]);
  return null;
}
