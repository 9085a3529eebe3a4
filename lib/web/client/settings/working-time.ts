import { queryOptions } from "@tanstack/react-query";
import type { Away } from "@/lib/policy/away/away-schema.ts";
import type { SavedCalendar } from "@/lib/policy/calendar/calendar-schema.ts";
import { api } from "@/lib/web/client/base/client.ts";

/** The working calendar. Not read again by itself: whoever edits it saves over the version that was read. */
export function calendar() {
  return queryOptions({
    queryKey: ["calendar"] as const,
    queryFn: ({ signal }) => api.get<SavedCalendar>("/api/v1/calendar", signal),
    staleTime: 60_000,
    refetchInterval: false,
  });
}

/** Saves over a version. Refused with `version_changed` if somebody else has saved meanwhile. */
export function saveCalendar(version: number, given: unknown): Promise<SavedCalendar> {
  return api.put<SavedCalendar>(
    "/api/v1/calendar",
    { calendar: given },
    { headers: { "if-match": `"${version}"` } },
  );
}

/** When somebody is away: oneself, or by the id of a membership another member. */
export function away(memberId: string | null) {
  return queryOptions({
    queryKey: ["away", memberId] as const,
    queryFn: ({ signal }) => api.get<Away | null>(awayPath(memberId), signal),
  });
}

export function awayPath(memberId: string | null): string {
  return memberId === null ? "/api/v1/me/away" : `/api/v1/members/${memberId}/away`;
}
