import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));
const SUITE = path("../../node_modules/@modelcontextprotocol/conformance/dist/index.js");
const CLIENT = path("../../test/servers/conformance-client.ts");

interface Check {
  id: string;
  name: string;
  status: "SUCCESS" | "FAILURE" | "WARNING" | "SKIPPED" | "INFO";
  errorMessage?: string;
}

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "intray-conformance-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Returns the official suite's checks of our client, and its verdict. */
async function run(scenario: string): Promise<{ checks: Check[]; passed: boolean; output: string }> {
  const results = join(folder, scenario);
  const args = [SUITE, "client", "--command", `${process.execPath} ${CLIENT}`, "--scenario", scenario];
  const { stdout, stderr, passed } = await promisify(execFile)(process.execPath, [
    ...args,
    ...["--timeout", "60000", "--output-dir", results],
  ]).then(
    (ended) => ({ ...ended, passed: true }),
    (error: { stdout: string; stderr: string }) => ({ ...error, passed: false }),
  );
  const output = `${stdout}\n${stderr}`;
  const file = readdirSync(results, { recursive: true, encoding: "utf8" }).find((name) =>
    name.endsWith("checks.json"),
  );
  if (!file) throw new Error(`no checks: ${output}`);
  return { checks: JSON.parse(readFileSync(join(results, file), "utf8")) as Check[], passed, output };
}

describe("the official suite, of our wire", () => {
  it.each([
    ["initialize", 1],
    ["tools_call", 1],
    ["request-metadata", 6],
    ["sep-2322-client-request-state", 5],
    ["http-standard-headers", 3],
    ["http-custom-headers", 18],
    ["http-invalid-tool-headers", 12],
    ["elicitation-sep1034-client-defaults", 5],
    ["sse-retry", 3],
  ])("passes %s", async (scenario, least) => {
    const { checks, passed, output } = await run(scenario);
    expect(checks.filter(({ status }) => status === "FAILURE" || status === "WARNING")).toEqual([]);
    expect(checks.filter(({ status }) => status === "SUCCESS").length).toBeGreaterThanOrEqual(least);
    expect(passed, output).toBe(true);
  });
});
