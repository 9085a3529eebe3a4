/** Clients that know no tasks: the sdk of 2025-11-25 and the client of both eras. They are held, told of progress, and sent on. */
import {
  Client as NewClient,
  StreamableHTTPClientTransport as NewTransport,
} from "@modelcontextprotocol/client";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { createSharedAgentFixture } from "../../../test/fixtures/agents/agent-fixture.ts";
import { rawAgent } from "../../../test/fixtures/agents/raw-agent.ts";
import { until } from "../../../test/fixtures/organization-fixture.ts";
import { insertServer } from "../../../test/fixtures/rows.ts";
import { tool } from "../../../test/fixtures/tool.ts";
import { forFile } from "../../../test/for-file.ts";
import { uuidv7 } from "../../base/ids.ts";
import { agentTaskSchema, unfinishedSchema } from "../../lifecycle/agent-calls/agent-call-schema.ts";

const fixture = forFile(() => createSharedAgentFixture());

interface Progress {
  progress: number;
  message?: string | undefined;
}
interface Called {
  content: { type: string; text?: string }[];
  structuredContent?: unknown;
  isError?: boolean;
}
/** What the tests do with a client, whichever it is. */
interface Plain {
  names(): Promise<string[]>;
  call(name: string, args?: object, onprogress?: (progress: Progress) => void): Promise<Called>;
}

const headersOf = (secret: string) => ({ requestInit: { headers: { authorization: `Bearer ${secret}` } } });

async function sdk(secret: string): Promise<Plain> {
  const client = new Client({ name: "sdk of 2025-11-25", version: "1" });
  await client.connect(new StreamableHTTPClientTransport(new URL(fixture.endpoint.url), headersOf(secret)));
  onTestFinished(() => client.close());
  return {
    async names() {
      const names: string[] = [];
      for (let cursor: string | undefined; ; ) {
        const page = await client.listTools(cursor === undefined ? {} : { cursor });
        names.push(...page.tools.map(({ name }) => name));
        cursor = page.nextCursor;
        if (cursor === undefined) return names;
      }
    },
    call: async (name, args = {}, onprogress) =>
      (await client.callTool(
        { name, arguments: { ...args } },
        undefined,
        onprogress && { onprogress, resetTimeoutOnProgress: true },
      )) as Called,
  };
}

const client = (mode: "auto" | "legacy") =>
  async function connect(secret: string): Promise<Plain> {
    const client = new NewClient(
      { name: `client (${mode})`, version: "1" },
      { capabilities: {}, ...(mode === "auto" && { versionNegotiation: { mode } }) },
    );
    await client.connect(new NewTransport(new URL(fixture.endpoint.url), headersOf(secret)));
    expect(client.getNegotiatedProtocolVersion()).toBe(mode === "auto" ? "2026-07-28" : "2025-11-25");
    onTestFinished(() => client.close());
    return {
      names: async () => (await client.listTools()).tools.map(({ name }) => name),
      call: async (name, args = {}, onprogress) =>
        (await client.callTool(
          { name, arguments: { ...args } },
          onprogress && { onprogress, resetTimeoutOnProgress: true },
        )) as Called,
    };
  };

const CLIENTS: [string, (secret: string) => Promise<Plain>][] = [
  ["the sdk of 2025-11-25", sdk],
  ["the client in 2025-11-25", client("legacy")],
  ["the client in 2026-07-28", client("auto")],
];

describe.each(CLIENTS)("%s", (_, connect) => {
  test("lists the granted tools and Intray's own, and calls a quick one", async () => {
    const { secret } = await fixture.agent();
    const agent = await connect(secret);
    expect(await agent.names()).toEqual([
      ...["approve", "quick", "order", "wait", "refuse"].map((name) => `erp__${name}`),
      ...["ask_person", "request_approval", "list_tasks", "get_task", "wait_for_task", "cancel_task"],
    ]);
    const result = await agent.call("erp__quick", { note: "now" });
    expect(result.content).toEqual([{ type: "text", text: "done" }]);
    expect(result.isError ?? false).toBe(false);
  });

  test("waits in the open call until a person has answered", async () => {
    const { id, secret } = await fixture.agent();
    const agent = await connect(secret);
    const called = agent.call("erp__approve", { note: "held" });
    const task = await until("the call is a task", async () =>
      (await fixture.tasks()).find(({ agentId }) => agentId === id),
    );
    await fixture.approve(task.id);
    const result = await called;
    expect(JSON.parse(result.content[0]?.text ?? "")).toEqual({
      action: "accept",
      content: { approve: true },
    });
  });

  test("is told how far the call is when its time is over, and waits on for the result", async () => {
    const { secret } = await fixture.agent({ holdMs: 0 });
    const agent = await connect(secret);
    const first = await agent.call("erp__approve", { note: "later" });
    expect(first.isError ?? false).toBe(false);
    const unfinished = unfinishedSchema.parse(first.structuredContent);
    expect(first.content[0]?.text).toContain(unfinished.taskId);
    // Some clients show their model the structured content alone.
    expect(unfinished.message).toContain("Not finished yet: erp__approve");
    expect(unfinished.next).toMatch(
      /^Call wait_for_task with \{"taskId": "[0-9a-f-]{36}"\}.* Repeating the call before its result was read makes no second task\b/,
    );
    await fixture.openRequest(unfinished.taskId);

    const looked = agentTaskSchema.parse(
      (await agent.call("get_task", { taskId: unfinished.taskId })).structuredContent,
    );
    expect(looked).toMatchObject({ tool: "erp__approve", waitingFor: "person", state: "input_required" });
    expect(looked.message).toContain('waits for a person to answer "Approve the invoice?"');
    expect(looked.next).toBe(unfinished.next);
    expect(looked.url).toMatch(/^http:\/\/localhost:3000\/inbox\/[0-9a-f-]{36}$/);

    await fixture.approve(unfinished.taskId);
    await fixture.inState(unfinished.taskId, "completed");
    const waited = await agent.call("wait_for_task", { taskId: unfinished.taskId, timeoutMs: 30_000 });
    expect(waited.structuredContent).toMatchObject({
      taskId: unfinished.taskId,
      state: "completed",
      waitingFor: null,
      result: { content: [{ type: "text" }] },
    });
  });

  test("is told of progress while it is held", async () => {
    const { id, secret } = await fixture.agent();
    const agent = await connect(secret);
    const said: Progress[] = [];
    const called = agent.call("erp__approve", { note: "progress" }, (progress) => said.push(progress));
    await until("it says that a person is waited for", async () =>
      said.some(({ message }) => message?.includes('waits for a person to answer "Approve the invoice?"')),
    );
    const [task] = (await fixture.tasks()).filter(({ agentId }) => agentId === id);
    const taken = Promise.withResolvers<void>();
    fixture.server.behave.onUpdate = () => taken.promise.then(() => "take" as const);
    const open = await fixture.openRequest(task?.id);
    await fixture.organization.answer(open.id, { action: "decline" });
    await until("it says that a person has answered", async () =>
      said.some(({ message }) => message?.includes("has a person's answer")),
    );
    taken.resolve();
    await called;
    delete fixture.server.behave.onUpdate;
    const numbers = said.map(({ progress }) => progress);
    expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
  });

  test("asks a person, and gets what they said", async () => {
    const { id, secret } = await fixture.agent();
    const agent = await connect(secret);
    const called = agent.call("request_approval", {
      action: "Delete the table",
      amount: 12.5,
      currency: "EUR",
    });
    const task = await until("the question is a task", async () =>
      (await fixture.tasks()).find(({ agentId }) => agentId === id),
    );
    const { id: requestId } = await fixture.openRequest(task.id);
    await fixture.organization.answer(requestId, { action: "decline", comment: "not today" });
    const result = await called;
    expect(result.isError ?? false).toBe(false);
    expect(result.structuredContent).toMatchObject({
      outcome: "declined",
      reason: "not today",
      by: { name: "Ben" },
    });
  });
});

describe("an agent of many tools", () => {
  const WIDE = Array.from({ length: 300 }, (_, at) => tool(`a${at}`, { description: "x".repeat(10_000) }));
  const namesOf = (server: string) => WIDE.map(({ name }) => `${server}__${name}`);
  const own = ["ask_person", "request_approval", "list_tasks", "get_task", "wait_for_task", "cancel_task"];

  let secret: string;
  let last: string;
  beforeAll(async () => {
    const { database, organizationId } = fixture.organization;
    const grants = [];
    for (const name of ["Wide 1", "Wide 2", "Wide 3"]) {
      const { id } = await insertServer(database, organizationId, { name, tools: WIDE });
      grants.push({ serverId: id });
      last = id;
    }
    secret = (await fixture.agent({ grants })).secret;
  });

  test.each(CLIENTS)("gets all tools by %s, each once", async (_, connect) => {
    const names = await (await connect(secret)).names();
    expect(names.toSorted()).toEqual([...[1, 2, 3].flatMap((n) => namesOf(`wide-${n}`)), ...own].toSorted());
  });

  test("gets pages that are bounded, and go on where they were if a list changes meanwhile", async () => {
    const agent = rawAgent(fixture.endpoint.url, secret);
    const page = async (cursor?: string) => {
      const { answer } = await agent.legacy("tools/list", cursor === undefined ? {} : { cursor });
      expect(JSON.stringify(answer).length).toBeLessThan(4_500_000);
      return answer.result as { tools: { name: string }[]; nextCursor?: string };
    };
    const pages = [await page()];
    for (let next = pages[0]?.nextCursor; next !== undefined; next = pages.at(-1)?.nextCursor)
      pages.push(await page(next));
    expect(pages.length).toBeGreaterThan(2);
    const names = pages.map(({ tools }) => tools.map(({ name }) => name));
    expect(names[0]?.slice(-own.length)).toEqual(own);
    // The last page begins within the last server's list, whose tool before it goes.
    const [before = "", first] = [names.at(-2)?.at(-1), names.at(-1)?.[0]];
    expect(before).toMatch(/^wide-3__/);
    const left = WIDE.filter(({ name }) => `wide-3__${name}` !== before);
    const { sql } = fixture.organization;
    await sql("UPDATE server SET tools = $2, tools_checked_at = clock_timestamp() WHERE id = $1", [
      last,
      JSON.stringify(left),
    ]);
    expect((await page(pages.at(-2)?.nextCursor)).tools[0]?.name).toBe(first);
  });

  test.each([
    ["of no server", [uuidv7(), "a0", 0]],
    ["of no id", ["x", "a0", 0]],
    ["of no place", [uuidv7(), "a0", -1]],
    ["of another list", [new Date().toISOString(), uuidv7()]],
  ])("is refused a cursor %s", async (_, parts) => {
    const cursor = Buffer.from(JSON.stringify(parts)).toString("base64url");
    const { answer } = await rawAgent(fixture.endpoint.url, secret).legacy("tools/list", { cursor });
    expect(answer.error).toMatchObject({ code: -32602, data: { code: "invalid_input" } });
  });
});

test("a client whose stream breaks off is told to come back so late that two tries outlast a restart", async () => {
  const { secret } = await fixture.agent();
  const over = new AbortController();
  onTestFinished(() => over.abort());
  const response = await fetch(fixture.endpoint.url, {
    method: "POST",
    headers: {
      accept: "application/json, text/event-stream",
      authorization: `Bearer ${secret}`,
      "content-type": "application/json",
      "mcp-protocol-version": "2025-11-25",
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "erp__approve", arguments: { note: "comes back" } },
    }),
    signal: over.signal,
  });
  const { value } = await response.body!.getReader().read();
  expect(new TextDecoder().decode(value)).toMatch(/^id: \S+\nretry: 20000\ndata: \n\n/);
});
