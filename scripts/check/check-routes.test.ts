import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, expect, test } from "vitest";

const folder = mkdtempSync(join(tmpdir(), "intray-routes-"));
afterAll(() => rmSync(folder, { recursive: true }));

const check = (root: string) => {
  const { status, stderr } = spawnSync(process.execPath, ["scripts/check/check-routes.ts", root], {
    encoding: "utf8",
  });
  return { status, lines: stderr.split("\n").filter((line) => line.startsWith("app/")) };
};

function write(file: string, text: string): void {
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  writeFileSync(join(folder, file), text);
}

test("every route of ours is made as it should be", () => {
  expect(check(".")).toEqual({ status: 0, lines: [] });
});

test.each([
  ["a function", "export async function GET() { return new Response() }", 2],
  ["a constant of one's own", "export const POST = async () => new Response()", 2],
  ["another's re-export", 'export { GET } from "../other.ts"', 2],
  [
    "one beside those that are made",
    `${imported()}export const { GET } = endpoint({});\nexport const DELETE = async () => new Response();`,
    1,
  ],
  ["a constant that is no route's", `${imported()}const own = other();\nexport { own as GET };`, 1],
  ["nothing", `${imported()}`, 1],
])("refuses a route file that exports %s", (_what, text, findings) => {
  write("app/api/v1/x/route.ts", text);
  const { status, lines } = check(folder);
  expect([status, lines.length], lines.join("\n")).toEqual([1, findings]);
});

function imported() {
  return 'import { endpoint, route } from "@/lib/web/http/route.ts";\n';
}
