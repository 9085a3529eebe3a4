import { describe, expect, test } from "vitest";
import { type EarlierCall, judgeRepeat, pollAfterMs, SETTLING_MS, waitingFor } from "./agent-call-status.ts";

const NOW = new Date("2026-03-02T09:00:00Z");
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const ago = (ms: number) => new Date(NOW.getTime() - ms);
/** A call whose task ended a while ago, and whose result nobody was sent. */
const earlier = (differs: Partial<EarlierCall> = {}): EarlierCall => ({
  taskId: "t",
  byKey: false,
  repeatable: false,
  finishedAt: ago(5 * MINUTE),
  sentAt: null,
  fetchedAt: null,
  ...differs,
});

describe("judgeRepeat", () => {
  test.each<[string, Partial<EarlierCall>, string]>([
    ["joins while the task runs", { finishedAt: null }, "join"],
    ["joins while it runs, whatever was sent of it", { finishedAt: null, sentAt: ago(0) }, "join"],
    ["joins what ended and was not sent", {}, "join"],
    ["joins what was sent and did not arrive", { sentAt: ago(4 * MINUTE) }, "join"],
    ["waits while the result may be on its way", { sentAt: ago(SETTLING_MS - 1) }, "settling"],
    ["joins once it would have arrived", { sentAt: ago(SETTLING_MS) }, "join"],
    ["begins anew once the result was fetched", { sentAt: ago(1), fetchedAt: ago(0) }, "new"],
    ["joins for a week", { finishedAt: ago(7 * DAY - 1) }, "join"],
    ["begins anew after a week", { finishedAt: ago(7 * DAY) }, "new"],
    [
      "joins for ten minutes what may be repeated",
      { repeatable: true, finishedAt: ago(10 * MINUTE - 1) },
      "join",
    ],
    [
      "begins what may be repeated anew after them",
      { repeatable: true, finishedAt: ago(10 * MINUTE) },
      "new",
    ],
    [
      "begins anew what was sent long ago and never fetched",
      { finishedAt: ago(8 * DAY), sentAt: ago(8 * DAY) },
      "new",
    ],
  ])("%s", (_, differs, verdict) => {
    expect(judgeRepeat(earlier(differs), NOW)).toBe(verdict);
  });

  test("a key means one call for ever, also once its result was fetched", () => {
    for (const differs of [
      { finishedAt: ago(400 * DAY) },
      { finishedAt: ago(400 * DAY), sentAt: ago(400 * DAY), fetchedAt: ago(400 * DAY) },
      { repeatable: true, sentAt: ago(0) },
    ])
      expect(judgeRepeat(earlier({ byKey: true, ...differs }), NOW)).toBe("join");
  });
});

describe("waitingFor", () => {
  test.each([
    ["working", false, "server"],
    ["working", true, "person"],
    ["input_required", false, "person"],
    // Whether it began is for a person to say.
    ["start_unknown", false, "person"],
  ] as const)("%s, with a question: %s", (state, asks, whom) => {
    expect(waitingFor(state, asks)).toBe(whom);
  });
});

describe("pollAfterMs", () => {
  test.each([
    // A clock that went back makes no negative pause.
    [-5_000, 1_000],
    [0, 1_000],
    [10_000, 1_000],
    [10_006, 1_001],
    [300_000, 30_000],
    [600_000, 60_000],
    [90 * DAY, 60_000],
  ])("a task that is %d ms old is looked at again after %d ms", (age, pause) => {
    expect(pollAfterMs(age)).toBe(pause);
  });
});
