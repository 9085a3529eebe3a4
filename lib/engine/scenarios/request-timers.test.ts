/** Timers of requests with real engines: in time, once, and nothing reaches the server. */
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { withClient } from "../../../scripts/database/roles.ts";
import { startEngineProcess } from "../../../test/engine-process.ts";
import { createOrganizationFixture, until } from "../../../test/fixtures/organization-fixture.ts";
import { createQueries } from "../../../test/fixtures/queries.ts";
import { insertTask } from "../../../test/fixtures/rows.ts";
import { tool } from "../../../test/fixtures/tool.ts";
import { startTestServer } from "../../../test/servers/mcp-server.ts";
import { uuidv7 } from "../../base/ids.ts";
import { calendarSchema } from "../../policy/calendar/calendar-schema.ts";
import { saveCalendar } from "../../policy/calendar/calendar-writes.ts";
import { readPolicy } from "../../policy/policy-reads.ts";
import { policyInputSchema } from "../../policy/policy-schema.ts";
import { savePolicy } from "../../policy/policy-writes.ts";
import { captureQuestion } from "../../requests/capture/capture-question.ts";

test("a reminder comes within seconds of its time, and a task is cancelled at its server once its time is over, by one of two engines", async ({
  onTestFinished,
}) => {
  const remote = await startTestServer();
  onTestFinished(() => remote.close());
  const organization = await createOrganizationFixture(["127.0.0.1"]);
  onTestFinished(() => organization.close());
  const { organizationId, operator, within, adminUrl } = organization;
  const server = await organization.addServer(remote.url, "2026-07-28");
  const rules = [
    {
      name: "All",
      stages: [{ name: "Approvers", approvers: { roles: ["approver"] }, remind: ["4h"] }],
      expire: JSON.parse('{ "after": "1d", "then": "cancel" }') as object,
    },
  ];
  await within(async (tx) => {
    const { version } = await readPolicy(tx);
    await savePolicy(tx, operator, version, policyInputSchema.parse({ rules }));
  });
  const queries = createQueries(() => organization, 180_000);
  await organization.startEngine();
  await organization.startEngine();
  const taskId = await organization.startTask(server, {}, tool("approve", { taskSupport: "required" }));
  const { id } = await queries.openRequest(taskId);
  /** The time of a timer comes, and engines are told of a commit as of any. */
  const comes = (kind: string, inMs: number) =>
    withClient(adminUrl, async (client) => {
      await client.query(
        "UPDATE request_timer SET due_at = now() + $2 * interval '1 ms' WHERE input_request_id = $1 AND kind = $3",
        [id, inMs, kind],
      );
      await client.query("NOTIFY intray_wake");
    });
  const linesOf = (type: string) =>
    within((tx) => tx.event.findMany({ where: { organizationId, inputRequestId: id, type } }));
  const firedAfter = async (kind: string) => {
    const [timer] = await within((tx) =>
      tx.requestTimer.findMany({ where: { organizationId, inputRequestId: id, kind } }),
    );
    return timer!.firedAt!.getTime() - timer!.dueAt.getTime();
  };

  await comes("remind", 1_500);
  expect(await linesOf("request.reminded")).toEqual([]);
  await until("people are reminded", async () => (await linesOf("request.reminded")).length > 0);
  expect(await firedAfter("remind")).toBeLessThan(5_000);
  await until("the approver has a notice of it", async () => {
    const notices = await within((tx) =>
      tx.notice.count({ where: { organizationId, cause: "request.reminded", withdrawnAt: null } }),
    );
    return notices === 1;
  });

  const endsAt = () =>
    within(async (tx) => {
      const timer = await tx.requestTimer.findFirstOrThrow({
        where: { organizationId, inputRequestId: id, kind: "expire" },
      });
      return timer.dueAt.getTime();
    });
  const before = await endsAt();
  const days = { mon: [{ from: "09:00", to: "09:30" }] };
  const calendar = calendarSchema.parse({ zone: "UTC", days });
  await within((tx) => saveCalendar(tx, operator, 0, calendar));
  await until("the end has moved with the calendar", async () => (await endsAt()) > before);

  await comes("expire", 500);
  await queries.inState(taskId, "cancelled");
  expect(await firedAfter("expire")).toBeLessThan(5_000);
  expect(remote.answers).toHaveLength(0);
  for (const type of ["request.reminded", "request.lapsed"]) expect(await linesOf(type)).toHaveLength(1);
});

test("engines that are killed with -9 while timers fire leave none out, and none is fired twice", {
  tags: ["full"],
}, async ({ onTestFinished }) => {
  const organization = await createOrganizationFixture(["127.0.0.1"]);
  onTestFinished(() => organization.close());
  const { organizationId, operator, within, adminUrl, database } = organization;
  const { serverId, connectionId } = await organization.addServer("http://127.0.0.1:9/mcp", "2026-07-28");
  const stage = { name: "Approvers", approvers: { roles: ["approver"] } };
  const rules = [
    {
      ...{ name: "Ends", when: "task.arguments.ends == true", stages: [stage] },
      expire: JSON.parse('{ "after": "1d", "then": "leave" }') as object,
    },
    {
      name: "Goes on",
      stages: [{ ...stage, remind: ["1h", "2h"], escalate: { after: "3h", to: { roles: ["operator"] } } }],
    },
  ];
  await within((tx) => savePolicy(tx, operator, 0, policyInputSchema.parse({ rules })));
  const REQUESTS = 40;
  for (let at = 0; at < REQUESTS; at++) {
    // Of no server that an engine would ask: nobody watches it.
    const args = { ends: at % 4 === 0 };
    const taskId = await insertTask(
      database,
      organizationId,
      { id: serverId, connectionId },
      { arguments: args },
    );
    const key = uuidv7();
    const asked = { mode: "form" as const, message: "Go on?", requestedSchema: {}, url: null };
    const question = { ...asked, address: { kind: "key" as const, key } };
    await within((tx) => captureQuestion(tx, taskId, { question, key, rpc: null, lifetimeMs: null }));
  }
  const rowsOf = async (text: string) =>
    (await withClient(adminUrl, (client) => client.query(text))).rows as Record<string, number>[];
  const pending = async () =>
    (await rowsOf("SELECT count(*)::integer AS left FROM request_timer WHERE fired_at IS NULL"))[0]!.left!;
  const all = await pending();
  expect(all).toBe((REQUESTS / 4) * 1 + (REQUESTS / 4) * 3 * 3);
  await rowsOf("UPDATE request_timer SET due_at = now() + random() * interval '2 s'");
  for (let killed = 0; killed < 3; killed++) {
    const before = await pending();
    const engine = await startEngineProcess(organization.engineEnvironment);
    onTestFinished(() => engine.kill());
    // Somewhere among the transactions, one by one: the last engine finds what is left.
    await until("it fires some", async () => before === 0 || (await pending()) < before);
    await sleep(Math.random() * 60);
    await engine.kill();
  }
  const last = await startEngineProcess(organization.engineEnvironment);
  onTestFinished(() => last.kill());
  await until("all have fired", async () => (await pending()) === 0);

  expect(await rowsOf("SELECT count(*)::integer AS fired FROM request_timer")).toEqual([{ fired: all }]);
  // Each has its line of the history, once, and its effect on the request, once.
  const lines =
    await rowsOf(`SELECT type, count(*)::integer AS lines, count(DISTINCT (input_request_id, data ->> 'after'))::integer AS timers
    FROM event WHERE type IN ('request.reminded', 'request.escalated', 'request.lapsed') GROUP BY type ORDER BY type`);
  expect(lines).toEqual([
    { type: "request.escalated", lines: 30, timers: 30 },
    { type: "request.lapsed", lines: 10, timers: 10 },
    { type: "request.reminded", lines: 60, timers: 60 },
  ]);
  const effects = await rowsOf(`SELECT jsonb_array_length(approval #> '{stages,0,reminded}') AS reminded,
      jsonb_array_length(approval #> '{stages,0,escalated}') AS escalated, (approval ->> 'lapsedAt' IS NOT NULL)::integer AS lapsed,
      count(*)::integer AS requests FROM input_request WHERE state = 'open' GROUP BY 1, 2, 3 ORDER BY 3`);
  expect(effects).toEqual([
    { reminded: 2, escalated: 1, lapsed: 0, requests: 30 },
    { reminded: 0, escalated: 0, lapsed: 1, requests: 10 },
  ]);
});
