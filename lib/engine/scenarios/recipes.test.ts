/** Servers that tunnel a process through tools that answer at once: one durable task with questions, by a recipe. */
import { describe, type TestContext, test } from "vitest";
import { until } from "../../../test/fixtures/organization-fixture.ts";
import { createQueries } from "../../../test/fixtures/queries.ts";
import {
  calls,
  createTunnelFixture,
  INVOICE,
  TUNNEL_RECIPE,
  type TunnelFixture,
} from "../../../test/fixtures/recipes/tunnel-fixture.ts";
import { requestCancel } from "../../lifecycle/task-writes.ts";
import { ERAS, type Era } from "../../mcp/peer.ts";
import { callRulesInputSchema } from "../../policy/call-rules/call-rule-schema.ts";
import { saveCallRules } from "../../policy/call-rules/call-rule-writes.ts";
import { recordDecision } from "../../requests/answers/answer-writes.ts";
import { readInputRequest } from "../../requests/request-reads.ts";
import { readTask } from "../../tasks/task-reads.ts";

/** Longer than the engine's own waits, since other processes may use up the CPU. */
const PATIENCE_MS = 180_000;
const approve = { action: "accept" as const, content: { choice: "Approve" } };
const reject = { action: "accept" as const, content: { choice: "Reject", reason: "Not ours" } };

async function fixtureFor({ onTestFinished }: TestContext, era: Era = "2026-07-28") {
  const fixture = await createTunnelFixture(era);
  onTestFinished(() => fixture.close());
  return { ...fixture, ...createQueries(() => fixture.organization, PATIENCE_MS) };
}

/** The calls that wanted to change something, in order of arrival. */
const told = async (fixture: TunnelFixture) => (await fixture.ledger()).map(({ call }) => call);

/** Makes the attempt at an answer seem minutes ago, once it is under way. */
function ageAttempt({ organization: { organizationId, within } }: TunnelFixture) {
  return until(
    "the answer is under way",
    () =>
      within(
        (tx) => tx.$executeRaw`UPDATE delivery SET sent_at = sent_at - interval '5 minutes'
          WHERE organization_id = ${organizationId}::uuid AND state = 'sending'`,
      ),
    PATIENCE_MS,
  );
}

describe.concurrent("a server of four tools that answer at once", () => {
  test.for(ERAS)(
    "of %s is one task: submitted, asked about with its facts, approved, paid",
    async (era, context) => {
      const { expect } = context;
      const fixture = await fixtureFor(context, era);
      await fixture.organization.startEngine();
      const id = await fixture.start();
      const request = await fixture.openRequest(id);
      expect(request.message).toBe("Approve invoice INV-7 of ACME Corp?");
      expect(request.form).toMatchObject({
        kind: "supported",
        fields: [{ name: "choice", kind: "one_of", required: true }, { name: "reason" }],
      });
      expect(request.requestedSchema).toMatchObject({ "x-intray-details": { ...INVOICE, reference: "T-1" } });
      const opened = await fixture.organization.within((tx) =>
        tx.event.findFirst({ where: { inputRequestId: request.id, type: "request.opened" } }),
      );
      expect(opened?.data).toMatchObject({ via: "recipe" });
      expect(await fixture.task(id)).toMatchObject({ tool: "process_invoice", recipeVersion: 1, era });

      await fixture.organization.answer(request.id, approve);
      const ended = await fixture.inState(id, "completed");
      expect(ended.statusMessage).toBe("Invoice INV-7: PAID");
      expect(ended.result).toMatchObject({ structuredContent: { ...INVOICE, status: "PAID" } });
      expect(await fixture.deliveryOfTask(id)).toMatchObject({
        state: "confirmed",
        attempts: 1,
        inDoubt: false,
      });
      expect(await told(fixture)).toEqual(["submit", "approved"]);
    },
  );

  test("gets what was filled in for the choice, and a rejected invoice is a failed task", async (context) => {
    const fixture = await fixtureFor(context);
    await fixture.organization.startEngine();
    const id = await fixture.start();
    const { id: requestId } = await fixture.openRequest(id);
    await fixture.organization.answer(requestId, reject);
    // With a reason or without one, the choice is what was decided.
    const { approver, within } = fixture.organization;
    const request = await within((tx) => readInputRequest(tx, approver, requestId));
    context.expect(request.answer?.words).toBe("Rejected");
    const ended = await fixture.inState(id, "failed");
    context
      .expect(ended.result)
      .toMatchObject({ structuredContent: { status: "REJECTED", reason: "Not ours" } });
    context.expect(await told(fixture)).toEqual(["submit", "rejected"]);
  });

  test("asks what is not declined, and says so, a second person or not", async (context) => {
    const { expect } = context;
    const fixture = await fixtureFor(context);
    const { organizationId, operator, approver, within } = fixture.organization;
    await fixture.organization.startEngine();
    const id = await fixture.start();
    const { id: requestId } = await fixture.openRequest(id);
    const request = await within((tx) => readInputRequest(tx, approver, requestId));
    expect(request.actions).toEqual(["accept"]);
    for (const action of ["decline", "cancel"] as const)
      await expect(fixture.organization.answer(requestId, { action })).rejects.toMatchObject({
        code: "invalid_content",
      });
    await within((tx) =>
      tx.organization.updateMany({ where: { id: organizationId }, data: { fourEyes: true } }),
    );
    const own = within((tx) =>
      recordDecision(tx, operator, requestId, {
        ...approve,
        questionHash: request.questionHash,
      }),
    );
    await expect(own).rejects.toMatchObject({
      code: "four_eyes",
      message: expect.not.stringContaining("decline"),
    });
    await fixture.organization.answer(requestId, approve);
    await fixture.inState(id, "completed");
  });

  test("keeps the version that its task was started with", { tags: ["full"] }, async (context) => {
    const { expect } = context;
    const fixture = await fixtureFor(context);
    await fixture.organization.startEngine();
    const id = await fixture.start();
    const request = await fixture.openRequest(id);
    const [question] = TUNNEL_RECIPE.questions;
    const choices = question!.choices.map((choice) => ({ ...choice, tool: "reject_invoice" }));
    await fixture.save({ ...TUNNEL_RECIPE, questions: [{ ...question!, choices }] });
    expect((await fixture.tool()).recipe).toMatchObject({ version: 2 });
    await fixture.organization.answer(request.id, approve);
    await fixture.inState(id, "completed");
    expect(await told(fixture)).toEqual(["submit", "approved"]);
  });

  test("whose reply to the approval is cut off is asked for the status, and not told again", async (context) => {
    const { expect } = context;
    const fixture = await fixtureFor(context);
    fixture.proxy.behave.after = async (seen) => (calls(seen, "approve_invoice") ? "drop" : undefined);
    await fixture.organization.startEngine();
    const id = await fixture.start();
    await fixture.organization.answer((await fixture.openRequest(id)).id, approve);
    await fixture.inState(id, "completed");
    expect(await fixture.deliveryOfTask(id)).toMatchObject({
      state: "confirmed",
      attempts: 1,
      inDoubt: true,
    });
    expect(await told(fixture)).toEqual(["submit", "approved"]);
    expect(fixture.proxy.seen.filter((seen) => calls(seen, "approve_invoice"))).toHaveLength(1);
  });

  test("that never got an approval is not told again by itself: a person is asked anew", async (context) => {
    const { expect } = context;
    const fixture = await fixtureFor(context);
    fixture.proxy.behave.before = async (seen) => (calls(seen, "approve_invoice") ? "drop" : undefined);
    await fixture.organization.startEngine();
    const id = await fixture.start();
    const request = await fixture.openRequest(id);
    await fixture.organization.answer(request.id, approve);
    await ageAttempt(fixture);
    // Reopened, since the server still asks.
    expect((await fixture.openRequest(id)).id).toBe(request.id);
    expect(await told(fixture)).toEqual(["submit"]);
    expect(fixture.proxy.seen.filter((seen) => calls(seen, "approve_invoice"))).toHaveLength(1);

    fixture.proxy.behave.before = undefined;
    await fixture.organization.answer(request.id, approve);
    await fixture.inState(id, "completed");
    expect(await told(fixture)).toEqual(["submit", "approved"]);
  });

  test("that calls its approval idempotent is told again by itself", { tags: ["full"] }, async (context) => {
    const { expect } = context;
    const fixture = await fixtureFor(context);
    let drops = 1;
    fixture.proxy.behave.before = async (seen) =>
      calls(seen, "approve_invoice") && drops-- > 0 ? "drop" : undefined;
    await fixture.organization.startEngine();
    const tool = await fixture.tool((listed) => ({
      ...listed,
      annotations: { ...listed.annotations, idempotentHint: listed.name === "approve_invoice" },
    }));
    const id = await fixture.organization.startTask(fixture.server, INVOICE, tool);
    await fixture.organization.answer((await fixture.openRequest(id)).id, approve);
    await ageAttempt(fixture);
    await fixture.inState(id, "completed");
    expect(await fixture.deliveryOfTask(id)).toMatchObject({ state: "confirmed", attempts: 2 });
    expect(await told(fixture)).toEqual(["submit", "approved"]);
  });

  test("is not called where the approval in front of its start is declined", async (context) => {
    const { expect } = context;
    const fixture = await fixtureFor(context);
    const { operator, within } = fixture.organization;
    const input = callRulesInputSchema.parse({ rules: [{ name: "Look first", before: "ask" }] });
    await within((tx) => saveCallRules(tx, operator, 0, input));
    await fixture.organization.startEngine();
    const id = await fixture.start();
    const request = await fixture.openRequest(id);
    const shown = await within((tx) => readInputRequest(tx, operator, request.id));
    expect(shown.actions).toEqual(["accept", "decline", "cancel"]);
    await fixture.organization.answer(request.id, { action: "decline" });
    const ended = await until(
      "the task has ended",
      async () => {
        const task = await fixture.task(id);
        return task.finishedAt !== null && task;
      },
      PATIENCE_MS,
    );
    expect(ended).toMatchObject({ gate: "declined", recipeVersion: 1 });
    expect(await told(fixture)).toEqual([]);
  });

  test("whose reply to the submission is cut off is not told again: a person settles the start", async (context) => {
    const { expect } = context;
    const fixture = await fixtureFor(context);
    fixture.proxy.behave.after = async (seen) => (calls(seen, "submit_invoice") ? "drop" : undefined);
    await fixture.organization.startEngine();
    const id = await fixture.start();
    await fixture.inState(id, "start_unknown");
    expect(await told(fixture)).toEqual(["submit"]);
    expect(fixture.proxy.seen.filter((seen) => calls(seen, "submit_invoice"))).toHaveLength(1);
  });

  test("that refuses an answer, as another has decided meanwhile, is asked for the status", async (context) => {
    const { expect } = context;
    const fixture = await fixtureFor(context);
    fixture.proxy.behave.before = async (seen) => {
      if (calls(seen, "approve_invoice")) await rejectDirectly(fixture);
      return undefined;
    };
    await fixture.organization.startEngine();
    const id = await fixture.start();
    const request = await fixture.openRequest(id);
    await fixture.organization.answer(request.id, approve);
    await fixture.inState(id, "failed");
    expect(await fixture.request(request.id)).toMatchObject({
      state: "undeliverable",
      endedReason: "approve_invoice failed: The invoice T-1 is not pending approval.",
    });
    expect((await fixture.ledger()).filter(({ done }) => done).map(({ call }) => call)).toEqual([
      "submit",
      "rejected",
    ]);
  });

  test("that a recipe does not fit is polled on: nothing is concluded, people read why, and a cancel ends it", {
    tags: ["full"],
  }, async (context) => {
    const { expect } = context;
    const fixture = await fixtureFor(context);
    const { operator, within } = fixture.organization;
    const { status } = TUNNEL_RECIPE;
    await fixture.save({ ...TUNNEL_RECIPE, status: { ...status, state: "result.structuredContent.stage" } });
    await fixture.organization.startEngine();
    const id = await fixture.start();
    const row = await until(
      "the task says why",
      async () => {
        const task = await fixture.task(id);
        return task.statusMessage !== null && task;
      },
      PATIENCE_MS,
    );
    expect(row).toMatchObject({
      state: "working",
      statusMessage: "The recipe can’t be applied to the reply of get_invoice_status: No such key: stage",
      unknownSince: expect.any(Date),
    });
    expect(await fixture.health(fixture.server.serverId)).toBe("ok");
    await within((tx) => requestCancel(tx, operator, id));
    await fixture.inState(id, "cancelled");
    expect(await told(fixture)).toEqual(["submit"]);
  });

  test("that is in a state which its recipe does not know is polled on, and stuck after an hour, until it moves", {
    tags: ["full"],
  }, async (context) => {
    const { expect } = context;
    const fixture = await fixtureFor(context);
    const { organizationId, operator, within } = fixture.organization;
    const { status } = TUNNEL_RECIPE;
    await fixture.save({ ...TUNNEL_RECIPE, status: { ...status, working: ["PAYING"] }, questions: [] });
    await fixture.organization.startEngine();
    const id = await fixture.start();
    const words = "The recipe does not know the state “PENDING-APPROVAL”.";
    const row = await until(
      "the task says that its state is unknown",
      async () => {
        const task = await fixture.task(id);
        return task.statusMessage === words && task;
      },
      PATIENCE_MS,
    );
    expect(row).toMatchObject({ state: "working", unknownSince: expect.any(Date) });
    const attention = () => within(async (tx) => (await readTask(tx, operator, id)).attention);
    expect(await attention()).toBeNull();
    await within((tx) =>
      tx.task.updateMany({
        where: { organizationId, id },
        data: { unknownSince: new Date(Date.now() - 3601_000) },
      }),
    );
    expect(await attention()).toMatchObject({ code: "state_unknown" });
    await rejectDirectly(fixture);
    await fixture.inState(id, "failed");
    expect(await attention()).toBeNull();
  });

  test("whose submission names no handle is a failed task, and was called once", async (context) => {
    const { expect } = context;
    const fixture = await fixtureFor(context);
    await fixture.save({
      ...TUNNEL_RECIPE,
      start: { tool: "submit_invoice", handle: "result.structuredContent.id" },
    });
    await fixture.organization.startEngine();
    const id = await fixture.start();
    expect((await fixture.inState(id, "failed")).error).toMatchObject({
      code: "recipe_failed",
      message: "submit_invoice was called, but the recipe finds no handle in its reply: No such key: id",
    });
    expect(await told(fixture)).toEqual(["submit"]);
  });
});

/** Rejects the invoice past Intray. */
async function rejectDirectly({ tunnel }: TunnelFixture): Promise<void> {
  const call = { name: "reject_invoice", arguments: { reference: "T-1" } };
  const reply = await fetch(tunnel.url, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: call }),
  });
  if (!reply.ok) throw new Error(`the invoice was not rejected: HTTP ${reply.status}`);
}
