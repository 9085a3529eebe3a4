/**
 * Command servers when the engine that runs them is killed: their process goes with it. One that keeps its tasks goes
 * on with another engine; one that has them in memory has lost them, and nobody is told that an answer arrived.
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type EngineProcess, startEngineProcess } from "../../../test/engine-process.ts";
import {
  createOrganizationFixture,
  type OrganizationFixture,
  PROCESS_INVOICE,
} from "../../../test/fixtures/organization-fixture.ts";
import { createQueries } from "../../../test/fixtures/queries.ts";
import { readLedger } from "../../../test/fixtures/sample-ledger.ts";
import { tool } from "../../../test/fixtures/tool.ts";
import {
  createInvoiceDatabase,
  type InvoiceServer,
  startInvoiceServer,
} from "../../../test/servers/invoice-server.ts";
import type { Era } from "../../mcp/peer.ts";
import { parseServersFile } from "../../servers/operator-file.ts";
import { giveOperatorServers } from "../../servers/operator-sync.ts";

const PATIENCE_MS = 180_000;
const BRIDGE = fileURLToPath(new URL("../../../test/servers/stdio-bridge.ts", import.meta.url));
const EVERYTHING = fileURLToPath(
  new URL("../../../node_modules/@modelcontextprotocol/server-everything/dist/index.js", import.meta.url),
);
const RESEARCH = tool("simulate-research-query", { taskSupport: "required" });
const approve = { action: "accept" as const, content: { value: "approve" } };
const snake = { action: "accept" as const, content: { interpretation: "snake" } };

let fixture: OrganizationFixture;
let invoices: InvoiceServer;
let engineEnvironment: Record<string, string>;
const ends: (() => Promise<unknown>)[] = [];
const queries = createQueries(() => fixture, PATIENCE_MS);
let durable: Record<Era, Asked>;
let forgotten: Asked;

interface Asked {
  id: string;
  requestId: string;
}

beforeAll(async () => {
  fixture = await createOrganizationFixture(["127.0.0.1"]);
  ends.push(() => fixture.close());
  const database = await createInvoiceDatabase(fixture.adminUrl);
  ends.push(() => database.drop());
  invoices = await startInvoiceServer(database.url);
  ends.push(() => invoices.kill());
  await defineServers();
  const first = await startEngine();
  const [older, newer, research] = await Promise.all([
    ask("old", PROCESS_INVOICE, invoice("OLD")),
    ask("new", PROCESS_INVOICE, invoice("NEW")),
    ask("everything", RESEARCH, { topic: "python", ambiguous: true }),
  ]);
  durable = { "2025-11-25": older, "2026-07-28": newer };
  forgotten = research;
  await first.kill();
  for (const { requestId } of [older, newer]) await fixture.answer(requestId, approve);
  await fixture.answer(research.requestId, snake);
  await startEngine();
}, 2 * PATIENCE_MS);

afterAll(async () => {
  for (const end of ends.reverse()) await end();
});

async function defineServers(): Promise<void> {
  const node = (...args: string[]) => ({ command: process.execPath, args, organizations: ["test"] });
  const mcpServers = {
    old: { ...node(BRIDGE, invoices.url), era: "2025-11-25" },
    new: { ...node(BRIDGE, invoices.url), era: "2026-07-28" },
    everything: node(EVERYTHING, "stdio"),
  };
  const folder = await mkdtemp(join(tmpdir(), "intray-servers-"));
  ends.push(() => rm(folder, { recursive: true }));
  const path = join(folder, "servers.json");
  const text = JSON.stringify({ mcpServers });
  await writeFile(path, text);
  engineEnvironment = { ...fixture.engineEnvironment, INTRAY_SERVERS_FILE: path };
  await fixture.within((tx) => giveOperatorServers(tx, "test", parseServersFile(text)));
}

async function startEngine(): Promise<EngineProcess> {
  const engine = await startEngineProcess(engineEnvironment);
  ends.push(() => engine.kill());
  return engine;
}

async function ask(entry: string, what: typeof RESEARCH, args: Record<string, unknown>): Promise<Asked> {
  const server = await fixture.within(async (tx) => {
    const { id: serverId } = await tx.server.findFirstOrThrow({ where: { operatorEntry: entry } });
    const { id: connectionId } = await tx.connection.findFirstOrThrow({ where: { serverId } });
    return { serverId, connectionId };
  });
  const id = await fixture.startTask(server, args, what);
  const { id: requestId } = await queries.openRequest(id);
  return { id, requestId };
}

function invoice(invoice_id: string) {
  const lines = [{ description: "Line", amount: 10, due_date: "2024-06-30T00:00:00Z" }];
  return { invoice: { invoice_id, customer: "ACME Corp", lines } };
}

describe("answered after the engine was killed, and its commands with it:", { timeout: PATIENCE_MS }, () => {
  test.each([
    { era: "2025-11-25", rung: "new_session", asks: 2 },
    { era: "2026-07-28", rung: "update", asks: 1 },
  ] as const)(
    "a command that keeps its tasks, $era: another engine runs it and delivers, once",
    async (fixture) => {
      const { id, requestId } = durable[fixture.era];
      expect((await queries.inState(id, "completed")).outcome).toBe("PAID");
      expect(await queries.deliveryOf(requestId)).toMatchObject({
        state: "confirmed",
        attempts: 1,
        rung: fixture.rung,
      });
      expect(await queries.requestsOf(id)).toMatchObject([{ id: requestId, state: "settled" }]);
      expect(await queries.asksOf(requestId)).toBe(fixture.asks);
      const received = (await readLedger(invoices.baseUrl)).filter(
        ({ kind, data }) => kind === "told" && data.era === fixture.era,
      );
      expect(received).toHaveLength(1);
    },
  );

  test("a command that keeps its tasks in memory: the task is lost, and the answer is kept and not called delivered", async () => {
    const { id, requestId } = forgotten;
    const lost = await queries.inState(id, "lost");
    expect(lost.arguments).toEqual({ topic: "python", ambiguous: true });
    expect((await queries.request(requestId)).state).toBe("withdrawn");
    expect(await queries.deliveryOf(requestId)).toMatchObject({
      state: "failed",
      attempts: 0,
      error: "task_ended",
    });
  });

  test("as long as its process lives, such a command uses the answer", async () => {
    const { id, requestId } = await ask("everything", RESEARCH, { topic: "python", ambiguous: true });
    await fixture.answer(requestId, snake);
    expect(JSON.stringify((await queries.inState(id, "completed")).result)).toContain("snake");
    expect(await queries.deliveryOf(requestId)).toMatchObject({
      state: "confirmed",
      attempts: 1,
      rung: "same_session",
    });
  });
});
