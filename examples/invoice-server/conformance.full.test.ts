/** The official conformance suite's scenarios about tasks, against the sample server with its fixture tools. */
import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { databaseForFile } from "../../test/for-file.ts";
import {
  createInvoiceDatabase,
  type InvoiceServer,
  startInvoiceServer,
} from "../../test/servers/invoice-server.ts";

const SUITE = fileURLToPath(
  new URL("../../node_modules/@modelcontextprotocol/conformance/dist/index.js", import.meta.url),
);
const checksSchema = z.array(
  z.looseObject({ id: z.string(), status: z.string(), errorMessage: z.string().optional() }),
);

const postgres = databaseForFile();
let database: Awaited<ReturnType<typeof createInvoiceDatabase>>;
let server: InvoiceServer;

beforeAll(async () => {
  database = await createInvoiceDatabase(postgres.adminUrl);
  server = await startInvoiceServer(database.url, { INVOICE_FIXTURES: "1" });
});

afterAll(async () => {
  await server?.kill();
  await database?.drop();
});

/** The suite's results by check. */
async function run(scenario: string): Promise<z.infer<typeof checksSchema>> {
  const folder = await mkdtemp(join(tmpdir(), "conformance-"));
  try {
    const args = [SUITE, "server", "--url", server.url, "--scenario", scenario, "-o", folder];
    // The suite exits with 1 on a failed check; its report names the check.
    const output = await new Promise<string>((resolve) =>
      execFile(process.execPath, [...args, "--timeout", "120000"], (_, stdout, stderr) =>
        resolve(stdout + stderr),
      ),
    );
    const files = await readdir(folder, { recursive: true });
    const report = files.find((file) => file.endsWith("checks.json"));
    if (!report) throw new Error(`the suite reported nothing: ${output}`);
    return checksSchema.parse(JSON.parse(await readFile(join(folder, report), "utf8")));
  } finally {
    await rm(folder, { recursive: true });
  }
}

// The counts keep a scenario from passing because it stopped half-way.
test.each([
  { scenario: "tasks-lifecycle", checks: 9 },
  { scenario: "tasks-capability-negotiation", checks: 5 },
  { scenario: "tasks-wire-fields", checks: 4 },
  { scenario: "tasks-request-state-removal", checks: 3 },
  { scenario: "tasks-mrtr-input", checks: 4 },
  { scenario: "tasks-request-headers", checks: 5 },
  { scenario: "tasks-dispatch-and-envelope", checks: 9 },
  { scenario: "tasks-required-task-error", checks: 3 },
  { scenario: "tasks-mrtr-composition", checks: 2 },
])("$scenario passes", { timeout: 150_000 }, async ({ scenario, checks }) => {
  const found = await run(scenario);
  expect(found.filter(({ status }) => status !== "SUCCESS")).toEqual([]);
  expect(found).toHaveLength(checks);
});

test("tasks-status-notifications is skipped by the suite itself", async () => {
  expect((await run("tasks-status-notifications")).map(({ status }) => status)).toEqual(["SKIPPED"]);
});
