/** Timers of requests with real engines: in time, once, and nothing reaches the server. */
import { expect, test } from "vitest";
import { withClient } from "../../../scripts/database/roles.ts";
import { createOrganizationFixture, until } from "../../../test/fixtures/organization-fixture.ts";
import { createQueries } from "../../../test/fixtures/queries.ts";
import { tool } from "../../../test/fixtures/tool.ts";
import { startTestServer } from "../../../test/servers/mcp-server.ts";
import { calendarSchema } from "../../calendar/schema.ts";
import { saveCalendar } from "../../calendar/transitions.ts";
import { readPolicy } from "../../policy/queries.ts";
import { policyInputSchema } from "../../policy/schema.ts";
import { savePolicy } from "../../policy/transitions.ts";

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
    const { version } = await readPolicy(organizationId, tx);
    await savePolicy(organizationId, tx, operator, version, policyInputSchema.parse({ rules }));
  });
  const queries = createQueries(() => organization, 90_000);
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
  await within((tx) => saveCalendar(organizationId, tx, operator, 0, calendar));
  await until("the end has moved with the calendar", async () => (await endsAt()) > before);

  await comes("expire", 500);
  await queries.inState(taskId, "cancelled");
  expect(await firedAfter("expire")).toBeLessThan(5_000);
  expect(remote.answers).toHaveLength(0);
  for (const type of ["request.reminded", "request.lapsed"]) expect(await linesOf(type)).toHaveLength(1);
});
