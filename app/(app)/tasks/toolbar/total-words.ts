import { MOST_TOTAL } from "@/lib/api-client/tasks/tasks.ts";
import { formatCount } from "@/lib/format/overview.ts";

/** `1,204 tasks`, `10,000+ tasks`. */
export function totalWords(total: number): string {
  return `${totalCount(total)} ${total === 1 ? "task" : "tasks"}`;
}

export function totalCount(total: number): string {
  return total > MOST_TOTAL ? `${formatCount(MOST_TOTAL)}+` : formatCount(total);
}
