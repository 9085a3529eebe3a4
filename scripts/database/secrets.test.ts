import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readOrCreateSecrets, readOrCreateSetupToken, readSecrets } from "./secrets.ts";

function folder(): { path: string; [Symbol.dispose](): void } {
  const path = mkdtempSync(join(tmpdir(), "intray-secrets-"));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true }) };
}

test("the setup token is made once, is long, and can be typed", () => {
  using here = folder();
  using there = folder();
  const token = readOrCreateSetupToken(here.path);
  expect(token).toMatch(/^([a-z0-9]{4}-){5}[a-z0-9]{4}$/);
  expect(readOrCreateSetupToken(here.path)).toBe(token);
  expect(readOrCreateSecrets(here.path).setupToken).toBe(token);
  expect(readOrCreateSetupToken(there.path)).not.toBe(token);
});

test("a folder of before gets one, the other secrets stay, and only its owner reads them", () => {
  using here = folder();
  const { setupToken: _, ...before } = readOrCreateSecrets(here.path);
  const file = join(here.path, "secrets.json");
  writeFileSync(file, JSON.stringify({ ...before, later: "kept" }));
  const token = readOrCreateSetupToken(here.path);
  expect(readSecrets(here.path)).toEqual({ ...before, later: "kept", setupToken: token });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readFileSync(file, "utf8").endsWith("\n")).toBe(true);
});
