/** Messages of odd sizes and shapes, and clients that do not read: a clear error, and neither another call nor a result is lost. */
import { connect, type Socket } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { createSharedAgentFixture } from "../../../test/fixtures/agents/agent-fixture.ts";
import { rawAgent } from "../../../test/fixtures/agents/raw-agent.ts";
import { until } from "../../../test/fixtures/organization-fixture.ts";
import { forFile } from "../../../test/for-file.ts";

const fixture = forFile(() => createSharedAgentFixture());

async function anAgent(input: Parameters<typeof fixture.agent>[0] = {}) {
  const { id, secret } = await fixture.agent(input);
  return {
    id,
    secret,
    ...rawAgent(fixture.endpoint.url, secret),
    tasks: async () => (await fixture.tasks()).filter(({ agentId }) => agentId === id),
  };
}
const LONG = "x".repeat(500_000);
const OLDER = { headers: { "mcp-protocol-version": "2025-03-26" } };
const ping = (id: unknown) => ({ jsonrpc: "2.0", id, method: "ping" });
const quick = (id: unknown, note: string) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name: "erp__quick", arguments: { note } },
});

describe("messages that are none", () => {
  test.each<[string, unknown]>([
    ["null", "null"],
    ["a number", "7"],
    ["an empty batch", []],
    ["a batch in a batch", [[ping(1)]]],
    ["an id that is null", ping(null)],
    ["an id that is an object", ping({})],
    ["an id beyond numbers", '{"jsonrpc":"2.0","id":1e999,"method":"ping"}'],
    ["params that are a list", { ...quick(1, "list"), params: [] }],
    ["a message without its version", { id: 1, method: "ping" }],
    ["a progress token that is an object", { ...ping(1), params: { _meta: { progressToken: {} } } }],
  ])("%s", async (_, body) => {
    const agent = await anAgent();
    const { status, answer } = await agent.post(body, OLDER);
    expect([status, answer.error.code]).toEqual([400, -32600]);
    expect(await agent.tasks()).toEqual([]);
  });

  test("nesting of a hundred thousand levels", async () => {
    const agent = await anAgent();
    const deep = `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`;
    const message = JSON.stringify(quick(1, "deep")).replace('"deep"', deep);
    expect((await agent.post(message)).answer.error).toMatchObject({ code: -32700 });
    expect(await agent.tasks()).toEqual([]);
  });

  test("a call without an id is answered by nothing, and starts nothing", async () => {
    const agent = await anAgent();
    const { id: _, ...message } = quick(1, "without an id");
    expect((await agent.post(message, OLDER)).status).toBe(202);
    expect(await agent.tasks()).toEqual([]);
  });
});

test.each([
  ["called __proto__, which no page would show", '{"invoice":{"lines":[{"__proto__":{"iban":"DE00"}}]}}'],
  ["that is a number beyond exact ones", '{"invoice":{"total":9007199254740993}}'],
])("a call with an argument %s starts nothing", async (_, args) => {
  const agent = await anAgent();
  const message = JSON.stringify(quick(1, "args")).replace('{"note":"args"}', args);
  const { answer } = await agent.post(message, OLDER);
  expect(answer.result).toMatchObject({ isError: true });
  expect(await agent.tasks()).toEqual([]);
});

describe("sizes", () => {
  test("of a message other than a call's arguments no more values are read than any client sends", async () => {
    const agent = await anAgent();
    const many = Object.fromEntries(Array.from({ length: 40_000 }, (_, at) => [`k${at}`, {}]));
    const clientInfo = { name: "odd", version: "1" };
    const params = { protocolVersion: "2025-11-25", clientInfo, capabilities: { extensions: many } };
    const refused = await agent.post({ jsonrpc: "2.0", id: 1, method: "initialize", params });
    expect([refused.status, refused.answer.error.message]).toEqual([
      422,
      expect.stringContaining("10000 values"),
    ]);
    const args = { note: "many", many };
    const { answer } = await agent.legacy("tools/call", { name: "erp__quick", arguments: args });
    expect(answer.result.content).toEqual([{ type: "text", text: "done" }]);
  });

  test("arguments of nearly a megabyte are taken", async () => {
    const agent = await anAgent();
    const args = { pages: Array.from({ length: 900 }, () => "x".repeat(1_000)) };
    const { answer } = await agent.legacy("tools/call", { name: "erp__quick", arguments: args });
    expect(answer.result.content).toEqual([{ type: "text", text: "done" }]);
    expect(fixture.server.calls.at(-1)?.arguments).toEqual(args);
  });

  test("an argument that the tool's server wants in a header, and that is too long for one, fails the call", async () => {
    const agent = await anAgent();
    const call = { name: "erp__quick", arguments: { note: "x".repeat(100_000) } };
    expect((await agent.legacy("tools/call", call)).answer.result).toMatchObject({
      isError: true,
      structuredContent: { state: "failed" },
    });
  });

  test("an id that is too long is refused, in both eras", async () => {
    const agent = await anAgent();
    const call = { name: "erp__quick", arguments: {} };
    for (const { status, answer } of [
      await agent.legacy("tools/call", call, { id: LONG }),
      await agent.modern("tools/call", call, true, { id: LONG }),
    ])
      expect([status, answer.error.data.code]).toEqual([422, "invalid_input"]);
    expect(await agent.tasks()).toEqual([]);
  });

  test.each([
    ["tools/call", { name: LONG }],
    ["tasks/get", { taskId: LONG }],
    ["tasks/list", { cursor: LONG }],
  ])("what %s names is not said again in all its length", async (method, params) => {
    const agent = await anAgent();
    const { answer } = await agent.legacy(method, params);
    expect(answer.error.message.length).toBeLessThan(200);
    expect(JSON.stringify(answer).length).toBeLessThan(1_000);
  });

  test("a progress token that is too long is as none", async () => {
    const agent = await anAgent({ holdMs: 2_000 });
    const { before, answer } = await agent.legacy("tools/call", {
      name: "erp__wait",
      arguments: {},
      _meta: { progressToken: LONG },
    });
    expect(before).toEqual([]);
    expect(answer.result.structuredContent).toMatchObject({ waitingFor: "server" });
  });
});

describe("many at once", () => {
  test("a batch of more than a hundred is refused as a whole", async () => {
    const agent = await anAgent();
    const batch = Array.from({ length: 101 }, (_, id) => quick(id, `batch ${id}`));
    const { status, answer } = await agent.post(batch, OLDER);
    expect([status, answer.error.data.code]).toEqual([422, "invalid_input"]);
    expect(await agent.tasks()).toEqual([]);
  });

  test("a batch of two with one id is refused as a whole: one of its results would be lost", async () => {
    const agent = await anAgent();
    const { status, answer } = await agent.post([quick(1, "one"), quick(1, "other")], OLDER);
    expect([status, answer.error.data.code]).toEqual([422, "invalid_input"]);
    expect(await agent.tasks()).toEqual([]);
    // To JSON-RPC these are two.
    expect((await agent.post([ping(1), ping("1")], OLDER)).answer).toHaveLength(2);
  });

  test("calls with one id at once, of one session, are each answered with their own", async () => {
    const agent = await anAgent();
    const begun = await agent.legacy("initialize", {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "twice", version: "1" },
    });
    const headers = { "mcp-session-id": begun.headers.get("mcp-session-id") ?? "" };
    const call = (note: string) =>
      agent.legacy("tools/call", { name: "erp__approve", arguments: { note } }, { id: 7, headers });
    const [one, other] = [call("one"), call("other")];
    const tasks = await until("there are two tasks", async () => {
      const found = await agent.tasks();
      return found.length === 2 && found;
    });
    for (const { id } of tasks) await fixture.approve(id);
    const answers = [await one, await other].map(({ answer }) => answer);
    expect(answers.map(({ id }) => id)).toEqual([7, 7]);
    expect(answers.map(({ result }) => result._meta["io.intray/task-id"]).toSorted()).toEqual(
      tasks.map(({ id }) => id).toSorted(),
    );
  });
});

describe("a client that never reads", () => {
  /** Sends a message, and reads nothing of what comes. */
  async function unread(secret: string, message: object): Promise<Socket> {
    const { hostname, port, pathname } = new URL(fixture.endpoint.url);
    const socket = connect({ host: hostname, port: Number(port) });
    onTestFinished(() => void socket.destroy());
    socket.on("error", () => undefined);
    socket.pause();
    const body = JSON.stringify(message);
    socket.write(
      [
        `POST ${pathname} HTTP/1.1`,
        `host: ${hostname}`,
        `authorization: Bearer ${secret}`,
        "accept: application/json, text/event-stream",
        "content-type: application/json",
        "mcp-protocol-version: 2025-11-25",
        `content-length: ${Buffer.byteLength(body)}`,
        "",
        body,
      ].join("\r\n"),
    );
    return socket;
  }

  test("leaves its result where it is, holds up nobody, and gets it once it reads", {
    tags: ["full"],
  }, async () => {
    const agent = await anAgent({ holdMs: 0 });
    const call = { name: "erp__approve", arguments: { note: "large" } };
    const { taskId } = (await agent.legacy("tools/call", call)).answer.result.structuredContent;
    // More than the buffers of both ends together hold.
    const large = "x".repeat(7_000_000);
    fixture.server.behave.onGet = (task) => {
      if (task.status === "completed") task.result = { content: [{ type: "text", text: large }] };
    };
    onTestFinished(() => {
      delete fixture.server.behave.onGet;
    });
    await fixture.approve(taskId);
    await fixture.inState(taskId, "completed");
    const column = (name: "sent_at" | "fetched_at") =>
      fixture.organization.within(async (tx) => {
        const [row] = await tx.$queryRaw<Record<string, Date | null>[]>`
          SELECT sent_at, fetched_at FROM agent_call WHERE task_id = ${taskId}::uuid`;
        return row?.[name] ?? null;
      });
    const get = {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "get_task", arguments: { taskId } },
    };
    const socket = await unread(agent.secret, get);
    await until("it was sent", () => column("sent_at"));
    const other = await anAgent();
    expect((await other.legacy("tools/call", { name: "erp__quick", arguments: {} })).status).toBe(200);
    expect(await column("fetched_at")).toBeNull();

    socket.destroy();
    // What was sent a moment ago may have arrived; the repeated call waits until that is known.
    const again = (await agent.legacy("tools/call", call)).answer.result;
    expect(again._meta["io.intray/task-id"]).toBe(taskId);
    expect(again.content[0].text).toHaveLength(large.length);
    await until("it was fetched", () => column("fetched_at"));
  });
});
