/** The end of a run names every failure: a test, a file that could not be loaded, a browser test. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, expect, test } from "vitest";
import { readEarlierReport, readPlaywrightReport, readVitestReport, slowest } from "./test-report.ts";

const folder = mkdtempSync(join(tmpdir(), "intray-report-"));
afterAll(() => rmSync(folder, { recursive: true }));

function file(content: unknown): string {
  const path = join(folder, "report.json");
  writeFileSync(path, JSON.stringify(content));
  return path;
}

test("of Vitest: each failed test by file and name, files that failed as a whole, and errors that no test waited for", () => {
  const passed = { fullName: "adds", status: "passed", failureMessages: [] };
  const failed = {
    fullName: "sums up",
    status: "failed",
    failureMessages: ["\u001b[31mexpected 2\u001b[39m\nat x"],
  };
  const leftOut = (status: string) => ({ fullName: status, status, failureMessages: [] });
  const strayErrors = join(folder, "stray-errors.json");
  writeFileSync(strayErrors, JSON.stringify(["lib/a.test.ts\nadds\nError: too late"]));
  const report = readVitestReport(
    file({
      numPassedTests: 1,
      numFailedTests: 1,
      testResults: [
        {
          name: resolve("lib/a.test.ts"),
          status: "failed",
          message: "",
          startTime: 1_000,
          endTime: 3_500,
          assertionResults: [passed, failed, leftOut("skipped"), leftOut("todo")],
        },
        { name: resolve("lib/b.test.ts"), status: "failed", message: "No such file", assertionResults: [] },
      ],
    }),
    strayErrors,
  );
  expect(report).toEqual({
    counts: { passed: 1, failed: 2, skipped: 2 },
    failures: [
      "lib/a.test.ts › sums up\n    expected 2\n    at x",
      "lib/b.test.ts\n    No such file",
      "An error that no test waited for\n    lib/a.test.ts\n    adds\n    Error: too late",
    ],
    files: [
      { file: "lib/a.test.ts", ms: 2_500 },
      { file: "lib/b.test.ts", ms: 0 },
    ],
  });
});

test("of Vitest: what a filter of tags leaves out does not count as skipped", () => {
  const report = file({
    numPassedTests: 0,
    numFailedTests: 0,
    testResults: [
      {
        name: resolve("lib/a.test.ts"),
        status: "passed",
        assertionResults: [
          { fullName: "takes long", status: "skipped", failureMessages: null, tags: ["full"] },
          { fullName: "is switched off", status: "skipped", failureMessages: null, tags: [] },
          { fullName: "is planned", status: "todo", failureMessages: null, tags: [] },
        ],
      },
    ],
  });
  const skipped = (tags?: "full" | "!full") =>
    readVitestReport(report, join(folder, "no-stray-errors.json"), tags)?.counts.skipped;
  expect([skipped("!full"), skipped("full"), skipped()]).toEqual([2, 1, 3]);
});

test("of Playwright: each failed test, however deep, with its first error", () => {
  const spec = (ok: boolean, title: string) => ({
    ok,
    title,
    file: "a.spec.ts",
    tests: [{ results: [{ duration: 700, error: ok ? undefined : { message: "Timed out" } }] }],
  });
  const report = readPlaywrightReport(
    file({
      stats: { expected: 3, unexpected: 1, flaky: 1, skipped: 0 },
      suites: [{ specs: [spec(true, "opens")], suites: [{ specs: [spec(false, "closes")] }] }],
    }),
  );
  expect(report).toEqual({
    counts: { passed: 4, failed: 1, skipped: 0 },
    failures: ["a.spec.ts › closes\n    Timed out"],
    files: [{ file: "e2e/a.spec.ts", ms: 1_400 }],
  });
});

test("no report is no report", () => {
  expect(readVitestReport(join(folder, "none.json"), join(folder, "none.json"))).toBeNull();
});

test("what was checked before counts with it", () => {
  const failures = ["npm start: it was not ready"];
  expect(readEarlierReport(file({ passed: 6, failed: 1, skipped: 0, failures }))).toEqual({
    counts: { passed: 6, failed: 1, skipped: 0 },
    failures,
    files: [],
  });
  expect(() => readEarlierReport(file({ passed: 6 }))).toThrow("failed");
});

test("the slowest files of all suites, the longest first", () => {
  const files = [
    { file: "lib/quick.test.ts", ms: 90 },
    { file: "e2e/slow.spec.ts", ms: 61_240 },
    { file: "lib/slow.test.ts", ms: 9_500 },
  ];
  expect(slowest(files, 2)).toBe("   61.2 s  e2e/slow.spec.ts\n    9.5 s  lib/slow.test.ts");
});
