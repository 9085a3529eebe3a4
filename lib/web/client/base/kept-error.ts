"use client";

import { useState } from "react";

/**
 * Returns why no data can be shown, or null if data exists or the first try is under way. Keeps the error
 * during a retry: a query without data forgets its error then, and the page would flash a skeleton again and
 * again.
 */
export function useKeptError({ data, error }: { data: unknown; error: Error | null }): Error | null {
  const [kept, keep] = useState<Error | null>(null);
  const now = data === undefined ? (error ?? kept) : null;
  if (now !== kept) keep(now);
  return now;
}
