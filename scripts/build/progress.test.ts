import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { withProgress } from "./progress.mjs";

const EVERY_MS = 20;

test("a long step says that it goes on until it ends", async () => {
  const lines: string[] = [];
  const work = () => expect.poll(() => lines.length).toBeGreaterThan(1);
  await withProgress("Still building", (line) => lines.push(line), work, EVERY_MS);
  expect(lines[0]).toMatch(/^Still building, after \d+ s …$/);
  const said = lines.length;
  await pause(5 * EVERY_MS);
  expect(lines).toHaveLength(said);
});

test("a step that fails says no more, and its failure is passed on", async () => {
  const lines: string[] = [];
  const work = async () => {
    throw new Error("broken");
  };
  await expect(withProgress("Still building", (line) => lines.push(line), work, EVERY_MS)).rejects.toThrow(
    "broken",
  );
  await pause(3 * EVERY_MS);
  expect(lines).toEqual([]);
});

test("a short step says nothing, and its result is passed on", async () => {
  const lines: string[] = [];
  expect(
    await withProgress(
      "Still building",
      (line) => lines.push(line),
      async () => 7,
    ),
  ).toBe(7);
  expect(lines).toEqual([]);
});
