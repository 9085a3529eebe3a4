/** The real FastMCP 3: many tasks ask at once, and each gets its own answer; a question that is lost in a restart is told. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { startEngineProcess } from "../../../test/engine-process.ts";
import {
  createOrganizationFixture,
  type OrganizationFixture,
  until,
} from "../../../test/fixtures/organization-fixture.ts";
import { createQueries } from "../../../test/fixtures/queries.ts";
import { tool } from "../../../test/fixtures/tool.ts";
import {
  FASTMCP_PATIENCE_MS,
  FASTMCP_SERVER,
  installFastmcp,
  startFastmcp,
  startRedis,
} from "../../../test/servers/fastmcp/fastmcp.ts";
import { orLeftOut } from "../../../test/setup/own-package.ts";
import { requestCancel } from "../../lifecycle/task-writes.ts";
import { parseServersFile } from "../../servers/operator-file.ts";
import { giveOperatorServers } from "../../servers/operator-sync.ts";
import { traitsSchema } from "../../servers/traits.ts";
import { readTask } from "../../tasks/task-reads.ts";

// Of an engine in this process: shortens the twenty minutes in which a question may still be asked again to seconds.
vi.mock("../tunables.ts", async (original) => ({
  ...(await original<typeof import("../tunables.ts")>()),
  QUESTION_RETRY_MS: 500,
  QUESTION_RETRY_CAP_MS: 1_000,
  QUESTION_WAIT_MS: 500,
}));

const python = orLeftOut("FastMCP", installFastmcp);
/** As FastMCP lists it. */
const APPROVE = tool("approve_invoice", { taskSupport: "optional" });

let fixture: OrganizationFixture;
const ends: (() => Promise<unknown>)[] = [];
const queries = createQueries(() => fixture, FASTMCP_PATIENCE_MS);

beforeAll(async () => {
  if (python === null) return;
  fixture = await createOrganizationFixture(["127.0.0.1"]);
  ends.push(() => fixture.close());
  const text = JSON.stringify({
    mcpServers: {
      pipe: { command: python, args: [FASTMCP_SERVER], era: "2025-11-25", organizations: ["test"] },
    },
  });
  const folder = await mkdtemp(join(tmpdir(), "intray-servers-"));
  ends.push(() => rm(folder, { recursive: true }));
  const path = join(folder, "servers.json");
  await writeFile(path, text);
  await fixture.within((tx) => giveOperatorServers(tx, "test", parseServersFile(text)));
  const engine = await startEngineProcess({ ...fixture.engineEnvironment, INTRAY_SERVERS_FILE: path });
  ends.push(() => engine.kill());
});

beforeEach(({ skip }) => skip(python === null));

afterAll(async () => {
  for (const end of ends.reverse()) await end();
});

/** Waits until polls since its question have said that the task works. They are stored when their pace slows down. */
async function polledSince({ taskId, createdAt }: { taskId: string; createdAt: Date }): Promise<void> {
  const where = { organizationId_taskId: { organizationId: fixture.organizationId, taskId } };
  await until(
    "polls find nothing new",
    async () => {
      const watch = await fixture.within((tx) => tx.taskWatch.findUniqueOrThrow({ where }));
      return watch.lastCheckedAt && watch.lastCheckedAt > createdAt && watch.unchangedPolls > 2;
    },
    FASTMCP_PATIENCE_MS,
  );
}

/** Starts the tasks at once, and answers when all of them ask and were polled. Expects each to end with its own answer. */
async function approveAtOnce(server: { serverId: string; connectionId: string }, count: number) {
  const tasks = await Promise.all(
    Array.from({ length: count }, async (_, n) => {
      const name = `INV-${70 + n}`;
      return { name, id: await fixture.startTask(server, { name }, APPROVE) };
    }),
  );
  const open = await Promise.all(
    tasks.map(async ({ name, id }) => {
      const request = await queries.openRequest(id, `Approve ${name}?`);
      await polledSince(request);
      return { name, request };
    }),
  );
  await Promise.all(
    open.map(({ name, request }) =>
      fixture.answer(request.id, { action: "accept", content: { value: `paid by ${name}` } }),
    ),
  );
  for (const { name, id } of tasks) {
    const { result, sealedHandle } = await queries.inState(id, "completed");
    // A task of the server's, not a call that waits.
    expect(sealedHandle).not.toBeNull();
    expect(result).toMatchObject({ content: [{ text: `${name}: paid by ${name}` }] });
    expect(await queries.requestsOf(id)).toMatchObject([{ state: "settled" }]);
    expect(await queries.deliveryOfTask(id)).toMatchObject({ state: "confirmed", attempts: 1 });
  }
  const doubts = await fixture.within((tx) =>
    tx.event.findMany({
      where: {
        organizationId: fixture.organizationId,
        taskId: { in: tasks.map(({ id }) => id) },
        type: { in: ["request.withdrawn", "request.reopened", "request.replaced", "request.undeliverable"] },
      },
    }),
  );
  expect(doubts).toEqual([]);
}

describe("tasks of FastMCP 3 that ask at once: all are in the inbox, none is taken back, each gets its own answer", {
  timeout: 4 * FASTMCP_PATIENCE_MS,
}, () => {
  test("ten over HTTP", async () => {
    const fastmcp = await startFastmcp();
    ends.push(fastmcp.kill);
    await approveAtOnce(await fixture.addServer(fastmcp.url, "auto"), 10);
  });

  test("four on the pipe of one command", async () => {
    const server = await fixture.within(async (tx) => {
      const { id: serverId } = await tx.server.findFirstOrThrow({ where: { operatorEntry: "pipe" } });
      const { id: connectionId } = await tx.connection.findFirstOrThrow({ where: { serverId } });
      return { serverId, connectionId };
    });
    await approveAtOnce(server, 4);
    const { traits } = await fixture.within((tx) =>
      tx.server.findFirstOrThrow({ where: { id: server.serverId } }),
    );
    expect(traits).toMatchObject({ namesTask: true });
  });
});

test("an answer to a question that was lost in a restart: people learn it, the next time soon, and can cancel or start again", {
  timeout: 4 * FASTMCP_PATIENCE_MS,
}, async ({ skip, onTestFinished }) => {
  const redis = await startRedis();
  if (!redis) return skip("redis-server is not installed");
  onTestFinished(redis.kill);
  const own = await createOrganizationFixture(["127.0.0.1"]);
  onTestFinished(own.close);
  const { url: redisUrl } = redis;
  await own.startEngine();
  const queries = createQueries(() => own, FASTMCP_PATIENCE_MS);
  let fastmcp = await startFastmcp({ redisUrl });
  onTestFinished(() => fastmcp.kill());
  const server = await own.addServer(fastmcp.url, "2025-11-25");
  const start = async (name: string) => {
    const id = await own.startTask(server, { name }, APPROVE);
    return { id, request: await queries.openRequest(id, `Approve ${name}?`) };
  };
  const pay = (requestId: string) => own.answer(requestId, { action: "accept", content: { value: "paid" } });

  for (const name of ["INV-1", "INV-2"]) {
    const { id, request } = await start(name);
    await fastmcp.kill();
    fastmcp = await startFastmcp({ redisUrl, port: fastmcp.port });
    await pay(request.id);
    const given = await until(
      "the answer is given up",
      async () => {
        const row = await queries.request(request.id);
        return row.state === "undeliverable" && row;
      },
      FASTMCP_PATIENCE_MS,
    );
    expect(given.endedReason).toBe("not_asked_again");
    expect(await queries.deliveryOf(request.id)).toMatchObject({ attempts: 0, acceptedAt: null });
    const { attention } = (await own.within((tx) => readTask(tx, own.operator, id)))!;
    expect(attention?.code).toBe("undeliverable");
    const { traits } = await own.within((tx) =>
      tx.server.findFirstOrThrow({ where: { id: server.serverId } }),
    );
    expect(traitsSchema.parse(traits).reissues).toBe(false);
    await own.within((tx) => requestCancel(tx, own.operator, id));
    await queries.inState(id, "cancelled");
  }

  const again = await start("INV-2");
  await pay(again.request.id);
  expect((await queries.inState(again.id, "completed")).result).toMatchObject({
    content: [{ text: "INV-2: paid" }],
  });
});
