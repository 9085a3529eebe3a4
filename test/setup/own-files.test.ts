import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { ownFiles } from "./own-files.ts";

function needsOwnProcess(text: string): boolean {
  const root = mkdtempSync(join(tmpdir(), "intray-own-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  writeFileSync(join(root, "x.test.ts"), text);
  return ownFiles(root, ["**/*.test.ts"]).includes("x.test.ts");
}

test.each([
  ["replaces a module", 'vi.mock("./tunables.ts", () => ({}));'],
  ["sets the clock", "vi.useFakeTimers();"],
  ["sets a variable", 'process.env.AUTH_SECRET = "a secret";'],
  ["removes a variable", "delete process.env.PORT;"],
])("a file that %s has a process of its own", (_, text) => {
  expect(needsOwnProcess(text)).toBe(true);
});

test.each([
  ["reads a variable", "const path = process.env.PATH;"],
  ["starts the web with settings", 'await startWeb({ INTRAY_RATE_LIMIT: "50" });'],
])("a file that %s shares a process", (_, text) => {
  expect(needsOwnProcess(text)).toBe(false);
});
