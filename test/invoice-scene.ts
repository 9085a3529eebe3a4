/** An organization, a sample invoice server with quirks behind a proxy, and hands to act and look with. */
import type { TestContext } from "vitest";
import type { Prisma } from "../lib/base/db/db.ts";
import { createNetwork } from "../lib/base/network.ts";
import { createPeer, openWire } from "../lib/mcp/connect.ts";
import type { Era, Tool } from "../lib/mcp/peer.ts";
import { requestCancel } from "../lib/task-lifecycle/transitions.ts";
import { readTask } from "../lib/tasks/queries.ts";
import { type InvoiceProxy, startInvoiceProxy } from "./invoice-proxy.ts";
import { createInvoiceDatabase, type InvoiceServer, startInvoiceServer } from "./invoice-server.ts";
import { type LedgerLine, readLedger } from "./sample-ledger.ts";
import { createWorld, PROCESS_INVOICE, until, type World } from "./world.ts";

/** Beyond the engine's own waits: other processes may eat the CPU. */
const PATIENCE_MS = 120_000;
const LOOPBACK = createNetwork({ allowHosts: ["127.0.0.1"], denyPorts: [] });

export type InvoiceScene = Awaited<ReturnType<typeof setInvoiceScene>>;

/** Made for one test, and ended with it. `quirks` are letters, "" for none; `engine: false` leaves the start to the test. */
export async function setInvoiceScene(
  { onTestFinished }: Pick<TestContext, "onTestFinished">,
  era: Era,
  quirks: string,
  { settings = {}, engine = true }: { settings?: Record<string, string>; engine?: boolean } = {},
) {
  const world = await createWorld(["127.0.0.1"]);
  onTestFinished(() => world.close());
  const database = await createInvoiceDatabase(world.adminUrl);
  onTestFinished(() => database.drop());
  const misbehaving = { INVOICE_TEST: "1", INVOICE_QUIRKS: quirks, ...settings };
  const invoices = await startInvoiceServer(database.url, misbehaving);
  onTestFinished(() => invoices.kill());
  const proxy = await startInvoiceProxy(() => invoices.baseUrl);
  onTestFinished(() => proxy.close());
  const server = await world.addServer(proxy.url, era);
  const running = engine ? await world.startEngine() : null;
  return { world, invoices, proxy, server, engine: running, ...hands(world, invoices, proxy, server) };
}

function hands(
  world: World,
  invoices: InvoiceServer,
  proxy: InvoiceProxy,
  server: { serverId: string; connectionId: string },
) {
  const { organizationId } = world;
  const task = (id: string) =>
    world.within((tx) => tx.task.findFirstOrThrow({ where: { organizationId, id } }));
  const requestsOf = (taskId: string) =>
    world.within((tx) =>
      tx.inputRequest.findMany({ where: { organizationId, taskId }, orderBy: { createdAt: "asc" } }),
    );
  const told = async () => (await readLedger(invoices.baseUrl)).filter(({ kind }) => kind === "told");
  return {
    task,
    requestsOf,
    told,
    start: (dueDate: string, more: { amount?: number; tool?: Partial<Tool> } = {}) =>
      world.startTask(server, invoiceDue(dueDate, more.amount), { ...PROCESS_INVOICE, ...more.tool }),
    openRequest: (taskId: string) =>
      until(
        "a question opens",
        async () => (await requestsOf(taskId)).find(({ state }) => state === "open"),
        PATIENCE_MS,
      ),
    inState: (id: string, state: string) =>
      until(
        `the task is ${state}`,
        async () => {
          const row = await task(id);
          return row.state === state && row;
        },
        PATIENCE_MS,
      ),
    deliveryOf: (taskId: string) =>
      world.within((tx) => tx.delivery.findFirstOrThrow({ where: { organizationId, taskId } })),
    watchOf: (taskId: string) =>
      world.within((tx) => tx.taskWatch.findFirstOrThrow({ where: { organizationId, taskId } })),
    cancel: (taskId: string) =>
      world.within((tx) => requestCancel(organizationId, tx, world.operator, taskId)),
    /** The row as if it had been written otherwise, or long ago. */
    rewrite: (taskId: string, sets: Prisma.Sql) =>
      world.within(
        (tx) => tx.$executeRaw`UPDATE task SET ${sets}
          WHERE organization_id = ${organizationId}::uuid AND id = ${taskId}::uuid`,
      ),
    /** As people see it. */
    shown: (taskId: string) => world.within((tx) => readTask(organizationId, tx, world.operator, taskId)),
    health: async () =>
      (await world.within((tx) => tx.server.findFirstOrThrow({ where: { organizationId } }))).healthState,
    /** The first line of this kind in the server's own ledger. */
    inLedger: (kind: string): Promise<LedgerLine> =>
      until(
        `the ledger says ${kind}`,
        async () => (await readLedger(invoices.baseUrl)).find((line) => line.kind === kind),
        PATIENCE_MS,
      ),
    /** Another client of the server, past the proxy. */
    another: () => createPeer("2026-07-28", openWire({ url: invoices.url, headers: {} }, LOOPBACK)),
    /** Requests of this method that came from the engine. */
    calls: (method: string) => proxy.seen.filter((one) => one.method === method).length,
  };
}

export const PAST = "2024-06-30T00:00:00Z";
/** What falls due then keeps a task working for the length of any test. */
export const inMonths = () => new Date(Date.now() + 180 * 24 * 3600_000).toISOString();

export function invoiceDue(dueDate: string, amount = 10) {
  const lines = [{ description: "Line", amount, due_date: dueDate }];
  return { invoice: { invoice_id: "INV-100", customer: "ACME Corp", lines } };
}

export const approve = { action: "accept" as const, content: { value: "approve" } };
export const reject = { action: "accept" as const, content: { value: "reject" } };

/** Looks again and again, as long as the engine's own timings may take. */
export const eventually = <T>(what: string, look: () => Promise<T | null | undefined | false>) =>
  until(what, look, PATIENCE_MS);
