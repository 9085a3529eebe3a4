/** What Copilot CLI's hooks ask, and in which words they are answered. */
import { expect, test } from "vitest";
import { copilot } from "./copilot.ts";

const event = {
  sessionId: "s-1",
  timestamp: 1_780_000_000_000,
  cwd: "/home/ana/shop",
  toolName: "bash",
  toolArgs: { command: "make" },
};
const allowed = { reason: "Ben approved it.", comment: null, input: null };
const read = (body: unknown) => copilot.read(body, new Headers());
/** The set-up's command looks at how an answer begins and ends. */
const FRAME = /^\{"permissionDecision":"(allow|deny)",.*,"from":"Intray"\}$/;

test("a call is told by its tool and its arguments, and has no id", () => {
  expect(read(event).call).toEqual({
    program: "Copilot CLI",
    tool: "bash",
    input: { command: "make" },
    cwd: "/home/ana/shop",
    session: "s-1",
    callId: null,
    by: null,
    takesChanges: true,
  });
  expect(read({ ...event, agentId: "s-2", agentType: "task" }).call.by).toBe("task");
  expect(read({ ...event, toolArgs: "*** Begin Patch" }).call).toMatchObject({
    input: { input: "*** Begin Patch" },
    takesChanges: false,
  });
});

test("the decisions of preToolUse", () => {
  const { answers, whenUndecided } = read(event);
  expect(whenUndecided).toBe("deny");
  const decision = (permissionDecision: string, permissionDecisionReason: string, more: object = {}) =>
    JSON.stringify({ permissionDecision, permissionDecisionReason, ...more, from: "Intray" });
  const input = { command: "make all" };
  for (const [answer, said] of [
    [answers.allow(allowed), decision("allow", "Ben approved it.")],
    [
      answers.allow({ ...allowed, comment: "Gently", input }),
      decision("allow", "Ben approved it. They said: Gently", { modifiedArgs: input }),
    ],
    [answers.deny("No"), decision("deny", "No")],
    [answers.undecided("No"), decision("deny", "No")],
  ] as const) {
    expect(JSON.stringify(answer)).toBe(said);
    expect(said).toMatch(FRAME);
  }
});

test.each<[string, unknown]>([
  ["an event after a tool", { ...event, toolResult: { resultType: "success" } }],
  ["no session", { ...event, sessionId: "" }],
  ["an event of Claude Code", { hook_event_name: "PreToolUse", session_id: "s-1", tool_name: "Bash" }],
  ["nothing", null],
])("%s is no call", (_, body) => {
  expect(() => read(body)).toThrow("Intray answers the hook preToolUse");
});

test("a refusal denies the call, also before a permissionRequest", () => {
  const no = { permissionDecision: "deny", permissionDecisionReason: "No", behavior: "deny", message: "No" };
  expect(copilot.refuse("No")).toEqual({ ...no, from: "Intray" });
  expect(JSON.stringify(copilot.refuse("No"))).toMatch(FRAME);
});
