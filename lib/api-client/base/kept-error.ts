"use client";

import { useState } from "react";

/**
 * Why there is nothing to show, also while it is asked for once more: a query without data forgets its error then, and
 * the page would be a skeleton for a moment, again and again. Null: there is something, or it is asked for the first time.
 */
export function useKeptError({ data, error }: { data: unknown; error: Error | null }): Error | null {
  const [kept, keep] = useState<Error | null>(null);
  const now = data === undefined ? (error ?? kept) : null;
  if (now !== kept) keep(now);
  return now;
}
