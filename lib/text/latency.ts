import { formatDuration } from "./duration.ts";
import type { Formats } from "./formats/formats.ts";

/** Formats a server's latency in ms: `0.04 s`, `1 s`, `12 s`; `—` for null (not measured). */
export function formatLatency(ms: number | null, { number }: Formats): string {
  if (ms === null) return "—";
  if (ms < 10) return `< ${number(0.01)} s`;
  return ms < 995 ? `${number(Math.round(ms / 10) / 100)} s` : formatDuration(Math.round(ms / 100) * 100);
}
