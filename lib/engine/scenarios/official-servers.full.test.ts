/**
 * Servers by others, and the sample server: a task is started by one engine process and asks, that process is killed
 * with -9, the answer is recorded while nobody watches, and another process delivers it. docs/compatibility.md says
 * what was seen here. The servers of the official packages give a question up after 60 s, so all is done within it.
 */
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
import { type OfficialName, startOfficialServer } from "../../../test/servers/official/official-server.ts";
import { createTestDatabase } from "../../../test/setup/postgres.ts";
import type { Era, Tool } from "../../mcp/peer.ts";

/** A takeover begins 10 s after the last heartbeat; the machine may be busy with other tests. */
const PATIENCE_MS = 180_000;

interface ServerCase {
  peer: string;
  server: OfficialName | "sample";
  era: Era;
  tool: Tool;
  args: Record<string, unknown>;
  content: Record<string, unknown>;
  /** Text of a result that used the answer; the server's own default differs. */
  says: RegExp;
  rung: string;
  asks: number;
}

const required = (name: string) => tool(name, { taskSupport: "required" });
const invoice = (invoice_id: string) => ({
  invoice: {
    invoice_id,
    customer: "ACME Corp",
    lines: [{ description: "Line", amount: 10, due_date: "2024-06-30T00:00:00Z" }],
  },
});
const bound = { era: "2025-11-25", rung: "same_session", asks: 1 } as const;
const sample = {
  server: "sample",
  tool: PROCESS_INVOICE,
  content: { value: "approve" },
  says: /PAID/,
} as const;

const CASES: ServerCase[] = [
  {
    // Asks on the tasks/result stream, and continues with a default when nobody answers.
    ...bound,
    peer: "server-everything",
    server: "everything",
    tool: required("simulate-research-query"),
    args: { topic: "python", ambiguous: true },
    content: { interpretation: "snake" },
    says: /Clarification\*\*: snake/,
  },
  {
    // Makes no task: the call stays open. The stream has event ids, so that another process can resume the call.
    ...bound,
    peer: "server-everything, a tool without task support,",
    server: "everything",
    tool: tool("trigger-elicitation-request", { taskSupport: "forbidden" }),
    args: {},
    content: { name: "Ada Lovelace" },
    says: /Ada Lovelace/,
  },
  {
    ...bound,
    peer: "simpleTaskInteractive",
    server: "simpleTaskInteractive",
    tool: required("confirm_delete"),
    args: { filename: "a.txt" },
    content: { confirm: true },
    says: /a\.txt/,
  },
  {
    // The task stays `working`. The server does not name the task in its question, and may ask before it sends the handle.
    ...bound,
    peer: "simpleStreamableHttp",
    server: "simpleStreamableHttp",
    tool: required("collect-user-info-task"),
    args: { infoType: "preferences" },
    content: { theme: "dark", notifications: true },
    says: /dark/,
  },
  {
    ...sample,
    peer: "the sample server, killed too,",
    era: "2026-07-28",
    args: invoice("NEW"),
    rung: "update",
    asks: 1,
  },
  {
    ...sample,
    peer: "the sample server, killed too,",
    era: "2025-11-25",
    args: invoice("OLD"),
    rung: "new_session",
    asks: 2,
  },
];

let fixture: OrganizationFixture;
let invoices: InvoiceServer;
const ends: (() => Promise<void>)[] = [];
/** Rejected for servers whose question never arrived. */
const asked = new Map<ServerCase, Promise<{ id: string; requestId: string }>>();
const queries = createQueries(() => fixture, PATIENCE_MS);

beforeAll(async () => {
  fixture = await createOrganizationFixture(["127.0.0.1"]);
  ends.push(() => fixture.close());
  invoices = await startSample();
  const first = await startEngine();
  for (const serverCase of CASES) asked.set(serverCase, begin(serverCase));
  const received = await Promise.allSettled(asked.values());
  await Promise.all([first.kill(), invoices.kill()]);
  for (const [at, { content }] of CASES.entries()) {
    const one = received[at];
    if (one?.status === "fulfilled") await fixture.answer(one.value.requestId, { action: "accept", content });
  }
  await Promise.all([invoices.start(), startEngine()]);
}, 3 * PATIENCE_MS);

afterAll(async () => {
  for (const end of ends.reverse()) await end();
});

async function begin(serverCase: ServerCase): Promise<{ id: string; requestId: string }> {
  const server = await fixture.addServer(await urlOf(serverCase), serverCase.era);
  const id = await fixture.startTask(server, serverCase.args, serverCase.tool);
  const { id: requestId } = await queries.openRequest(id);
  return { id, requestId };
}

async function startSample(): Promise<InvoiceServer> {
  const { adminUrl, drop } = await createTestDatabase();
  ends.push(drop);
  const database = await createInvoiceDatabase(adminUrl);
  ends.push(() => database.drop());
  const server = await startInvoiceServer(database.url);
  ends.push(() => server.kill());
  return server;
}

async function startEngine(): Promise<EngineProcess> {
  const engine = await startEngineProcess(fixture.engineEnvironment);
  ends.push(() => engine.kill());
  return engine;
}

async function urlOf({ server }: ServerCase): Promise<string> {
  if (server === "sample") return invoices.url;
  const official = await startOfficialServer(server, { patient: true });
  ends.push(() => official.stop());
  return official.url;
}

describe("answered after the engine that heard the question was killed:", () => {
  test.each(CASES)(
    "$peer $era goes by the answer, which was sent once",
    async (serverCase) => {
      const { id, requestId } = await asked.get(serverCase)!;
      const done = await queries.inState(id, "completed");
      expect(JSON.stringify(done.result)).toMatch(serverCase.says);
      expect(await queries.deliveryOf(requestId)).toMatchObject({
        state: "confirmed",
        attempts: 1,
        error: null,
        rung: serverCase.rung,
      });
      expect((await queries.requestsOf(id)).map((row) => [row.id, row.state])).toEqual([
        [requestId, "settled"],
      ]);
      expect(await queries.asksOf(requestId)).toBe(serverCase.asks);
    },
    PATIENCE_MS + 10_000,
  );

  test("the sample server got one answer in each era", async () => {
    const received = (await readLedger(invoices.baseUrl)).filter(({ kind }) => kind === "told");
    expect(received.map(({ data }) => data.era).sort()).toEqual(["2025-11-25", "2026-07-28"]);
  });
});
