/**
 * The Server-Timing header, which browsers' tools and curl show: the time of an answer, and the share of the
 * database. Holds only durations and a number of the caller's own call.
 */
import type { Spent } from "../../base/process/scope.ts";

/** `ms`: since the request arrived. */
export function serverTiming(ms: number, spent: Spent): string {
  const queries = spent.queries === 1 ? "1 query" : `${spent.queries} queries`;
  return `total;dur=${ms.toFixed(1)}, db;dur=${spent.ms.toFixed(1)};desc="${queries}"`;
}
