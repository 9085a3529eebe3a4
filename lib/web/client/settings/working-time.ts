import type { Away } from "@/lib/policy/away/away-schema.ts";
import type { SavedCalendar } from "@/lib/policy/calendar/calendar-schema.ts";
import { api } from "@/lib/web/client/base/client.ts";
import { reading } from "@/lib/web/client/base/reading.ts";

/** The working calendar. Not read again by itself: whoever edits it saves over the version that was read. */
export function calendar() {
  return reading<SavedCalendar>(["calendar"], "/api/v1/calendar", {
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
  return reading<Away | null>(["away", memberId], awayPath(memberId));
}

export function awayPath(memberId: string | null): string {
  return memberId === null ? "/api/v1/me/away" : `/api/v1/members/${memberId}/away`;
}
