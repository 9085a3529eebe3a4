import { useSearchParams } from "next/navigation";
import type { EventFilter } from "@/lib/api-client/events.ts";

const NAMES = ["type", "actorId", "taskId", "inputRequestId", "from", "to"] as const;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

/**
 * The filter in two forms: `shown` as in the URL, with days for `from` and `to`, and `filter` for the API,
 * with instants.
 */
export function useActivityFilter(): {
  filter: EventFilter;
  shown: EventFilter;
  change: (next: Partial<EventFilter>) => void;
} {
  const params = useSearchParams();
  const shown = Object.fromEntries(
    NAMES.map((name) => [name, params.get(name) ?? ""]),
  ) as unknown as EventFilter;
  const change = (next: Partial<EventFilter>) => {
    const set = Object.entries({ ...shown, ...next }).filter(([, value]) => value !== "");
    window.history.replaceState(null, "", `/activity${set.length > 0 ? `?${new URLSearchParams(set)}` : ""}`);
  };
  return { shown, change, filter: { ...shown, from: midnight(shown.from, 0), to: midnight(shown.to, 1) } };
}

/**
 * Returns when a day begins in the person's time zone, `later` days after `day`; empty for an invalid day.
 */
function midnight(day: string, later: number): string {
  if (!DAY.test(day)) return "";
  const date = new Date(`${day}T00:00`);
  if (Number.isNaN(date.getTime())) return "";
  date.setDate(date.getDate() + later);
  return date.toISOString();
}
