import { expect, test } from "vitest";
import { LogTail } from "./log-tail.ts";

const tailOf = (lines: string[]) => {
  const tail = new LogTail();
  for (const line of lines) tail.add(line);
  return tail.text;
};

test("nothing written is no log", () => {
  expect(tailOf([])).toBe(null);
});

test("the last 200 lines are kept", () => {
  const kept = tailOf(Array.from({ length: 250 }, (_, at) => `line ${at}`))?.split("\n");
  expect([kept?.length, kept?.[0], kept?.at(-1)]).toEqual([200, "line 50", "line 249"]);
});

test("of long lines the end is kept", () => {
  const kept = tailOf([...Array.from({ length: 20 }, () => "x".repeat(4_000)), "the end"]);
  expect([kept?.length, kept?.endsWith("the end")]).toEqual([32_000, true]);
});
