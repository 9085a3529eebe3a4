/** Questions that a server of 2025-11-25 puts as tasks stay open while the engine and the database are killed. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { type EngineProcess, startEngineProcess } from "../../../../test/engine-process.ts";
import {
  createOrganizationFixture,
  type OrganizationFixture,
  until,
} from "../../../../test/fixtures/organization-fixture.ts";
import { createQueries } from "../../../../test/fixtures/queries.ts";
import { tool } from "../../../../test/fixtures/tool.ts";
import { startTaskRequestor, type TaskRequestor } from "../../../../test/servers/tasks/task-requestor.ts";
import { type KillablePostgres, startKillablePostgres } from "../../../../test/setup/killable-postgres.ts";
import { verifyEvents } from "../../../history/events/verify.ts";

/** Takeovers begin 10 s after the last heartbeat, and the machine has much to do. */
const PATIENCE_MS = 180_000;
let postgres: KillablePostgres;
let fixture: OrganizationFixture;
let remote: TaskRequestor;
let server: { serverId: string; connectionId: string };
let engine: EngineProcess;
const ends: (() => Promise<void>)[] = [];
const { deliveryOf, openRequest, inState, request, events } = createQueries(() => fixture, PATIENCE_MS);

beforeAll(async () => {
  postgres = await startKillablePostgres();
  ends.push(() => postgres.remove());
  fixture = await createOrganizationFixture(["127.0.0.1"]);
  ends.push(() => fixture.close());
  remote = await startTaskRequestor();
  ends.push(() => remote.close());
  server = await fixture.addServer(remote.url, "2025-11-25");
  await fixture.within((tx) =>
    tx.server.updateMany({ where: { id: server.serverId }, data: { traits: { opensStream: true } } }),
  );
  engine = await startEngine();
}, PATIENCE_MS);

afterAll(async () => {
  for (const end of ends.reverse()) await end();
}, PATIENCE_MS);

async function startEngine(): Promise<EngineProcess> {
  const started = await startEngineProcess(fixture.engineEnvironment);
  ends.push(() => started.kill());
  return started;
}

/** What is answered, and when: before the kill, while no engine runs, and after the next one runs. */
const ANSWERED = ["before", "meanwhile", "after"] as const;
const LOOKS = ["result", "get"] as const;
const contentOf = (message: string) => ({ approve: message.includes("result") });

test("each answer is fetched once, by tasks/result and by tasks/get, whatever was killed meanwhile", async () => {
  const all = await Promise.all(
    ANSWERED.flatMap((when) =>
      LOOKS.map(async (by) => {
        const message = `Asked by ${by}, answered ${when}`;
        const args = { message, by };
        const id = await fixture.startTask(server, args, tool("ask", { taskSupport: "required" }));
        return { when, by, message, id, requestId: (await openRequest(id, message)).id };
      }),
    ),
  );
  const answer = (when: (typeof ANSWERED)[number]) =>
    Promise.all(
      all
        .filter((one) => one.when === when)
        .map(({ requestId, message }) =>
          fixture.answer(requestId, { action: "accept", content: contentOf(message) }),
        ),
    );
  await until("each result is waited for", async () => {
    const rows = await fixture.within((tx) => tx.elicitationTask.findMany());
    const waiting = rows.filter((row) => JSON.stringify(row.waiting) !== "[]");
    return rows.every(({ lookedAt, announcedAt }) => lookedAt && announcedAt) && waiting.length === 3;
  });
  await answer("before");
  await Promise.all([engine.kill(), postgres.kill()]);

  await postgres.start();
  await until("the database is back", () => events().catch(() => null), PATIENCE_MS);
  await answer("meanwhile");
  engine = await startEngine();
  await Promise.all(all.filter(({ when }) => when === "meanwhile").map(({ id }) => inState(id, "completed")));
  await answer("after");

  for (const { id, requestId, message } of all) {
    await inState(id, "completed");
    const content = contentOf(message);
    expect(remote.tasks.filter((one) => one.message === message)).toMatchObject([
      { answers: [{ action: "accept", content }] },
    ]);
    expect((await request(requestId)).state).toBe("settled");
    expect((await deliveryOf(requestId)).state).toBe("confirmed");
  }
  expect(remote.failures).toEqual([]);
  expect(await fixture.within((tx) => tx.inputRequest.count())).toBe(all.length);
  expect(await verifyEvents(fixture.within)).toMatchObject({ ok: true });
});
