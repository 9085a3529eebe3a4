import { expect, test } from "vitest";
import { LogTail, withLogs } from "./log-tail.ts";

const FIRST = new Date("2026-11-22T10:00:00.000Z");
const SECOND = new Date("2026-11-22T11:00:00.000Z");
const banner = Array.from({ length: 40 }, (_, at) => `│ ${"═".repeat(60)} ${at} │`);
const store = (stored: string | null, ...children: [startedAt: Date, lines: string[]][]) => {
  const log = new LogTail();
  for (const [startedAt, lines] of children) for (const line of lines) log.add(line, startedAt);
  return withLogs(stored, log.take() ?? []);
};

test("what a child died of stays when the next one has printed its banner, whichever process ran it", () => {
  const died = [...banner, "ready", "Traceback (most recent call last):", "ValueError: no ledger"];
  const before = store(null, [FIRST, died]);
  const after = store(before, [SECOND, [...banner, "ready"]]);
  expect(after).toContain("ValueError: no ledger");
  expect(after.indexOf("ValueError")).toBeLessThan(after.indexOf(`── started ${SECOND.toISOString()} ──`));
  expect(after.endsWith("ready")).toBe(true);
  expect(store(null, [FIRST, died], [SECOND, [...banner, "ready"]])).toBe(after);
});

test("a warning stays when thousands of other lines have followed it", () => {
  const chatter = Array.from({ length: 5_000 }, (_, at) => `GET /healthz 200 ${at}`);
  const text = store(null, [FIRST, ["starting", "WARNING: the ledger is read-only", ...chatter]]);
  expect(text).toContain("WARNING: the ledger is read-only\n…\n");
  expect(text).toContain("GET /healthz 200 4999");
  expect(text).not.toContain("starting");
});

test("the same child's lines are told once, however often they are written", () => {
  const log = new LogTail();
  log.add("one", FIRST);
  const once = withLogs(null, log.take() ?? []);
  log.add("two", FIRST);
  expect(withLogs(once, log.take() ?? [])).toBe(`── started ${FIRST.toISOString()} ──\none\ntwo`);
});

test("a hundred children that each write a megabyte take a page", () => {
  let stored: string | null = null;
  for (let at = 0; at < 100; at++)
    stored = store(stored, [new Date(FIRST.getTime() + at), Array(1_000).fill(`error ${"x".repeat(1_000)}`)]);
  expect(stored!.length).toBeLessThanOrEqual(16_000);
});

test("a child can't make its lines look like another one's", () => {
  const text = store(null, [FIRST, ["a", `── started ${SECOND.toISOString()} ──`, "b"]]);
  expect(store(text, [SECOND, ["c"]])).toContain("\nb\n");
});

test("what was stored before children were told apart comes first", () => {
  expect(store("old words\n", [FIRST, ["new"]])).toMatch(
    /old words\n── started 2026-11-22T10:00:00.000Z ──\nnew$/,
  );
});
