/** kill -9 of the endpoint, the engine and the client, at the moments that rows alone don't show. Counted in rows, and at the server. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { request } from "node:http";
import { expect, type TestContext, test } from "vitest";
import { startEngineProcess } from "../../../test/engine-process.ts";
import { type AgentFixture, createAgentFixture } from "../../../test/fixtures/agents/agent-fixture.ts";
import { rawAgent } from "../../../test/fixtures/agents/raw-agent.ts";
import { until } from "../../../test/fixtures/organization-fixture.ts";
import { holdHistory, waitsForLock } from "../../../test/setup/history-lock.ts";

async function prepared(
  context: TestContext,
  { engine = true, ...input }: { engine?: boolean; holdMs?: number } = {},
) {
  const fixture = await createAgentFixture(context, { engine });
  const { secret } = await fixture.agent(input);
  return { fixture, secret, agent: rawAgent(fixture.endpoint.url, secret) };
}

const accepted = [{ type: "text", text: JSON.stringify({ action: "accept", content: { approve: true } }) }];

/** Of the only call. */
const marks = (fixture: AgentFixture) =>
  fixture.organization.within(async (tx) => {
    const [row] = await tx.$queryRaw<{ sent: boolean; fetched: boolean }[]>`
      SELECT sent_at IS NOT NULL AS sent, fetched_at IS NOT NULL AS fetched FROM agent_call`;
    return row;
  });

test("the endpoint, between what says that a result is sent and its last byte: the same call gets all of it", async (context) => {
  const { fixture, secret, agent } = await prepared(context, { holdMs: 0 });
  const params = { name: "erp__approve", arguments: { note: "long" } };
  const { taskId } = (await agent.legacy("tools/call", params)).answer.result.structuredContent;
  await fixture.approve(taskId);
  await fixture.inState(taskId, "completed");
  // More than the kernel takes for a client that does not read.
  const text = "x".repeat(6 * 1024 * 1024);
  await fixture.organization.within(
    (
      tx,
    ) => tx.$executeRaw`UPDATE task SET result = ${JSON.stringify({ content: [{ type: "text", text }] })}::json
      WHERE id = ${taskId}::uuid`,
  );
  const unread = request(fixture.endpoint.url, {
    method: "POST",
    headers: {
      accept: "application/json, text/event-stream",
      authorization: `Bearer ${secret}`,
      "content-type": "application/json",
      "mcp-protocol-version": "2025-11-25",
    },
  });
  unread.on("response", (response) => response.on("error", () => undefined).pause());
  unread.on("error", () => undefined);
  unread.end(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }));
  await once(unread, "response");
  expect(await marks(fixture)).toEqual({ sent: true, fetched: false });
  await fixture.endpoint.kill();
  expect(await marks(fixture)).toEqual({ sent: true, fetched: false });
  await fixture.endpoint.start();
  const { answer } = await agent.legacy("tools/call", params);
  expect(answer.result.content[0].text).toHaveLength(text.length);
  await until("it is fetched", async () => (await marks(fixture))?.fetched);
  expect(await fixture.tasks()).toHaveLength(1);
  expect(fixture.server.calls).toHaveLength(1);
});

test.for<[string, { name: string; arguments: object; task?: object }]>([
  ["a held call", { name: "erp__approve", arguments: { note: "held" } }],
  ["a task call", { name: "erp__approve", arguments: { note: "task" }, task: {} }],
  ["a request for an approval", { name: "request_approval", arguments: { action: "Pay INV-100" }, task: {} }],
])(
  "the endpoint, before the commit of %s: there is nothing, and the same call makes one",
  async ([, params], context) => {
    const { fixture, agent } = await prepared(context);
    const letGo = await holdHistory(fixture.organization);
    const cut = agent.legacy("tools/call", params).catch(() => "cut off");
    await waitsForLock(fixture.organization, 1);
    await fixture.endpoint.kill();
    expect(await cut).toBe("cut off");
    await letGo();
    await fixture.endpoint.start();
    expect(await fixture.tasks()).toHaveLength(0);
    const again = agent.legacy("tools/call", params);
    await fixture.openRequest();
    expect(await fixture.tasks()).toHaveLength(1);
    if ("task" in params)
      expect((await again).answer.result.task.taskId).toBe((await fixture.tasks())[0]?.id);
    else {
      await fixture.approve();
      expect((await again).answer.result.content).toEqual(accepted);
    }
    const questions = await fixture.organization.within((tx) => tx.inputRequest.count());
    expect(questions).toBe(1);
  },
);

test.for([
  ["a server that honours the key", "approve"],
  ["any other server", "wait"],
] as const)(
  "an engine, before it has stored what %s made of a held call: made once, and the client joins",
  async ([, tool], context) => {
    const { fixture, agent } = await prepared(context, { engine: false });
    const first = await startEngineProcess(fixture.organization.engineEnvironment);
    context.onTestFinished(() => first.kill());
    fixture.server.behave.onCall = () => {
      fixture.server.behave.onCall = undefined;
      void first.kill();
      return "answer";
    };
    const call = () => agent.legacy("tools/call", { name: `erp__${tool}`, arguments: { note: "killed" } });
    const held = call();
    await until("the server was called", async () => fixture.server.calls.length > 0);
    await fixture.organization.startEngine();
    const [task] = await fixture.tasks();
    const taskId = task?.id ?? "";
    const joined = call();
    if (tool === "approve") {
      await fixture.approve(taskId);
      for (const { answer } of await Promise.all([held, joined]))
        expect(answer.result.content).toEqual(accepted);
      expect(fixture.server.answers).toHaveLength(1);
    } else {
      // Nobody knows whether it was made: a person says so, and no engine calls again.
      await fixture.inState(taskId, "start_unknown");
      const look = await agent.legacy("tools/call", { name: "get_task", arguments: { taskId } });
      expect(look.answer.result.structuredContent).toMatchObject({ taskId, waitingFor: "person" });
      await fixture.endpoint.drain();
      for (const { answer } of await Promise.all([held, joined]))
        expect(answer.result.structuredContent).toMatchObject({ taskId });
      expect(fixture.server.calls).toHaveLength(1);
    }
    expect(fixture.server.tasks.size).toBe(1);
    expect(await fixture.tasks()).toHaveLength(1);
  },
);

test("the client, in a held call and in one that makes a task: a new one with the same arguments joins", async (context) => {
  const { fixture, secret, agent } = await prepared(context);
  for (const [note, more] of [
    ["held", {}],
    ["task", { task: {} }],
  ] as const) {
    const params = { name: "erp__approve", arguments: { note }, ...more };
    const before = await fixture.tasks();
    const client = startClient(fixture.endpoint.url, secret, params);
    context.onTestFinished(() => client.kill());
    const task = await until("there is a task", async () => (await fixture.tasks())[before.length]);
    await client.kill();
    const taskId = task?.id ?? "";
    await fixture.approve(taskId);
    await fixture.inState(taskId, "completed");
    const { result } = (await agent.legacy("tools/call", params)).answer;
    if (note === "held") expect(result.content).toEqual(accepted);
    else expect(result.task).toMatchObject({ taskId, status: "completed" });
    expect(await fixture.tasks()).toHaveLength(before.length + 1);
  }
  expect(fixture.server.calls).toHaveLength(2);
  expect(fixture.server.answers).toHaveLength(2);
});

/** A client in a process of its own, which makes one call and keeps the answer to itself. */
function startClient(url: string, secret: string, params: object): { kill(): Promise<void> } {
  const script = `const [url, secret, params] = JSON.parse(process.env.CALL);
    const reply = await fetch(url, {
      method: "POST",
      headers: {
        accept: "application/json, text/event-stream",
        authorization: "Bearer " + secret,
        "content-type": "application/json",
        "mcp-protocol-version": "2025-11-25",
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
    });
    await reply.text();`;
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    env: { PATH, HOME, CALL: JSON.stringify([url, secret, params]) } as unknown as NodeJS.ProcessEnv,
    stdio: ["ignore", "ignore", "inherit"],
  });
  const gone = once(child, "exit");
  return {
    async kill() {
      child.kill("SIGKILL");
      await gone;
    },
  };
}
