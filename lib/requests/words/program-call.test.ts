import { describe, expect, test } from "vitest";
import { labelFor, questionAbout, shownCall } from "./program-call.ts";

const call = (tool: string, input: Record<string, unknown>) => ({ program: "Claude Code", tool, input });

describe("how a call is shown", () => {
  test.each<[string, string, Record<string, unknown>, object]>([
    [
      "a command, with all else that it was called with",
      "Bash",
      { command: "git push", description: "Push", run_in_background: true },
      { kind: "command", command: "git push", rest: { description: "Push", run_in_background: true } },
    ],
    [
      "a patch",
      "apply_patch",
      { command: "*** Begin Patch\n+a" },
      { kind: "patch", patch: "*** Begin Patch\n+a", rest: {} },
    ],
    [
      "an edit",
      "Edit",
      { file_path: "/a.ts", old_string: "1", new_string: "2", replace_all: true },
      { kind: "edit", path: "/a.ts", changes: [{ before: "1", after: "2" }], rest: { replace_all: true } },
    ],
    [
      "a file that is written whole",
      "Write",
      { file_path: "/a.ts", content: "2" },
      { kind: "edit", path: "/a.ts", changes: [{ before: null, after: "2" }], rest: {} },
    ],
    [
      "several edits",
      "MultiEdit",
      { file_path: "/a.ts", edits: [{ old_string: "1", new_string: "2" }] },
      { kind: "edit", path: "/a.ts", changes: [{ before: "1", after: "2" }], rest: {} },
    ],
    [
      "edits that say more than a difference shows",
      "MultiEdit",
      { file_path: "/a.ts", edits: [{ old_string: "1", new_string: "2", replace_all: true }] },
      {
        kind: "arguments",
        rest: { file_path: "/a.ts", edits: [{ old_string: "1", new_string: "2", replace_all: true }] },
      },
    ],
    [
      "a command that is no text",
      "Bash",
      { command: ["git", "push"] },
      { kind: "arguments", rest: { command: ["git", "push"] } },
    ],
    [
      "a tool of a server that has a command too",
      "mcp__ci__run",
      { command: "deploy" },
      { kind: "arguments", rest: { command: "deploy" } },
    ],
  ])("%s", (_, tool, input, shown) => {
    expect(shownCall(call(tool, input))).toEqual(shown);
  });
});

test("the question is in Intray's words, and the label is one line", () => {
  expect(questionAbout(call("Bash", { command: "ls" }))).toBe("May Claude Code run this command?");
  expect(questionAbout(call("Write", { file_path: "/a", content: "" }))).toBe(
    "May Claude Code change this file?",
  );
  expect(questionAbout(call("mcp__ci__run", {}))).toBe("May Claude Code use the tool mcp__ci__run?");
  expect(labelFor(call("Bash", { command: "set -e\n  make" }))).toBe("set -e make");
  expect(labelFor(call("Bash", { command: " \n" }))).toBe("Bash");
  expect(labelFor(call("Bash", { command: "x".repeat(5_000) })).length).toBeLessThanOrEqual(120);
});
