/** What Gemini CLI's hooks ask, and in which words they are answered. */
import { expect, test } from "vitest";
import { geminiCli } from "./gemini-cli.ts";

const event = {
  session_id: "s-1",
  transcript_path: "/home/ana/.gemini/tmp/1.json",
  cwd: "/home/ana/shop",
  hook_event_name: "BeforeTool",
  timestamp: "2026-11-30T12:00:00.000Z",
  tool_name: "run_shell_command",
  tool_input: { command: "make", description: "Builds it" },
};
const allowed = { reason: "Ben approved it.", comment: null, input: null };
const read = (body: unknown) => geminiCli.read(body, new Headers());
/** The set-up's command looks at how an answer begins and ends. */
const FRAME = /^\{"decision":"(allow|deny)",.*,"from":"Intray"\}$/;

test("a call is told by its tool and its input, and has no id", () => {
  expect(read(event).call).toEqual({
    program: "Gemini CLI",
    tool: "run_shell_command",
    input: event.tool_input,
    cwd: "/home/ana/shop",
    session: "s-1",
    callId: null,
    by: null,
    takesChanges: true,
  });
});

test("the decisions of BeforeTool", () => {
  const { answers, whenUndecided } = read(event);
  expect(whenUndecided).toBe("deny");
  const from = "Intray";
  expect(answers.allow(allowed)).toEqual({ decision: "allow", reason: "Ben approved it.", from });
  const input = { command: "make all", description: "Builds it" };
  expect(answers.allow({ ...allowed, comment: "Gently", input })).toEqual({
    decision: "allow",
    reason: "Ben approved it. They said: Gently",
    hookSpecificOutput: { hookEventName: "BeforeTool", tool_input: input },
    from,
  });
  for (const no of [answers.deny("No"), answers.undecided("No")])
    expect(no).toEqual({ decision: "deny", reason: "No", from });
  for (const each of [answers.allow(allowed), answers.allow({ ...allowed, input }), answers.deny('"}')])
    expect(JSON.stringify(each)).toMatch(FRAME);
});

test("a change that leaves a member out is denied, because Gemini CLI would keep the member", () => {
  const answer = read(event).answers.allow({ ...allowed, input: { command: "make all" } });
  expect(answer).toEqual({
    decision: "deny",
    reason:
      'Ben approved it. Gemini CLI can’t leave out description, so this call was not made. Make this one instead: {"command":"make all"}',
    from: "Intray",
  });
});

test.each<[string, unknown]>([
  ["another event", { ...event, hook_event_name: "AfterTool" }],
  ["no session", { ...event, session_id: "" }],
  ["an input that is no object", { ...event, tool_input: "rm -rf /" }],
  ["nothing", null],
])("%s is no call, and the refusal is none of the command's answers", (_, body) => {
  expect(() => read(body)).toThrow("Intray answers the hook BeforeTool");
  expect(JSON.stringify(geminiCli.refuse("No"))).not.toMatch(FRAME);
});
