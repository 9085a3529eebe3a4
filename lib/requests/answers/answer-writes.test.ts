import { randomUUID } from "node:crypto";
import { beforeAll, expect, test, vi } from "vitest";
import { withClient } from "../../../scripts/database/roles.ts";
import { until } from "../../../test/fixtures/organization-fixture.ts";
import { organizationForFile } from "../../../test/fixtures/organization-for-file.ts";
import type { Tx } from "../../base/db/db.ts";
import { AppError } from "../../base/errors.ts";
import { uuidv7 } from "../../base/ids.ts";
import { type StateMachine, stateMachine } from "../../base/state-machine.ts";
import { appendEvents } from "../../history/events/event-writes.ts";
import { verifyEvents } from "../../history/events/verify.ts";
import { markStarted, markStarting } from "../../lifecycle/call-attempt-writes.ts";
import { requestCancel } from "../../lifecycle/task-writes.ts";
import type { Question, RemoteTask } from "../../mcp/peer.ts";
import { TASK_MOVES, TASK_STATES } from "../../tasks/task-status.ts";
import { captureQuestion } from "../capture/capture-question.ts";
import { closeRequest } from "../capture/close-request.ts";
import { claimRequest, releaseRequest } from "../claims/claim-writes.ts";
import { deliveries } from "../deliveries/delivery-facts.ts";
import { releaseHeld } from "../deliveries/delivery-writes.ts";
import { saveDraft } from "../draft-writes.ts";
import { DELIVERY_STATES, REQUEST_STATES } from "../request-schema.ts";
import { requests } from "../request-status.ts";
import { recordDecision, undoAnswer } from "./answer-writes.ts";

const fixture = organizationForFile([]);
let server: { serverId: string; connectionId: string };

beforeAll(async () => {
  server = await fixture.addServer("http://127.0.0.1:9/mcp", "2026-07-28");
});

const APPROVE: Question = {
  address: { kind: "key", key: "approval" },
  mode: "form",
  message: "Approve?",
  requestedSchema: {
    type: "object",
    properties: { value: { type: "string", enum: ["yes", "no"] } },
    required: ["value"],
  },
  url: null,
};

const REMOTE: RemoteTask = {
  taskId: "x",
  status: "working",
  statusMessage: null,
  createdAt: null,
  lastUpdatedAt: null,
  ttlMs: null,
  pollIntervalMs: null,
  questions: [],
};

/** A running task that asks, without an engine: the rows as the engine leaves them. */
async function asking(question: Question = APPROVE, args: object = {}) {
  const taskId = await fixture.startTask(server, { invoice_id: "INV-1", ...args });
  await fixture.within(async (tx) => {
    const attempt = { id: randomUUID(), deadlineMs: 1_000, era: "2026-07-28" as const, sealedSession: null };
    await markStarting(tx, taskId, attempt);
    await markStarted(tx, taskId, attempt.id, REMOTE, {
      handle: "x",
      digest: Buffer.from("x"),
      session: null,
    });
  });
  return capture(taskId, question);
}

async function capture(taskId: string, question: Question) {
  return fixture.within(async (tx) => {
    const captured = { question, key: "approval", rpc: null, lifetimeMs: null };
    await appendEvents(tx, await captureQuestion(tx, taskId, captured));
    return tx.inputRequest.findFirstOrThrow({
      where: { organizationId: fixture.organizationId, taskId, state: { in: ["open", "answered"] } },
    });
  });
}

const accept = (questionHash: string, value = "yes") => ({
  action: "accept" as const,
  content: { value },
  questionHash,
});

function answerAs(
  inputRequestId: string,
  input: Parameters<typeof recordDecision>[3],
  who = fixture.approver,
) {
  return fixture.within((tx) => recordDecision(tx, who, inputRequestId, input));
}

const codeOf = (result: PromiseSettledResult<unknown>) =>
  result.status === "fulfilled"
    ? "ok"
    : result.reason instanceof AppError
      ? result.reason.code
      : String(result.reason);

test("a question is stored with what its figures contradict, and its successor with what that does", async () => {
  const message = "Pay $9,500.00?";
  const args = { total: 1000, currency: "USD", due_date: "2024-06-30" };
  const asked = await asking({ ...APPROVE, message }, args);
  expect(asked).toMatchObject({ warnings: ["sum_differs"], dueAt: new Date("2024-06-30") });
  expect(await capture(asked.taskId, { ...APPROVE, message: "Pay €1,000.00?" })).toMatchObject({
    warnings: ["currency_differs"],
  });
});

test("two people answer at once: one wins, the other learns who did", async () => {
  const request = await asking();
  const results = await Promise.allSettled([
    answerAs(request.id, accept(request.questionHash, "yes"), fixture.approver),
    answerAs(request.id, accept(request.questionHash, "no"), fixture.operator),
  ]);
  expect(results.map(codeOf).sort()).toEqual(["already_answered", "ok"]);
  const lost = results.find((result) => result.status === "rejected") as PromiseRejectedResult;
  expect((lost.reason as AppError).extra).toMatchObject({ by: { kind: "member" }, at: expect.any(String) });
  const rows = await fixture.within((tx) =>
    tx.answer.count({ where: { organizationId: fixture.organizationId, inputRequestId: request.id } }),
  );
  expect(rows).toBe(1);
});

test("undo and the end of the hold race: one wins, and the rows agree with it", async () => {
  const request = await asking();
  await answerAs(request.id, { ...accept(request.questionHash), holdMs: 30 });
  await until("the hold is over", async () => {
    const [row] = await fixture.within(
      (tx) =>
        tx.$queryRaw<
          { due: boolean }[]
        >`SELECT deliver_after <= now() AS due FROM delivery WHERE input_request_id = ${request.id}::uuid`,
    );
    return row?.due;
  });
  const [undone, released] = await Promise.allSettled([
    fixture.within((tx) => undoAnswer(tx, fixture.approver, request.id)),
    fixture.within((tx) => releaseHeld(tx, request.taskId)),
  ]);
  const row = await fixture.within((tx) =>
    tx.delivery.findFirstOrThrow({
      where: { organizationId: fixture.organizationId, inputRequestId: request.id },
    }),
  );
  expect(released.status).toBe("fulfilled");
  expect(row.state).toBe(undone.status === "fulfilled" ? "undone" : "pending");
});

test("an undone answer leaves the question open for another", async () => {
  const request = await asking();
  await answerAs(request.id, { ...accept(request.questionHash), holdMs: 60_000 });
  await fixture.within((tx) => undoAnswer(tx, fixture.approver, request.id));
  await answerAs(request.id, accept(request.questionHash, "no"));
  const answers = await fixture.within((tx) =>
    tx.answer.findMany({ where: { organizationId: fixture.organizationId, inputRequestId: request.id } }),
  );
  expect(answers.map((answer) => answer.withdrawnAt === null).sort()).toEqual([false, true]);
});

test("cancel and answer race: nothing is both withdrawn and on its way", async () => {
  const request = await asking();
  const results = await Promise.allSettled([
    fixture.within((tx) => requestCancel(tx, fixture.operator, request.taskId)),
    answerAs(request.id, accept(request.questionHash)),
  ]);
  expect(results[0]?.status).toBe("fulfilled");
  expect(["ok", "no_longer_open"]).toContain(codeOf(results[1]!));
  const after = await fixture.within(async (tx) => ({
    request: await tx.inputRequest.findFirstOrThrow({
      where: { organizationId: fixture.organizationId, id: request.id },
    }),
    live: await tx.delivery.count({
      where: { organizationId: fixture.organizationId, inputRequestId: request.id, state: { not: "failed" } },
    }),
  }));
  expect(after.request.state).toBe("withdrawn");
  expect(after.live).toBe(0);
});

test("an answer to a question that changed meanwhile is refused, and the new one shows what it replaced", async () => {
  const request = await asking();
  const next = await capture(request.taskId, { ...APPROVE, message: "Approve $2,000?" });
  expect(next.replaces).toBe(request.id);
  await expect(answerAs(request.id, accept(request.questionHash))).rejects.toMatchObject({
    code: "question_changed",
  });
  await expect(answerAs(next.id, accept(request.questionHash))).rejects.toMatchObject({
    code: "question_changed",
  });
  await answerAs(next.id, accept(next.questionHash));
});

test("the same question twice is one request", async () => {
  const request = await asking();
  expect((await capture(request.taskId, APPROVE)).id).toBe(request.id);
});

test.each([
  { name: "a value outside the list", content: { value: "maybe" } },
  { name: "nothing", content: {} },
  { name: "a field nobody asked for", content: { value: "yes", extra: 1 } },
])("refuses $name and records nothing", async ({ content }) => {
  const request = await asking();
  await expect(
    answerAs(request.id, { action: "accept", content, questionHash: request.questionHash }),
  ).rejects.toMatchObject({ code: "invalid_content" });
  const row = await fixture.within((tx) =>
    tx.inputRequest.findFirstOrThrow({ where: { organizationId: fixture.organizationId, id: request.id } }),
  );
  expect(row.state).toBe("open");
});

test("a claim is a line of the history, and keeping it alive is not; so is giving it up", async () => {
  const request = await asking();
  const { organizationId, approver, operator } = fixture;
  const claim = (who: typeof approver) => fixture.within((tx) => claimRequest(tx, who, request.id));
  const release = (who: typeof approver) => fixture.within((tx) => releaseRequest(tx, who, request.id));
  await claim(approver);
  await claim(approver);
  await release(operator);
  await claim(operator);
  const lines = await fixture.within((tx) =>
    tx.event.findMany({
      where: { organizationId, inputRequestId: request.id, NOT: { type: "request.opened" } },
      orderBy: { seq: "asc" },
    }),
  );
  expect(lines.map(({ type, actorId }) => [type, actorId])).toEqual([
    ["request.claimed", approver.userId],
    ["request.released", operator.userId],
    ["request.claimed", operator.userId],
  ]);
});

test("what another has claimed can't be answered by me", async () => {
  const request = await asking();
  await fixture.within((tx) => claimRequest(tx, fixture.operator, request.id));
  await expect(answerAs(request.id, accept(request.questionHash))).rejects.toMatchObject({
    code: "claimed_by_other",
  });
  await answerAs(request.id, accept(request.questionHash), fixture.operator);
});

test("a site may be accepted only by the person in whose name the server asked", async () => {
  const request = await asking({
    ...APPROVE,
    mode: "url",
    url: "https://bank.example/x",
    requestedSchema: undefined,
  });
  const visited = { action: "accept" as const, questionHash: request.questionHash };
  await expect(answerAs(request.id, visited, fixture.approver)).rejects.toMatchObject({ code: "forbidden" });
  await answerAs(request.id, visited, fixture.operator);
});

test("a draft keeps known fields and sends nothing", async () => {
  const request = await asking();
  await fixture.within((tx) =>
    saveDraft(tx, fixture.approver, request.id, {
      content: { value: "y", other: 1 },
    }),
  );
  const draft = await fixture.within((tx) =>
    tx.draft.findFirstOrThrow({
      where: { organizationId: fixture.organizationId, inputRequestId: request.id },
    }),
  );
  expect(draft.content).toEqual({ value: "y" });
});

/** As a server of 2025-11-25 puts it, which waits a minute for an answer. */
async function askedBySession(taskId: string, rpcId: number, session = "session") {
  await fixture.within(async (tx) => {
    const rpc = { sessionDigest: Buffer.from(session), rpcId, messageId: uuidv7(), replayed: false };
    const captured = { question: APPROVE, key: null, rpc, lifetimeMs: 60_000 };
    const events = await captureQuestion(tx, taskId, captured);
    await appendEvents(tx, events);
  });
  return fixture.within((tx) =>
    tx.inputRequest.findFirstOrThrow({
      where: { organizationId: fixture.organizationId, taskId, state: "open" },
      orderBy: { createdAt: "desc" },
    }),
  );
}

test("a question expires by the database's clock, whatever the engine's clock says", async () => {
  const { taskId, id } = await asking();
  await fixture.within((tx) => closeRequest(tx, taskId, id, "withdrawn", "retracted"));
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 3600_000 });
  const asked = await askedBySession(taskId, 1).finally(() => vi.useRealTimers());
  expect(Math.abs(asked.expiresAt!.getTime() - asked.createdAt.getTime() - 60_000)).toBeLessThan(100);
});

test("a question that is asked again after its end has its time anew, so that an answer can be taken back", async () => {
  const { taskId, id: first } = await asking();
  await fixture.within((tx) => closeRequest(tx, taskId, first, "withdrawn", "retracted"));
  const asked = await askedBySession(taskId, 11);
  await answerAs(asked.id, accept(asked.questionHash));
  await fixture.within(async (tx) => {
    await closeRequest(tx, taskId, asked.id, "undeliverable", "not_asked_again");
    await tx.$executeRaw`UPDATE input_request SET expires_at = now() - interval '1 hour'
      WHERE organization_id = ${fixture.organizationId}::uuid AND id = ${asked.id}::uuid`;
  });
  const again = await askedBySession(taskId, 12);
  expect(again).toMatchObject({ id: asked.id, endedReason: null });
  await answerAs(again.id, { ...accept(again.questionHash), holdMs: 10_000 });
  await fixture.within((tx) => undoAnswer(tx, fixture.approver, again.id));
});

test("a question that is put again in the session that put it again first still comes by a new session", async () => {
  const came = async (...asks: [rpcId: number, session: string][]) => {
    const { taskId, id: first } = await asking();
    await fixture.within((tx) => closeRequest(tx, taskId, first, "withdrawn", "retracted"));
    let id = "";
    for (const [rpcId, session] of asks) id = (await askedBySession(taskId, rpcId, session)).id;
    const rows = await fixture.within((tx) =>
      tx.ask.findMany({
        where: { organizationId: fixture.organizationId, inputRequestId: id },
        orderBy: [{ createdAt: "asc" }, { id: "asc" }],
      }),
    );
    return rows.map((row) => row.came);
  };
  expect(await came([21, "one"], [22, "one"])).toEqual(["first", "asked_again"]);
  expect(await came([31, "one"], [31, "two"], [32, "two"])).toEqual(["first", "new_session", "new_session"]);
});

test("an answer to a question that keeps changing names an earlier text, and accepts any later wording", async () => {
  const at = (left: number) => ({ ...APPROVE, message: `Approve? ${left} s left` });
  const first = await asking(at(60));
  await capture(first.taskId, at(59));
  const restless = await capture(first.taskId, at(58));
  expect(restless).toMatchObject({ replaces: first.id, message: "Approve? 58 s left" });
  expect(restless.rewordedAt).not.toBeNull();
  expect(restless.search).toContain("58 s left");
  // The last rewording is too recent for another one.
  expect((await capture(first.taskId, at(57))).questionHash).toBe(restless.questionHash);
  const [earlier] = restless.earlierHashes;
  await expect(answerAs(restless.id, accept(earlier!))).rejects.toMatchObject({ code: "question_changed" });
  await expect(answerAs(restless.id, { ...accept("0".repeat(64)), anyWording: true })).rejects.toMatchObject({
    code: "question_changed",
  });
  await answerAs(restless.id, { ...accept(earlier!), anyWording: true });
  const answer = await fixture.within((tx) =>
    tx.answer.findFirstOrThrow({
      where: { organizationId: fixture.organizationId, inputRequestId: restless.id },
    }),
  );
  expect(answer).toMatchObject({ questionHash: earlier, anyWording: true });
  expect((await capture(first.taskId, at(56))).state).toBe("answered");
});

test("an answer to a question that keeps changing goes to no choices that are called otherwise", async () => {
  const at = (left: number, ...titles: string[]) => ({
    ...APPROVE,
    message: `Approve? ${left} s left`,
    requestedSchema: {
      type: "object" as const,
      properties: { d: { type: "string", oneOf: titles.map((title, at) => ({ const: `${at}`, title })) } },
      required: ["d"],
    },
  });
  const content = { action: "accept" as const, content: { d: "0" }, anyWording: true };
  const first = await asking(at(60, "Reject it", "Pay it"));
  await capture(first.taskId, at(59, "Reject it", "Pay it"));
  const restless = await capture(first.taskId, at(58, "Reject it", "Pay it"));
  await fixture.sql("UPDATE input_request SET reworded_at = now() - interval '1 hour' WHERE id = $1", [
    restless.id,
  ]);
  // Read before the titles were swapped, sent after.
  const swapped = await capture(first.taskId, at(57, "Pay it", "Reject it"));
  expect(swapped).toMatchObject({ id: restless.id, message: "Approve? 57 s left" });
  expect(swapped.earlierHashes).toHaveLength(restless.earlierHashes.length + 1);
  for (const questionHash of [restless.questionHash, ...restless.earlierHashes])
    await expect(answerAs(restless.id, { ...content, questionHash })).rejects.toMatchObject({
      code: "question_changed",
    });
  // Sent before, and not delivered yet.
  await answerAs(restless.id, { ...content, questionHash: swapped.questionHash, holdMs: 60_000 });
  expect((await capture(first.taskId, at(56, "Pay it", "Reject it"))).state).toBe("answered");
  const again = await capture(first.taskId, at(55, "Reject it", "Pay it"));
  expect(again).toMatchObject({ replaces: restless.id, state: "open" });
});

test("a cancel leaves an answer that the server had taken to the task, and withdraws what was not sent", async () => {
  const [taken, unsent] = [await asking(), await asking()];
  for (const request of [taken, unsent]) {
    await answerAs(request.id, accept(request.questionHash));
    await fixture.within((tx) => requestCancelAfter(tx, request, request === taken));
  }
  const of = async ({ id, taskId }: { id: string; taskId: string }) => {
    const where = { organizationId: fixture.organizationId };
    return fixture.within(async (tx) => ({
      request: (await tx.inputRequest.findFirstOrThrow({ where: { ...where, id } })).state,
      delivery: (await tx.delivery.findFirstOrThrow({ where: { ...where, taskId } })).state,
      lines: await tx.event.findMany({ where: { ...where, taskId, type: "request.withdrawn" } }),
    }));
  };
  expect(await of(taken)).toEqual({ request: "answered", delivery: "accepted", lines: [] });
  expect(await of(unsent)).toMatchObject({
    request: "withdrawn",
    delivery: "failed",
    lines: [{ data: { reason: "task_cancelled", answer: "not_sent" }, actor: { name: "Ola" } }],
  });
});

/** `taken`: the server had accepted the answer, and then asked for it again. */
async function requestCancelAfter(tx: Tx, { id, taskId }: { id: string; taskId: string }, taken: boolean) {
  if (taken)
    await tx.$executeRaw`UPDATE delivery SET attempts = 1, sent_at = now(), accepted_at = now()
      WHERE organization_id = ${fixture.organizationId}::uuid AND input_request_id = ${id}::uuid`;
  await requestCancel(tx, fixture.operator, taskId);
}

test("an unknown request is not found", async () => {
  await expect(answerAs(uuidv7(), accept("0".repeat(64)))).rejects.toMatchObject({ code: "not_found" });
});

test("the chain of events verifies, an altered line is found, and the app can't alter one", async () => {
  const broken = async () => (await verifyEvents(fixture.within)).brokenAt;
  expect(await broken()).toBeNull();
  await expect(
    fixture.within((tx) => tx.$executeRaw`UPDATE event SET type = 'x' WHERE seq = 2`),
  ).rejects.toThrow(/permission denied/);
  await withClient(fixture.adminUrl, (client) =>
    client.query("UPDATE event SET type = 'forged' WHERE seq = 2"),
  );
  expect(await broken()).toBe(2);
});

test("the database forbids every move that the state machines forbid, and no other", async () => {
  const { rows } = await withClient(fixture.adminUrl, (client) =>
    client.query<{ name: string; moves: string }>(
      "SELECT tgrelid::regclass::text AS name, encode(tgargs, 'escape') AS moves FROM pg_trigger WHERE tgname = 'state_machine'",
    ),
  );
  const inDatabase = Object.fromEntries(
    rows.map(({ name, moves }) => [name, moves.split("\\000").filter(Boolean).sort()]),
  );
  const inCode = <S extends string>(states: readonly S[], { before }: StateMachine<S>) =>
    states.flatMap((to) => before(to).map((from) => `${from}>${to}`)).sort();
  expect(inDatabase).toEqual({
    task: inCode(TASK_STATES, stateMachine(TASK_MOVES)),
    input_request: inCode(REQUEST_STATES, requests),
    delivery: inCode(DELIVERY_STATES, deliveries),
  });
});

test("an ended question whose id comes again: a replay opens nothing, a new message opens a question", async () => {
  const { taskId, id: first } = await asking();
  await fixture.within((tx) => closeRequest(tx, taskId, first, "withdrawn", "retracted"));
  const asked = await askedBySession(taskId, 21);
  await fixture.within((tx) => closeRequest(tx, taskId, asked.id, "withdrawn", "retracted"));
  const say = (replayed: boolean) =>
    fixture.within(async (tx) => {
      const rpc = { sessionDigest: Buffer.from("session"), rpcId: 21, messageId: uuidv7(), replayed };
      const captured = { question: APPROVE, key: null, rpc, lifetimeMs: null };
      const events = await captureQuestion(tx, taskId, captured);
      await appendEvents(tx, events);
      return events.map(({ type }) => type);
    });
  expect(await say(true)).toEqual([]);
  expect(await say(false)).toEqual(["request.opened"]);
});
