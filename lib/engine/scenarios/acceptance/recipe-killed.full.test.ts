/** Everything is killed at once around a recipe's calls: engine, server and database. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { type EngineProcess, startEngineProcess } from "../../../../test/engine-process.ts";
import { until } from "../../../../test/fixtures/organization-fixture.ts";
import { createQueries } from "../../../../test/fixtures/queries.ts";
import {
  calls,
  createTunnelFixture,
  INVOICE,
  type TunnelFixture,
} from "../../../../test/fixtures/recipes/tunnel-fixture.ts";
import { type KillablePostgres, startKillablePostgres } from "../../../../test/setup/killable-postgres.ts";
import { verifyEvents } from "../../../history/events/verify.ts";

/** Takeovers begin 10 s after the last heartbeat, and the machine has much to do. */
const PATIENCE_MS = 180_000;

let postgres: KillablePostgres;
let fixture: TunnelFixture;
let engine: EngineProcess;
const ends: (() => Promise<void>)[] = [];
const queries = createQueries(() => fixture.organization, PATIENCE_MS);

beforeAll(async () => {
  postgres = await startKillablePostgres();
  ends.push(() => postgres.remove());
  fixture = await createTunnelFixture("2025-11-25");
  ends.push(() => fixture.close());
  engine = await startEngine();
}, PATIENCE_MS);

afterAll(async () => {
  for (const end of ends.reverse()) await end();
}, PATIENCE_MS);

async function startEngine(): Promise<EngineProcess> {
  const started = await startEngineProcess(fixture.organization.engineEnvironment);
  ends.push(() => started.kill());
  return started;
}

async function killEverything(): Promise<void> {
  await Promise.all([engine.kill(), fixture.tunnel.kill(), postgres.kill()]);
}

async function startEverything(): Promise<void> {
  await postgres.start();
  await until("the database is back", () => queries.events().catch(() => null), PATIENCE_MS);
  await fixture.tunnel.start();
  engine = await startEngine();
}

test("a recipe's task goes on after every kill: one submit, one approve, and the invoice's facts on its card", async () => {
  const id = await fixture.start();
  // It works for a moment only, and asks for as long as nobody answers.
  await until("it was submitted", async () => (await queries.task(id)).startedAt !== null, PATIENCE_MS);
  await killEverything();
  await startEverything();

  const request = await queries.openRequest(id);
  expect(request.requestedSchema).toMatchObject({ "x-intray-details": INVOICE });
  await killEverything();
  await startEverything();

  let isKilled = false;
  fixture.proxy.behave.after = async (seen) => {
    if (!calls(seen, "approve_invoice")) return undefined;
    // The server has done it, and nobody is left to hear of it.
    await killEverything();
    isKilled = true;
    return "drop";
  };
  await fixture.organization.answer(request.id, { action: "accept", content: { choice: "Approve" } });
  await until("all is killed over the approval", async () => isKilled, PATIENCE_MS);
  await startEverything();

  await queries.inState(id, "completed");
  expect(await queries.deliveryOfTask(id)).toMatchObject({ state: "confirmed", attempts: 1, inDoubt: true });
  expect(await fixture.ledger()).toMatchObject([
    { call: "submit", done: true },
    { call: "approved", done: true },
  ]);
  expect(await queries.requestsOf(id)).toHaveLength(1);
  expect(await verifyEvents(fixture.organization.within)).toMatchObject({ ok: true });
}, 300_000);
