import { queryOptions } from "@tanstack/react-query";
import { api, query } from "@/components/api/client.ts";
import type { Answerer } from "@/lib/members/schema.ts";
import type { DeclineReasons, UndoWindow } from "@/lib/organizations/schema.ts";

/** Changed by an admin once in a while; a visit of the screen reads them once. */
const SELDOM_MS = 10 * 60_000;

export function declineReasons() {
  return queryOptions({
    queryKey: ["answering", "decline-reasons"],
    queryFn: ({ signal }) => api.get<DeclineReasons>("/api/v1/decline-reasons", signal),
    staleTime: SELDOM_MS,
  });
}

export function undoWindow() {
  return queryOptions({
    queryKey: ["answering", "undo-window"],
    queryFn: ({ signal }) => api.get<UndoWindow>("/api/v1/undo-window", signal),
    staleTime: SELDOM_MS,
  });
}

/** Who may answer, for assigning. */
export function people(q: string) {
  return queryOptions({
    queryKey: ["answering", "people", q],
    queryFn: ({ signal }) => api.get<{ items: Answerer[] }>(`/api/v1/people${query({ q })}`, signal),
    staleTime: 60_000,
  });
}
