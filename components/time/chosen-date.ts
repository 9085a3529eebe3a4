import type { Formats } from "@/lib/text/formats/formats.ts";
import { isDateText } from "@/lib/text/time.ts";

/**
 * The day in a native date input, in words beside the input: browsers show their own order of day and month there,
 * so that 03/04 could be either.
 */
export function chosenDate(value: string, { date }: Formats): string | undefined {
  return isDateText(value) ? date(value) : undefined;
}
