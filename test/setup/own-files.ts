/**
 * Test files that change what a worker's files share: modules, timers, settings that modules read when they are loaded.
 * Each has a process of its own. Every run decides it anew, from the file's text.
 */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

const CHANGES =
  /\bvi\.(mock|doMock|resetModules|useFakeTimers|stubEnv|stubGlobal|spyOn)\b|process\.env(\.\w+|\[[^\]]+\]) (\?\?)?= |delete process\.env|\bLOG_LEVEL\b/;

/** Returns the files of these patterns that need a process of their own, as paths from the root. */
export function ownFiles(root: string, patterns: string[]): string[] {
  return globSync(patterns, { cwd: root })
    .filter((file) => CHANGES.test(readFileSync(join(root, file), "utf8")))
    .sort();
}
