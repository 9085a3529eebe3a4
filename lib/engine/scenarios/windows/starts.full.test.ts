/** 2025-11-25: the commits of a start are stored, and their replies are lost. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { until } from "../../../../test/fixtures/organization-fixture.ts";
import { organizationForFile } from "../../../../test/fixtures/organization-for-file.ts";
import { createQueries } from "../../../../test/fixtures/queries.ts";
import { tool } from "../../../../test/fixtures/tool.ts";
import { type SessionServer, startSessionServer } from "../../../../test/servers/session-server.ts";
import { loseReplyWhen } from "../../../../test/setup/windows.ts";

const fixture = organizationForFile(["127.0.0.1"], { withEngine: true });
let remote: SessionServer;
let server: { serverId: string; connectionId: string };
const queries = createQueries(() => fixture);

beforeEach(async () => {
  remote = await startSessionServer();
  server = await fixture.addServer(remote.url, "2025-11-25");
});
afterEach(async () => {
  vi.restoreAllMocks();
  await remote.close();
});
const start = (args = {}) => fixture.startTask(server, args, tool("work", { taskSupport: "required" }));

test("the commit of a handle is stored and its reply is lost: the tool is called once, and the task goes on", async () => {
  let id = "";
  const reply = loseReplyWhen(
    async (taskId) => taskId === id && (await queries.task(id)).state === "working",
  );
  id = await start();
  await until("the reply was lost", async () => reply.times === 1);
  await until("it is polled", async () => remote.seen.some(({ method }) => method === "tasks/get"));
  remote.tasks[0]!.status = "completed";
  await queries.inState(id, "completed");
  expect(remote.seen.filter(({ method }) => method === "tools/call")).toHaveLength(1);
});

test("the commit of the attempt is stored and its reply is lost: the tool is not called twice", async () => {
  let id = "";
  const reply = loseReplyWhen(
    async (taskId) => taskId === id && (await queries.task(id)).state === "starting",
  );
  id = await start();
  await until("the reply was lost", async () => reply.times === 1);
  await until("it is settled", async () => {
    const row = await queries.task(id);
    return row.state !== "starting" && row.state !== "queued" && row;
  });
  expect(remote.seen.filter(({ method }) => method === "tools/call").length).toBeLessThan(2);
});
