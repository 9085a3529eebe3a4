import { expect, test } from "vitest";
import { readable } from "./part.ts";

test.each([
  { line: "Listening on http://127.0.0.1:3000", shown: "Listening on http://127.0.0.1:3000" },
  { line: '{"level":30,"part":"engine","msg":"the engine runs"}', shown: null },
  { line: '{"level":50,"msg":"one\\ntwo"}', shown: "error: one two" },
  {
    line: '{"level":40,"err":{"message":"\\nInvalid call\\n\\nno route"},"msg":"a call failed"}',
    shown: "warning: a call failed (no route)",
  },
  {
    line: '{"level":50,"msg":"a call failed","err":{"message":"\\u001b]0;owned\\u0007\\u001b[2Jno \\u009b1m"}}',
    shown: "error: a call failed (\uFFFD]0;owned\uFFFD\uFFFD[2Jno \uFFFD1m)",
  },
  { line: '{"level":50,"msg":"cut', shown: '{"level":50,"msg":"cut' },
])("$line is shown as $shown", ({ line, shown }) => {
  expect(readable(line, false)).toBe(shown);
});

test("with a LOG_LEVEL set, all that the parts log is shown", () => {
  expect(readable('{"level":30,"part":"engine","msg":"the engine runs"}', true)).toBe("the engine runs");
});
