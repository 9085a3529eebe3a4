/** Clients that take a task for an answer, in both eras: by the sdk, by ext-tasks on the client, and by JSON-RPC alone. */
import {
  Client as NewClient,
  StreamableHTTPClientTransport as NewTransport,
} from "@modelcontextprotocol/client";
import { createTaskSessionFromClient, resultFromTaskOutcome } from "@modelcontextprotocol/ext-tasks/client";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { CallToolResultSchema } from "@modelcontextprotocol/sdk/types.js";
import { describe, expect, onTestFinished, test } from "vitest";
import { createSharedAgentFixture } from "../../../test/fixtures/agents/agent-fixture.ts";
import { rawAgent } from "../../../test/fixtures/agents/raw-agent.ts";
import { until } from "../../../test/fixtures/organization-fixture.ts";
import { forFile } from "../../../test/for-file.ts";

const fixture = forFile(() => createSharedAgentFixture());

const RELATED = "io.modelcontextprotocol/related-task";
const headersOf = (secret: string) => ({ requestInit: { headers: { authorization: `Bearer ${secret}` } } });
const accepted = JSON.stringify({ action: "accept", content: { approve: true } });
const taskOf = (agentId: string) =>
  until("the call is a task", async () => (await fixture.tasks()).find((task) => task.agentId === agentId));

describe("2025-11-25", () => {
  test("the sdk's client streams a task to its result", async () => {
    const { secret } = await fixture.agent();
    const client = new Client({ name: "sdk", version: "1" });
    await client.connect(new StreamableHTTPClientTransport(new URL(fixture.endpoint.url), headersOf(secret)));
    onTestFinished(() => client.close());
    expect(client.getServerCapabilities()?.tasks).toEqual({
      list: {},
      cancel: {},
      requests: { tools: { call: {} } },
    });
    await client.listTools();
    const said: string[] = [];
    const stream = client.experimental.tasks.callToolStream(
      { name: "erp__approve", arguments: { note: "stream" } },
      CallToolResultSchema,
      { task: {} },
    );
    for await (const message of stream) {
      said.push(message.type);
      if (message.type === "taskCreated") await fixture.approve(message.task.taskId);
      if (message.type === "error") throw message.error;
      if (message.type === "result")
        expect(message.result.content).toEqual([{ type: "text", text: accepted }]);
    }
    expect(said[0]).toBe("taskCreated");
    expect(said.at(-1)).toBe("result");
  });

  test("a call is answered at once with a task, which is got, listed, waited for and fetched", async () => {
    const { secret } = await fixture.agent();
    const agent = rawAgent(fixture.endpoint.url, secret);
    const call = { name: "erp__approve", arguments: { note: "raw" }, task: { ttl: 60_000 } };
    const { answer } = await agent.legacy("tools/call", call, { id: 0 });
    expect(Object.keys(answer.result)).toEqual(["task", "_meta"]);
    expect(answer.id).toBe(0);
    const { taskId } = answer.result.task;
    expect(answer.result.task).toMatchObject({ status: "working", ttl: null });
    expect(answer.result._meta["io.modelcontextprotocol/model-immediate-response"]).toContain(
      `/tasks/${taskId}. The result comes once the task has ended.`,
    );
    await fixture.openRequest(taskId);

    // `input_required` would ask the client itself; here people are asked.
    const got = (await agent.legacy("tasks/get", { taskId })).answer.result;
    expect(got).toMatchObject({ taskId, status: "working", pollInterval: expect.any(Number) });
    expect(got.statusMessage).toContain("waits for a person");
    const { tasks } = (await agent.legacy("tasks/list")).answer.result;
    expect(tasks).toEqual([expect.objectContaining({ taskId, status: "working" })]);

    const fetching = agent.legacy("tasks/result", { taskId }, { id: "fetch" });
    await fixture.approve(taskId);
    const fetched = (await fetching).answer;
    expect(fetched.id).toBe("fetch");
    expect(fetched.result).toMatchObject({
      content: [{ type: "text", text: accepted }],
      _meta: { [RELATED]: { taskId } },
    });
    expect((await agent.legacy("tasks/get", { taskId })).answer.result.status).toBe("completed");
    // Fetched once more: a result stays.
    expect((await agent.legacy("tasks/result", { taskId })).answer.result).toEqual(fetched.result);
  });

  test("a failed task is `failed`, and its result says why", async () => {
    const { secret } = await fixture.agent();
    const agent = rawAgent(fixture.endpoint.url, secret);
    const { answer } = await agent.legacy("tools/call", { name: "erp__refuse", arguments: {}, task: {} });
    const { taskId } = answer.result.task;
    const { result } = (await agent.legacy("tasks/result", { taskId })).answer;
    expect(result.isError).toBe(true);
    expect(result.content[0].text).toContain("Out of paper");
    expect((await agent.legacy("tasks/get", { taskId })).answer.result.status).toBe("failed");
  });

  test("a task is cancelled once, and one that has ended is not", async () => {
    const { secret } = await fixture.agent();
    const agent = rawAgent(fixture.endpoint.url, secret);
    const { answer } = await agent.legacy("tools/call", { name: "erp__wait", arguments: {}, task: {} });
    const { taskId } = answer.result.task;
    await fixture.inState(taskId, "working");
    expect((await agent.legacy("tasks/cancel", { taskId })).answer.result).toMatchObject({
      taskId,
      status: "cancelled",
    });
    await fixture.inState(taskId, "cancelled");
    expect((await agent.legacy("tasks/cancel", { taskId })).answer.error.code).toBe(-32602);
    expect((await agent.legacy("tasks/result", { taskId })).answer.result.isError).toBe(true);
  });

  test("the list goes on page by page", async () => {
    const { id, secret } = await fixture.agent();
    const agent = rawAgent(fixture.endpoint.url, secret);
    for (let number = 0; number < 3; number++)
      await agent.legacy("tools/call", { name: "erp__wait", arguments: { note: `${number}` }, task: {} });
    const list = async (cursor?: string) => {
      const args = { limit: 2, ...(cursor && { cursor }) };
      return (await agent.legacy("tools/call", { name: "list_tasks", arguments: args })).answer.result
        .structuredContent;
    };
    const first = await list();
    const second = await list(first.nextCursor);
    expect(second.nextCursor).toBeNull();
    const listed = [...first.tasks, ...second.tasks].map(({ taskId }: { taskId: string }) => taskId);
    const mine = (await fixture.tasks()).filter(({ agentId }) => agentId === id).map((task) => task.id);
    expect(listed).toEqual(mine.reverse());
  });
});

describe("2026-07-28", () => {
  test("ext-tasks settles a call that became a task", async () => {
    const { id, secret } = await fixture.agent();
    const capabilities = { extensions: { "io.modelcontextprotocol/tasks": {} } };
    const info = { name: "ext-tasks", version: "1" };
    const client = new NewClient(info, { capabilities, versionNegotiation: { mode: "auto" } });
    await client.connect(new NewTransport(new URL(fixture.endpoint.url), headersOf(secret)));
    onTestFinished(() => client.close());
    let sent = 0;
    const dispatch = async (request: unknown) => {
      const { method, params } = request as { method: string; params: { name?: string; taskId?: string } };
      const response = await fetch(fixture.endpoint.url, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          authorization: `Bearer ${secret}`,
          "mcp-protocol-version": "2026-07-28",
          "mcp-method": method,
          ...((params.name ?? params.taskId) && { "mcp-name": params.name ?? params.taskId ?? "" }),
        },
        body: JSON.stringify({ jsonrpc: "2.0", id: ++sent, ...(request as object) }),
      });
      const { result, error } = (await response.json()) as { result?: never; error?: never };
      return error ? { kind: "error" as const, error } : { kind: "result" as const, result: result! };
    };
    const session = createTaskSessionFromClient(client, {
      endpointId: "intray",
      rawDispatch: dispatch,
      v2RequestFraming: { protocolVersion: "2026-07-28", clientInfo: info, clientCapabilities: capabilities },
    });
    const execution = await session.callTool("erp__approve", { note: "ext" });
    const task = await taskOf(id);
    await fixture.approve(task.id);
    const { outcome } = await execution.settle();
    expect(resultFromTaskOutcome(outcome)).toMatchObject({ content: [{ type: "text", text: accepted }] });
    await session.close();
  });

  test("a call is answered at once with a task, whose end carries the result", async () => {
    const { secret } = await fixture.agent();
    const agent = rawAgent(fixture.endpoint.url, secret);
    const { answer } = await agent.modern(
      "tools/call",
      { name: "erp__approve", arguments: {} } as object,
      true,
    );
    const { taskId } = answer.result;
    expect(answer.result).toMatchObject({ resultType: "task", status: "working", ttlMs: null });
    expect(answer.result).not.toHaveProperty("content");
    expect(answer.result._meta["com.anthropic/agent-task"].modelImmediateResponse).toContain(taskId);
    await fixture.openRequest(taskId);
    const got = (await agent.modern("tasks/get", { taskId }, true)).answer.result;
    expect(got).toMatchObject({ resultType: "complete", status: "working" });
    expect(got).not.toHaveProperty("inputRequests");

    // Nothing is the client's to answer: it is acknowledged and changes nothing.
    const inputResponses = { approval: { action: "accept", content: { approve: true } } };
    const updated = await agent.modern("tasks/update", { taskId, inputResponses } as object, true);
    expect(updated.status).toBe(200);
    expect((await fixture.openRequest(taskId)).state).toBe("open");

    await fixture.approve(taskId);
    await fixture.inState(taskId, "completed");
    const ended = (await agent.modern("tasks/get", { taskId }, true)).answer.result;
    expect(ended).toMatchObject({
      status: "completed",
      result: { resultType: "complete", content: [{ type: "text", text: accepted }] },
    });
  });

  test("without the extension declared its methods are refused, and the call is held", async () => {
    const { secret } = await fixture.agent();
    const agent = rawAgent(fixture.endpoint.url, secret);
    const { answer } = await agent.modern(
      "tools/call",
      { name: "erp__quick", arguments: {} } as object,
      false,
    );
    expect(answer.result).toMatchObject({
      resultType: "complete",
      content: [{ type: "text", text: "done" }],
    });
    const [task] = (await fixture.tasks()).slice(-1);
    const refused = await agent.modern("tasks/get", { taskId: task?.id ?? "" }, false);
    expect(refused.answer.error.code).toBe(-32021);
  });

  test("an error of the protocol fails the task; what a person refuses completes it, for the model to read", async () => {
    const { secret } = await fixture.agent({ grants: [{ serverId: fixture.serverId, before: "ask" }] });
    const agent = rawAgent(fixture.endpoint.url, secret);
    const ended = async (action: "accept" | "decline") => {
      const call = { name: "erp__refuse", arguments: { note: action } };
      const { taskId } = (await agent.modern("tools/call", call, true)).answer.result;
      const { id } = await fixture.openRequest(taskId);
      await fixture.organization.answer(id, action === "accept" ? { action, content: {} } : { action });
      await fixture.inState(taskId, "failed");
      return (await agent.modern("tasks/get", { taskId }, true)).answer.result;
    };
    const failed = await ended("accept");
    expect(failed).toMatchObject({ status: "failed", error: { code: -32603 } });
    expect(failed).not.toHaveProperty("result");
    const declined = await ended("decline");
    expect(declined).toMatchObject({ status: "completed", result: { isError: true } });
    expect(declined).not.toHaveProperty("error");
  });

  test("a cancellation is acknowledged", async () => {
    const { secret } = await fixture.agent();
    const agent = rawAgent(fixture.endpoint.url, secret);
    const { answer } = await agent.modern("tools/call", { name: "erp__wait", arguments: {} } as object, true);
    const { taskId } = answer.result;
    await fixture.inState(taskId, "working");
    expect((await agent.modern("tasks/cancel", { taskId }, true)).answer.result.resultType).toBe("complete");
    await fixture.inState(taskId, "cancelled");
    expect((await agent.modern("tasks/get", { taskId }, true)).answer.result.status).toBe("cancelled");
  });
});
