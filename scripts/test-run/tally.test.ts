import { expect, test } from "vitest";
import { Tally } from "./tally.ts";

const report = (passed: number, failures: string[] = []) => ({
  counts: { passed, failed: failures.length, skipped: 1 },
  failures,
  files: [{ file: `lib/of-${passed}.test.ts`, ms: passed * 1_000 }],
});

test("adds up what came before, suites and checks, and says the slowest files and what failed", () => {
  const tally = new Tally();
  tally.suite("The front door", 0, { ...report(6), files: [] });
  tally.check("Types", 0);
  tally.check("Routes", 2);
  tally.suite("Unit tests", 1, report(10, ["lib/a.test.ts › adds"]));
  tally.suite("Browser tests", 0, report(20));
  expect(tally.failed).toBe(true);
  expect(tally.summary()).toBe(`
── The slowest files
   20.0 s  lib/of-20.test.ts
   10.0 s  lib/of-10.test.ts

── What failed
Routes: failed with code 2
lib/a.test.ts › adds

37 passed, 2 failed, 3 skipped`);
});

test("a suite that crashed or ran nothing has failed", () => {
  const tally = new Tally();
  tally.suite("Unit tests", 137, report(3), "It said:\nenough\n");
  tally.suite("Browser tests", 0, null);
  tally.failure("Interrupted.");
  expect(tally.summary()).toMatch(
    /code 137\n {4}It said:\n {4}enough\nBrowser tests: no test ran\nInterrupted\.\n\n3 passed, 3 failed, 1 skipped$/,
  );
});

test("a run where all passed says its counts alone", () => {
  const tally = new Tally();
  tally.check("Types", 0);
  expect([tally.failed, tally.summary()]).toEqual([false, "\n1 passed, 0 failed, 0 skipped"]);
});
