/** What is known of the test files: how long they took, and which have long tests. */
import { globSync, readFileSync } from "node:fs";
import { z } from "zod";

/** How long the files took when Vitest last ran them: the cache by which it begins with the longest. */
const REPORTS = "node_modules/.vite/vitest/*/results.json";
/** Of a file that has not run here yet. */
const UNKNOWN_SECONDS = 2;

const reportSchema = z.object({
  projects: z.record(
    z.string(),
    z.object({ files: z.record(z.string(), z.object({ duration: z.number() })) }),
  ),
});

/** Returns a function from a test file to its seconds. */
export function lastDurations(): (file: string) => number {
  const seconds = new Map<string, number>();
  for (const path of globSync(REPORTS)) {
    const report = reportSchema.parse(JSON.parse(readFileSync(path, "utf8")));
    for (const { files } of Object.values(report.projects))
      for (const [file, { duration }] of Object.entries(files)) seconds.set(file, duration / 1_000);
  }
  return (file) => seconds.get(file) ?? UNKNOWN_SECONDS;
}

const TAGGED = /\btags:\s*\[?[^\]]*"full"/;

/** Returns the test files with tests that have the tag `full`, by their text. Files named `*.full.test.ts` are not among them. */
export function filesWithLongTests(): string[] {
  return globSync("{lib,app,components,examples,scripts,prisma,test}/**/*.test.{ts,tsx}", {
    exclude: ["**/*.full.test.*"],
  })
    .filter((file) => TAGGED.test(readFileSync(file, "utf8")))
    .sort();
}
