/** Answers of people that are more than yes and no, as an agent at the endpoint gets them and the next people see them. */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { describe, expect, onTestFinished, test } from "vitest";
import { createSharedAgentFixture } from "../../../test/fixtures/agents/agent-fixture.ts";
import { until } from "../../../test/fixtures/organization-fixture.ts";
import { forFile } from "../../../test/for-file.ts";
import { beginSealing } from "../../people/content-sealing/sealing-writes.ts";
import { readInputRequest } from "../../requests/request-reads.ts";

const fixture = forFile(() => createSharedAgentFixture());

interface Called {
  content: { type: string; text?: string }[];
  structuredContent?: Record<string, unknown>;
  isError?: boolean;
  _meta?: Record<string, unknown>;
}

/** An agent whose calls all wait for an approval. */
async function connect() {
  const { id, secret } = await fixture.agent({ grants: [{ serverId: fixture.serverId, before: "ask" }] });
  const client = new Client(
    { name: "agent", version: "1" },
    { capabilities: {}, versionNegotiation: { mode: "auto" } },
  );
  const headers = { authorization: `Bearer ${secret}` };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(fixture.endpoint.url), { requestInit: { headers } }),
  );
  onTestFinished(() => client.close());
  return {
    call: async (name: string, args: object) =>
      (await client.callTool({ name, arguments: { ...args } })) as Called,
    /** The question of the agent's call with these arguments. */
    asked: async (said: string) => {
      const task = await until(`the call ${said} is a task`, async () =>
        (await fixture.tasks()).find(
          ({ agentId, arguments: args }) => agentId === id && JSON.stringify(args).includes(said),
        ),
      );
      return fixture.openRequest(task.id);
    },
  };
}

const detail = (requestId: string) =>
  fixture.organization.within((tx) => readInputRequest(tx, fixture.organization.approver, requestId));
const sendBack = (requestId: string, comment: string) =>
  fixture.organization.answer(requestId, { action: "decline", revise: true, comment });

describe("a call that a person asks to revise", () => {
  test("ends as declined, says what to change, and stands above the agent's next call of the tool", async () => {
    const agent = await connect();
    const first = agent.call("erp__quick", { table: "production" });
    const asked = await agent.asked("production");
    await expect(sendBack(asked.id, "")).rejects.toMatchObject({ code: "invalid_content" });
    await sendBack(asked.id, "Use the staging table");
    const told = await first;
    expect(told).toMatchObject({
      isError: true,
      structuredContent: {
        ...{ state: "failed", revise: true, reason: "Use the staging table" },
        error: { code: "call_declined", by: { name: "Ben" }, revise: true },
      },
    });
    expect(told.content[0]?.text).toContain(
      "Ben asks to revise this call: Use the staging table\nNothing was called.",
    );
    expect(fixture.server.calls).toEqual([]);

    const second = agent.call("erp__quick", { table: "staging" });
    const next = await agent.asked("staging");
    expect((await detail(next.id)).revisions).toMatchObject([
      {
        ...{ id: asked.id, comment: "Use the staging table", by: { name: "Ben" } },
        arguments: { table: "production" },
      },
    ]);
    expect((await detail(asked.id)).answer).toMatchObject({
      ...{ action: "decline", revise: true, words: "Asked to revise", comment: "Use the staging table" },
    });
    await sendBack(next.id, "And only ten rows");
    await second;
    const third = agent.call("erp__quick", { table: "staging", rows: 10 });
    const last = await agent.asked('"rows":10');
    expect((await detail(last.id)).revisions.map(({ comment }) => comment)).toEqual([
      "Use the staging table",
      "And only ten rows",
    ]);
    await fixture.organization.answer(last.id, { action: "accept", content: {} });
    expect((await third).isError ?? false).toBe(false);

    // Each was followed: a later call is about something else.
    const fourth = agent.call("erp__quick", { table: "other" });
    const later = await agent.asked("other");
    expect((await detail(later.id)).revisions).toEqual([]);
    await fixture.organization.answer(later.id, { action: "decline" });
    expect((await fourth).structuredContent).not.toHaveProperty("revise");
  });

  test("is not shown to another agent, nor above another tool", async () => {
    const [agent, other] = [await connect(), await connect()];
    const first = agent.call("erp__quick", { note: "sent back" });
    await sendBack((await agent.asked("sent back")).id, "Not like this");
    await first;
    const calls = [
      agent.call("request_approval", { action: "Another tool" }),
      other.call("erp__quick", { note: "another agent" }),
    ];
    for (const request of [await agent.asked("Another tool"), await other.asked("another agent")]) {
      expect((await detail(request.id)).revisions).toEqual([]);
      await fixture.organization.answer(request.id, { action: "decline" });
    }
    await Promise.all(calls);
  });

  test("of request_approval: no error, and no approval", async () => {
    const agent = await connect();
    const called = agent.call("request_approval", { action: "Drop the table" });
    await sendBack((await agent.asked("Drop the table")).id, "Rename it instead");
    const told = await called;
    expect(told.isError ?? false).toBe(false);
    expect(told.structuredContent).toMatchObject({
      ...{ outcome: "declined", revise: true, reason: "Rename it instead", by: { name: "Ben" } },
    });
  });

  test("of a server's own question: nothing is sent, since nobody would read the text", async () => {
    const taskId = await fixture.organization.startTask(
      await connection(),
      { note: "a server asks" },
      { ...APPROVE, name: "approve" },
    );
    const asked = await fixture.openRequest(taskId);
    await expect(sendBack(asked.id, "Ask again")).rejects.toMatchObject({
      code: "invalid_content",
      errors: [{ field: "revise" }],
    });
    await fixture.approve(taskId);
  });
});

describe("a call that a person approves with changes", () => {
  test("is answered by what the changed call returned, and by what was changed", async () => {
    const agent = await connect();
    const before = { note: "five thousand", amount: 5000 };
    const arguments_ = { note: "five thousand", amount: 400 };
    const called = agent.call("erp__quick", before);
    const asked = await agent.asked("five thousand");
    await fixture.organization.answer(asked.id, { action: "accept", content: { arguments: arguments_ } });
    const told = await called;
    expect(fixture.server.calls.at(-1)).toMatchObject({ name: "quick", arguments: arguments_ });
    expect(told.content).toMatchObject([
      { text: "done" },
      {
        text: "Ben changed the arguments before approving the call. It was made with:\namount: 5000 → 400",
      },
    ]);
    expect(told._meta?.["io.intray/changed"]).toEqual({ by: { name: "Ben" }, before, arguments: arguments_ });
  });

  test("is sealed as all of a call is, and told all the same", async () => {
    const { operator, seal, sql, within } = fixture.organization;
    await within((tx) => beginSealing(tx, operator, seal));
    const agent = await connect();
    const called = agent.call("erp__quick", { note: "secret of March" });
    const task = await until("the call is a task", async () =>
      (await fixture.tasks()).find(({ arguments: args }) => JSON.stringify(args).includes("secret of March")),
    );
    const asked = await fixture.openRequest(task.id);
    await fixture.organization.answer(asked.id, {
      action: "accept",
      content: { arguments: { note: "secret of April" } },
    });
    const told = await called;
    expect(told.content.at(-1)?.text).toContain('note: "secret of March" → "secret of April"');
    const [row] = await sql(
      "SELECT arguments::text || asked_arguments::text AS kept FROM task WHERE id = $1",
      [task.id],
    );
    expect(row).toMatchObject({
      kept: expect.stringMatching(/sealed.task\.arguments.*sealed.task\.asked_arguments/),
    });
    expect(row).not.toMatchObject({ kept: expect.stringContaining("secret") });
  });
});

const APPROVE = {
  ...{ title: null, description: null, inputSchema: { type: "object" }, taskSupport: "required" as const },
  ...{ annotations: null, honoursIdempotencyKey: true },
};

async function connection() {
  const { id } = await fixture.organization.within((tx) =>
    tx.connection.findFirstOrThrow({ where: { serverId: fixture.serverId }, select: { id: true } }),
  );
  return { serverId: fixture.serverId, connectionId: id };
}
