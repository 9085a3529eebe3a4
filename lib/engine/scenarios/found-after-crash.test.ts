/** 2025-11-25: a start whose reply was lost with its engine, on a server that lists tasks by session, as real ones do. */
import { expect, test } from "vitest";
import { createOrganizationFixture, until } from "../../../test/fixtures/organization-fixture.ts";
import { createQueries } from "../../../test/fixtures/queries.ts";
import { tool } from "../../../test/fixtures/tool.ts";
import { type Act, startHostileServer } from "../../../test/servers/hostile-server.ts";

test("any engine finds the task in the session of the call", async () => {
  const made: { taskId: string; session: unknown; createdAt: string }[] = [];
  const byItsSession: Act = ({ request, response, message, reply }) => {
    const session = request.headers["mcp-session-id"];
    if (message.method === "tools/call") {
      made.push({ taskId: "made", session, createdAt: new Date().toISOString() });
      response.destroy();
      return true;
    }
    if (message.method !== "tasks/list") return false;
    const tasks = made.filter((task) => task.session === session);
    reply({
      tasks: tasks.map(({ taskId, createdAt }) => ({
        taskId,
        status: "working",
        createdAt,
        lastUpdatedAt: createdAt,
        ttl: null,
      })),
    });
    return true;
  };
  const server = await startHostileServer(byItsSession);
  const fixture = await createOrganizationFixture(["127.0.0.1"]);
  const queries = createQueries(() => fixture);
  try {
    const first = await fixture.startEngine();
    const added = await fixture.addServer(server.url, "2025-11-25");
    const id = await fixture.startTask(added, {}, tool("work", { taskSupport: "required" }));
    await until("the tool is called", async () => made.length > 0);
    await first.stop();
    expect((await queries.task(id)).state).toBe("starting");
    await fixture.startEngine();
    await queries.inState(id, "working");
    expect((await queries.task(id)).adopted).toBe(true);
    expect(made).toHaveLength(1);
    // The task is polled in that session too.
    await until("it is polled", async () => server.seen.some(({ method }) => method === "tasks/get"));
    const polls = server.seen.filter(({ method }) => method === "tasks/get");
    expect(polls.map(({ headers }) => headers["mcp-session-id"])).toEqual(polls.map(() => made[0]?.session));
    server.finish();
    await queries.inState(id, "completed");
  } finally {
    await fixture.close();
    await server.close();
  }
});
