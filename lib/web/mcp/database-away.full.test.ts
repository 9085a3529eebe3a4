/** Postgres is killed with -9 under calls of agents, and starts again. Counted in rows, and at the server. */
import { createHash } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createSharedAgentFixture } from "../../../test/fixtures/agents/agent-fixture.ts";
import { rawAgent } from "../../../test/fixtures/agents/raw-agent.ts";
import { beforeTool, rawHook } from "../../../test/fixtures/agents/raw-hook.ts";
import { until } from "../../../test/fixtures/organization-fixture.ts";
import { type KillablePostgres, startKillablePostgres } from "../../../test/setup/killable-postgres.ts";
import { AppError } from "../../base/errors.ts";
import { consumeApproval, createHumanTask } from "../../lifecycle/human-tasks/human-task-writes.ts";

let postgres: KillablePostgres;
let fixture: Awaited<ReturnType<typeof createSharedAgentFixture>>;
beforeAll(async () => {
  postgres = await startKillablePostgres();
  fixture = await createSharedAgentFixture();
});
afterAll(async () => {
  await fixture?.close();
  await postgres?.remove();
});

async function anAgent() {
  const { id, secret } = await fixture.agent();
  const calls = fixture.server.calls.length;
  return {
    ...rawAgent(fixture.endpoint.url, secret),
    tasks: async () => (await fixture.tasks()).filter(({ agentId }) => agentId === id),
    called: () => fixture.server.calls.length - calls,
  };
}

const accepted = JSON.stringify({ action: "accept", content: { approve: true } });

test("killed under a held call: the call stays open, and is answered when somebody has approved", async () => {
  const agent = await anAgent();
  const held = agent.legacy("tools/call", { name: "erp__approve", arguments: { note: "held" } });
  const { taskId } = await fixture.openRequest();
  await postgres.kill();
  await postgres.start();
  // The first statement of each connection of before fails.
  await until("it can be answered", () =>
    fixture.approve(taskId).then(
      () => true,
      () => false,
    ),
  );
  expect((await held).answer.result.content).toEqual([{ type: "text", text: accepted }]);
  expect(await agent.tasks()).toHaveLength(1);
  expect(agent.called()).toBe(1);
  expect(fixture.server.answers).toHaveLength(1);
});

test("killed while the server makes the task of a held call: its handle is stored later, and nobody calls again", async () => {
  const agent = await anAgent();
  const away = Promise.withResolvers<void>();
  fixture.server.behave.onCall = async () => {
    fixture.server.behave.onCall = undefined;
    await postgres.kill();
    away.resolve();
    return "answer" as const;
  };
  const call = () => agent.legacy("tools/call", { name: "erp__wait", arguments: { note: "made" } });
  const held = call();
  await away.promise;
  await postgres.start();
  const joined = until("the same call is taken", () => call().then(({ answer }) => answer.result));
  for (const made of fixture.server.tasks.values())
    if (made.status === "working")
      Object.assign(made, {
        status: "completed",
        lastUpdatedAt: new Date().toISOString(),
        result: { content: [{ type: "text", text: "done" }] },
      });
  const results = [(await held).answer.result, await joined];
  expect(results.map(({ content }) => content)).toEqual(Array(2).fill([{ type: "text", text: "done" }]));
  expect(await agent.tasks()).toHaveLength(1);
  expect(agent.called()).toBe(1);
});

test("killed under a held hook: others are refused meanwhile, and it is answered when somebody has approved", async () => {
  const { id: agentId, secret } = await fixture.agent();
  const hook = rawHook(fixture.endpoint.url, "/hooks/claude-code", secret);
  const held = hook(beforeTool("Bash", { command: "deploy" }));
  const task = await until("it is asked about", async () =>
    (await fixture.tasks()).find((each) => each.agentId === agentId),
  );
  const { id } = await fixture.openRequest(task.id);
  await postgres.kill();
  const refused = await hook(beforeTool("Bash", { command: "ls" }));
  expect([refused.status, refused.body.decision, refused.body.continue]).toEqual([200, "block", false]);
  await postgres.start();
  await until("it can be answered", () =>
    fixture.organization.answer(id, { action: "accept", content: {} }).then(
      () => true,
      () => false,
    ),
  );
  expect((await held).body.hookSpecificOutput.permissionDecision).toBe("allow");
});

test("killed while an approval is used: however that ended, it is used once", async () => {
  const { organization } = fixture;
  const { organizationId, operator, within } = organization;
  const argumentsDigest = createHash("sha256").update("a call").digest("hex");
  const approved = async () => {
    const call = { tool: "request_approval" as const, arguments: { action: "Pay INV-100" } };
    const { taskId, inputRequestId } = await within((tx) =>
      createHumanTask(tx, operator, call, { subject: { argumentsDigest } }),
    );
    await organization.answer(inputRequestId, { action: "accept", content: {} });
    await until("it is settled", async () => {
      const task = await within((tx) => tx.task.findFirst({ where: { organizationId, id: taskId } }));
      return task?.state === "completed";
    });
    return inputRequestId;
  };
  const use = (id: string) =>
    within((tx) => consumeApproval(tx, operator, id, { argumentsDigest })).then(
      () => "used",
      (error: unknown) => (error instanceof AppError ? error.extra?.reason : "unknown"),
    );
  // From a statement that is under way to a commit that nobody hears of.
  for (const pauseMs of [0, 2, 4, 8]) {
    const id = await approved();
    const first = use(id);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    await postgres.kill();
    const told = [await first];
    await postgres.start();
    await until("it is known", async () => {
      told.push(await use(id));
      return told.at(-1) === "already_consumed";
    });
    const uses = await within((tx) =>
      tx.approvalUse.count({ where: { organizationId, inputRequestId: id } }),
    );
    expect(uses).toBe(1);
    expect(told.filter((one) => one === "used").length).toBeLessThanOrEqual(1);
  }
});
