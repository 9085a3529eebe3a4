import { expect, test } from "vitest";
import { holdWords } from "../../agents/agent-words.ts";
import { exactDuration } from "../../text/duration.ts";
import { holdMsFor } from "./call-tool.ts";

test.each([
  ["claude-code", 180_000],
  ["Claude-Code/2", 180_000],
  ["Visual Studio Code", 180_000],
  ["Visual Studio Code - Insiders", 180_000],
  ["cursor-vscode", 50_000],
  ["codex-mcp-client", 50_000],
  // Only the beginning of the name counts, and whole words of it.
  ["not claude-code", 50_000],
  ["claude-codex", 50_000],
  ["", 50_000],
  [null, 50_000],
])("calls of %j are held for %d ms", (name, holdMs) => {
  expect(holdMsFor({ holdMs: null }, name)).toBe(holdMs);
  // The agent's page says it.
  expect(holdWords(null)).toContain(exactDuration(holdMs));
});

test("what an admin set goes before, also 0", () => {
  expect(holdMsFor({ holdMs: 0 }, "claude-code")).toBe(0);
  expect(holdMsFor({ holdMs: 210_000 }, "cursor")).toBe(210_000);
});
