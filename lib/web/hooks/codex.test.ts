/** What Codex's hooks ask, and in which words they are answered. */
import { expect, test } from "vitest";
import { beforeTool } from "../../../test/fixtures/agents/raw-hook.ts";
import { codex } from "./codex.ts";

const allowed = { reason: "Ben approved it.", comment: null, input: null };
const read = (body: unknown) => codex.read(body, new Headers());

test("a call is told by its tool, its input, and the program's own id", () => {
  const event = beforeTool("apply_patch", { command: "*** Begin Patch" }, { tool_use_id: "call_7" });
  expect(read(event).call).toMatchObject({
    program: "Codex",
    tool: "apply_patch",
    input: { command: "*** Begin Patch" },
    callId: "call_7",
  });
  expect(read({ ...event, tool_input: "text" }).call.input).toEqual({ input: "text" });
});

test("Codex fails a hook that allows a call before its tool, so that an answer which denies nothing allows it", () => {
  const { answers, whenUndecided } = read(beforeTool("Bash", {}));
  expect(whenUndecided).toBe("deny");
  const decision = (more: object) => ({ hookSpecificOutput: { hookEventName: "PreToolUse", ...more } });
  expect(answers.allow(allowed)).toEqual(decision({}));
  expect(answers.allow({ ...allowed, comment: "Gently" })).toEqual(
    decision({ additionalContext: "Ben approved it. They said: Gently" }),
  );
  for (const no of [answers.deny("No"), answers.undecided("No")])
    expect(no).toEqual(decision({ permissionDecision: "deny", permissionDecisionReason: "No" }));
});

test("a PermissionRequest is allowed or denied", () => {
  const { answers } = read(beforeTool("Bash", {}, { hook_event_name: "PermissionRequest" }));
  const decision = (said: object) => ({
    hookSpecificOutput: { hookEventName: "PermissionRequest", decision: said },
  });
  expect(answers.allow(allowed)).toEqual(decision({ behavior: "allow" }));
  for (const no of [answers.deny("No"), answers.undecided("No")])
    expect(no).toEqual(decision({ behavior: "deny", message: "No" }));
});

test("a refusal does not begin as an answer does: the set-up's command blocks the call", () => {
  expect(JSON.stringify(codex.refuse("No such agent"))).not.toMatch(/^\{"hookSpecificOutput"/);
  expect(() => read({ ...beforeTool("Bash", {}), hook_event_name: "Stop" })).toThrow("Intray answers");
});
