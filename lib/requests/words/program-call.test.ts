import { describe, expect, test } from "vitest";
import { labelFor, questionAbout, shownCall } from "./program-call.ts";

const LF = { hasWindowsEnds: false };
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
      {
        kind: "edit",
        path: "/a.ts",
        changes: [{ before: "1", after: "2" }],
        ...LF,
        rest: { replace_all: true },
      },
    ],
    [
      "a file that is written whole",
      "Write",
      { file_path: "/a.ts", content: "2" },
      { kind: "edit", path: "/a.ts", changes: [{ before: null, after: "2" }], ...LF, rest: {} },
    ],
    ...[
      ["write_file", { file_path: "/a.ts", content: "2" }],
      ["create", { path: "/a.ts", file_text: "2" }],
      ["write", { filePath: "/a.ts", content: "2" }],
    ].map(
      ([tool, input]) =>
        [
          `the same of another program: ${tool}`,
          tool,
          input,
          { kind: "edit", path: "/a.ts", changes: [{ before: null, after: "2" }], ...LF, rest: {} },
        ] as [string, string, Record<string, unknown>, object],
    ),
    ...[
      ["replace", { file_path: "/a.ts", old_string: "1", new_string: "2", instruction: "Two" }],
      ["edit", { path: "/a.ts", old_str: "1", new_str: "2", instruction: "Two" }],
      ["edit", { filePath: "/a.ts", oldString: "1", newString: "2", instruction: "Two" }],
    ].map(
      ([tool, input]) =>
        [
          `an edit of another program: ${tool}`,
          tool,
          input,
          {
            ...{ kind: "edit", path: "/a.ts", changes: [{ before: "1", after: "2" }], ...LF },
            rest: { instruction: "Two" },
          },
        ] as [string, string, Record<string, unknown>, object],
    ),
    [
      "an edit whose texts are none",
      "edit",
      { path: "/a.ts", old_str: 1, new_str: "2" },
      { kind: "arguments", rest: { path: "/a.ts", old_str: 1, new_str: "2" } },
    ],
    [
      "several edits",
      "MultiEdit",
      { file_path: "/a.ts", edits: [{ old_string: "1", new_string: "2" }] },
      { kind: "edit", path: "/a.ts", changes: [{ before: "1", after: "2" }], ...LF, rest: {} },
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

describe("Windows line ends", () => {
  const edit = (...edits: [string, string][]) =>
    shownCall(
      call("MultiEdit", {
        file_path: "/a.cs",
        edits: edits.map(([before, after]) => ({ old_string: before, new_string: after })),
      }),
    );

  test("are said once where every line has them", () => {
    expect(edit(["a\r\nb\r\n", "a\r\nc\r\n"], ["one", "two"])).toMatchObject({
      hasWindowsEnds: true,
      changes: [
        { before: "a\nb\n", after: "a\nc\n" },
        { before: "one", after: "two" },
      ],
    });
    expect(shownCall(call("Write", { file_path: "/a.cs", content: "a\r\nb" }))).toMatchObject({
      hasWindowsEnds: true,
      changes: [{ before: null, after: "a\nb" }],
    });
  });

  test.each<[string, [string, string][]]>([
    ["one line has another end", [["a\r\nb\n", "a\r\n"]]],
    ["the change gives lines another end", [["a\r\n", "a\n"]]],
    [
      "one of several changes has other ends",
      [
        ["a\r\n", "b\r\n"],
        ["c\n", "d"],
      ],
    ],
    ["a carriage return stands before a text that begins with a line end", [["a\r", "\nb\r\n"]]],
  ])("stay in the text where %s", (_, edits) => {
    expect(edit(...edits)).toMatchObject({
      hasWindowsEnds: false,
      changes: edits.map(([before, after]) => ({ before, after })),
    });
  });

  test("leave a carriage return of its own in the text", () => {
    expect(edit(["a\rb\r\n", "c\r\n"])).toMatchObject({ changes: [{ before: "a\rb\n", after: "c\n" }] });
  });
});

test("the question is in Intray's words, and the label is one line", () => {
  expect(questionAbout(call("Bash", { command: "ls" }))).toBe("May Claude Code run this command?");
  expect(questionAbout(call("Write", { file_path: "/a", content: "" }))).toBe(
    "May Claude Code change this file?",
  );
  expect(questionAbout(call("mcp__ci__run", {}))).toBe("May Claude Code use the tool “mcp__ci__run”?");
  const named = "list? It only reads.\n\nThe rule “Reading files” allows it";
  expect(questionAbout(call(named, {}))).toBe(
    "May Claude Code use the tool “list? It only reads. The rule Reading files allows it”?",
  );
  expect(labelFor(call("Bash", { command: "set -e\n  make" }))).toBe("set -e make");
  expect(labelFor(call("Bash", { command: " \n" }))).toBe("Bash");
  expect(labelFor(call("Bash", { command: "x".repeat(5_000) })).length).toBeLessThanOrEqual(120);
});
