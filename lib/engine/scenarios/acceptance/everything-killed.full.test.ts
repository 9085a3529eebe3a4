/** Acceptance scenario 16: engines, servers and the database are killed at once, in the middle of everything. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { type EngineProcess, startEngineProcess } from "../../../../test/engine-process.ts";
import { type Invoice, invoiceKinds, startInvoice } from "../../../../test/fixtures/invoice-kinds.ts";
import {
  createOrganizationFixture,
  type OrganizationFixture,
  until,
} from "../../../../test/fixtures/organization-fixture.ts";
import { createQueries } from "../../../../test/fixtures/queries.ts";
import { readLedger } from "../../../../test/fixtures/sample-ledger.ts";
import { tool } from "../../../../test/fixtures/tool.ts";
import {
  createInvoiceDatabase,
  type InvoiceServer,
  startInvoiceServer,
} from "../../../../test/servers/invoice-server.ts";
import { startTestServer, type TestServer } from "../../../../test/servers/mcp-server.ts";
import { type KillablePostgres, startKillablePostgres } from "../../../../test/setup/killable-postgres.ts";
import { verifyEvents } from "../../../history/events/verify.ts";
import { ERAS, type Era } from "../../../mcp/peer.ts";

/** Takeovers begin 10 s after the last heartbeat, and the machine has much to do. */
const PATIENCE_MS = 180_000;
type Server = { serverId: string; connectionId: string };

let postgres: KillablePostgres;
let fixture: OrganizationFixture;
let invoices: InvoiceServer;
/** Has its tasks in memory, so that a kill takes them. */
let forgetful: TestServer;
/** Is down until all is started again. */
let away: TestServer;
let engines: EngineProcess[] = [];
const ends: (() => Promise<void>)[] = [];
const queries = createQueries(() => fixture, PATIENCE_MS);

const kinds = invoiceKinds({
  fixture: () => fixture,
  serverUrl: () => invoices.baseUrl,
  patienceMs: PATIENCE_MS,
});

beforeAll(async () => {
  postgres = await startKillablePostgres();
  ends.push(() => postgres.remove());
  fixture = await createOrganizationFixture(["127.0.0.1"]);
  ends.push(() => fixture.close());
  const database = await createInvoiceDatabase(fixture.adminUrl);
  invoices = await startInvoiceServer(database.url, { INVOICE_RECONCILE_MS: "8000" });
  ends.push(() => invoices.kill());
  forgetful = await startTestServer();
  ends.push(() => forgetful.close());
  away = await startTestServer();
  await away.goDown();
  engines = await startEngines();
}, PATIENCE_MS);

afterAll(async () => {
  for (const end of ends.reverse()) await end();
}, PATIENCE_MS);

async function startEngines(): Promise<EngineProcess[]> {
  const two = await Promise.all([1, 2].map(() => startEngineProcess(fixture.engineEnvironment)));
  for (const engine of two) ends.push(() => engine.kill());
  return two;
}

test("16: everything is killed with 50 tasks in every state, and started again: all continue from where they were", async () => {
  const servers: Record<Era, Server> = {
    "2025-11-25": await fixture.addServer(invoices.url, "2025-11-25"),
    "2026-07-28": await fixture.addServer(invoices.url, "2026-07-28"),
  };
  const tasks = ERAS.flatMap((era) =>
    Object.entries(kinds).flatMap(([what, kind]) =>
      [1, 2].map((nth) => ({
        kind,
        task: { name: `${what} ${nth} (${era})`, server: servers[era], id: "" } as Invoice,
      })),
    ),
  );
  const others = await startOthers();
  const early = tasks.filter(({ kind }) => kind.before);
  for (const { task, kind } of early) await startInvoice(fixture, task, kind);
  await Promise.all(early.map(({ task, kind }) => kind.before?.(task)));

  const late = tasks.filter(({ kind }) => !kind.before);
  await Promise.all([
    ...late.map(({ task, kind }) => startInvoice(fixture, task, kind)),
    ...early.map(({ task, kind }) => kind.meanwhile?.(task)),
  ]);
  await Promise.all([
    ...engines.map((engine) => engine.kill()),
    invoices.kill(),
    postgres.kill(),
    forgetful.goDown(),
  ]);
  forgetful.tasks.clear();

  await postgres.start();
  await until("the database is back", () => queries.events().catch(() => null), PATIENCE_MS);
  await Promise.all([invoices.start(), forgetful.comeBack(), away.comeBack()]);
  ends.push(() => away.close());
  await startEngines();

  await Promise.all(tasks.map(({ task, kind }) => kind.after?.(task)));
  const rows = await Promise.all(
    tasks.map(async ({ task, kind }) => {
      const { state, outcome } = await queries.inState(task.id, kind.state);
      return { name: task.name, state, outcome };
    }),
  );
  expect(rows).toEqual(
    tasks.map(({ task: { name }, kind: { state, outcome } }) => ({ name, state, outcome })),
  );
  for (const { id, state } of others) await queries.inState(id, state);

  const answered = tasks.flatMap(({ kind }) => Array.from({ length: kind.answers }));
  const deliveries = await fixture.within((tx) => tx.delivery.findMany({ select: { state: true } }));
  expect(deliveries).toEqual(answered.map(() => ({ state: "confirmed" })));
  const ledger = await readLedger(invoices.baseUrl);
  const of = (kind: string) => ledger.filter((line) => line.kind === kind);
  expect(
    of("created")
      .map(({ data }) => data.key)
      .sort(),
  ).toEqual(tasks.map(({ task }) => task.id).sort());
  expect(of("told").filter(({ data }) => data.accepted)).toHaveLength(answered.length);
  expect(of("told").filter(({ data }) => !data.accepted)).toEqual([]);
  expect(of("paid")).toHaveLength(tasks.filter(({ kind }) => kind.outcome === "PAID").length);
  expect(await verifyEvents(fixture.within)).toMatchObject({ ok: true });
}, 300_000);

/** Six that the sample server can't have: queued for a server that is down, of unknown start, lost in the kill. */
async function startOthers(): Promise<{ id: string; state: string }[]> {
  const others: { id: string; state: string }[] = [];
  const add = async (server: Server, name: string, before: string, state: string) => {
    const id = await fixture.startTask(server, {}, tool(name));
    await queries.inState(id, before);
    others.push({ id, state });
  };
  const there = await fixture.addServer(forgetful.url, "2026-07-28");
  const down = await fixture.addServer(away.url, "2026-07-28");
  for (const _ of [1, 2]) await add(there, "wait", "working", "lost");
  forgetful.behave.onCall = () => "drop";
  for (const _ of [1, 2]) await add(there, "wait", "start_unknown", "start_unknown");
  forgetful.behave.onCall = undefined;
  for (const _ of [1, 2]) await add(down, "quick", "queued", "completed");
  return others;
}
