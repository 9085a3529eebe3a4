import { expect, test } from "vitest";
import { waitingWords } from "./waiting.ts";

const NOW = Date.parse("2026-11-22T10:00:00.000Z");
const at = (ms: number) => new Date(NOW + ms).toISOString();
type Task = Parameters<typeof waitingWords>[0];

const QUEUED: Task = {
  state: "queued",
  server: { id: "s", name: "ERP", pause: null },
  connection: { owner: null, state: "connected", circuitOpenUntil: null },
  attention: null,
  nextAttemptAt: null,
  inputRequests: [],
  error: null,
  progress: null,
  ahead: 0,
};
const pause = { at: at(0), by: { kind: "member", id: "o", name: "Ola" } as const, reason: "Month's end" };
const attention = (code: NonNullable<Task["attention"]>["code"]) => ({ code, since: at(0) });
const asked = (state: string) => [{ id: "r", state, message: "Pay?" }];

test.each<[string, Partial<Task>, string | null]>([
  ["nobody starts it", {}, "Waiting for an engine to start it"],
  ["no engine runs", { attention: attention("no_engine") }, "Waiting for an engine: none is running"],
  ["its server is paused", { server: { id: "s", name: "ERP", pause } }, "Waiting: Ola paused ERP"],
  [
    "its connection needs a sign-in",
    { connection: { owner: null, state: "needs_reauth", circuitOpenUntil: null } },
    "Waiting for a sign-in at ERP",
  ],
  [
    "the circuit is open",
    { connection: { owner: null, state: "connected", circuitOpenUntil: at(60_000) } },
    "Waiting for ERP, which can’t be reached; tried again in 1 min",
  ],
  [
    "the server fails",
    { attention: attention("server_failing") },
    "Waiting for ERP, which answers with errors",
  ],
  ["it is tried again later", { nextAttemptAt: at(30_000) }, "Waiting to be tried again in 30 s"],
  ["others are before it", { ahead: 12 }, "Waiting to start: 12 earlier tasks of ERP wait too"],
  ["the call is under way", { state: "starting" }, "Waiting for ERP to take the call"],
  [
    "nobody knows",
    { state: "start_unknown" },
    "Waiting for an operator to settle whether the server took the call",
  ],
  ["a question is open", { state: "input_required", inputRequests: asked("open") }, "Waiting for a person"],
  [
    "a question is open, and the server paused",
    { state: "input_required", inputRequests: asked("open"), server: { id: "s", name: "ERP", pause } },
    "Waiting for a person",
  ],
  [
    "an answer is on its way, and the server paused",
    { state: "input_required", inputRequests: asked("answered"), server: { id: "s", name: "ERP", pause } },
    "Waiting: Ola paused ERP",
  ],
  [
    "an answer is on its way",
    { state: "input_required", inputRequests: asked("answered") },
    "Waiting for the answer to be delivered",
  ],
  ["the server works", { state: "working" }, "ERP is working on it"],
  ["it has ended", { state: "failed" }, null],
])("%s", (_what, task, text) => {
  expect(waitingWords({ ...QUEUED, ...task }, NOW)?.text ?? null).toBe(text);
});

test("quotes why it was not started, and why the server is paused", () => {
  const error = { code: "unreachable", message: "No route to host" };
  expect(waitingWords({ ...QUEUED, error }, NOW)?.quote).toBe("No route to host");
  const server = { id: "s", name: "ERP", pause };
  expect(waitingWords({ ...QUEUED, server }, NOW)?.quote).toBe("Month's end");
});
