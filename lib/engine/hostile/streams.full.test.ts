/** Servers of 2025-11-25 that flood their streams, and put questions that nobody could answer exactly. */
import { describe, test } from "vitest";
import { createHostileFixture, PATIENCE_MS } from "../../../test/fixtures/hostile-fixture.ts";
import { until } from "../../../test/fixtures/organization-fixture.ts";
import { forFile } from "../../../test/for-file.ts";
import type { Act } from "../../../test/servers/hostile-server.ts";
import {
  ASKS,
  FLOOD_EVENTS,
  INSTANT_REPLIES,
  OPEN_QUESTIONS,
  QUESTIONS,
  UNHANDLED_MESSAGES,
} from "../../mcp/limits.ts";

const fixture = forFile(createHostileFixture);

/** Sends `count` messages on the standalone stream once it is open. */
function streaming(count: number, say: (number: number) => object): Act {
  return ({ request, response }) => {
    if (request.method !== "GET") return false;
    response.writeHead(200, { "content-type": "text/event-stream" });
    let number = 0;
    const more = () => {
      while (number < count && !response.destroyed) {
        const data = JSON.stringify({ jsonrpc: "2.0", ...say(number++) });
        if (!response.write(`data: ${data}\n\n`)) return void response.once("drain", more);
      }
    };
    more();
    return true;
  };
}

/** Returns the unhandled stream messages of the task's connection. */
async function unhandled(taskId: string): Promise<number> {
  const { organizationId } = fixture.organization;
  const { connectionId } = await fixture.queries.task(taskId);
  return fixture.organization.within((tx) =>
    tx.streamMessage.count({ where: { organizationId, connectionId, handledAt: null } }),
  );
}

const question = (message: string) => ({
  method: "elicitation/create",
  params: { message, requestedSchema: { type: "object", properties: {} } },
});
const V1 = "2025-11-25" as const;
const START = { fromTheStart: true };

// Five at once, not more as in files whose tests mostly wait: each flood takes what the machine has.
describe.concurrent("a stream brings", { timeout: 300_000 }, () => {
  test("10,000 different questions: few are kept, a hundred at most are open, and the log says so once", async (context) => {
    const { expect } = context;
    const act = streaming(10_000, (at) => ({ id: at, ...question(`Number ${at}?`) }));
    const task = await fixture.task(context, V1, act, START);
    const areKept = async () => (await fixture.queries.requestsOf(task.id)).length > 0;
    await until("some were kept", areKept, PATIENCE_MS);
    await fixture.secondTenantWorks();
    const requests = await fixture.queries.requestsOf(task.id);
    expect(requests.length).toBeLessThanOrEqual(QUESTIONS);
    expect(requests.filter(({ state }) => state === "open").length).toBeLessThanOrEqual(OPEN_QUESTIONS);
    expect(await unhandled(task.id)).toBeLessThanOrEqual(UNHANDLED_MESSAGES);
    const floods = fixture.log.filter(
      ({ msg, serverId }) => msg.includes("floods") && serverId === task.serverId,
    );
    expect(floods.length).toBeLessThanOrEqual(2);
    await task.ends();
  });

  test("one question 10,000 times, under ever new ids: one request with its newest ids", async (context) => {
    const { expect } = context;
    const act = streaming(10_000, (at) => ({ id: `id-${at}`, ...question("The same?") }));
    const task = await fixture.task(context, V1, act, START);
    const request = await fixture.queries.openRequest(task.id);
    await fixture.secondTenantWorks();
    await until(
      "ids were forgotten",
      async () => (await fixture.queries.asksOf(request.id)) === ASKS,
      PATIENCE_MS,
    );
    expect(await fixture.queries.requestsOf(task.id)).toHaveLength(1);
    await task.ends();
  });

  test.for<[string, unknown]>([
    ["of a megabyte", "i".repeat(1024 * 1024)],
    ["with a NUL", "a\u0000b"],
    ["that is half a character", "\uD800"],
    ["beyond the exact numbers", 2 ** 53],
    ["that is a fraction", 1.5],
    ["that is an object", { a: 1 }],
    ["that is true", true],
  ])("a question under an id %s: nobody is asked, and nothing is answered", async ([, id], context) => {
    const { expect } = context;
    const task = await fixture.task(
      context,
      V1,
      streaming(1, () => ({ id, ...question("Odd?") })),
      START,
    );
    await until(
      "it was said",
      async () => task.server.seen.some(({ method }) => method === "GET"),
      PATIENCE_MS,
    );
    await fixture.secondTenantWorks();
    expect(await fixture.queries.requestsOf(task.id)).toEqual([]);
    expect(task.server.seen.filter(({ method }) => method === "response")).toEqual([]);
    await task.ends();
  });

  test("10,000 questions for other tasks: nobody is asked, and the log says so once", async (context) => {
    const { expect } = context;
    const related = { _meta: { "io.modelcontextprotocol/related-task": { taskId: "somebody else's" } } };
    const act = streaming(10_000, (at) => {
      const { method, params } = question("Whose?");
      return { id: at, method, params: { ...params, ...related } };
    });
    const task = await fixture.task(context, V1, act);
    await until(
      "it is listened to",
      async () => task.server.seen.some(({ method }) => method === "GET"),
      PATIENCE_MS,
    );
    await fixture.secondTenantWorks();
    expect(await fixture.queries.requestsOf(task.id)).toEqual([]);
    expect(await unhandled(task.id)).toBeLessThanOrEqual(UNHANDLED_MESSAGES);
    const lines = fixture.log.filter(({ serverId, level }) => serverId === task.serverId && level >= 40);
    expect(lines.length).toBeLessThanOrEqual(2);
    await task.ends();
  });

  test.for<[string, (at: number) => object]>([
    ["pings", (at) => ({ id: at, method: "ping" })],
    ["requests that we refuse", (at) => ({ id: at, method: "sampling/createMessage", params: {} })],
  ])("20,000 %s, whose replies it never takes: few are under way", async ([, say], context) => {
    const { expect } = context;
    const flood = streaming(20_000, say);
    const act: Act = (asked) => asked.message.method === "response" || flood(asked);
    const task = await fixture.task(context, V1, act, START);
    await until(
      "it was replied to",
      async () => task.server.seen.some(({ method }) => method === "response"),
      PATIENCE_MS,
    );
    await fixture.secondTenantWorks();
    // Those, the stream, and the engine's own requests.
    expect(task.server.open.most).toBeLessThanOrEqual(2 * INSTANT_REPLIES + 4);
    await task.ends();
  });

  test.for<[string, (at: number) => object]>([
    [
      "progress",
      (at) => ({ method: "notifications/progress", params: { progressToken: "x", progress: at } }),
    ],
    [
      "news of its task",
      () => ({ method: "notifications/tasks/status", params: { taskId: "task-1", status: "working" } }),
    ],
    ["what nobody knows", () => ({ method: "notifications/unknown" })],
    ["questions taken back", (at) => ({ method: "notifications/cancelled", params: { requestId: at } })],
  ])(
    "40,000 times %s: it is polled no more often for it, and nothing is written",
    async ([, say], context) => {
      const { expect } = context;
      const task = await fixture.task(context, V1, streaming(40_000, say), START);
      const from = { at: performance.now(), polls: task.server.seen.length };
      await fixture.secondTenantWorks();
      expect(task.server.seen.length - from.polls).toBeLessThan((performance.now() - from.at) / 200 + 20);
      expect((await task.events()).length).toBeLessThan(15);
      await task.ends();
    },
  );

  test("an endless flood: the stream is closed, and not opened again at once", async (context) => {
    const { expect } = context;
    const act = streaming(3 * FLOOD_EVENTS, () => ({ method: "notifications/unknown" }));
    const task = await fixture.task(context, V1, act, START);
    await until("it was dropped", async () => task.server.open.now === 0, PATIENCE_MS);
    await fixture.secondTenantWorks();
    expect(task.server.seen.filter(({ method }) => method === "GET").length).toBeLessThanOrEqual(2);
    await task.ends();
  });
});
