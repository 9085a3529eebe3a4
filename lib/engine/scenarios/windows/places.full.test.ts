/** 2025-11-25: what is stored of a stream's place, and of what came on it. Needs `numbered` of session-server.ts. */
import { Client } from "pg";
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import { startEngineProcess } from "../../../../test/engine-process.ts";
import { until } from "../../../../test/fixtures/organization-fixture.ts";
import { organizationForFile } from "../../../../test/fixtures/organization-for-file.ts";
import { createQueries } from "../../../../test/fixtures/queries.ts";
import { tool } from "../../../../test/fixtures/tool.ts";
import { type SessionServer, startSessionServer } from "../../../../test/servers/session-server.ts";
import { sleep, trigger } from "../../../../test/setup/windows.ts";

const fixture = organizationForFile(["127.0.0.1"]);
let remote: SessionServer;
let server: { serverId: string; connectionId: string };
const queries = createQueries(() => fixture, 60_000);

beforeEach(async () => {
  remote = await startSessionServer();
  server = await fixture.addServer(remote.url, "2025-11-25");
});
afterEach(() => remote.close());

test("what came on a stream is not stored yet, and the engine is killed: the stream goes on before it", async () => {
  remote.behave.numbered = true;
  const first = await startEngineProcess(fixture.engineEnvironment);
  const id = await fixture.startTask(server, {}, tool("work", { taskSupport: "required" }));
  await queries.inState(id, "working");
  const there = remote.tasks[0]!;
  await sleep(2_000);
  const admin = new Client({ connectionString: fixture.adminUrl });
  await admin.connect();
  onTestFinished(() => admin.end());
  const place = await trigger(fixture, {
    on: "UPDATE OF sealed_session ON task",
    when: `NEW.id = '${id}'`,
    body: "",
  });
  expect(remote.ask(there, "First?")).not.toBeNull();
  await queries.openRequest(id, "First?");
  await until("the stream's place is stored", async () => (await place.calls()) > 0);
  const stored = await place.calls();
  await admin.query("BEGIN");
  await admin.query("LOCK TABLE stream_message IN SHARE MODE");
  expect(remote.ask(there, "Before the end?")).not.toBeNull();
  await until("it was heard, and can't be stored", async () => {
    const { rows } = await admin.query(
      "SELECT FROM pg_locks WHERE NOT granted AND relation = 'stream_message'::regclass",
    );
    return rows.length > 0;
  });
  const polls = () => remote.seen.filter(({ method }) => method === "tasks/get").length;
  const before = polls();
  await until("steps went by", async () => polls() > before + 3);
  expect(await place.calls()).toBe(stored);
  await first.kill();
  await admin.query("COMMIT");
  await fixture.startEngine();
  await until(
    "it listens again",
    async () => remote.seen.filter(({ method }) => method === "GET").length > 1 || null,
  );
  await queries.openRequest(id, "Before the end?");
  expect(await queries.requestsOf(id)).toHaveLength(2);
});
