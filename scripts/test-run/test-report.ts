/**
 * Reads the suites' JSON reports: the counts of tests, the failed ones with their first words, and the time
 * of each file.
 */
import { existsSync, readFileSync } from "node:fs";
import { relative } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { z } from "zod";

/** Chooses the tests with the tag `full`, or those without. */
export type TagsFilter = "full" | "!full";

export interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}
export interface Report {
  counts: Counts;
  failures: string[];
  files: TimedFile[];
}
export interface TimedFile {
  file: string;
  ms: number;
}

const vitestSchema = z.object({
  numPassedTests: z.number(),
  numFailedTests: z.number(),
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      message: z.string().default(""),
      startTime: z.number().default(0),
      endTime: z.number().default(0),
      assertionResults: z.array(
        z.object({
          fullName: z.string(),
          status: z.string(),
          failureMessages: z.array(z.string()).nullish(),
          tags: z.array(z.string()).default([]),
        }),
      ),
    }),
  ),
});

/**
 * Reads Vitest's report, and the errors that no test waited for. Returns null if it wrote no report. Tests that `tags`
 * leaves out are not counted: Vitest reports them as skipped.
 */
export function readVitestReport(path: string, strayErrors: string, tags?: TagsFilter): Report | null {
  const report = read(path, vitestSchema);
  if (!report) return null;
  const stray = read(strayErrors, z.array(z.string())) ?? [];
  const isChosen = (test: { tags: string[] }) => !tags || test.tags.includes("full") === (tags === "full");
  const unrun = report.testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .filter((test) => isChosen(test) && !["passed", "failed"].includes(test.status));
  const failures = report.testResults.flatMap((file) => {
    const name = relative(process.cwd(), file.name);
    const failed = file.assertionResults.filter(({ status }) => status === "failed");
    // A file can fail without a test, if it could not be loaded or its set-up failed.
    if (failed.length === 0 && file.status === "failed") return [line(name, file.message)];
    return failed.map((test) => line(`${name} › ${test.fullName}`, test.failureMessages?.[0] ?? ""));
  });
  return {
    counts: {
      passed: report.numPassedTests,
      failed: report.numFailedTests + stray.length,
      skipped: unrun.length,
    },
    failures: [...failures, ...stray.map((said) => line("An error that no test waited for", said))],
    files: report.testResults.map(({ name, startTime, endTime }) => ({
      file: relative(process.cwd(), name),
      ms: endTime - startTime,
    })),
  };
}

interface Suite {
  specs: {
    title: string;
    file: string;
    ok: boolean;
    tests: { results: { duration: number; error?: { message?: string } }[] }[];
  }[];
  suites?: Suite[];
}
const suiteSchema: z.ZodType<Suite> = z.object({
  specs: z.array(
    z.object({
      title: z.string(),
      file: z.string(),
      ok: z.boolean(),
      tests: z.array(
        z.object({
          results: z.array(
            z.object({
              duration: z.number().default(0),
              error: z.object({ message: z.string().optional() }).optional(),
            }),
          ),
        }),
      ),
    }),
  ),
  get suites() {
    return z.array(suiteSchema).optional();
  },
});
const playwrightSchema = z.object({
  stats: z.object({
    expected: z.number(),
    unexpected: z.number(),
    flaky: z.number(),
    skipped: z.number(),
  }),
  suites: z.array(suiteSchema),
});

/** Reads Playwright's report. Returns null if it wrote none. */
export function readPlaywrightReport(path: string): Report | null {
  const report = read(path, playwrightSchema);
  if (!report) return null;
  const { expected, unexpected, flaky, skipped } = report.stats;
  const all = (suite: Suite): Suite["specs"] => [...suite.specs, ...(suite.suites ?? []).flatMap(all)];
  const specs = report.suites.flatMap(all);
  const failures = specs
    .filter(({ ok }) => !ok)
    .map(({ file, title, tests }) =>
      line(`${file} › ${title}`, tests[0]?.results.find(({ error }) => error)?.error?.message ?? ""),
    );
  const took = new Map<string, number>();
  for (const { file, tests } of specs)
    for (const { duration } of tests.flatMap(({ results }) => results))
      took.set(file, (took.get(file) ?? 0) + duration);
  return {
    counts: { passed: expected + flaky, failed: unexpected, skipped },
    failures,
    files: [...took].map(([file, ms]) => ({ file: `e2e/${file}`, ms })),
  };
}

const earlierSchema = z.object({
  passed: z.number(),
  failed: z.number(),
  skipped: z.number(),
  failures: z.array(z.string()),
});

/** Reads the report of earlier checks, which count with this run. Returns null if the file is missing. */
export function readEarlierReport(path: string): Report | null {
  const report = read(path, earlierSchema);
  if (!report) return null;
  const { failures, ...counts } = report;
  return { counts, failures, files: [] };
}

/** The slowest files, a line each, slowest first. */
export function slowest(files: TimedFile[], most = 10): string {
  return files
    .toSorted((a, b) => b.ms - a.ms)
    .slice(0, most)
    .map(({ file, ms }) => `${(ms / 1_000).toFixed(1).padStart(7)} s  ${file}`)
    .join("\n");
}

function read<T>(path: string, schema: z.ZodType<T>): T | null {
  return existsSync(path) ? schema.parse(JSON.parse(readFileSync(path, "utf8"))) : null;
}

/** The test, and the first lines of its message. */
function line(name: string, message: string): string {
  const words = stripVTControlCharacters(message).trim().split("\n").slice(0, 12).join("\n    ");
  return words === "" ? name : `${name}\n    ${words}`;
}
