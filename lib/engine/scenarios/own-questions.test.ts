/** Questions of Intray's own: what programs ask people, and approvals in front of calls. Engines die at the worst moments. */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import pg from "pg";
import { describe, expect, type TestContext, test } from "vitest";
import { startEngineProcess } from "../../../test/engine-process.ts";
import {
  createOrganizationFixture,
  type OrganizationFixture,
  until,
} from "../../../test/fixtures/organization-fixture.ts";
import { createQueries } from "../../../test/fixtures/queries.ts";
import { tool } from "../../../test/fixtures/tool.ts";
import { startTestServer, type TestServer } from "../../../test/servers/mcp-server.ts";
import { holdHistory, waitsForLock } from "../../../test/setup/history-lock.ts";
import { AppError } from "../../base/errors.ts";
import { markStarting } from "../../lifecycle/call-attempt-writes.ts";
import {
  consumeApproval,
  createHumanTask,
  type HumanCall,
} from "../../lifecycle/human-tasks/human-task-writes.ts";
import { createTask, requestCancel } from "../../lifecycle/task-writes.ts";
import { beginSealing } from "../../people/content-sealing/sealing-writes.ts";
import { recordDecision, undoAnswer } from "../../requests/answers/answer-writes.ts";

const DIGEST = createHash("sha256").update("a call").digest("hex");
const yes = { action: "accept" as const, content: {} };
const no = { action: "decline" as const, comment: "Not ours" };
const PAY: HumanCall = {
  tool: "request_approval",
  arguments: { action: "Pay INV-100", amount: 12.5, currency: "EUR", details: { party: "ACME" } },
};

interface Place {
  organization: OrganizationFixture;
  remote: TestServer;
  server: { serverId: string; connectionId: string };
  queries: ReturnType<typeof createQueries>;
}

async function place({ onTestFinished }: Pick<TestContext, "onTestFinished">): Promise<Place> {
  const remote = await startTestServer();
  onTestFinished(() => remote.close());
  const organization = await createOrganizationFixture(["127.0.0.1"]);
  onTestFinished(() => organization.close());
  const server = await organization.addServer(remote.url, "2026-07-28");
  return { organization, remote, server, queries: createQueries(() => organization, 180_000) };
}

const ask = ({ organization }: Place, call: HumanCall = PAY, subject?: { argumentsDigest: string }) =>
  organization.within((tx) => createHumanTask(tx, organization.operator, call, { subject }));

async function startGated(
  { organization, server }: Place,
  name = "quick",
  expiresAt: Date | null = null,
): Promise<string> {
  const { id } = await organization.within((tx) =>
    createTask(tx, {
      principal: organization.operator,
      server: { id: server.serverId },
      connectionId: server.connectionId,
      tool: tool(name),
      arguments: { to: "ACME" },
      ttlMs: null,
      idempotencyKey: null,
      restartOf: null,
      gate: { rule: { name: "payments", version: 3, before: "ask" }, message: "Make this call?", expiresAt },
    }),
  );
  return id;
}

/** A form as current servers of the official Python packages send it. */
const PRICED = {
  $id: "urn:priced",
  type: "object",
  properties: {
    amount: { type: "number", exclusiveMinimum: 0, multipleOf: 0.5 },
    stars: { type: "integer", enum: [1, 2], title: null },
  },
  required: ["amount"],
};

const outcome = (task: { result: unknown }) =>
  (task.result as { structuredContent: Record<string, unknown> }).structuredContent;

/** Has the clock of the database pass the end of a question. */
const letExpire = ({ organization }: Place, requestId: string) =>
  organization.within(
    (tx) => tx.$executeRaw`UPDATE input_request SET expires_at = now() - interval '1 s'
      WHERE organization_id = ${organization.organizationId}::uuid AND id = ${requestId}::uuid`,
  );

describe.concurrent("a question that a program puts to people", () => {
  test("stands in the inbox without any engine, is answered, and settled by an engine that comes", async ({
    onTestFinished,
  }) => {
    const here = await place({ onTestFinished });
    const { organization, queries } = here;
    const { taskId, inputRequestId } = await ask(here);
    const request = await queries.request(inputRequestId);
    expect(request).toMatchObject({ state: "open", origin: "intray", amount: 12.5, currency: "EUR" });
    expect(await queries.task(taskId)).toMatchObject({ state: "input_required", watched: false });
    await organization.answer(inputRequestId, { ...yes, comment: "By Friday, please" });
    expect((await queries.task(taskId)).state).toBe("input_required");
    await organization.startEngine();
    const task = await queries.inState(taskId, "completed");
    expect(task.result).toMatchObject({
      content: [{ type: "text", text: "Ben approved.\nBen said: By Friday, please" }],
      structuredContent: {
        outcome: "answered",
        content: {},
        by: { name: "Ben" },
        comment: "By Friday, please",
      },
    });
    expect(task.outcome).toBe("Approved by Ben");
    const recorded = await organization.within((tx) =>
      tx.event.findFirst({ where: { inputRequestId, type: "answer.recorded" } }),
    );
    expect(recorded?.data).toMatchObject({ action: "accept", words: "Approved" });
    expect(await queries.deliveryOfTask(taskId)).toMatchObject({ state: "confirmed", attempts: 0 });
    expect(await queries.request(inputRequestId)).toMatchObject({ state: "settled" });
  });

  test("declined: with who and why; a program can't answer", async ({ onTestFinished }) => {
    const here = await place({ onTestFinished });
    const { organization, queries } = here;
    await organization.startEngine();
    const { taskId, inputRequestId } = await ask(here);
    const { questionHash } = await queries.request(inputRequestId);
    const key = {
      ...organization.approver,
      userId: null,
      actor: { kind: "system" as const, id: null, name: "K" },
    };
    await expect(
      organization.within((tx) => recordDecision(tx, key, inputRequestId, { ...yes, questionHash })),
    ).rejects.toMatchObject({ code: "forbidden" });
    await organization.answer(inputRequestId, no);
    const task = await queries.inState(taskId, "completed");
    expect(outcome(task)).toMatchObject({ outcome: "declined", by: { name: "Ben" }, reason: "Not ours" });
    expect(task.outcome).toBe("Declined by Ben");
  });

  test("an answer is held, and taken back; the time runs out: expired, which is no consent", async ({
    onTestFinished,
  }) => {
    const here = await place({ onTestFinished });
    const { organization, queries } = here;
    await organization.startEngine();
    const { taskId, inputRequestId } = await ask(here);
    await organization.answer(inputRequestId, { ...yes, holdMs: 60_000 });
    await organization.within((tx) => undoAnswer(tx, organization.approver, inputRequestId));
    await letExpire(here, inputRequestId);
    await expect(organization.answer(inputRequestId, yes)).rejects.toMatchObject({ code: "no_longer_open" });
    const task = await queries.inState(taskId, "completed");
    expect(outcome(task)).toMatchObject({ outcome: "expired", at: expect.any(String) });
    expect(task.outcome).toBe("Expired");
    expect(await queries.request(inputRequestId)).toMatchObject({ state: "expired" });
  });

  test("a hold ends by itself", async ({ onTestFinished }) => {
    const here = await place({ onTestFinished });
    const { organization, queries } = here;
    await organization.startEngine();
    const { taskId, inputRequestId } = await ask(here);
    await organization.answer(inputRequestId, { ...yes, holdMs: 1_000 });
    const { finishedAt } = await queries.inState(taskId, "completed");
    const { deliverAfter } = await queries.deliveryOf(inputRequestId);
    expect(finishedAt!.getTime()).toBeGreaterThanOrEqual(deliverAfter.getTime());
  });

  test("an organization that seals content: nothing that was asked or said stands in the rows", async ({
    onTestFinished,
  }) => {
    const here = await place({ onTestFinished });
    const { organization, queries } = here;
    const { operator } = organization;
    await organization.within((tx) => beginSealing(tx, operator, organization.seal));
    await organization.startEngine();
    const form = { type: "object", properties: { note: { type: "string" } } };
    const call: HumanCall = { ...PAY, arguments: { ...PAY.arguments, form } };
    const { taskId, inputRequestId } = await ask(here, call, { argumentsDigest: DIGEST });
    const gated = await startGated(here);
    const content = { note: "ACME is fine" };
    await organization.answer(inputRequestId, { ...yes, content });
    await organization.answer((await queries.openRequest(gated)).id, { ...no, comment: "ACME is not" });
    expect(outcome(await queries.inState(taskId, "completed"))).toMatchObject({
      outcome: "answered",
      content,
    });
    await queries.inState(gated, "failed");
    expect((await queries.task(gated)).error).toMatchObject({ reason: "ACME is not" });
    await organization.within((tx) =>
      consumeApproval(tx, operator, inputRequestId, { argumentsDigest: DIGEST }),
    );
    const client = new pg.Client({ connectionString: organization.adminUrl });
    await client.connect();
    const { rows } = await client.query<{ text: string }>(
      `SELECT t::text AS text FROM task t UNION ALL SELECT r::text FROM input_request r
        UNION ALL SELECT a::text FROM answer a UNION ALL SELECT e.data::text FROM event e
        UNION ALL SELECT u::text FROM approval_use u`,
    );
    await client.end();
    expect(rows.length).toBeGreaterThan(10);
    expect(rows.filter(({ text }) => /ACME|INV-100/.test(text ?? ""))).toEqual([]);
  });

  test("cancelled: over at once, and an answer that was not settled counts for nothing", async ({
    onTestFinished,
  }) => {
    const here = await place({ onTestFinished });
    const { organization, queries } = here;
    const { taskId, inputRequestId } = await ask(here);
    await organization.answer(inputRequestId, yes);
    await organization.within((tx) => requestCancel(tx, organization.operator, taskId));
    expect(await queries.task(taskId)).toMatchObject({ state: "cancelled", result: null });
    expect(await queries.request(inputRequestId)).toMatchObject({ state: "withdrawn" });
    expect(await queries.deliveryOf(inputRequestId)).toMatchObject({ state: "failed" });
  });

  test("a form that can't be shown, what it does not take, and somebody who can't accept, are refused", async ({
    onTestFinished,
  }) => {
    const here = await place({ onTestFinished });
    const form = { type: "object", properties: { a: { type: "object" } } };
    await expect(
      ask(here, { tool: "ask_person", arguments: { message: "Which?", form } }),
    ).rejects.toMatchObject({ code: "invalid_input", errors: [{ field: "form" }] });
    await expect(
      ask(here, { tool: "ask_person", arguments: { message: "Which?", to: "nobody@test.example" } }),
    ).rejects.toMatchObject({ code: "invalid_input", errors: [{ field: "to" }] });
    const { organization, queries } = here;
    for (const call of [
      { tool: "ask_person", arguments: { message: "How much?", form: PRICED } },
      { tool: "request_approval", arguments: { action: "Pay", form: PRICED } },
    ] satisfies HumanCall[]) {
      const { inputRequestId } = await ask(here, call);
      const answer = (content: Record<string, unknown>) =>
        organization.answer(inputRequestId, { action: "accept", content });
      for (const content of [{ amount: 0 }, { amount: 0.7 }, { amount: 1, stars: "1" }])
        await expect(answer(content)).rejects.toMatchObject({ code: "invalid_content" });
      await answer({ amount: 1.5, stars: 2 });
    }
    const to = `${organization.approver.userId}@TEST.example`;
    const { inputRequestId } = await ask(here, { tool: "ask_person", arguments: { message: "Which?", to } });
    expect((await queries.request(inputRequestId)).assigneeUserId).toBe(organization.approver.userId);
  });

  test("two at once make one built-in server", async ({ onTestFinished }) => {
    const here = await place({ onTestFinished });
    await Promise.all([ask(here), ask(here), ask(here)]);
    const { organization } = here;
    const servers = await organization.within((tx) => tx.server.findMany({ where: { builtin: true } }));
    expect(servers).toHaveLength(1);
    expect(
      await organization.within((tx) => tx.connection.count({ where: { serverId: servers[0]!.id } })),
    ).toBe(1);
  });

  test("killed before and in the middle of settling an answer: settled once, by the next engine", {
    tags: ["full"],
  }, async ({ onTestFinished }) => {
    const here = await place({ onTestFinished });
    const { organization, queries } = here;
    const first = await startEngineProcess(organization.engineEnvironment);
    onTestFinished(() => first.kill());
    const { taskId, inputRequestId } = await ask(here);
    first.freeze();
    await organization.answer(inputRequestId, yes);
    const letGo = await holdHistory(here.organization);
    first.thaw();
    // Everything is written but the history.
    await waitsForLock(here.organization, 1);
    await first.kill();
    await letGo();
    expect(await queries.task(taskId)).toMatchObject({ state: "input_required", result: null });
    expect(await queries.deliveryOf(inputRequestId)).toMatchObject({ state: "pending" });
    await organization.startEngine();
    await organization.startEngine();
    await queries.inState(taskId, "completed");
    const lines = await organization.within((tx) =>
      tx.event.groupBy({ by: ["type"], where: { taskId }, _count: true }),
    );
    expect(Object.fromEntries(lines.map(({ type, _count }) => [type, _count]))).toEqual({
      "task.queued": 1,
      "request.opened": 1,
      "answer.recorded": 1,
      "delivery.confirmed": 1,
      "task.completed": 1,
    });
  });
});

describe.concurrent("an approval in front of a call", () => {
  test("nothing is called while it waits, not even by force; approved: called once", async ({
    onTestFinished,
  }) => {
    const here = await place({ onTestFinished });
    const { organization, remote, queries } = here;
    const { organizationId } = organization;
    await organization.startEngine();
    const id = await startGated(here);
    const ungated = await organization.startTask(here.server, {}, tool("quick"));
    await queries.inState(ungated, "completed");
    expect(await queries.task(id)).toMatchObject({ state: "queued", gate: "waiting", watched: false });
    const attempt = { id, deadlineMs: 1_000, sealedSession: null, era: "2026-07-28" as const };
    expect(await organization.within((tx) => markStarting(tx, id, attempt))).toBe(false);
    await expect(
      organization.within(
        (tx) => tx.$executeRaw`UPDATE task SET state = 'starting', attempt_id = id, watched = true
          WHERE organization_id = ${organizationId}::uuid AND id = ${id}::uuid`,
      ),
    ).rejects.toThrow(/task_gate_holds/);
    const called = remote.calls.length;
    await organization.answer((await queries.openRequest(id)).id, yes);
    await queries.inState(id, "completed");
    expect(remote.calls).toHaveLength(called + 1);
    expect(await queries.task(id)).toMatchObject({ gate: "approved" });
  });

  test("declined and expired: failed with who and why, never called", async ({ onTestFinished }) => {
    const here = await place({ onTestFinished });
    const { organization, remote, queries } = here;
    await organization.startEngine();
    const declined = await startGated(here);
    await organization.answer((await queries.openRequest(declined)).id, no);
    const ended = await queries.inState(declined, "failed");
    const { approver } = organization;
    expect(ended).toMatchObject({
      gate: "declined",
      error: { code: "call_declined", by: { id: approver.userId, name: "Ben" }, reason: "Not ours" },
    });
    const expiring = await startGated(here);
    await letExpire(here, (await queries.openRequest(expiring)).id);
    await organization.answer((await queries.openRequest(await startGated(here))).id, no);
    const expired = await queries.inState(expiring, "failed");
    expect(expired).toMatchObject({ gate: "expired", error: { code: "approval_expired" } });
    expect(remote.calls).toHaveLength(0);
  });

  test("cancelled: its question goes with it", async ({ onTestFinished }) => {
    const here = await place({ onTestFinished });
    const { organization, queries } = here;
    const id = await startGated(here);
    const request = await queries.openRequest(id);
    await organization.within((tx) => requestCancel(tx, organization.operator, id));
    expect(await queries.task(id)).toMatchObject({ state: "cancelled", gate: "withdrawn" });
    expect(await queries.request(request.id)).toMatchObject({ state: "withdrawn" });
  });

  test("killed while the approval is settled, and again before the call: called once", {
    tags: ["full"],
  }, async ({ onTestFinished }) => {
    const here = await place({ onTestFinished });
    const { organization, remote, queries } = here;
    const first = await startEngineProcess(organization.engineEnvironment);
    onTestFinished(() => first.kill());
    const id = await startGated(here, "approve");
    const request = await queries.openRequest(id, "Make this call?");
    first.freeze();
    await organization.answer(request.id, yes);
    const letGo = await holdHistory(here.organization);
    first.thaw();
    await waitsForLock(here.organization, 1);
    await first.kill();
    await letGo();
    expect(await queries.task(id)).toMatchObject({ state: "queued", gate: "waiting", watched: false });
    expect(remote.calls).toHaveLength(0);

    const second = await startEngineProcess(organization.engineEnvironment);
    onTestFinished(() => second.kill());
    remote.behave.onCall = () => {
      remote.behave.onCall = undefined;
      void second.kill();
      return "answer";
    };
    await until("the second engine was killed in its call", async () => remote.calls.length > 0);
    expect(await queries.task(id)).toMatchObject({ gate: "approved" });
    await organization.startEngine();
    // The server does not honour keys: whether it began is for a person to say, and nobody calls again.
    await queries.inState(id, "start_unknown");
    expect(remote.calls).toHaveLength(1);
  });
});

describe("an approval that is bound to a call elsewhere", () => {
  test("is used once, of many at once, for its digest, and only when it was given", async ({
    onTestFinished,
  }) => {
    const here = await place({ onTestFinished });
    const { organization, queries } = here;
    const { organizationId, operator } = organization;
    const use = (id: string, argumentsDigest = DIGEST) =>
      organization
        .within((tx) => consumeApproval(tx, operator, id, { argumentsDigest }))
        .then(() => "used")
        .catch((error: unknown) => (error instanceof AppError ? error.extra?.reason : error));
    const uses = () => organization.within((tx) => tx.approvalUse.count());
    const { taskId, inputRequestId } = await ask(here, PAY, { argumentsDigest: DIGEST });
    expect(await use(inputRequestId)).toBe("waiting");
    await organization.answer(inputRequestId, yes);
    expect(await use(inputRequestId)).toBe("waiting");
    await organization.startEngine();
    await queries.inState(taskId, "completed");
    expect(await use(inputRequestId, "0".repeat(64))).toBe("other_arguments");
    expect(await uses()).toBe(0);
    const all = await Promise.all(Array.from({ length: 6 }, () => use(inputRequestId)));
    expect(all.filter((one) => one === "used")).toHaveLength(1);
    expect(all.filter((one) => one === "already_consumed")).toHaveLength(5);
    expect(await uses()).toBe(1);

    const declined = await ask(here, PAY, { argumentsDigest: DIGEST });
    await organization.answer(declined.inputRequestId, no);
    await queries.inState(declined.taskId, "completed");
    expect(await use(declined.inputRequestId)).toBe("declined");
    const unbound = await ask(here);
    expect(await use(unbound.inputRequestId)).toBe("not_bound");
    const late = await ask(here, PAY, { argumentsDigest: DIGEST });
    await organization.answer(late.inputRequestId, yes);
    await queries.inState(late.taskId, "completed");
    await organization.within(
      (tx) => tx.$executeRaw`UPDATE task SET expires_at = now() - interval '1 s'
        WHERE organization_id = ${organizationId}::uuid AND id = ${late.taskId}::uuid`,
    );
    expect(await use(late.inputRequestId)).toBe("expired");
    expect(await uses()).toBe(1);
  });

  test("by a process that is killed before its commit: by nobody; after it: by that one alone", {
    tags: ["full"],
  }, async ({ onTestFinished }) => {
    const here = await place({ onTestFinished });
    const { organization, queries } = here;
    const { operator } = organization;
    const uses = () => organization.within((tx) => tx.approvalUse.count());
    const use = (id: string) =>
      organization.within((tx) => consumeApproval(tx, operator, id, { argumentsDigest: DIGEST }));
    const { taskId, inputRequestId } = await ask(here, PAY, { argumentsDigest: DIGEST });
    await organization.answer(inputRequestId, yes);
    const engine = await organization.startEngine();
    await queries.inState(taskId, "completed");
    // Its writes to the history would wait for the same lock.
    await engine.stop();

    const letGo = await holdHistory(here.organization);
    const first = consumer(here, inputRequestId);
    onTestFinished(() => first.kill());
    await waitsForLock(here.organization, 1);
    await first.kill();
    await letGo();
    expect(await uses()).toBe(0);

    const second = consumer(here, inputRequestId);
    onTestFinished(() => second.kill());
    await until("the use is committed", async () => (await uses()) === 1);
    // Whoever asked it never learns.
    await second.kill();
    await expect(use(inputRequestId)).rejects.toMatchObject({ extra: { reason: "already_consumed" } });
    expect(await uses()).toBe(1);
  });
});

/** A process of its own that uses an approval, and tells nobody. */
function consumer({ organization }: Place, requestId: string): { kill(): Promise<void> } {
  const { adminUrl, organizationId, operator } = organization;
  const lib = pathToFileURL(join(import.meta.dirname, "../..")).href;
  const script = `
    const { createDatabase } = await import("${lib}/base/db/db.ts");
    const { consumeApproval } = await import("${lib}/lifecycle/human-tasks/human-task-writes.ts");
    const [url, id, principal, request, digest] = JSON.parse(process.env.CONSUME);
    const database = createDatabase(url, { connections: 1 });
    await database.withOrganization(id, (tx) => consumeApproval(tx, principal, request, { argumentsDigest: digest }));
    setInterval(() => {}, 1_000);`;
  const { PATH, HOME } = process.env;
  const given = JSON.stringify([adminUrl, organizationId, operator, requestId, DIGEST]);
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    env: { PATH, HOME, CONSUME: given } as unknown as NodeJS.ProcessEnv,
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
