/** The engine starts each of the demonstration's tasks once, however often start-tasks.ts runs. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createDatabase } from "../../lib/base/db/db.ts";
import { readKeptTools } from "../../lib/servers/server-reads.ts";
import { ACME, GLOBEX, seedDemo } from "../../prisma/seed-demo.ts";
import { startEngineProcess } from "../../test/engine-process.ts";
import { until } from "../../test/fixtures/organization-fixture.ts";
import { type LedgerLine, readLedger } from "../../test/fixtures/sample-ledger.ts";
import {
  createInvoiceDatabase,
  startInvoiceServer,
  startTunnelledServer,
} from "../../test/servers/invoice-server.ts";
import { createTestDatabase } from "../../test/setup/postgres.ts";
import { runDemoTasks } from "../supervise/demo-tasks.ts";
import { demoTasks } from "./tasks.ts";

const PATIENCE_MS = 180_000;
const KEYS = `test:${Buffer.alloc(32, 7).toString("base64")}`;

async function setDemonstration() {
  const postgres = await createTestDatabase();
  onTestFinished(() => postgres.drop());
  const invoiceDatabase = await createInvoiceDatabase(postgres.adminUrl);
  onTestFinished(() => invoiceDatabase.drop());
  const folder = mkdtempSync(join(tmpdir(), "intray-demo-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const mark = join(folder, "demo-tasks");
  const invoices = await startInvoiceServer(invoiceDatabase.url, {
    INVOICE_STEP_DELAY_MS: "200",
    INVOICE_CHANGE_AFTER_MS: "500",
  });
  onTestFinished(() => invoices.kill());
  const tunnel = await startTunnelledServer(invoiceDatabase.url);
  onTestFinished(() => tunnel.kill());
  const seed = () =>
    seedDemo(postgres.ownerUrl, {
      invoiceUrl: invoices.baseUrl,
      tunnelUrl: tunnel.baseUrl,
      onFirst: () => writeFileSync(mark, ""),
    });
  const allowHosts = [invoices.hostAndPort, tunnel.hostAndPort].join(",");
  const common = { INTRAY_KEYS: KEYS, INTRAY_ALLOW_HOSTS: allowHosts };
  const stepEnvironment: NodeJS.ProcessEnv = {
    ...common,
    NODE_ENV: "test",
    APP_DATABASE_URL: postgres.appUrl,
    PATH: process.env.PATH,
  };
  const startEngine = async () => {
    const engine = await startEngineProcess({
      ...common,
      ENGINE_DATABASE_URL: postgres.engineUrl,
      ENGINE_DATABASE_DIRECT_URL: postgres.engineDirectUrl,
    });
    onTestFinished(() => engine.kill());
    return engine;
  };
  const db = createDatabase(postgres.appUrl, { connections: 2 });
  onTestFinished(() => db.close());
  const tasks = async () => {
    const found = [];
    for (const { id } of [ACME, GLOBEX])
      found.push(...(await db.withOrganization(id, (tx) => tx.task.findMany({ orderBy: { id: "asc" } }))));
    return found;
  };
  const openRequests = () =>
    db.withOrganization(ACME.id, (tx) =>
      tx.inputRequest.findMany({ where: { state: "open" }, orderBy: { createdAt: "asc" } }),
    );
  return { seed, mark, invoices, stepEnvironment, startEngine, db, tasks, openRequests };
}

function begin(mark: string, environment: NodeJS.ProcessEnv): ChildProcess {
  const child = spawn(process.execPath, ["scripts/demo/start-tasks.ts"], {
    env: { ...environment, DEMO_TASKS_MARK: mark },
    stdio: ["ignore", "inherit", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

test("all are there once, though the step and the engine were killed in the middle", async () => {
  const demonstration = await setDemonstration();
  const { seed, mark, invoices, stepEnvironment, startEngine, tasks, openRequests } = demonstration;
  await seed();
  expect(existsSync(mark)).toBe(true);
  const engine = await startEngine();
  const step = begin(mark, stepEnvironment);
  await until("some are started", async () => (await tasks()).length >= 4, PATIENCE_MS);
  const killed = once(step, "exit");
  step.kill("SIGKILL");
  await Promise.all([killed, engine.kill(), invoices.kill()]);
  expect(existsSync(mark)).toBe(true);

  await invoices.start();
  await startEngine();
  expect(await runDemoTasks(mark, stepEnvironment)).toBeUndefined();
  expect(existsSync(mark)).toBe(false);

  const wanted = demoTasks(new Date());
  const outcomes = await until(
    "they are where they stay",
    async () => {
      const now = (await tasks()).map(({ label, state, outcome }) => [label, outcome ?? state]);
      return JSON.stringify([...now].sort()) === JSON.stringify([...STANDING].sort()) && now;
    },
    PATIENCE_MS,
  ).catch(async (error) => {
    expect((await tasks()).map(({ label, state, outcome }) => [label, outcome ?? state]).sort()).toEqual(
      [...STANDING].sort(),
    );
    throw error;
  });
  expect(outcomes).toHaveLength(wanted.length);

  // The server was called once for each, and told each answer once.
  const ledger = await readLedger(invoices.baseUrl);
  const numbers = ledger.filter(({ kind }) => kind === "created").map(numberOf);
  expect(numbers.sort()).toEqual(wanted.map(({ number }) => number).sort());
  const told = ledger.filter(({ kind }) => kind === "told");
  expect(told.every(({ data }) => data.accepted)).toBe(true);
  expect(told).toHaveLength(wanted.flatMap(({ answers }) => answers).length);

  const requests = await until("the rate has changed", async () => {
    const open = await openRequests();
    return open.some(({ replaces }) => replaces !== null) && open;
  });
  // Who opens the inbox sees the invoice first.
  expect(requests[0]?.message).toContain("INV-1042");
  expect(requests.find(({ message }) => message.includes("INV-1039"))?.message).toContain("cost center");
  expect(requests.filter(({ mode }) => mode === "url")).toHaveLength(1);
  const endsAt = requests.find(({ message }) => message.includes("PAY-0714"))?.expiresAt?.getTime() ?? 0;
  expect(endsAt).toBeLessThan(Date.now() + 3600_000);
  for (const { id } of [ACME, GLOBEX]) {
    const servers = await demonstration.db.withOrganization(id, (tx) => tx.server.findMany());
    for (const server of servers)
      expect(server).toMatchObject({ healthState: "ok", era: expect.any(String) });
  }

  // The tunnelled server stands there with its recipe, whose tools it lists.
  const payables = await demonstration.db.withOrganization(ACME.id, async (tx) => {
    const { id } = await tx.server.findFirstOrThrow({ where: { name: "Accounts payable" } });
    return (await readKeptTools(tx, id)).tools;
  });
  expect(payables?.map(({ name, recipe }) => [name, recipe?.version])[0]).toEqual(["process_invoice", 1]);

  // Another start finds a demonstration and leaves it alone.
  await seed();
  expect(existsSync(mark)).toBe(false);
  expect(await runDemoTasks(mark, { NODE_ENV: "test" })).toBeUndefined();
});

test("what fails says so in a line, and is left for the next start", async () => {
  const { seed, mark, stepEnvironment } = await setDemonstration();
  await seed();
  const wrong = { ...stepEnvironment, INTRAY_ALLOW_HOSTS: "" };
  const failure = await runDemoTasks(mark, wrong);
  expect(failure).toMatch(
    /^The demonstration's tasks are not all started \(.+\); the next start tries again\.$/,
  );
  expect(existsSync(mark)).toBe(true);
});

const STANDING = [
  ["INV-1042", "input_required"],
  ["INV-1043", "input_required"],
  ["INV-1039", "input_required"],
  ["FX-311", "input_required"],
  ["EXP-204", "input_required"],
  ["PR-87", "input_required"],
  ["SUP-118", "input_required"],
  ["PAY-0714", "input_required"],
  ["INV-1036", "PAID"],
  ["INV-1037", "REJECTED"],
  ["EXP-201", "Approved"],
  ["BS-2026-45", "Reconciled"],
  ["INV-1040", "input_required"],
  ["INV-1038", "working"],
  ["BS-2026-44", "Does not add up"],
  ["GX-501", "input_required"],
  ["GX-499", "PAID"],
];

const numberOf = ({ data }: LedgerLine) => String(data.number ?? data.invoiceId);
