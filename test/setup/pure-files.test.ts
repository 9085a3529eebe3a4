import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { pureFiles } from "./pure-files.ts";

/** Whether a test that imports `lib/subject.ts` is pure, when that file has this text. */
function isPure(subject: string, more: Record<string, string> = {}): boolean {
  const root = mkdtempSync(join(tmpdir(), "intray-pure-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const test = 'import { expect } from "vitest";\nimport { x } from "./subject.ts";\n';
  for (const [file, text] of Object.entries({ "lib/x.test.ts": test, "lib/subject.ts": subject, ...more })) {
    mkdirSync(join(root, dirname(file)), { recursive: true });
    writeFileSync(join(root, file), text);
  }
  return pureFiles(root, ["lib/**/*.test.ts"]).includes("lib/x.test.ts");
}

test.each([
  'import { z } from "zod";\nexport const x = z.string();',
  "/** In this process. */\nexport const x = 1; // as fetch does",
  'import type { Client } from "pg";\nexport const x = (client: Client) => client;',
  "export function x() {\n  let sum = 0;\n  const seen = new Set<string>();\n  return [sum++, seen];\n}",
])("what only computes is pure: %j", (subject) => {
  expect(isPure(subject)).toBe(true);
});

test.each([
  'import pg from "pg";',
  'import { readFileSync } from "node:fs";',
  "export const x = process.env.HOME;",
  "export const x = (name: string) => import(name);",
  'export const x = () => import("node:net");',
  "let count = 0;\nexport const x = () => count++;",
  "const known = new Map<string, number>();\nexport const x = known;",
  "export const x: string[] = [];",
  "export class X {\n  static made = 0;\n}",
])("what leads out or remembers is not: %j", (subject) => {
  expect(isPure(subject)).toBe(false);
});

test("what is imported counts as far as it leads, in a circle too", () => {
  const to = (name: string) => `import { x } from "${name}";\n`;
  const circle = { "lib/a.ts": to("@/lib/b.ts"), "lib/b.ts": to("./a.ts") };
  expect(isPure(to("./a.ts"), circle)).toBe(true);
  expect(isPure(to("./a.ts"), { ...circle, "lib/b.ts": to("./a.ts") + to("undici") })).toBe(false);
});
