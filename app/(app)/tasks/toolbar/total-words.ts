import type { Formats } from "@/lib/text/formats/formats.ts";
import { MOST_TOTAL } from "@/lib/web/client/tasks/tasks.ts";

/** `1,204 tasks`, `10,000+ tasks`. */
export function totalWords(total: number, formats: Formats): string {
  return `${totalCount(total, formats)} ${total === 1 ? "task" : "tasks"}`;
}

export function totalCount(total: number, { number }: Formats): string {
  return total > MOST_TOTAL ? `${number(MOST_TOTAL)}+` : number(total);
}
