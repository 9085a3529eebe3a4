import { expect, test } from "vitest";
import { holdWords, waitWords } from "./agent-words.ts";

test.each([
  [null, "Automatic: 50 s, or 3 min for Claude Code and VS Code", "waits as long as its client allows"],
  [0, "Don’t wait", "doesn’t wait"],
  [20_000, "20 s", "waits up to 20 s"],
  [110_000, "1 min 50 s", "waits up to 1 min 50 s"],
  [210_000, "3 min 30 s", "waits up to 3 min 30 s"],
])("a hold time of %j ms is said as it is", (holdMs, choice, part) => {
  expect([holdWords(holdMs), waitWords(holdMs)]).toEqual([choice, part]);
});
