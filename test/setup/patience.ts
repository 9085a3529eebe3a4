import { vi } from "vitest";

/** Retries until `attempt` does not throw, longer than a slow and busy machine needs. */
export function patiently<T>(attempt: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(attempt, { timeout: 180_000, interval: 50 });
}
