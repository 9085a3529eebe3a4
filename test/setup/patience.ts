import { vi } from "vitest";

/** Tries until it does not throw; gives up long after a slow and busy machine would have done it. */
export function patiently<T>(attempt: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(attempt, { timeout: 60_000, interval: 50 });
}
