import { vi } from "vitest";

/** For tests of one engine that mostly wait: more of a file's run at once than the five of the others. */
export function manyAtOnce(): void {
  vi.setConfig({ maxConcurrency: 16 });
}
