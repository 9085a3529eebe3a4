import { formatDuration } from "./duration.ts";

/** Formats a server's latency in ms: `0.04 s`, `1 s`, `12 s`; `—` for null (not measured). */
export function formatLatency(ms: number | null): string {
  if (ms === null) return "—";
  if (ms < 10) return "< 0.01 s";
  return ms < 995 ? `${(ms / 1_000).toFixed(2)} s` : formatDuration(Math.round(ms / 100) * 100);
}
