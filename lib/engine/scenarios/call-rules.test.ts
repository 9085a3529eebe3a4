/** Rules for calls with a real engine and server: what is asked about first is called once approved, and never otherwise. */
import { describe, expect, type TestContext, test } from "vitest";
import {
  createOrganizationFixture,
  type OrganizationFixture,
  until,
} from "../../../test/fixtures/organization-fixture.ts";
import { createQueries } from "../../../test/fixtures/queries.ts";
import { tool } from "../../../test/fixtures/tool.ts";
import { startTestServer, type TestServer } from "../../../test/servers/mcp-server.ts";
import type { Principal } from "../../access/principal.ts";
import type { Before } from "../../agents/agent-schema.ts";
import { storable } from "../../base/db/db.ts";
import { AppError } from "../../base/errors.ts";
import { uuidv7 } from "../../base/ids.ts";
import { createNetwork } from "../../base/network/network.ts";
import { readOperation } from "../../lifecycle/bulk-operations/bulk-operation-reads.ts";
import { beginOperation, prepareOperation } from "../../lifecycle/bulk-operations/bulk-operation-writes.ts";
import { settleOwnQuestions } from "../../lifecycle/human-tasks/settle-own-questions.ts";
import { startRace } from "../../lifecycle/races/start-race.ts";
import { restartTask } from "../../lifecycle/start.ts";
import { createTask } from "../../lifecycle/task-writes.ts";
import type { Tool } from "../../mcp/peer.ts";
import { readCallRules } from "../../policy/call-rules/call-rule-reads.ts";
import { callRulesInputSchema } from "../../policy/call-rules/call-rule-schema.ts";
import { saveCallRules } from "../../policy/call-rules/call-rule-writes.ts";
import { digestOf, textOf } from "../../servers/tool-changes.ts";
import type { Retry } from "../../tasks/task-schema.ts";

const yes = { action: "accept" as const, content: {} };
const no = { action: "decline" as const, comment: "Not ours" };
const RETRY: Retry = { attempts: 3, backoffMs: 1_000, errors: false, insist: true };

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

/** Saves rules over whatever is there. */
const rule = ({ organization: { operator, within } }: Place, ...rules: object[]) =>
  within(async (tx) => {
    const { version } = await readCallRules(tx);
    const input = callRulesInputSchema.parse({ rules });
    await saveCallRules(tx, operator, version, input);
  });

const start = (
  { organization, server }: Place,
  called: Tool,
  more: {
    principal?: Principal;
    arguments?: Record<string, unknown>;
    retry?: Retry;
    isPrivate?: boolean;
  } = {},
) =>
  organization
    .within((tx) =>
      createTask(tx, {
        principal: organization.operator,
        server: { id: server.serverId },
        connectionId: server.connectionId,
        tool: called,
        arguments: {},
        ttlMs: null,
        idempotencyKey: null,
        restartOf: null,
        ...more,
      }),
    )
    .then(({ id }) => id);

const refusal = (made: Promise<unknown>) =>
  made.then(
    () => "made",
    (error: unknown) =>
      error instanceof AppError ? `${error.code}: ${error.detail}` : Promise.reject(error),
  );

const services = ({ organization }: Place) => ({
  db: organization.database,
  seal: organization.seal,
  network: createNetwork({ allowHosts: ["127.0.0.1"], denyPorts: [] }),
});

/** What is said of the next attempt at a failed task. */
const linesOf = ({ organization }: Place, taskId: string) =>
  organization.within((tx) =>
    tx.event.findMany({ where: { taskId }, orderBy: { seq: "asc" }, select: { type: true, data: true } }),
  );

describe.concurrent("a call that a rule asks about", () => {
  test("is made once it is approved, by the rule of then; other calls are made at once", async ({
    onTestFinished,
  }) => {
    const here = await place({ onTestFinished });
    const { organization, remote, queries } = here;
    await organization.startEngine();
    await rule(here, { name: "Large", when: "amount != null && amount >= 5000.0", before: "ask" });
    const small = await start(here, tool("quick"), { arguments: { amount: 10 } });
    const large = await start(here, tool("quick"), { arguments: { amount: 7_000 } });
    await queries.inState(small, "completed");
    expect(remote.calls).toHaveLength(1);
    const waiting = await queries.task(large);
    expect(waiting).toMatchObject({
      state: "queued",
      gate: "waiting",
      gateRule: { name: "Large", version: 1, before: "ask" },
    });
    const request = await queries.openRequest(large);
    expect(request.message).toContain("The rule “Large” requires an approval first.");
    expect(request).toMatchObject({ origin: "intray", amount: 7_000 });
    // One more rule that asks is met by the same approval.
    await rule(here, { name: "Everything", before: "ask" });
    await organization.answer(request.id, yes);
    await queries.inState(large, "completed");
    expect(remote.calls).toHaveLength(2);
    await rule(here, { name: "Nothing", before: "deny" });
    expect(await refusal(start(here, tool("quick")))).toMatch(/^denied_by_rule: The rule “Nothing”/);
    expect(remote.calls).toHaveLength(2);
  });

  test("can't be approved once a rule denies it, and is not made", async ({ onTestFinished }) => {
    const here = await place({ onTestFinished });
    const { organization, remote, queries } = here;
    await organization.startEngine();
    await rule(here, { name: "Everything", before: "ask" });
    const id = await start(here, tool("quick"), { arguments: { amount: 7_000 } });
    const request = await queries.openRequest(id);
    await rule(here, { name: "Nothing large", when: "amount != null && amount > 5000.0", before: "deny" });
    expect(await refusal(organization.answer(request.id, yes))).toBe(
      "denied_by_rule: The rule “Nothing large” does not allow this call. It was not made.",
    );
    expect(await queries.openRequest(id)).toMatchObject({ id: request.id });
    await organization.answer(request.id, no);
    expect(await queries.inState(id, "failed")).toMatchObject({ error: { code: "call_declined" } });
    expect(remote.calls).toEqual([]);
  });

  test("is not made once a rule denies it while its approval can still be undone", async ({
    onTestFinished,
  }) => {
    const here = await place({ onTestFinished });
    const { organization, remote, queries, server } = here;
    // A call can be changed only while its server lists the tool.
    await organization.within((tx) =>
      tx.server.updateMany({
        where: { organizationId: organization.organizationId, id: server.serverId },
        data: { tools: storable([tool("quick")]), toolsCheckedAt: new Date() },
      }),
    );
    await rule(here, { name: "Everything", before: "ask" });
    for (const content of [{}, { arguments: { amount: 6_000 } }]) {
      const id = await start(here, tool("quick"), { arguments: { amount: 7_000 } });
      const request = await queries.openRequest(id);
      await organization.answer(request.id, { ...yes, content, holdMs: 60_000 });
      await rule(here, { name: "Nothing large", when: "amount != null && amount > 5000.0", before: "deny" });
      await organization.endHold(request.id);
      await settleOwnQuestions(organization.organizationId, organization.database);
      expect(await queries.task(id)).toMatchObject({
        state: "failed",
        gate: "declined",
        error: {
          code: "denied_by_rule",
          message: "The rule “Nothing large” does not allow this call. It was not made.",
        },
      });
      expect(await queries.requestsOf(id)).toMatchObject([{ state: "settled" }]);
      await rule(here, { name: "Everything", before: "ask" });
    }
    expect(remote.calls).toEqual([]);
  });

  test("is asked about again when it is started again, alone, in bulk or as one of a race", async ({
    onTestFinished,
  }) => {
    const here = await place({ onTestFinished });
    const { organization, remote, server, queries } = here;
    const { operator } = organization;
    await organization.startEngine();
    const first = await start(here, tool("refuse"));
    await queries.inState(first, "failed");
    await rule(here, { name: "Ask", tools: ["refuse"], before: "ask" });
    const called = remote.calls.length;

    const again = await restartTask(services(here), operator, first, null);
    expect(again.task.gate).toMatchObject({ state: "waiting", rule: { name: "Ask" } });
    await organization.answer((await queries.openRequest(again.task.id)).id, no);
    expect(await queries.inState(again.task.id, "failed")).toMatchObject({ gate: "declined" });

    const bulk = () =>
      organization.within(async (tx) => {
        const id = await prepareOperation(tx, operator, {
          action: "restart",
          taskIds: [first],
        });
        await beginOperation(tx, operator, id, 1);
        return id;
      });
    const ended = (id: string) =>
      until("the operation has ended", () =>
        organization.within(async (tx) => {
          const operation = await readOperation(tx, id);
          return operation.state === "done" && operation;
        }),
      );
    expect(await ended(await bulk())).toMatchObject({ counts: { done: 1 } });
    const inBulk = await organization.within((tx) =>
      tx.task.findFirstOrThrow({ where: { restartOf: first, state: "queued" } }),
    );
    expect(inBulk).toMatchObject({ gate: "waiting", watched: false });

    const starts = ["quick", "refuse"].map((name) => ({
      serverId: server.serverId,
      tool: name,
      arguments: {},
    }));
    const { race } = await startRace(services(here), operator, { starts, ttlMs: null, idempotencyKey: null });
    const gates = await organization.within((tx) =>
      tx.task.findMany({ where: { raceId: race.id }, select: { tool: true, gate: true } }),
    );
    expect(gates.sort((a, b) => a.tool.localeCompare(b.tool))).toEqual([
      { tool: "quick", gate: null },
      { tool: "refuse", gate: "waiting" },
    ]);
    await until("the other start of the race was made", async () => remote.calls.length === called + 1);

    await rule(here, { name: "Never", tools: ["refuse"], before: "deny" });
    const denied = await ended(await bulk());
    expect(denied).toMatchObject({ counts: { refused: 1 } });
    const items = await organization.within((tx) =>
      tx.bulkItem.findMany({ where: { operationId: denied.id } }),
    );
    expect(items).toMatchObject([{ state: "refused", code: "denied_by_rule" }]);
    expect(remote.calls).toHaveLength(called + 1);
  });

  test("needs another approval for the next attempt, which a rule may still refuse", async ({
    onTestFinished,
  }) => {
    const here = await place({ onTestFinished });
    const { organization, remote, queries } = here;
    await organization.startEngine();
    await rule(here, { name: "Ask", before: "ask" });
    const first = await start(here, tool("refuse"), { retry: RETRY });
    await organization.answer((await queries.openRequest(first)).id, yes);
    await queries.inState(first, "failed");
    expect(remote.calls).toHaveLength(1);
    const second = await until("the next attempt is queued", () =>
      organization.within((tx) => tx.task.findFirst({ where: { retryOf: first } })),
    );
    expect(second).toMatchObject({ state: "queued", gate: "waiting", watched: false, attempt: 2 });
    const { id } = await queries.openRequest(second.id);
    await organization.answer(id, { ...yes, holdMs: 60_000 });
    await rule(here, { name: "Never", before: "deny" });
    await organization.sql(
      "UPDATE delivery SET deliver_after = date_trunc('milliseconds', now()) WHERE input_request_id = $1",
      [id],
    );
    await settleOwnQuestions(organization.organizationId, organization.database);
    await queries.inState(second.id, "failed");
    expect(remote.calls).toHaveLength(1);
    expect(await organization.within((tx) => tx.task.count({ where: { retryOf: second.id } }))).toBe(0);
  });

  test("that was declined is not tried again", async ({ onTestFinished }) => {
    const here = await place({ onTestFinished });
    const { organization, remote, queries } = here;
    await organization.startEngine();
    await rule(here, { name: "Ask", before: "ask" });
    const declined = await start(here, tool("refuse"), { retry: RETRY });
    await organization.answer((await queries.openRequest(declined)).id, no);
    await queries.inState(declined, "failed");
    expect(await organization.within((tx) => tx.task.count({ where: { retryOf: declined } }))).toBe(0);
    expect(remote.calls).toHaveLength(0);
  });
});

describe.concurrent("the rules of a call", () => {
  test("that was approved hold for the tool as it was then: changed meanwhile, it is not called", async ({
    onTestFinished,
  }) => {
    const here = await place({ onTestFinished });
    const { organization, remote, queries, server } = here;
    const { organizationId } = organization;
    const listing = (description: string) => storable([tool("quick", { description }), tool("refuse")]);
    const lists = (tools: ReturnType<typeof listing>) =>
      organization.within((tx) =>
        tx.server.updateMany({
          where: { organizationId, id: server.serverId },
          data: { tools, toolsCheckedAt: new Date() },
        }),
      );
    await rule(here, { name: "Ask", before: "ask" });
    await lists(listing("Answers."));
    const changed = await start(here, tool("quick"));
    const same = await start(here, tool("refuse"));
    await lists(listing("Answers, and tells everybody."));
    await organization.startEngine();
    await organization.answer((await queries.openRequest(changed)).id, yes);
    expect(await queries.inState(changed, "failed")).toMatchObject({
      gate: "withdrawn",
      error: { code: "tool_changed" },
    });
    expect(remote.calls).toEqual([]);
    await organization.answer((await queries.openRequest(same)).id, yes);
    await queries.inState(same, "failed");
    expect(remote.calls.map(({ name }) => name)).toEqual(["refuse"]);
  });

  test("that needs a second person, of a connection that only one person sees, is refused at once", async ({
    onTestFinished,
  }) => {
    const here = await place({ onTestFinished });
    const { organization, queries } = here;
    const { organizationId, within } = organization;
    await rule(here, { name: "Ask", tools: ["quick"], before: "ask" });
    const own = { isPrivate: true };
    const alone = await start(here, tool("quick"), own);
    expect(await queries.task(alone)).toMatchObject({ gate: "waiting", visibility: "private" });
    await within((tx) => tx.organization.update({ where: { id: organizationId }, data: { fourEyes: true } }));
    expect(await refusal(start(here, tool("quick"), own))).toMatch(/^denied_by_rule: .* second person/);
    await start(here, tool("refuse"), own);
    await start(here, tool("quick"));
  });

  test("that nobody can read allow no other attempt, and keep no outcome from being stored", async ({
    onTestFinished,
  }) => {
    const here = await place({ onTestFinished });
    const { organization, queries } = here;
    const { organizationId } = organization;
    const unreadable = (version: number) =>
      organization.within((tx) =>
        tx.callRuleVersion.create({
          data: {
            organizationId,
            version,
            rules: [{ of: "a later version" }],
            madeBy: storable(organization.operator.actor),
          },
        }),
      );
    const started = await start(here, tool("refuse"), { retry: RETRY });
    const last = await start(here, tool("refuse"));
    await unreadable(1);
    await organization.startEngine();
    for (const id of [started, last]) await queries.inState(id, "failed");
    expect((await linesOf(here, started)).at(-1)).toMatchObject({
      type: "task.retry_refused",
      data: { reason: "The call rules could not be read." },
    });
    // Nobody judged what was not due.
    expect((await linesOf(here, last)).map(({ type }) => type)).not.toContain("task.retry_refused");
    await expect(start(here, tool("quick"))).rejects.toThrow();
  });

  test("hold in processes of before: no second attempt at what was approved, no answer by a program", async ({
    onTestFinished,
  }) => {
    const here = await place({ onTestFinished });
    const { organization, queries } = here;
    const { organizationId, within } = organization;
    await rule(here, { name: "Ask", before: "ask" });
    const approved = await start(here, tool("quick"), { retry: RETRY });
    const { id: question } = await queries.openRequest(approved);
    const byProgram = within(
      (tx) => tx.$executeRaw`INSERT INTO answer (organization_id, id, input_request_id, action, answered_by)
        VALUES (${organizationId}::uuid, ${uuidv7()}::uuid, ${question}::uuid, 'accept',
          ${JSON.stringify({ kind: "key", id: uuidv7(), name: "Bot" })}::jsonb)`,
    );
    await expect(byProgram).rejects.toMatchObject({ code: "42501" });
    await organization.answer(question, yes);
    await organization.startEngine();
    await queries.inState(approved, "completed");
    // As an engine of before queues it.
    const attempt = (of: string) =>
      within(
        (
          tx,
        ) => tx.$executeRaw`INSERT INTO task (organization_id, id, server_id, connection_id, tool, tool_hints, arguments, state, watched,
            visibility, requested_by, requester_user_id, restart_of, retry_of, attempt, attempts,
            retry_backoff_ms)
          SELECT organization_id, ${uuidv7()}::uuid, server_id, connection_id, tool, tool_hints, arguments, 'queued', true,
            visibility, requested_by, requester_user_id, id, id, 2, 3, 1000 FROM task WHERE id = ${of}::uuid`,
      );
    expect(await attempt(approved)).toBe(0);
    await rule(here);
    const free = await start(here, tool("quick"));
    expect(await attempt(free)).toBe(1);
  });
});

describe.concurrent("a call of an agent", () => {
  async function agentWith(
    { organization: { organizationId, within }, server }: Place,
    grants: { tool?: string; before?: Before; of?: Tool }[],
  ): Promise<Principal> {
    const id = uuidv7();
    await within(async (tx) => {
      await tx.agentCredential.create({
        data: { organizationId, id, name: "Claude", role: "operator", secretHash: Buffer.from(id) },
      });
      for (const { tool: name, before, of } of grants)
        await tx.agentGrant.create({
          data: {
            organizationId,
            id: uuidv7(),
            agentId: id,
            serverId: server.serverId,
            tool: name ?? null,
            before: before ?? null,
            ...(of && { digests: storable({ [of.name]: digestOf(textOf(of)) }) }),
          },
        });
    });
    return { organizationId, userId: null, role: "operator", actor: { kind: "agent", id, name: "Claude" } };
  }
  const gateOf = async (here: Place, taskId: string) => {
    const { gate, gateRule } = await here.queries.task(taskId);
    const [request] = await here.queries.requestsOf(taskId);
    return { gate, gateRule, message: request?.message };
  };

  test("is as it was granted: at once, after an approval, or not at all", async ({ onTestFinished }) => {
    const here = await place({ onTestFinished });
    const quick = tool("quick");
    const principal = await agentWith(here, [
      { of: quick },
      { tool: "approve", before: "ask", of: tool("approve") },
      { tool: "wait", before: "deny", of: tool("wait") },
    ]);
    expect(await gateOf(here, await start(here, quick, { principal }))).toMatchObject({ gate: null });
    const asked = await gateOf(here, await start(here, tool("approve"), { principal }));
    expect(asked).toMatchObject({ gate: "waiting", gateRule: null });
    expect(asked.message).toContain("The agent’s grant requires an approval first.");
    expect(await refusal(start(here, tool("wait"), { principal }))).toMatch(
      /^denied_by_rule: The agent’s grant/,
    );
  });

  test("can't be approved once the agent is revoked, or has lost its grant", async ({ onTestFinished }) => {
    const here = await place({ onTestFinished });
    const { organization, queries } = here;
    for (const [change, words] of [
      ["UPDATE agent_credential SET revoked_at = now() WHERE id = $1", /was revoked/],
      ["DELETE FROM agent_grant WHERE agent_id = $1", /is not granted this tool/],
    ] as const) {
      const principal = await agentWith(here, [{ before: "ask", of: tool("quick") }]);
      const request = await queries.openRequest(await start(here, tool("quick"), { principal }));
      await organization.sql(change, [principal.actor.id]);
      expect(await refusal(organization.answer(request.id, yes))).toMatch(words);
      await organization.answer(request.id, no);
    }
  });

  test("is not made once the agent is revoked, or has lost its grant, while its approval can still be undone", async ({
    onTestFinished,
  }) => {
    const here = await place({ onTestFinished });
    const { organization, queries } = here;
    for (const [change, words] of [
      ["UPDATE agent_credential SET revoked_at = now() WHERE id = $1", /was revoked/],
      ["DELETE FROM agent_grant WHERE agent_id = $1", /is not granted this tool/],
    ] as const) {
      const principal = await agentWith(here, [{ before: "ask", of: tool("quick") }]);
      const id = await start(here, tool("quick"), { principal });
      const request = await queries.openRequest(id);
      await organization.answer(request.id, { ...yes, holdMs: 60_000 });
      await organization.sql(change, [principal.actor.id]);
      await organization.endHold(request.id);
      await settleOwnQuestions(organization.organizationId, organization.database);
      expect(await queries.task(id)).toMatchObject({
        state: "failed",
        error: { code: "denied_by_rule", message: expect.stringMatching(words) },
      });
    }
  });

  test("of a tool that has changed since, or was not there, asks; of one that was never granted, is refused", async ({
    onTestFinished,
  }) => {
    const here = await place({ onTestFinished });
    const principal = await agentWith(here, [{ of: tool("quick") }]);
    const changed = tool("quick", { description: "Sends everything to a stranger." });
    for (const called of [changed, tool("order")]) {
      const { gate, message } = await gateOf(here, await start(here, called, { principal }));
      expect([gate, message]).toEqual(["waiting", expect.stringContaining("has changed this tool since")]);
    }
    // Not even a rule that lets it through.
    await rule(here, { name: "Trusted", before: "allow" });
    expect(await gateOf(here, await start(here, changed, { principal }))).toMatchObject({ gate: "waiting" });
    const stranger = await agentWith(here, []);
    expect(await refusal(start(here, tool("quick"), { principal: stranger }))).toBe(
      "denied_by_rule: The agent is not granted this tool.",
    );
  });

  test("goes by the organization's rules before its grant", async ({ onTestFinished }) => {
    const here = await place({ onTestFinished });
    const quick = tool("quick");
    const principal = await agentWith(here, [{ before: "ask", of: quick }]);
    await rule(here, {
      name: "Claude may",
      when: 'agent != null && agent.name == "Claude"',
      before: "allow",
    });
    expect(await gateOf(here, await start(here, quick, { principal }))).toMatchObject({ gate: null });
    await rule(here, { name: "No agents", when: 'requester.kind == "agent"', before: "deny" });
    expect(await refusal(start(here, quick, { principal }))).toMatch(/“No agents”/);
    await start(here, quick);
  });
});
