/** One decision through a real engine and a real server leaves the whole chain of lines. */
import { expect, test } from "vitest";
import { organizationForFile } from "../../../test/fixtures/organization-for-file.ts";
import { createQueries } from "../../../test/fixtures/queries.ts";
import { tool } from "../../../test/fixtures/tool.ts";
import { forFile } from "../../../test/for-file.ts";
import { startTestServer } from "../../../test/servers/mcp-server.ts";
import { undoAnswer } from "../../requests/answers/answer-writes.ts";
import { listTaskEvents } from "../../tasks/task-event-reads.ts";
import { verifyEvents } from "./verify.ts";

const remote = forFile(startTestServer);
const fixture = organizationForFile(["127.0.0.1"], { withEngine: true });

const { openRequest, inState } = createQueries(() => fixture);

test("who started, what was asked, who decided what and why, and how it was delivered: line by line", async () => {
  const server = await fixture.addServer(remote.url, "2026-07-28");
  const id = await fixture.startTask(server, { note: "INV-100" }, tool("approve"));
  const request = await openRequest(id);
  const comment = "Budget is checked";
  await fixture.answer(request.id, { action: "decline", comment, holdMs: 60_000 });
  await fixture.within((tx) => undoAnswer(tx, fixture.approver, request.id));
  await fixture.answer(request.id, { action: "accept", content: { approve: true }, comment });
  await inState(id, "completed");

  const { items } = await fixture.within((tx) => listTaskEvents(tx, id, { limit: 50, order: "oldest" }));
  const ask = await fixture.within((tx) =>
    tx.ask.findFirstOrThrow({
      where: { organizationId: fixture.organizationId, inputRequestId: request.id },
    }),
  );
  const engine = { kind: "engine", id: null, name: "Intray" };
  const ola = { kind: "member", id: fixture.operator.userId, name: "Ola" };
  const ben = { kind: "member", id: fixture.approver.userId, name: "Ben" };
  const { questionHash, message } = request;
  const sent = { attempt: 1, askId: ask.id };
  expect(items.map(({ type, actor, data }) => [type, actor, data])).toMatchObject([
    ["task.queued", ola, { tool: "approve" }],
    ["task.starting", engine, {}],
    ["task.started", engine, {}],
    ["task.state", engine, { from: "working", to: "input_required" }],
    ["request.opened", engine, { message, questionHash }],
    ["answer.recorded", ben, { action: "decline", content: null, comment, questionHash }],
    ["answer.undone", ben, {}],
    ["answer.recorded", ben, { action: "accept", content: { approve: true }, comment, questionHash }],
    ["delivery.sending", engine, { ...sent, rung: "update" }],
    ["delivery.accepted", engine, sent],
    ["delivery.confirmed", engine, {}],
    ["task.completed", engine, {}],
  ]);
  for (const [before, after] of items.slice(1).map((event, at) => [items[at], event] as const))
    expect([after.seq > before!.seq, after.at >= before!.at]).toEqual([true, true]);
  const lines = await fixture.within((tx) =>
    tx.event.findMany({
      where: { organizationId: fixture.organizationId, taskId: id },
      orderBy: { seq: "asc" },
    }),
  );
  const ofRequest = lines.filter(({ type }) => !type.startsWith("task."));
  expect(ofRequest.map(({ inputRequestId }) => inputRequestId)).toEqual(ofRequest.map(() => request.id));
  expect(await verifyEvents(fixture.within)).toMatchObject({ ok: true });
});
