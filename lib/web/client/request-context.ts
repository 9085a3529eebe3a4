import { queryOptions } from "@tanstack/react-query";
import type { Page } from "@/lib/base/page.ts";
import type { RequestDocuments } from "@/lib/requests/documents/document-schema.ts";
import type { InputRequestDetail, InputRequestSummary } from "@/lib/requests/request-schema.ts";
import type { SimilarRequests } from "@/lib/requests/similar/similar-schema.ts";
import { ApiError, api, ConnectionError, query } from "@/lib/web/client/base/client.ts";
import { reading } from "@/lib/web/client/base/reading.ts";
import { requestKeys } from "@/lib/web/client/requests.ts";

/** Past decisions on similar requests. Refetched at any change of any request, which may be a duplicate. */
export function similarRequests(id: string) {
  return reading<SimilarRequests>(
    [...requestKeys.lists, "similar", id],
    `/api/v1/input-requests/${id}/similar`,
    {
      // A request is better shown without similar ones than late.
      retry: false,
    },
  );
}

/** Every question of one task, oldest first, at most 50. */
export function requestsOfTask(taskId: string) {
  return reading<Page<InputRequestSummary>>(
    [...requestKeys.ofTask(taskId), "all"],
    `/api/v1/input-requests${query({ taskId })}`,
  );
}

/** Every document of a request, also those of results. No server is asked. */
export function requestDocuments(inputRequestId: string) {
  return reading<RequestDocuments>(
    ["input-requests", "documents", inputRequestId],
    `/api/v1/input-requests/${inputRequestId}/documents`,
  );
}

/** One document's bytes, of a type that Intray has judged. Read once, when a person asks for it. */
export function documentContent(inputRequestId: string, documentId: string) {
  return queryOptions({
    // Not under the key of requests, whose hints would read it anew from its server.
    queryKey: ["documents", inputRequestId, documentId] as const,
    // Nothing reads it anew from its server: neither time, nor a connection that came back.
    staleTime: "static",
    refetchInterval: false,
    gcTime: 60_000,
    retry: false,
    queryFn: async ({ signal }): Promise<Blob> => {
      const response = await fetch(`/api/v1/input-requests/${inputRequestId}/documents/${documentId}`, {
        signal,
      }).catch((error: unknown) => {
        if (signal.aborted) throw error;
        throw new ConnectionError(false, { cause: error });
      });
      if (!response.ok) throw new ApiError(response.status, await problemOf(response));
      return response.blob();
    },
  });
}

async function problemOf(response: Response): Promise<Record<string, unknown>> {
  const isProblem = response.headers.get("content-type")?.startsWith("application/problem+json");
  return isProblem ? ((await response.json()) as Record<string, unknown>) : {};
}

/** Details that are read at a time: a browser has six connections. */
const READ_AT_ONCE = 6;

/** What each of these requests was asked about: the call, and what its server said of it. */
export function callsOf(ids: string[]) {
  return queryOptions({
    // Not under the key of requests, whose hints would read them all again: none of it changes.
    queryKey: ["calls", ids] as const,
    staleTime: "static",
    refetchInterval: false,
    gcTime: 60_000,
    queryFn: async ({ signal }) => {
      const calls: Record<string, unknown>[] = [];
      for (let at = 0; at < ids.length; at += READ_AT_ONCE) {
        const read = ids
          .slice(at, at + READ_AT_ONCE)
          .map((id) => api.get<InputRequestDetail>(`/api/v1/input-requests/${id}`, signal));
        for (const { arguments: args, details } of await Promise.all(read))
          calls.push(details ? { details, arguments: args } : args);
      }
      return calls;
    },
  });
}
