import { queryOptions } from "@tanstack/react-query";
import type { Answerer } from "@/lib/people/members/member-schema.ts";
import type { DeclineReasons, UndoWindow } from "@/lib/people/organizations/organization-schema.ts";
import { api, query } from "@/lib/web/client/base/client.ts";

/** The organization's reasons for declining. */
export function declineReasons() {
  return queryOptions({
    queryKey: ["decline-reasons"] as const,
    queryFn: ({ signal }) => api.get<DeclineReasons>("/api/v1/decline-reasons", signal),
    staleTime: 60_000,
    refetchInterval: false,
  });
}

/** How long an answer is held, so that a slip can be undone. */
export function undoWindow() {
  return queryOptions({
    queryKey: ["undo-window"] as const,
    queryFn: ({ signal }) => api.get<UndoWindow>("/api/v1/undo-window", signal),
    staleTime: 60_000,
    refetchInterval: false,
  });
}

/** Members who may answer, by name or e-mail. `requestId`: only those to whom that request can be given. */
export function people(q: string, requestId?: string) {
  return queryOptions({
    queryKey: ["people", q, requestId] as const,
    queryFn: ({ signal }) =>
      api.get<{ items: Answerer[] }>(`/api/v1/people${query({ q, requestId })}`, signal),
    staleTime: 60_000,
    refetchInterval: false,
  });
}
