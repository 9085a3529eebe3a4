/** Engines that die, or stand still, at the worst moments. Each test has its own database and engine process. */
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, type TestContext, test } from "vitest";
import { type EngineProcess, startEngineProcess } from "../../../test/engine-process.ts";
import { lookInto } from "../../../test/fixtures/look.ts";
import { tool } from "../../../test/fixtures/tool.ts";
import { createWorld, until, type World } from "../../../test/fixtures/world.ts";
import { startTestServer, type TestServer } from "../../../test/servers/mcp-server.ts";
import { Prisma } from "../../base/db/db.ts";

/** A takeover begins 10 s after the last heartbeat. */
const TAKEOVER_MS = 90_000;
const approve = { action: "accept" as const, content: { approve: true } };
interface Scene {
  world: World;
  remote: TestServer;
  server: { serverId: string; connectionId: string };
  /** The engine that is to come to harm. */
  first: EngineProcess;
}

/** Made for one test, and ended with it, the last made first. `environment`: what is added to that of the first engine. */
async function setScene(
  { onTestFinished }: Pick<TestContext, "onTestFinished">,
  environment: Record<string, string> = {},
): Promise<Scene> {
  const remote = await startTestServer();
  onTestFinished(() => remote.close());
  const world = await createWorld(["127.0.0.1"]);
  onTestFinished(() => world.close());
  const server = await world.addServer(remote.url, "2026-07-28");
  const first = await startEngineProcess({ ...world.engineEnvironment, ...environment });
  onTestFinished(() => first.kill());
  return { world, remote, server, first };
}

function looks({ world }: Scene) {
  return {
    ...lookInto(() => world, TAKEOVER_MS),
    leases: () =>
      world.database.gate<{ leases: number }>(Prisma.sql`SELECT leases FROM engine ORDER BY started_at`),
  };
}

describe.concurrent("an engine that comes to harm", () => {
  test("1: killed between the answer's record and its first byte: delivered exactly once by the next one", async ({
    expect,
    onTestFinished,
  }) => {
    const scene = await setScene({ onTestFinished });
    const { world, remote, server, first } = scene;
    const look = looks(scene);
    const id = await world.startTask(server, {}, tool("approve"));
    const request = await look.openRequest(id);
    first.freeze();
    await world.answer(request.id, approve);
    await first.kill();
    expect(remote.told).toHaveLength(0);
    await world.startEngine();
    await look.inState(id, "completed");
    expect(remote.told).toHaveLength(1);
    expect(await look.deliveryOfTask(id)).toMatchObject({ state: "confirmed", attempts: 1 });
  });

  test("killed after the server took the answer, before that was stored: not sent again", async ({
    expect,
    onTestFinished,
  }) => {
    const scene = await setScene({ onTestFinished });
    const { world, remote, server, first } = scene;
    const look = looks(scene);
    remote.behave.onUpdate = async () => {
      await first.kill();
      return "take" as const;
    };
    const id = await world.startTask(server, {}, tool("approve"));
    await world.answer((await look.openRequest(id)).id, approve);
    await until("the engine was killed", async () => remote.told.length > 0);
    expect((await look.deliveryOfTask(id)).state).toBe("sending");
    await world.startEngine();
    await look.inState(id, "completed");
    expect(remote.told).toHaveLength(1);
    expect(await look.deliveryOfTask(id)).toMatchObject({ state: "confirmed", attempts: 1 });
  });

  test("killed while it sent the answer, which the server lost: sent again, once", async ({
    expect,
    onTestFinished,
  }) => {
    const scene = await setScene({ onTestFinished });
    const { world, remote, server, first } = scene;
    const look = looks(scene);
    remote.behave.onUpdate = async () => {
      remote.behave.onUpdate = undefined;
      await first.kill();
      return "ignore" as const;
    };
    const id = await world.startTask(server, {}, tool("approve"));
    await world.answer((await look.openRequest(id)).id, approve);
    await until("the engine was killed", async () => remote.told.length > 0);
    await world.startEngine();
    await look.inState(id, "completed");
    expect(remote.told).toHaveLength(2);
    expect(await look.requestsOf(id)).toHaveLength(1);
  });

  test("19: killed after the server made the task, before its handle was stored: nobody calls a second time", async ({
    expect,
    onTestFinished,
  }) => {
    const scene = await setScene({ onTestFinished });
    const { world, remote, server, first } = scene;
    remote.behave.onCall = () => {
      void first.kill();
      return "answer";
    };
    const id = await world.startTask(server, {}, tool("wait"));
    await until("the engine was killed", async () => remote.calls.length > 0);
    await world.startEngine();
    await looks(scene).inState(id, "start_unknown");
    expect(remote.calls).toHaveLength(1);
  });

  test("19: the same, with a server that honours the key: called again, and it is the same task", async ({
    expect,
    onTestFinished,
  }) => {
    const scene = await setScene({ onTestFinished });
    const { world, remote, server, first } = scene;
    remote.behave.onCall = () => {
      remote.behave.onCall = undefined;
      void first.kill();
      return "answer";
    };
    const id = await world.startTask(server, {}, tool("approve", { honoursIdempotencyKey: true }));
    await until("the engine was killed", async () => remote.calls.length > 0);
    await world.startEngine();
    await looks(scene).openRequest(id);
    expect(remote.calls).toHaveLength(2);
    expect(remote.tasks.size).toBe(1);
  });

  test("standing still while another takes over: when it goes on it sends, starts and writes nothing", async ({
    expect,
    onTestFinished,
  }) => {
    const scene = await setScene({ onTestFinished });
    const { world, remote, server, first } = scene;
    const look = looks(scene);
    // The first engine is stopped in the middle of a delivery, which the server loses.
    remote.behave.onUpdate = () => {
      remote.behave.onUpdate = undefined;
      first.freeze();
      return "ignore";
    };
    const answered = await world.startTask(server, {}, tool("approve"));
    await world.answer((await look.openRequest(answered)).id, approve);
    await until("it stands still", async () => remote.told.length > 0);
    const started = await world.startTask(server, {}, tool("wait"));

    await world.startEngine();
    await look.inState(answered, "completed");
    await look.inState(started, "working");
    expect(remote.told).toHaveLength(2);
    const calls = remote.calls.length;
    const events = await look.events();
    const epoch = await look.epoch(server.connectionId);

    first.thaw();
    await until("it has seen that its lease is gone", async () => (await look.leases())[0]?.leases === 0);
    expect(remote.told).toHaveLength(2);
    expect(remote.calls).toHaveLength(calls);
    expect(await look.events()).toBe(events);
    expect(await look.epoch(server.connectionId)).toBe(epoch);
    expect(await look.deliveryOfTask(answered)).toMatchObject({ state: "confirmed", attempts: 2 });
  });

  test("a promise fails that nobody waits for: it goes on with its tasks, and ends in order when it is asked to", async ({
    onTestFinished,
  }) => {
    const folder = await mkdtemp(join(tmpdir(), "intray-engine-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    const [fail, failed] = [join(folder, "fail.mjs"), join(folder, "failed")];
    // Runs in the engine's process, and fails when it is asked to.
    await writeFile(
      fail,
      `import { existsSync, writeFileSync } from "node:fs";
      const waiting = setInterval(() => {
        if (!existsSync(${JSON.stringify(`${failed}.please`)})) return;
        clearInterval(waiting);
        writeFileSync(${JSON.stringify(failed)}, "");
        void Promise.reject(new Error("nobody waits for this"));
      }, 20);
      waiting.unref();`,
    );
    const scene = await setScene({ onTestFinished }, { NODE_OPTIONS: `--import=${pathToFileURL(fail)}` });
    const { world, server, first } = scene;
    const look = looks(scene);
    const id = await world.startTask(server, {}, tool("approve"));
    const request = await look.openRequest(id);
    await writeFile(`${failed}.please`, "");
    await until("it has failed", async () => existsSync(failed));
    await world.answer(request.id, approve);
    await look.inState(id, "completed");
    // Rejects where the process is gone.
    await first.drain();
  });
});
