/** A repeated call joins the task of the first one, until its result was fetched. Counted in rows, and at the server. */
import { describe, expect, test } from "vitest";
import { createSharedAgentFixture } from "../../../test/fixtures/agents/agent-fixture.ts";
import { rawAgent, type Spoken } from "../../../test/fixtures/agents/raw-agent.ts";
import { until } from "../../../test/fixtures/organization-fixture.ts";
import { forFile } from "../../../test/for-file.ts";
import { uuidv7 } from "../../base/ids.ts";
import { readInputRequest } from "../../requests/request-reads.ts";

const fixture = forFile(() => createSharedAgentFixture());

const KEY = "io.intray/idempotency-key";
const NEW = "io.intray/new";

async function anAgent(holdMs?: number) {
  const { id, secret } = await fixture.agent(holdMs === undefined ? {} : { holdMs });
  const agent = rawAgent(fixture.endpoint.url, secret);
  return {
    ...agent,
    id,
    call: (name: string, args: object, _meta: object = {}, how: { signal?: AbortSignal } = {}) =>
      agent.legacy("tools/call", { name, arguments: args, _meta }, how),
    tasks: async () => (await fixture.tasks()).filter(({ agentId }) => agentId === id),
  };
}
const taskIdOf = ({ answer }: Spoken) =>
  answer.result.structuredContent?.taskId ?? answer.result._meta["io.intray/task-id"];

test("calls that run at once with the same arguments are one task, however they are spelt", async () => {
  // Nobody waits for the end, which would let a late one of them begin another task.
  const agent = await anAgent(0);
  const before = fixture.server.calls.length;
  const spellings = ['{"note":"x","more":{"a":1,"b":2.50}}', '{"more":{"b":2.5,"a":1e0},"note":"\\u0078"}'];
  const calls = Array.from({ length: 20 }, (_, index) =>
    agent.post(
      `{"jsonrpc":"2.0","id":${index},"method":"tools/call","params":{"name":"erp__approve","arguments":${spellings[index % 2]}}}`,
      { headers: { "mcp-protocol-version": "2025-11-25" } },
    ),
  );
  const answers = await Promise.all(calls);
  const [task] = await agent.tasks();
  await fixture.approve(task?.id);
  await fixture.inState(task!.id, "completed");
  expect(new Set(answers.map(taskIdOf))).toEqual(new Set([task?.id]));
  expect(answers.map(({ answer }) => answer.id)).toEqual(answers.map((_, index) => index));
  expect(await agent.tasks()).toHaveLength(1);
  expect(fixture.server.calls.length - before).toBe(1);
});

test("other arguments, another tool and another agent make another task", async () => {
  const [one, other] = [await anAgent(0), await anAgent(0)];
  const ids = [
    taskIdOf(await one.call("erp__wait", { note: "a" })),
    taskIdOf(await one.call("erp__wait", { note: "b" })),
    taskIdOf(await one.call("erp__approve", { note: "a" })),
    taskIdOf(await other.call("erp__wait", { note: "a" })),
  ];
  expect(new Set(ids).size).toBe(4);
});

test("a call whose result was fetched is another one, even right behind it", async () => {
  const agent = await anAgent();
  const ids: string[] = [];
  for (let number = 0; number < 8; number++) ids.push(taskIdOf(await agent.call("erp__quick", {})));
  expect(new Set(ids).size).toBe(8);
});

test("a result that nobody fetched is the answer to the repeated call", async () => {
  const agent = await anAgent(0);
  const id = taskIdOf(await agent.call("erp__approve", {}));
  await fixture.approve(id);
  await fixture.inState(id, "completed");
  expect(taskIdOf(await agent.call("erp__approve", {}))).toBe(id);
  // It came with that answer, so that the same call is another one now.
  const again = taskIdOf(await agent.call("erp__approve", {}));
  expect(again).not.toBe(id);
});

test("a result that get_task brought was fetched; a look at the task in between was not", async () => {
  const agent = await anAgent(0);
  const id = taskIdOf(await agent.call("erp__approve", {}));
  await agent.call("get_task", { taskId: id });
  expect(taskIdOf(await agent.call("erp__approve", {}))).toBe(id);
  await fixture.approve(id);
  await fixture.inState(id, "completed");
  expect((await agent.call("get_task", { taskId: id })).answer.result.structuredContent.state).toBe(
    "completed",
  );
  expect(taskIdOf(await agent.call("erp__approve", {}))).not.toBe(id);
});

test("people see that an agent has fetched the answer to its question, and not before", async () => {
  const agent = await anAgent(0);
  const id = taskIdOf(await agent.call("ask_person", { message: "May I deploy today?" }));
  const { organization } = fixture;
  const request = await fixture.openRequest(id);
  await organization.answer(request.id, { action: "accept" });
  await fixture.inState(id, "completed");
  const seen = () => organization.within((tx) => readInputRequest(tx, organization.operator, request.id));
  expect(await seen()).toMatchObject({ state: "settled", task: { fetchedAt: null } });
  await agent.call("wait_for_task", { taskId: id });
  await until("it is seen", async () => (await seen()).task.fetchedAt);
});

test("a client that was cut off while it was held gets the result by calling again", async () => {
  const agent = await anAgent();
  const gone = new AbortController();
  const first = agent.call("erp__approve", {}, {}, { signal: gone.signal }).catch(() => null);
  const [task] = await until("there is a task", async () => {
    const found = await agent.tasks();
    return found.length > 0 && found;
  });
  await fixture.openRequest(task?.id);
  gone.abort();
  await first;
  await fixture.approve(task?.id);
  await fixture.inState(task?.id ?? "", "completed");
  const again = await agent.call("erp__approve", {});
  expect(taskIdOf(again)).toBe(task?.id);
  expect(again.answer.result.content[0].text).toContain("accept");
  expect(await agent.tasks()).toHaveLength(1);
});

describe.each([
  { what: "a call that does no harm when it is made again", tool: "erp__quick", kept: 9 * 60, over: 11 * 60 },
  { what: "any other call", tool: "erp__approve", kept: 6 * 86_400, over: 8 * 86_400 },
])("$what, whose result did not arrive", ({ tool, kept, over }) => {
  test.each(["sent", "never sent"])("is answered by it for a while, if it was %s", async (how) => {
    const agent = await anAgent(0);
    const made = await agent.call(tool, {});
    const first = taskIdOf(made);
    if (tool === "erp__approve") await fixture.approve(first);
    await fixture.inState(first, "completed");
    // As a process leaves it that is killed before, or while, it sends the result.
    const endedBefore = (seconds: number) =>
      fixture.organization.within(async (tx) => {
        await tx.$executeRaw`UPDATE task SET finished_at = now() - ${seconds} * interval '1 s' WHERE id = ${first}::uuid`;
        await tx.$executeRaw`UPDATE agent_call SET fetched_at = NULL,
          sent_at = CASE WHEN ${how === "sent"} THEN now() - ${seconds} * interval '1 s' END WHERE task_id = ${first}::uuid`;
      });
    const fetched = () =>
      until("the fetch is noted", () =>
        fixture.organization.within(async (tx) => {
          const [row] = await tx.$queryRaw<{ done: boolean }[]>`
            SELECT fetched_at IS NOT NULL AS done FROM agent_call WHERE task_id = ${first}::uuid`;
          return row?.done;
        }),
      );
    // A quick tool's result came with the first reply, and its fetch is noted a moment later.
    if (made.answer.result.structuredContent?.state === undefined) await fetched();
    await endedBefore(kept);
    expect(taskIdOf(await agent.call(tool, {}))).toBe(first);
    await fetched();
    await endedBefore(over);
    expect(taskIdOf(await agent.call(tool, {}))).not.toBe(first);
  });
});

test("a tool keeps its name when its server is renamed, and no other server gets it", async () => {
  const agent = await anAgent(0);
  const names = async () =>
    (await agent.legacy("tools/list", {})).answer.result.tools.map(({ name }: { name: string }) => name);
  expect(await names()).toContain("erp__wait");
  const rename = (id: string, name: string) =>
    fixture.organization.within((tx) => tx.server.updateMany({ where: { id }, data: { name } }));
  const task = taskIdOf(await agent.call("erp__wait", { note: "named" }));
  const other = await fixture.organization.addServer(fixture.server.url, "2026-07-28");
  const [{ name: was }] = await fixture.organization.within(
    (tx) => tx.$queryRaw<[{ name: string }]>`SELECT name FROM server WHERE id = ${fixture.serverId}::uuid`,
  );
  await rename(fixture.serverId, "Old ERP");
  await rename(other.serverId, was);
  await fixture.organization.within(async (tx) => {
    const { organizationId } = fixture.organization;
    const { tools } = await tx.server.findFirstOrThrow({ where: { id: fixture.serverId } });
    await tx.server.updateMany({
      where: { id: other.serverId },
      data: { tools: tools as [], toolsCheckedAt: new Date() },
    });
    await tx.agentGrant.create({
      data: { organizationId, id: uuidv7(), agentId: agent.id, serverId: other.serverId },
    });
  });
  const after = await names();
  expect(after).toContain("erp__wait");
  expect(after.filter((name: string) => /^erp-[0-9a-f]{6}__wait$/.test(name))).toHaveLength(1);
  expect(taskIdOf(await agent.call("erp__wait", { note: "named" }))).toBe(task);
  await rename(fixture.serverId, was);
});

test("`new` asks for another task, and a key says exactly which one is meant", async () => {
  const agent = await anAgent(0);
  const args = { note: "exactly" };
  const first = taskIdOf(await agent.call("erp__wait", args, { [KEY]: "one" }));
  expect(taskIdOf(await agent.call("erp__wait", args, { [KEY]: "one", [NEW]: true }))).toBe(first);
  const second = taskIdOf(await agent.call("erp__wait", args, { [KEY]: "two" }));
  expect(second).not.toBe(first);
  const third = taskIdOf(await agent.call("erp__wait", args, { [NEW]: true }));
  expect([first, second]).not.toContain(third);
  expect(taskIdOf(await agent.call("erp__wait", args))).toBe(third);
  const other = await agent.call("erp__wait", { note: "else" }, { [KEY]: "one" });
  expect(other.answer.result).toMatchObject({
    isError: true,
    structuredContent: { code: "idempotency_mismatch" },
  });
  expect(await agent.tasks()).toHaveLength(3);
});

test("the same key at once, in ten calls, is one task; with a human tool too", async () => {
  const agent = await anAgent(0);
  const both = (name: string, args: object) =>
    Promise.all(Array.from({ length: 10 }, () => agent.call(name, args, { [KEY]: `at once ${name}` })));
  const tasks = await both("erp__wait", {});
  const asked = await both("ask_person", { message: "Which one?" });
  expect(new Set(tasks.map(taskIdOf)).size).toBe(1);
  expect(new Set(asked.map(taskIdOf)).size).toBe(1);
  expect(await agent.tasks()).toHaveLength(2);
});

test("10,000 repetitions are not needed to see that none is stored: a hundred leave one row", {
  tags: ["full"],
}, async () => {
  const agent = await anAgent(0);
  for (let round = 0; round < 10; round++)
    await Promise.all(Array.from({ length: 10 }, () => agent.call("erp__wait", { note: "often" })));
  const rows = await fixture.organization.within(
    (tx) => tx.$queryRaw<unknown[]>`SELECT FROM agent_call WHERE agent_id = ${agent.id}::uuid`,
  );
  expect(rows).toHaveLength(1);
});

test.each<[string, (agent: Awaited<ReturnType<typeof anAgent>>, taskId: string) => Promise<Spoken>]>([
  ["tasks/cancel of 2025-11-25", (agent, taskId) => agent.legacy("tasks/cancel", { taskId })],
  ["tasks/cancel of 2026-07-28", (agent, taskId) => agent.modern("tasks/cancel", { taskId }, true)],
  ["cancel_task", (agent, taskId) => agent.call("cancel_task", { taskId })],
])("a call that its agent cancelled is another one when it is made again: %s", async (note, cancel) => {
  const agent = await anAgent(0);
  const first = taskIdOf(await agent.call("erp__approve", { note }));
  expect(taskIdOf(await agent.call("erp__approve", { note }))).toBe(first);
  expect((await cancel(agent, first)).answer.error).toBeUndefined();
  expect(taskIdOf(await agent.call("erp__approve", { note }))).not.toBe(first);
  expect(await agent.tasks()).toHaveLength(2);
});

test("a task client that hears of a failure by tasks/get, and asks for no result, calls anew", async () => {
  const agent = await anAgent();
  const start = async () =>
    (await agent.legacy("tools/call", { name: "erp__refuse", arguments: { note: "failed" }, task: {} }))
      .answer.result.task.taskId as string;
  const first = await start();
  await fixture.inState(first, "failed");
  // It may be told again: nobody has heard of it yet.
  expect(await start()).toBe(first);
  expect((await agent.legacy("tasks/get", { taskId: first })).answer.result.status).toBe("failed");
  await until(
    "that is known",
    async () =>
      (
        await fixture.organization.within(
          (tx) =>
            tx.$queryRaw<
              unknown[]
            >`SELECT FROM agent_call WHERE task_id = ${first}::uuid AND fetched_at IS NOT NULL`,
        )
      ).length === 1,
  );
  expect(await start()).not.toBe(first);
});
