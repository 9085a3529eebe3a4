/** Calls that their clients give up, results that can't be opened, and one large result for many: nothing is called twice for them. */
import { randomBytes } from "node:crypto";
import { request } from "node:http";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { expect, test } from "vitest";
import { startAgentEndpoint } from "../../../../test/agent-process.ts";
import {
  type AgentFixture,
  createSharedAgentFixture,
} from "../../../../test/fixtures/agents/agent-fixture.ts";
import { rawAgent } from "../../../../test/fixtures/agents/raw-agent.ts";
import { until } from "../../../../test/fixtures/organization-fixture.ts";
import { forFile } from "../../../../test/for-file.ts";
import { beginSealing } from "../../../people/content-sealing/sealing-writes.ts";

const accepted = [{ type: "text", text: JSON.stringify({ action: "accept", content: { approve: true } }) }];
const OLD = { "mcp-protocol-version": "2025-11-25" };

const fixture = forFile(() => createSharedAgentFixture());

/** An agent of the test's own, a call of its own, told by its note, and what became of both. */
async function prepared(note: string, input: Parameters<AgentFixture["agent"]>[0] = {}) {
  const { id, secret } = await fixture.agent(input);
  const tasks = async () => (await fixture.tasks()).filter(({ agentId }) => agentId === id);
  return {
    secret,
    agent: rawAgent(fixture.endpoint.url, secret),
    params: { name: "erp__approve", arguments: { note } },
    tasks,
    /** The task of the only call, once its question is open. */
    async asked() {
      const [task] = await until("there is a task", async () => {
        const found = await tasks();
        return found.length > 0 && found;
      });
      await fixture.openRequest(task?.id);
      return task?.id ?? "";
    },
    /** Of each call, whether its result was fetched. */
    fetched: () =>
      fixture.organization.within(async (tx) => {
        const rows = await tx.agentCall.findMany({ where: { agentId: id } });
        return rows.map(({ fetchedAt }) => fetchedAt !== null);
      }),
    /** The calls that reached the server. */
    calls: () => fixture.server.calls.filter((call) => (call.arguments as { note?: string }).note === note),
  };
}

async function session(agent: ReturnType<typeof rawAgent>) {
  const { headers } = await agent.legacy("initialize", {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "gives up", version: "1" },
  });
  return { "mcp-session-id": headers.get("mcp-session-id") ?? "" };
}
const giveUp = (agent: ReturnType<typeof rawAgent>, id: number, headers: Record<string, string>) =>
  agent.post(
    { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: id } },
    { headers: { ...OLD, ...headers } },
  );

test("the sdk's client gives a call up and makes it again later: one call, whose result it gets", async (context) => {
  const { secret, params: call, tasks, asked, fetched, calls } = await prepared("given up");
  const client = new Client({ name: "gives up", version: "1" });
  const transport = new StreamableHTTPClientTransport(new URL(fixture.endpoint.url), {
    requestInit: { headers: { authorization: `Bearer ${secret}` } },
  });
  await client.connect(transport);
  context.onTestFinished(() => client.close());
  const left = new AbortController();
  const said: string[] = [];
  const given = client.callTool(call, undefined, {
    signal: left.signal,
    timeout: 110_000,
    onprogress: ({ message = "" }) => said.push(message),
  });
  given.catch(() => undefined);
  const taskId = await asked();
  // Its stream is open, so that it has an event to go on from.
  await until("it was told something", async () => said.length > 0);
  left.abort();
  await expect(given).rejects.toThrow();
  await fixture.approve(taskId);
  await fixture.inState(taskId, "completed");
  // Its stream has ended with an answer (see below), so that nobody goes on with it.
  expect(await fetched()).toEqual([false]);
  expect((await client.callTool(call)).content).toEqual(accepted);
  expect(await tasks()).toHaveLength(1);
  expect(calls()).toHaveLength(1);
});

test("a call that is given up at another process ends where it is held", async (context) => {
  const { secret, agent, params, asked, fetched, calls } = await prepared("elsewhere");
  const elsewhere = await startAgentEndpoint(fixture.organization.webEnvironment);
  context.onTestFinished(() => elsewhere.kill());
  const headers = await session(agent);
  const held = agent.legacy("tools/call", params, { id: 7, headers });
  const taskId = await asked();
  expect((await giveUp(rawAgent(elsewhere.url, secret), 7, headers)).status).toBe(202);
  expect((await held).answer).toMatchObject({ id: 7, result: { isError: true } });
  await fixture.approve(taskId);
  await fixture.inState(taskId, "completed");
  expect(await fetched()).toEqual([false]);
  const again = await agent.legacy("tools/call", params, { id: 8, headers });
  expect(again.answer.result.content).toEqual(accepted);
  expect(calls()).toHaveLength(1);
});

test("a stream that was given up is not gone on with, and its id can be used for another call", async () => {
  const { agent, params, asked, calls } = await prepared("broken");
  const headers = await session(agent);
  const left = new AbortController();
  const events: string[] = [];
  const broken = agent
    .legacy("tools/call", params, {
      id: 7,
      headers,
      signal: left.signal,
      onEvent: ({ id }) => id && events.push(id),
    })
    .catch(() => null);
  const taskId = await asked();
  await until("the stream is open", async () => events.length > 0);
  left.abort();
  await broken;
  await giveUp(agent, 7, headers);
  const { answer } = await agent.send("GET", undefined, {
    headers: { ...OLD, ...headers, "last-event-id": events[0] ?? "" },
  });
  expect(answer).toMatchObject({ id: 7, result: { isError: true } });
  const again = agent.legacy("tools/call", params, { id: 7, headers });
  await fixture.approve(taskId);
  expect((await again).answer).toMatchObject({ id: 7, result: { content: accepted } });
  expect(calls()).toHaveLength(1);
});

test("a large result that many calls wait for is written to each in its turn, and all get all of it", {
  tags: ["full"],
}, async () => {
  const { secret, params, asked } = await prepared("many", { holdMs: 210_000 });
  const calls = Array.from({ length: 40 }, (_, id) =>
    bytesOf(fixture.endpoint.url, secret, { jsonrpc: "2.0", id, method: "tools/call", params }),
  );
  const taskId = await asked();
  // Their streams are open. One that came after the first result would be another call.
  await Promise.all(calls.map(({ opened }) => opened));
  const before = fixture.endpoint.memory();
  const text = "x".repeat(7 * 1024 * 1024);
  await fixture.organization.within(
    (tx) => tx.$executeRaw`UPDATE task SET state = 'completed', finished_at = now(),
      result = ${JSON.stringify({ content: [{ type: "text", text }] })}::json WHERE id = ${taskId}::uuid`,
  );
  for (const bytes of await Promise.all(calls.map(({ ended }) => ended)))
    expect(bytes).toBeGreaterThan(text.length);
  // Without turns it was fifty results' at once.
  expect(fixture.endpoint.memory() - before).toBeLessThan(25 * text.length);
});

test("large results of many tasks are read as their clients take them, and none is lost", {
  tags: ["full"],
}, async () => {
  const { secret, agent, params, tasks, fetched } = await prepared("large", { holdMs: 210_000 });
  const read = Promise.withResolvers<void>();
  const calls = Array.from({ length: 16 }, (_, id) =>
    bytesOf(
      fixture.endpoint.url,
      secret,
      { jsonrpc: "2.0", id, method: "tools/call", params: { ...params, arguments: { note: `large ${id}` } } },
      read.promise,
    ),
  );
  await until("there are 16 tasks", async () => (await tasks()).length === 16);
  for (const { id } of await tasks()) await fixture.openRequest(id);
  await Promise.all(calls.map(({ opened }) => opened));
  const ids = (await tasks()).map(({ id }) => id);
  const { sql } = fixture.organization;
  await sql(
    `UPDATE task SET state = 'completed', watched = false, finished_at = now(), result = json_build_object('content',
      json_build_array(json_build_object('type', 'text', 'text', repeat('x', 7000000)))) WHERE id = ANY ($1::uuid[])`,
    [ids],
  );
  const sent = async () => {
    const [row] = await sql(
      "SELECT count(*)::integer AS sent FROM agent_call WHERE task_id = ANY ($1::uuid[]) AND sent_at IS NOT NULL",
      [ids],
    );
    return row.sent as number;
  };
  await until("the first are sent", async () => (await sent()) >= 4);
  // 32 MB are unread, and what one statement reads.
  expect(await sent()).toBeLessThan(10);
  // Nobody else waits for them.
  expect((await agent.legacy("ping")).status).toBe(200);
  read.resolve();
  for (const bytes of await Promise.all(calls.map(({ ended }) => ended)))
    expect(bytes).toBeGreaterThan(7_000_000);
  await until("all are fetched", async () => (await fetched()).every(Boolean));
  expect(await sent()).toBe(16);
});

// It has what the organization keeps sealed from here on.
test("while the key of a result is away nobody is told that it is empty, and it counts as fetched by nobody", async (context) => {
  const { secret, agent, params, fetched, calls } = await prepared("sealed", { holdMs: 0 });
  const { operator, seal, within, webEnvironment } = fixture.organization;
  await within((tx) => beginSealing(tx, { ...operator, role: "owner" }, seal));
  const { taskId } = (await agent.legacy("tools/call", params)).answer.result.structuredContent;
  await fixture.approve(taskId);
  await fixture.inState(taskId, "completed");
  const INTRAY_KEYS = `other:${randomBytes(32).toString("base64")}`;
  const keyless = await startAgentEndpoint({ ...webEnvironment, INTRAY_KEYS });
  context.onTestFinished(() => keyless.kill());
  const away = rawAgent(keyless.url, secret);
  const answers = [
    await away.legacy("tasks/result", { taskId }),
    await away.modern("tasks/get", { taskId }, true),
    await away.legacy("tools/call", { name: "get_task", arguments: { taskId } }),
    await away.legacy("tools/call", { name: "wait_for_task", arguments: { taskId } }),
  ];
  expect(answers.map(({ answer }) => answer.error?.data?.code)).toEqual(Array(4).fill("content_unavailable"));
  expect(await fetched()).toEqual([false]);
  const again = await agent.legacy("tools/call", params);
  expect(again.answer.result.content).toEqual(accepted);
  expect(calls()).toHaveLength(1);
});

/**
 * Makes a call, and counts the bytes of its answer: to read so much as events would take the test longer than the endpoint. None
 * is read before `reads`.
 */
function bytesOf(
  url: string,
  secret: string,
  message: object,
  reads: Promise<void> = Promise.resolve(),
): { opened: Promise<void>; ended: Promise<number> } {
  const [opened, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<number>()];
  const headers = {
    ...OLD,
    accept: "application/json, text/event-stream",
    authorization: `Bearer ${secret}`,
    "content-type": "application/json",
  };
  const sent = request(url, { method: "POST", headers, agent: false }, (response) => {
    opened.resolve();
    let bytes = 0;
    response.once("error", ended.reject).once("end", () => ended.resolve(bytes));
    void reads.then(() =>
      response.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
      }),
    );
  });
  sent.once("error", opened.reject).end(JSON.stringify(message));
  return { opened: opened.promise, ended: ended.promise };
}
