/** Servers, and load balancers before them, that know none of the sessions that they open, or only now and then. */
import { describe, expect, test } from "vitest";
import { createHostileFixture, PATIENCE_MS } from "../../../test/fixtures/hostile-fixture.ts";
import { until } from "../../../test/fixtures/organization-fixture.ts";
import { forFile, manyAtOnce } from "../../../test/for-file.ts";
import type { Act, HostileServer } from "../../../test/servers/hostile-server.ts";

const fixture = forFile(createHostileFixture);

const sessionOf = ({ headers }: { headers: object }) =>
  (headers as Record<string, string | undefined>)["mcp-session-id"];
const opened = ({ seen }: HostileServer) => seen.filter(({ method }) => method === "initialize").length;
const asked = ({ seen }: HostileServer, method: string) =>
  seen.filter((request) => request.method === method).length;

/** Everything in a session is answered with 404. */
const knowsNone: Act = ({ request, response }) => {
  if (sessionOf(request) === undefined) return false;
  response.writeHead(404).end("Session not found");
  return true;
};

manyAtOnce();
describe.concurrent("a server of 2025-11-25", { timeout: 300_000 }, () => {
  test("that answers everything in a session with 404 is asked for few new ones, and people are told", {
    tags: ["full"],
  }, async (context) => {
    const { server, row, isAtFault, ends, events } = await fixture.task(context, "2025-11-25", knowsNone);
    const before = (await events()).length;
    await isAtFault();
    const [sessions, seen] = [opened(server), server.seen.length];
    // Longer than opening a hundred sessions takes.
    const states = new Set<string>();
    for (let times = 0; times < 26; times++) {
      await new Promise((resolve) => setTimeout(resolve, 500));
      states.add((await row()).healthState);
    }
    expect([...states]).toEqual(["failing"]);
    expect(opened(server) - sessions).toBeLessThanOrEqual(2);
    expect(server.seen.length - seen).toBeLessThan(30);
    expect((await events()).length).toBe(before);
    await fixture.secondTenantWorks();
    await ends();
  });

  test("whose requests reach one of two instances by turns keeps its session, and the task", async (context) => {
    let nth = 0;
    const unstuck: Act = (it) => sessionOf(it.request) !== undefined && nth++ % 2 === 0 && knowsNone(it);
    const { server, ends } = await fixture.task(context, "2025-11-25", unstuck);
    const sessions = opened(server);
    await until("it is polled often", async () => asked(server, "tasks/get") > 20, PATIENCE_MS);
    expect(opened(server)).toBe(sessions);
    server.finish();
    await ends();
  });

  test("whose task is in a session that was gone for a while only: it is found there, and not lost", async (context) => {
    let first: string | undefined;
    let isAway = true;
    // The server binds tasks to the session that made them.
    const act: Act = (it) => {
      const session = sessionOf(it.request);
      first ??= session;
      if (session === first && isAway) return knowsNone(it);
      if (it.message.method !== "tasks/get" || session === first) return false;
      isAway = false;
      it.send({ jsonrpc: "2.0", id: it.message.id, error: { code: -32602, message: "Task not found" } });
      return true;
    };
    const { id, server, ends } = await fixture.task(context, "2025-11-25", act);
    await until("it is asked for elsewhere", async () => !isAway, PATIENCE_MS);
    const polls = asked(server, "tasks/get");
    await until("it is polled on", async () => asked(server, "tasks/get") > polls + 10, PATIENCE_MS);
    expect((await fixture.queries.task(id)).state).toBe("working");
    await ends();
  });

  test("that says 404 of a task, in words of JSON-RPC, is asked for no new session: the task is lost", async (context) => {
    const error = { code: -32602, message: "Task not found" };
    const act: Act = ({ response, message }) => {
      if (message.method !== "tasks/get") return false;
      response.writeHead(404, { "content-type": "application/json" });
      response.end(JSON.stringify({ jsonrpc: "2.0", id: message.id, error }));
      return true;
    };
    const { id, server } = await fixture.task(context, "2025-11-25", act);
    const sessions = opened(server);
    await fixture.queries.inState(id, "lost");
    expect(opened(server)).toBe(sessions);
  });
});
