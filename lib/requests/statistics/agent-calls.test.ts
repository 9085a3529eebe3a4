import { expect, test } from "vitest";
import { type AgentsTask, wayOf } from "./agent-calls.ts";

const task = (more: Partial<AgentsTask> = {}): AgentsTask => ({
  ...{ gate: null, isCovered: false, isHooks: false, isAccepted: false },
  ...more,
});
const hooks = (isAccepted: boolean) => task({ isHooks: true, isAccepted });

test.each([
  ["a hook's call that a rule allows", "agent.call_allowed", undefined, "rule"],
  ["a call that a rule denies", "agent.call_denied", undefined, "refused"],
  ["a call that is made at once", "task.queued", task(), "rule"],
  ["a call by an approval for a while", "task.queued", task({ isCovered: true }), "standing_approval"],
  ["a call that waits for an approval", "task.queued", task({ gate: "waiting" }), null],
  ["its approval", "task.approved", task({ gate: "approved" }), "person"],
  ["its start, read after the approval", "task.queued", task({ gate: "approved" }), null],
  ["its end", "task.completed", task({ gate: "approved" }), null],
  ["its failure", "task.failed", task({ gate: "approved" }), null],
  ["a declined call", "task.failed", task({ gate: "declined" }), "refused"],
  ["a call that nobody approved in time", "task.failed", task({ gate: "expired" }), "refused"],
  ["a call whose tool changed meanwhile", "task.failed", task({ gate: "withdrawn" }), null],
  ["a hook's question", "task.queued", hooks(false), null],
  ["a hook's approval", "task.completed", hooks(true), "person"],
  ["a hook's decline", "task.completed", hooks(false), "refused"],
  ["a task of a person", "task.queued", undefined, null],
  ["an approval of a person's call", "task.approved", undefined, null],
] as const)("%s counts as it was decided", (_, type, of, way) => {
  expect(wayOf({ type, actor: { kind: "member" } }, of)).toBe(way);
});

test("what a rule of the policy approves, no person did", () => {
  expect(wayOf({ type: "task.approved", actor: { kind: "rule" } }, task({ gate: "approved" }))).toBe("rule");
});
