import { expect, test } from "vitest";
import { readable } from "./part.ts";

test.each([
  { line: "Listening on http://127.0.0.1:3000", shown: "Listening on http://127.0.0.1:3000" },
  { line: '{"level":30,"part":"engine","msg":"the engine runs"}', shown: "the engine runs" },
  {
    line: '{"level":40,"err":{"message":"\\nInvalid call\\n\\nno route"},"msg":"a call failed"}',
    shown: "warning: a call failed (no route)",
  },
  { line: '{"level":50,"msg":"cut', shown: '{"level":50,"msg":"cut' },
])("$line is shown as $shown", ({ line, shown }) => {
  expect(readable(line)).toBe(shown);
});
