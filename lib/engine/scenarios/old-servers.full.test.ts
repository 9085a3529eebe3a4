/** Servers of the versions before tasks, by a real engine: their calls are made once, and nothing is made up about how they ended. */
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { startEngineProcess } from "../../../test/engine-process.ts";
import { createOrganizationFixture, until } from "../../../test/fixtures/organization-fixture.ts";
import { createQueries } from "../../../test/fixtures/queries.ts";
import { tool } from "../../../test/fixtures/tool.ts";
import {
  OLD_VERSIONS,
  type OldVersion,
  oldEverything,
  startOldServer,
} from "../../../test/old-servers/start.ts";

// The package comes from the registry the first time.
beforeAll(() => void oldEverything(), 300_000);

const PATIENCE_MS = 180_000;

async function place(version: OldVersion) {
  const server = await startOldServer(version);
  onTestFinished(() => server.kill());
  const organization = await createOrganizationFixture([`127.0.0.1:${server.port}`]);
  onTestFinished(() => organization.close());
  const added = await organization.addServer(server.url, "auto");
  const queries = createQueries(() => organization, PATIENCE_MS);
  const start = (name: string, args = {}) =>
    organization.startTask(added, args, tool(name, { taskSupport: "forbidden" }));
  /** Asks the server itself how often its tools were called. */
  const calls = async () => {
    const id = await start("calls");
    const { result } = await queries.inState(id, "completed");
    return Number((result as { content: [{ text: string }] }).content[0].text);
  };
  return { server, organization, queries, start, calls };
}

describe.each(OLD_VERSIONS)("a server of %s", (version) => {
  test("answers calls, one after the other and at once", async () => {
    const { organization, queries, start, calls } = await place(version);
    await organization.startEngine();
    const ids = await Promise.all(Array.from({ length: 10 }, (_, n) => start("add", { a: n, b: 1 })));
    for (const [n, id] of ids.entries())
      expect(await queries.inState(id, "completed")).toMatchObject({
        result: { content: [{ text: String(n + 1) }] },
      });
    expect(await calls()).toBe(10);
  });

  test("whose call was under way when the engine was killed is not called again: somebody has to look", async () => {
    const { organization, queries, start, calls } = await place(version);
    const first = await startEngineProcess(organization.engineEnvironment);
    onTestFinished(() => first.kill());
    const id = await start("slow");
    await until("the call is there", async () => (await calls()) === 1);
    await first.kill();
    await organization.startEngine();
    expect(await queries.inState(id, "start_unknown")).toMatchObject({ state: "start_unknown" });
    expect(await calls()).toBe(1);
  });

  test("that was killed in the middle of a call, and is there again, is not called again", async () => {
    const { server, organization, queries, start, calls } = await place(version);
    await organization.startEngine();
    const id = await start("slow");
    await until("the call is there", async () => (await calls()) === 1);
    await server.kill();
    // It is asked for what it has of the call first, which is nothing: only a person can know.
    const again = await startOldServer(version, server.port);
    onTestFinished(() => again.kill());
    await queries.inState(id, "start_unknown");
    expect(await calls()).toBe(0);
  });
});

test("a server of 2025-06-18 asks in the middle of a call, and a person's answer ends it", async () => {
  const { organization, queries, start, calls } = await place("2025-06-18");
  await organization.startEngine();
  const id = await start("ask");
  const request = await queries.openRequest(id);
  expect(request.message).toBe("Approve?");
  await organization.answer(request.id, { action: "accept", content: { approve: true } });
  const said = JSON.stringify({ action: "accept", content: { approve: true } });
  expect(await queries.inState(id, "completed")).toMatchObject({ result: { content: [{ text: said }] } });
  expect(await calls()).toBe(1);
});
