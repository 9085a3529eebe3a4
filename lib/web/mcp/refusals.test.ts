/** Bad input, foreign things and credentials that end: clear errors of the protocol's kind, and nothing lost. */
import { describe, expect, test } from "vitest";
import { createSharedAgentFixture } from "../../../test/fixtures/agents/agent-fixture.ts";
import { rawAgent } from "../../../test/fixtures/agents/raw-agent.ts";
import { until } from "../../../test/fixtures/organization-fixture.ts";
import { forFile } from "../../../test/for-file.ts";
import { revokeAgent, rotateAgentSecret } from "../../agents/agent-writes.ts";
import { uuidv7 } from "../../base/ids.ts";
import { TASK_ID } from "../../lifecycle/agent-calls/agent-call-schema.ts";

const fixture = forFile(() => createSharedAgentFixture());

async function anAgent(input: Parameters<typeof fixture.agent>[0] = {}) {
  const { id, secret } = await fixture.agent(input);
  return { id, secret, ...rawAgent(fixture.endpoint.url, secret) };
}
const initialize = {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "raw", version: "1" },
};

describe("credentials", () => {
  test.each(["", "Bearer nothing", "Bearer ita_made-up", "Basic aWFtOm1l"])(
    "%j is refused, and told where to sign in",
    async (authorization) => {
      const response = await fetch(fixture.endpoint.url, {
        method: "POST",
        headers: { "content-type": "application/json", ...(authorization && { authorization }) },
        body: "{}",
      });
      expect(response.status).toBe(401);
      expect(response.headers.get("www-authenticate")).toBe(
        'Bearer resource_metadata="http://localhost:3000/.well-known/oauth-protected-resource/mcp"',
      );
      expect(await response.json()).toMatchObject({ jsonrpc: "2.0", id: null, error: { code: -32000 } });
    },
  );

  test("a held call ends within seconds when its agent is revoked, and the next call is refused", async () => {
    const agent = await anAgent();
    const held = agent.legacy("tools/call", { name: "erp__approve", arguments: { note: "revoked" } });
    await until("there is a task", async () =>
      (await fixture.tasks()).some(({ agentId }) => agentId === agent.id),
    );
    const { organization } = fixture;
    await organization.within((tx) => revokeAgent(tx, { ...organization.operator, role: "admin" }, agent.id));
    const { answer } = await held;
    expect(answer.error).toMatchObject({ code: -32000, data: { code: "unauthenticated" } });
    expect((await agent.legacy("tools/list")).status).toBe(401);
    const task = (await fixture.tasks()).find(({ agentId }) => agentId === agent.id);
    expect(task?.cancelRequestedAt).toBeNull();
  });

  test("a call held by a secret ends within seconds when that is replaced, and the new one joins its task", async () => {
    const { organization } = fixture;
    const agent = await anAgent();
    const call = { name: "erp__approve", arguments: { note: "new secret" } };
    const held = agent.legacy("tools/call", call);
    const itsTasks = async () => (await fixture.tasks()).filter(({ agentId }) => agentId === agent.id);
    const [task] = await until("there is a task", async () => {
      const found = await itsTasks();
      return found.length > 0 && found;
    });
    const maker = organization.operator;
    const { secret } = await organization.within(async (tx) => {
      // As one that its member made.
      await tx.agentCredential.updateMany({ where: { id: agent.id }, data: { createdBy: maker.userId } });
      return rotateAgentSecret(tx, maker, agent.id, {});
    });
    expect((await held).answer.error).toMatchObject({ code: -32000, data: { code: "unauthenticated" } });
    expect((await agent.legacy("tools/list")).status).toBe(401);
    const again = rawAgent(fixture.endpoint.url, secret).legacy("tools/call", call);
    await fixture.approve(task?.id);
    expect((await again).answer.result.content).toMatchObject([{ text: expect.stringContaining("accept") }]);
    expect(await itsTasks()).toHaveLength(1);
  });
});

describe("requests", () => {
  test.each([
    ["PUT", 405],
    ["DELETE", 405],
    ["GET", 405],
  ])("%s is not offered", async (method, status) => {
    const agent = await anAgent();
    const answered = await agent.send(method, method === "PUT" ? {} : undefined, {});
    expect(answered.status).toBe(status);
    expect(answered.headers.get("allow")).toBe("POST");
  });

  test("a page of another site is refused, whatever it knows", async () => {
    const agent = await anAgent();
    const answered = await agent.legacy("tools/list", {}, { headers: { origin: "https://evil.example" } });
    expect(answered.status).toBe(403);
  });

  test.each([
    ["no JSON", "{", 400, -32700],
    ["text", "hello", 400, -32700],
    ["too deep", "[".repeat(100) + "]".repeat(100), 400, -32700],
  ])("%s is refused", async (_, body, status, code) => {
    const agent = await anAgent();
    const answered = await agent.post(body);
    expect(answered.status).toBe(status);
    expect(answered.answer.error.code).toBe(code);
  });

  test.each([
    ["*/*", 200],
    ["Application/JSON, Text/Event-Stream", 200],
    ["application/json", 406],
    ["text/html", 406],
  ])("answers to Accept: %s come with %i", async (accept, status) => {
    const agent = await anAgent();
    expect((await agent.legacy("tools/list", {}, { headers: { accept } })).status).toBe(status);
  });

  test("another type than JSON is refused", async () => {
    const agent = await anAgent();
    expect((await agent.post("{}", { headers: { "content-type": "text/plain" } })).status).toBe(415);
  });

  test("arguments of a megabyte are refused with 413, and leave nothing", async () => {
    const agent = await anAgent();
    const before = (await fixture.tasks()).length;
    const answered = await agent.legacy("tools/call", {
      name: "erp__quick",
      arguments: { note: "x".repeat(1024 * 1024) },
    });
    expect(answered.status).toBe(413);
    expect(answered.answer).toMatchObject({ jsonrpc: "2.0", error: { data: { code: "too_large" } } });
    expect((await fixture.tasks()).length).toBe(before);
  });

  test("unknown methods and unfit params are JSON-RPC errors", async () => {
    const agent = await anAgent();
    expect((await agent.legacy("resources/list")).answer.error.code).toBe(-32601);
    expect((await agent.legacy("tasks/update", { taskId: "x" })).answer.error.code).toBe(-32601);
    expect((await agent.modern("tasks/result", { taskId: "x" }, true)).answer.error.code).toBe(-32601);
    expect((await agent.legacy("tools/call", { arguments: {} })).answer.error.code).toBe(-32602);
    expect((await agent.legacy("tasks/get", {})).answer.error.code).toBe(-32602);
    // 2026-07-28 has a status for it too.
    for (const method of [
      "tasks/result",
      "tasks/list",
      "prompts/list",
      "subscriptions/listen",
      "nothing/like/it",
    ])
      expect((await agent.modern(method, {}, true)).status).toBe(404);
  });

  test("a batch is answered as one, and holds nothing", async () => {
    const agent = await anAgent();
    const call = (id: number, name: string) => ({
      jsonrpc: "2.0",
      id,
      method: "tools/call",
      params: { name, arguments: { note: "batch" } },
    });
    const answered = await agent.post([call(1, "erp__wait"), call(2, "get_task")], {
      headers: { "mcp-protocol-version": "2025-03-26" },
    });
    expect(answered.status).toBe(200);
    expect(answered.answer).toHaveLength(2);
  });

  test("a batch carries results up to a length, and says of the others to ask again", async () => {
    const agent = await anAgent();
    const taskIds: string[] = [];
    for (const note of ["long 1", "long 2", "long 3"]) {
      const { answer } = await agent.legacy("tools/call", { name: "erp__quick", arguments: { note } });
      taskIds.push(answer.result._meta[TASK_ID]);
    }
    await fixture.organization.sql(
      `UPDATE task SET result = jsonb_build_object('content', jsonb_build_array(jsonb_build_object('type', 'text',
        'text', repeat('x', 5000000)))) WHERE id = ANY ($1::uuid[])`,
      [taskIds],
    );
    const results = (ids: string[]) =>
      ids.map((taskId, id) => ({ jsonrpc: "2.0", id, method: "tasks/result", params: { taskId } }));
    const { answer } = await agent.post(results(taskIds), {
      headers: { "mcp-protocol-version": "2025-03-26" },
    });
    const [one, two, three] = answer;
    for (const each of [one, two]) expect(each.result.content[0].text).toHaveLength(5_000_000);
    expect(three).toMatchObject({
      id: 2,
      error: { message: expect.stringContaining("not in a batch"), data: { code: "too_large" } },
    });
    // Alone it is there.
    const alone = await agent.legacy("tasks/result", { taskId: taskIds[2] });
    expect(alone.answer.result.content[0].text).toHaveLength(5_000_000);
  });
});

describe("tools", () => {
  test("an unknown tool and one that was not granted are the same", async () => {
    const agent = await anAgent({ grants: [{ serverId: fixture.serverId, tool: "quick" }] });
    const { tools } = (await agent.legacy("tools/list")).answer.result;
    expect(tools[0].name).toBe("erp__quick");
    const [unknown, notGranted] = [
      await agent.legacy("tools/call", { name: "erp__nothing", arguments: {} }),
      await agent.legacy("tools/call", { name: "erp__approve", arguments: {} }),
    ];
    expect(unknown.answer.error).toEqual({ code: -32602, message: "Unknown tool: erp__nothing" });
    expect(notGranted.answer.error).toEqual({ code: -32602, message: "Unknown tool: erp__approve" });
  });

  test("arguments that do not fit are told to the model, field by field", async () => {
    const agent = await anAgent();
    const { result } = (await agent.legacy("tools/call", { name: "erp__quick", arguments: { note: 7 } }))
      .answer;
    expect(result.isError).toBe(true);
    expect(result.content[0].text).toContain("note");
    const asked = await agent.legacy("tools/call", { name: "ask_person", arguments: { text: "?" } });
    expect(asked.answer.result).toMatchObject({
      isError: true,
      structuredContent: { code: "invalid_arguments" },
    });
  });

  test("null and unknown arguments of Intray's own tools are as absent, and make no other call", async () => {
    const agent = await anAgent({ holdMs: 0 });
    const nulls = { form: null, details: null, to: null, label: null, expiresAt: null };
    const ask = async (args: object) => {
      const { answer } = await agent.legacy("tools/call", {
        name: "ask_person",
        arguments: { message: "Which account?", ...args },
      });
      return answer.result;
    };
    const asked = await ask({ ...nulls, toolCallId: "1" });
    expect(asked.isError ?? false).toBe(false);
    const { taskId } = asked.structuredContent;
    expect((await ask({ toolCallId: "2" })).structuredContent.taskId).toBe(taskId);
    for (const [name, args] of [
      ["request_approval", { action: "Pay", amount: null, currency: null, links: null }],
      ["list_tasks", { state: null, limit: null, cursor: null }],
      ["get_task", { taskId }],
      ["wait_for_task", { taskId, timeoutMs: null }],
      ["cancel_task", { taskId }],
    ] as const) {
      const { answer } = await agent.legacy("tools/call", { name, arguments: { ...args, toolCallId: "3" } });
      expect([name, answer.result.isError ?? false]).toEqual([name, false]);
    }
    const { answer } = await agent.legacy("tools/call", { name: "list_tasks", arguments: null });
    expect(answer.result.structuredContent.tasks).not.toEqual([]);
    const without = await agent.legacy("tools/call", { name: "ask_person", arguments: { message: null } });
    expect(without.answer.result.structuredContent.code).toBe("invalid_arguments");
  });

  test("an agent that may only look starts nothing", async () => {
    const agent = await anAgent({ role: "viewer" });
    const { result } = (await agent.legacy("tools/call", { name: "erp__quick", arguments: {} })).answer;
    expect(result).toMatchObject({ isError: true, structuredContent: { code: "forbidden" } });
  });

  test("over its quota a call is told so, and joins nothing", async () => {
    const { organization } = fixture;
    const agent = await anAgent({ holdMs: 0 });
    const { organizationId } = organization;
    const { withClient } = await import("../../../scripts/database/roles.ts");
    await withClient(organization.adminUrl, (client) =>
      client.query(
        "INSERT INTO quota (organization_id, open_tasks_each) VALUES ($1, 1) ON CONFLICT (organization_id) DO UPDATE SET open_tasks_each = 1",
        [organizationId],
      ),
    );
    const call = (note: string) => agent.legacy("tools/call", { name: "erp__wait", arguments: { note } });
    expect((await call("first")).answer.result.isError ?? false).toBe(false);
    expect((await call("second")).answer.result).toMatchObject({
      isError: true,
      structuredContent: { code: "quota_exceeded" },
    });
    await withClient(organization.adminUrl, (client) =>
      client.query("DELETE FROM quota WHERE organization_id = $1", [organizationId]),
    );
  });
});

describe("what is another's", () => {
  test("a task of another agent, an unknown one and a malformed id have one answer, by every method", async () => {
    const [mine, other] = [await anAgent({ holdMs: 0 }), await anAgent()];
    const { result } = (await mine.legacy("tools/call", { name: "erp__wait", arguments: {} })).answer;
    const ids = [result.structuredContent.taskId, uuidv7(), "no id", "../../etc"];
    const asks = [
      (taskId: string) => other.legacy("tasks/get", { taskId }),
      (taskId: string) => other.legacy("tasks/result", { taskId }),
      (taskId: string) => other.legacy("tasks/cancel", { taskId }),
      (taskId: string) => other.modern("tasks/get", { taskId }, true),
      (taskId: string) =>
        other.modern("tasks/update", { taskId, inputResponses: {} } as object, true, {
          headers: { "mcp-name": taskId },
        }),
      (taskId: string) => other.modern("tasks/cancel", { taskId }, true),
      ...["get_task", "wait_for_task", "cancel_task"].map(
        (name) => (taskId: string) => other.legacy("tools/call", { name, arguments: { taskId } }),
      ),
    ];
    for (const ask of asks)
      for (const taskId of ids) {
        const { answer, status } = await ask(taskId);
        expect([status, answer.error]).toEqual([
          200,
          { code: -32602, message: "There is no such task, or it is not yours." },
        ]);
      }
    expect((await other.legacy("tasks/list")).answer.result.tasks).toEqual([]);
    expect((await fixture.tasks()).find(({ id }) => id === ids[0])?.cancelRequestedAt).toBeNull();
  });

  test("a session of another agent, of another installation or made up is told to begin anew", async () => {
    const [mine, other] = [await anAgent(), await anAgent()];
    const begun = await mine.legacy("initialize", initialize);
    const id = begun.headers.get("mcp-session-id") ?? "";
    expect((await mine.legacy("tools/list", {}, { headers: { "mcp-session-id": id } })).status).toBe(200);
    for (const [agent, session] of [
      [other, id],
      [mine, `${id}x`],
      [mine, "made-up"],
      [mine, `${Buffer.from("{}").toString("base64url")}.`],
    ] as const) {
      const answered = await agent.legacy("tools/list", {}, { headers: { "mcp-session-id": session } });
      expect(answered.status).toBe(404);
    }
  });

  test("a Last-Event-ID that lies is refused", async () => {
    const [mine, other] = [await anAgent(), await anAgent()];
    const events: string[] = [];
    const gone = new AbortController();
    const held = mine
      .legacy(
        "tools/call",
        { name: "erp__wait", arguments: { note: "lies" } },
        { signal: gone.signal, onEvent: ({ id }) => id && events.push(id) },
      )
      .catch(() => null);
    await until("the stream is open", async () => events.length > 0);
    gone.abort();
    await held;
    const goOn = (agent: typeof mine, id: string) =>
      agent.send("GET", undefined, { headers: { "last-event-id": id } });
    for (const [agent, id] of [
      [other, events[0] ?? ""],
      [mine, "0"],
      [mine, `${events[0]}x`],
    ] as const) {
      const answered = await goOn(agent, id);
      expect(answered.status).toBe(422);
      expect(answered.answer.error.data.code).toBe("invalid_input");
    }
  });
});

test("what a client calls itself is noted, and its calls are counted", async () => {
  const agent = await anAgent();
  await agent.legacy("initialize", { ...initialize, clientInfo: { name: "claude-code", version: "9.9" } });
  const { organizationId } = fixture.organization;
  await until("it is noted", () =>
    fixture.organization.within((tx) =>
      tx.agentCredential.findFirst({
        where: { organizationId, id: agent.id, clientName: "claude-code", clientVersion: "9.9" },
      }),
    ),
  );
});
