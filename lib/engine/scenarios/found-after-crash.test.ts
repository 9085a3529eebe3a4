/** 2025-11-25: a start whose reply was lost with its engine, on a server that lists tasks by session, as real ones do. */
import { expect, test } from "vitest";
import { lookInto } from "../../../test/fixtures/look.ts";
import { tool } from "../../../test/fixtures/tool.ts";
import { createWorld, until } from "../../../test/fixtures/world.ts";
import { type Act, startHostileServer } from "../../../test/servers/hostile-server.ts";

test("the task is found in the session of the call, whichever engine looks", async () => {
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
  const world = await createWorld(["127.0.0.1"]);
  const look = lookInto(() => world);
  try {
    const first = await world.startEngine();
    const added = await world.addServer(server.url, "2025-11-25");
    const id = await world.startTask(added, {}, tool("work", { taskSupport: "required" }));
    await until("the tool is called", async () => made.length > 0);
    await first.stop();
    expect((await look.task(id)).state).toBe("starting");
    await world.startEngine();
    await look.inState(id, "working");
    expect((await look.task(id)).adopted).toBe(true);
    expect(made).toHaveLength(1);
    // It is polled there too.
    await until("it is polled", async () => server.seen.some(({ method }) => method === "tasks/get"));
    const polls = server.seen.filter(({ method }) => method === "tasks/get");
    expect(polls.map(({ headers }) => headers["mcp-session-id"])).toEqual(polls.map(() => made[0]?.session));
    server.finish();
    await look.inState(id, "completed");
  } finally {
    await world.close();
    await server.close();
  }
});
