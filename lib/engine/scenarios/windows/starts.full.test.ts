/** 2025-11-25: the commits of a start are stored, and their replies are lost. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import {
  createOrganizationFixture,
  type OrganizationFixture,
  until,
} from "../../../../test/fixtures/organization-fixture.ts";
import { createQueries } from "../../../../test/fixtures/queries.ts";
import { tool } from "../../../../test/fixtures/tool.ts";
import { type SessionServer, startSessionServer } from "../../../../test/servers/session-server.ts";
import { OutcomeUnknown } from "../../../base/db/database-errors.ts";
import { GroupCommit } from "../../db/group-commit.ts";

let fixture: OrganizationFixture;
let remote: SessionServer;
let server: { serverId: string; connectionId: string };
const queries = createQueries(() => fixture);

beforeAll(async () => {
  fixture = await createOrganizationFixture(["127.0.0.1"]);
  await fixture.startEngine();
});
beforeEach(async () => {
  remote = await startSessionServer();
  server = await fixture.addServer(remote.url, "2025-11-25");
});
afterEach(async () => {
  vi.restoreAllMocks();
  await remote.close();
});
afterAll(() => fixture?.close());
const start = (args = {}) => fixture.startTask(server, args, tool("work", { taskSupport: "required" }));

test("the commit of a handle is stored and its reply is lost: the tool is called once, and the task goes on", async () => {
  let id = "";
  let times = 0;
  const run = GroupCommit.prototype.run;
  vi.spyOn(GroupCommit.prototype, "run").mockImplementation(async function (this: GroupCommit, org, change) {
    const result = await run.call(this, org, change);
    if (times === 0 && id && change.taskId === id && (await queries.task(id)).state === "working") {
      times++;
      throw new OutcomeUnknown(new Error("Connection terminated"));
    }
    return result;
  } as typeof run);
  id = await start();
  await until("the reply was lost", async () => times === 1);
  await until("it is polled", async () => remote.seen.some(({ method }) => method === "tasks/get"));
  remote.tasks[0]!.status = "completed";
  await queries.inState(id, "completed");
  expect(remote.seen.filter(({ method }) => method === "tools/call")).toHaveLength(1);
});

test("the commit of the attempt is stored and its reply is lost: the tool is not called twice", async () => {
  let id = "";
  let times = 0;
  const run = GroupCommit.prototype.run;
  vi.spyOn(GroupCommit.prototype, "run").mockImplementation(async function (this: GroupCommit, org, change) {
    const result = await run.call(this, org, change);
    if (times === 0 && id && change.taskId === id && (await queries.task(id)).state === "starting") {
      times++;
      throw new OutcomeUnknown(new Error("Connection terminated"));
    }
    return result;
  } as typeof run);
  id = await start();
  await until("the reply was lost", async () => times === 1);
  await until("it is settled", async () => {
    const row = await queries.task(id);
    return row.state !== "starting" && row.state !== "queued" && row;
  });
  expect(remote.seen.filter(({ method }) => method === "tools/call").length).toBeLessThan(2);
});
