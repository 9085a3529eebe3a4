/** What Claude Code's hooks ask, and in which words they are answered. */
import { expect, test } from "vitest";
import { beforeTool } from "../../../test/fixtures/agents/raw-hook.ts";
import { claudeCode, ENTRYPOINT_HEADER } from "./claude-code.ts";

const allowed = { reason: "Ben approved it.", comment: null, input: null };
const read = (body: unknown, entrypoint?: string) =>
  claudeCode.read(body, new Headers(entrypoint === undefined ? {} : { [ENTRYPOINT_HEADER]: entrypoint }));

test("a call is told by its tool, its input, and the program's own id", () => {
  const event = beforeTool("Bash", { command: "make" }, { agent_type: "reviewer", tool_use_id: "toolu_7" });
  expect(read(event).call).toEqual({
    program: "Claude Code",
    tool: "Bash",
    input: { command: "make" },
    cwd: "/home/ana/shop",
    session: event.session_id,
    callId: "toolu_7",
    by: "reviewer",
    takesChanges: true,
  });
});

test("a member that is called as an object's prototype is a member of the input", () => {
  const input = JSON.parse('{"a":1,"__proto__":{"b":2}}');
  expect(JSON.stringify(read(beforeTool("Bash", input)).call.input)).toBe('{"a":1,"__proto__":{"b":2}}');
});

test("the decisions of PreToolUse", () => {
  const { answers } = read(beforeTool("Bash", {}));
  const decision = (more: object) => ({ hookSpecificOutput: { hookEventName: "PreToolUse", ...more } });
  expect(answers.allow(allowed)).toEqual(
    decision({ permissionDecision: "allow", permissionDecisionReason: "Ben approved it." }),
  );
  expect(answers.allow({ ...allowed, comment: "Gently" })).toEqual(
    decision({
      permissionDecision: "allow",
      permissionDecisionReason: "Ben approved it.",
      additionalContext: "Ben approved it. They said: Gently",
    }),
  );
  expect(answers.allow({ ...allowed, input: { command: "ls" } })).toEqual(
    decision({
      permissionDecision: "allow",
      permissionDecisionReason: "Ben approved it.",
      updatedInput: { command: "ls" },
      additionalContext: 'Ben approved it. The call was made with this input: {"command":"ls"}',
    }),
  );
  expect(answers.deny("No")).toEqual(
    decision({ permissionDecision: "deny", permissionDecisionReason: "No" }),
  );
});

test.each([
  ["sdk-cli", "defer"],
  ["cli", "ask"],
  ["sdk-ts", "ask"],
  [undefined, "deny"],
])("when nobody decided in time, started as %s: %s", (entrypoint, decision) => {
  const event = read(beforeTool("Bash", {}), entrypoint);
  expect(event.whenUndecided).toBe(decision);
  expect(event.answers.undecided("Later")).toMatchObject({
    hookSpecificOutput: { permissionDecision: decision, permissionDecisionReason: "Later" },
  });
});

test("a PermissionRequest has no id, and is denied when nobody decided in time", () => {
  const { tool_use_id: _, ...event } = beforeTool("Bash", {}, { hook_event_name: "PermissionRequest" });
  const { call, answers, whenUndecided } = read(event, "sdk-cli");
  expect([call.callId, whenUndecided]).toEqual([null, "deny"]);
  const decision = (said: object) => ({
    hookSpecificOutput: { hookEventName: "PermissionRequest", decision: said },
  });
  expect(answers.allow({ ...allowed, comment: "Gently" })).toEqual(decision({ behavior: "allow" }));
  expect(answers.allow({ ...allowed, input: { command: "ls" } })).toEqual(
    decision({ behavior: "allow", updatedInput: { command: "ls" } }),
  );
  for (const no of [answers.deny("No"), answers.undecided("No")])
    expect(no).toEqual(decision({ behavior: "deny", message: "No" }));
});

test.each<[string, unknown]>([
  ["another event", { ...beforeTool("Bash", {}), hook_event_name: "Stop" }],
  ["an event to come", { ...beforeTool("Bash", {}), hook_event_name: "PreToolUse2" }],
  ["no session", { ...beforeTool("Bash", {}), session_id: "" }],
  ["an input that is no object", { ...beforeTool("Bash", {}), tool_input: "rm -rf /" }],
  ["an id that is too long", { ...beforeTool("Bash", {}), tool_use_id: "x".repeat(201) }],
  ["no object", []],
  ["nothing", null],
])("%s is no call", (_, body) => {
  expect(() => read(body)).toThrow("Intray answers the hooks");
});
