/** The endpoint, its clients and the engine end in the middle of calls: nothing is lost, and nothing is called twice. */
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { expect, type TestContext, test } from "vitest";
import { type AgentFixture, createAgentFixture } from "../../../test/fixtures/agents/agent-fixture.ts";
import { rawAgent } from "../../../test/fixtures/agents/raw-agent.ts";
import { until } from "../../../test/fixtures/organization-fixture.ts";

const accepted = JSON.stringify({ action: "accept", content: { approve: true } });

async function prepared(context: TestContext, input: Parameters<AgentFixture["agent"]>[0] = {}) {
  const fixture = await createAgentFixture(context);
  const { id, secret } = await fixture.agent(input);
  const agent = rawAgent(fixture.endpoint.url, secret);
  return { fixture, id, secret, agent };
}

/** The task of the only call, once its question is open. */
async function asked({ tasks, openRequest }: AgentFixture) {
  const [task] = await until("there is a task", async () => {
    const found = await tasks();
    return found.length > 0 && found;
  });
  await openRequest(task?.id);
  return task?.id ?? "";
}

test("kill -9 of the endpoint in a held call: the same call again joins, and nothing is called twice", async (context) => {
  const { fixture, agent } = await prepared(context);
  const call = () => agent.legacy("tools/call", { name: "erp__approve", arguments: { note: "killed" } });
  const first = call().then(
    () => "answered",
    () => "cut off",
  );
  const taskId = await asked(fixture);
  await fixture.endpoint.kill();
  expect(await first).toBe("cut off");
  await fixture.approve(taskId);
  await fixture.inState(taskId, "completed");
  await fixture.endpoint.start();
  const { answer } = await call();
  expect(answer.result.content).toEqual([{ type: "text", text: accepted }]);
  expect(await fixture.tasks()).toHaveLength(1);
  expect(fixture.server.calls).toHaveLength(1);
});

test("the sdk's client goes on by itself after kill -9, with the id of the last event", async (context) => {
  const { fixture, secret } = await prepared(context);
  const client = new Client({ name: "comes back", version: "1" });
  const transport = new StreamableHTTPClientTransport(new URL(fixture.endpoint.url), {
    requestInit: { headers: { authorization: `Bearer ${secret}` } },
    reconnectionOptions: {
      initialReconnectionDelay: 100,
      maxReconnectionDelay: 500,
      reconnectionDelayGrowFactor: 1.5,
      maxRetries: 100,
    },
  });
  await client.connect(transport);
  context.onTestFinished(() => client.close());
  const said: string[] = [];
  const called = client.callTool({ name: "erp__approve", arguments: { note: "goes on" } }, undefined, {
    onprogress: ({ message = "" }) => said.push(message),
    timeout: 110_000,
  });
  const taskId = await asked(fixture);
  // Its stream is open, so that it has an event to go on from.
  await until("it was told something", async () => said.length > 0);
  await fixture.endpoint.kill();
  await fixture.endpoint.start();
  await fixture.approve(taskId);
  expect((await called).content).toEqual([{ type: "text", text: accepted }]);
  expect(await fixture.tasks()).toHaveLength(1);
  expect(fixture.server.calls).toHaveLength(1);
});

test("tasks/result that was cut off goes on from its first event", async (context) => {
  const { fixture, agent } = await prepared(context);
  const call = { name: "erp__approve", arguments: {}, task: {} };
  const { taskId } = (await agent.legacy("tools/call", call)).answer.result.task;
  await fixture.openRequest(taskId);
  const events: string[] = [];
  const cut = agent
    .legacy("tasks/result", { taskId }, { id: "wait", onEvent: ({ id }) => id && events.push(id) })
    .catch(() => null);
  await until("the stream is open", async () => events.length > 0);
  await fixture.endpoint.kill();
  await cut;
  await fixture.endpoint.start();
  const going = agent.send("GET", undefined, {
    headers: { "last-event-id": events[0] ?? "", "mcp-protocol-version": "2025-11-25" },
  });
  await fixture.approve(taskId);
  const { answer } = await going;
  expect(answer).toMatchObject({ id: "wait", result: { content: [{ type: "text", text: accepted }] } });
});

test("a drain answers held calls with how far they are, and the next process goes on", async (context) => {
  const { fixture, agent } = await prepared(context);
  const call = agent.legacy("tools/call", { name: "erp__approve", arguments: { note: "drained" } });
  const taskId = await asked(fixture);
  await fixture.endpoint.drain();
  const { answer } = await call;
  expect(answer.result.isError ?? false).toBe(false);
  expect(answer.result.structuredContent).toMatchObject({ taskId });
  await fixture.endpoint.start();
  await fixture.approve(taskId);
  const waited = await agent.legacy("tools/call", { name: "wait_for_task", arguments: { taskId } });
  expect(waited.answer.result.structuredContent).toMatchObject({ state: "completed" });
  expect(fixture.server.answers).toHaveLength(1);
});

test("killed before the engine has started anything: the task is there, and is called once", async (context) => {
  const fixture = await createAgentFixture(context, { engine: false });
  const { secret } = await fixture.agent();
  const agent = rawAgent(fixture.endpoint.url, secret);
  const call = () => agent.legacy("tools/call", { name: "erp__quick", arguments: {} });
  const first = call().catch(() => null);
  await until("there is a task", async () => (await fixture.tasks()).length > 0);
  await fixture.endpoint.kill();
  await first;
  await fixture.endpoint.start();
  const again = call();
  await fixture.organization.startEngine();
  expect((await again).answer.result.content).toEqual([{ type: "text", text: "done" }]);
  expect(await fixture.tasks()).toHaveLength(1);
  expect(fixture.server.calls).toHaveLength(1);
});

test("a client that gives up ends its held call and cancels nothing", async (context) => {
  const { fixture, agent } = await prepared(context);
  const begun = await agent.legacy("initialize", {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "gives up", version: "1" },
  });
  const session = { "mcp-session-id": begun.headers.get("mcp-session-id") ?? "" };
  const held = agent.legacy(
    "tools/call",
    { name: "erp__approve", arguments: {} },
    { id: 7, headers: session },
  );
  const taskId = await asked(fixture);
  const gone = await agent.post(
    { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 7 } },
    { headers: { ...session, "mcp-protocol-version": "2025-11-25" } },
  );
  expect(gone.status).toBe(202);
  expect((await held).answer).toMatchObject({ id: 7, result: { isError: true } });
  const [task] = await fixture.tasks();
  expect(task).toMatchObject({ state: "input_required", cancelRequestedAt: null });
  expect((await fixture.openRequest(taskId)).state).toBe("open");
});
