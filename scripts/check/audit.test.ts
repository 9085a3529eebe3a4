import { expect, test } from "vitest";
import { judgeAudit } from "./audit.ts";

const advisory = {
  name: "next",
  title: "A request is smuggled",
  url: "https://github.com/advisories/GHSA-aaaa-bbbb-cccc",
  severity: "high",
};
const report = {
  auditReportVersion: 2,
  vulnerabilities: { next: { via: [advisory] }, "next-auth": { via: ["next"] } },
};
const review = { id: "GHSA-aaaa-bbbb-cccc", package: "next", why: "Not used.", until: "2026-12-31" };

test.each([
  [
    "an advisory that nobody has reviewed fails, once",
    [],
    "2026-11-23",
    [/^GHSA-aaaa-bbbb-cccc next is not reviewed/],
  ],
  ["a reviewed one passes until its day", [review], "2026-12-31", []],
  ["and not after it", [review], "2027-01-01", [/was reviewed until 2026-12-31/]],
  [
    "a review of another package is none",
    [{ ...review, package: "zod" }],
    "2026-11-23",
    [/not reviewed/, /found no more/],
  ],
])("%s", (_, reviewed, today, expected) => {
  const said = judgeAudit(report, reviewed, today);
  expect(said).toHaveLength(expected.length);
  for (const [at, pattern] of expected.entries()) expect(said[at]).toMatch(pattern);
});

test("a review that nothing needs any more is told, and a report of another kind is none", () => {
  const none = { auditReportVersion: 2, vulnerabilities: {} };
  expect(judgeAudit(none, [review], "2026-11-23")).toEqual([
    "GHSA-aaaa-bbbb-cccc next is found no more: take its review out.",
  ]);
  expect(() => judgeAudit({ error: {} }, [], "2026-11-23")).toThrow();
});
