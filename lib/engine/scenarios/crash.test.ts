/** Engines that die, or stand still, at the worst moments. Each test has its own database and engine process. */
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, type TestContext, test } from "vitest";
import { type EngineProcess, startEngineProcess } from "../../../test/engine-process.ts";
import {
  createOrganizationFixture,
  type OrganizationFixture,
  until,
} from "../../../test/fixtures/organization-fixture.ts";
import { createQueries } from "../../../test/fixtures/queries.ts";
import { tool } from "../../../test/fixtures/tool.ts";
import { startTestServer, type TestServer } from "../../../test/servers/mcp-server.ts";
import { Prisma } from "../../base/db/db.ts";

/** A takeover begins 10 s after the last heartbeat. */
const TAKEOVER_MS = 90_000;
const approve = { action: "accept" as const, content: { approve: true } };
interface CrashFixture {
  organization: OrganizationFixture;
  remote: TestServer;
  server: { serverId: string; connectionId: string };
  /** The engine that the test kills or freezes. */
  first: EngineProcess;
}

/**
 * Made for one test; its parts end with the test, in reverse order. `environment`: variables added to those
 * of the first engine.
 */
async function createCrashFixture(
  { onTestFinished }: Pick<TestContext, "onTestFinished">,
  environment: Record<string, string> = {},
): Promise<CrashFixture> {
  const remote = await startTestServer();
  onTestFinished(() => remote.close());
  const fixture = await createOrganizationFixture(["127.0.0.1"]);
  onTestFinished(() => fixture.close());
  const server = await fixture.addServer(remote.url, "2026-07-28");
  const first = await startEngineProcess({ ...fixture.engineEnvironment, ...environment });
  onTestFinished(() => first.kill());
  return { organization: fixture, remote, server, first };
}

function queriesOf({ organization }: CrashFixture) {
  return {
    ...createQueries(() => organization, TAKEOVER_MS),
    leases: () =>
      organization.database.gate<{ leases: number }>(
        Prisma.sql`SELECT leases FROM engine ORDER BY started_at`,
      ),
  };
}

describe.concurrent("an engine that is killed or frozen", () => {
  test("1: killed between the answer's record and its first byte: delivered exactly once by the next one", async ({
    expect,
    onTestFinished,
  }) => {
    const fixture = await createCrashFixture({ onTestFinished });
    const { organization, remote, server, first } = fixture;
    const queries = queriesOf(fixture);
    const id = await organization.startTask(server, {}, tool("approve"));
    const request = await queries.openRequest(id);
    first.freeze();
    await organization.answer(request.id, approve);
    await first.kill();
    expect(remote.answers).toHaveLength(0);
    await organization.startEngine();
    await queries.inState(id, "completed");
    expect(remote.answers).toHaveLength(1);
    expect(await queries.deliveryOfTask(id)).toMatchObject({ state: "confirmed", attempts: 1 });
  });

  test("killed after the server took the answer, before that was stored: not sent again", async ({
    expect,
    onTestFinished,
  }) => {
    const fixture = await createCrashFixture({ onTestFinished });
    const { organization, remote, server, first } = fixture;
    const queries = queriesOf(fixture);
    remote.behave.onUpdate = async () => {
      await first.kill();
      return "take" as const;
    };
    const id = await organization.startTask(server, {}, tool("approve"));
    await organization.answer((await queries.openRequest(id)).id, approve);
    await until("the engine was killed", async () => remote.answers.length > 0);
    expect((await queries.deliveryOfTask(id)).state).toBe("sending");
    await organization.startEngine();
    await queries.inState(id, "completed");
    expect(remote.answers).toHaveLength(1);
    expect(await queries.deliveryOfTask(id)).toMatchObject({ state: "confirmed", attempts: 1 });
  });

  test("killed while it sent the answer, which the server lost: sent again, once", {
    tags: ["full"],
  }, async ({ expect, onTestFinished }) => {
    const fixture = await createCrashFixture({ onTestFinished });
    const { organization, remote, server, first } = fixture;
    const queries = queriesOf(fixture);
    remote.behave.onUpdate = async () => {
      remote.behave.onUpdate = undefined;
      await first.kill();
      return "ignore" as const;
    };
    const id = await organization.startTask(server, {}, tool("approve"));
    await organization.answer((await queries.openRequest(id)).id, approve);
    await until("the engine was killed", async () => remote.answers.length > 0);
    await organization.startEngine();
    await queries.inState(id, "completed");
    expect(remote.answers).toHaveLength(2);
    expect(await queries.requestsOf(id)).toHaveLength(1);
  });

  test("19: killed after the server made the task, before its handle was stored: nobody calls a second time", async ({
    expect,
    onTestFinished,
  }) => {
    const fixture = await createCrashFixture({ onTestFinished });
    const { organization, remote, server, first } = fixture;
    remote.behave.onCall = () => {
      void first.kill();
      return "answer";
    };
    const id = await organization.startTask(server, {}, tool("wait"));
    await until("the engine was killed", async () => remote.calls.length > 0);
    await organization.startEngine();
    await queriesOf(fixture).inState(id, "start_unknown");
    expect(remote.calls).toHaveLength(1);
  });

  test("19: the same, with a server that honours the key: called again, and it is the same task", {
    tags: ["full"],
  }, async ({ expect, onTestFinished }) => {
    const fixture = await createCrashFixture({ onTestFinished });
    const { organization, remote, server, first } = fixture;
    remote.behave.onCall = () => {
      remote.behave.onCall = undefined;
      void first.kill();
      return "answer";
    };
    const id = await organization.startTask(server, {}, tool("approve", { honoursIdempotencyKey: true }));
    await until("the engine was killed", async () => remote.calls.length > 0);
    await organization.startEngine();
    await queriesOf(fixture).openRequest(id);
    expect(remote.calls).toHaveLength(2);
    expect(remote.tasks.size).toBe(1);
  });

  test("frozen while another engine takes over: once thawed it sends, starts and writes nothing", {
    tags: ["full"],
  }, async ({ expect, onTestFinished }) => {
    const fixture = await createCrashFixture({ onTestFinished });
    const { organization, remote, server, first } = fixture;
    const queries = queriesOf(fixture);
    // The first engine is stopped in the middle of a delivery, which the server loses.
    remote.behave.onUpdate = () => {
      remote.behave.onUpdate = undefined;
      first.freeze();
      return "ignore";
    };
    const answered = await organization.startTask(server, {}, tool("approve"));
    await organization.answer((await queries.openRequest(answered)).id, approve);
    await until("it stands still", async () => remote.answers.length > 0);
    const started = await organization.startTask(server, {}, tool("wait"));

    await organization.startEngine();
    await queries.inState(answered, "completed");
    await queries.inState(started, "working");
    expect(remote.answers).toHaveLength(2);
    const calls = remote.calls.length;
    const events = await queries.events();
    const epoch = await queries.epoch(server.connectionId);

    first.thaw();
    await until("it has seen that its lease is gone", async () => (await queries.leases())[0]?.leases === 0);
    expect(remote.answers).toHaveLength(2);
    expect(remote.calls).toHaveLength(calls);
    expect(await queries.events()).toBe(events);
    expect(await queries.epoch(server.connectionId)).toBe(epoch);
    expect(await queries.deliveryOfTask(answered)).toMatchObject({ state: "confirmed", attempts: 2 });
  });

  test("a promise fails that nobody waits for: it goes on with its tasks, and ends in order when it is asked to", {
    tags: ["full"],
  }, async ({ onTestFinished }) => {
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
    const fixture = await createCrashFixture(
      { onTestFinished },
      { NODE_OPTIONS: `--import=${pathToFileURL(fail)}` },
    );
    const { organization, server, first } = fixture;
    const queries = queriesOf(fixture);
    const id = await organization.startTask(server, {}, tool("approve"));
    const request = await queries.openRequest(id);
    await writeFile(`${failed}.please`, "");
    await until("it has failed", async () => existsSync(failed));
    await organization.answer(request.id, approve);
    await queries.inState(id, "completed");
    // Rejects where the process is gone.
    await first.drain();
  });
});
