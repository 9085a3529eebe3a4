/** Rules that answer by themselves, with real engines and servers: one answer a question, none once they are stopped. */
import { expect, type TestContext, test } from "vitest";
import { withClient } from "../../../scripts/database/roles.ts";
import { startEngineProcess } from "../../../test/engine-process.ts";
import {
  createOrganizationFixture,
  type OrganizationFixture,
  until,
} from "../../../test/fixtures/organization-fixture.ts";
import { createQueries } from "../../../test/fixtures/queries.ts";
import { tool } from "../../../test/fixtures/tool.ts";
import { startTestServer } from "../../../test/servers/mcp-server.ts";
import type { Principal } from "../../access/principal.ts";
import { uuidv7 } from "../../base/ids.ts";
import { beginSealing } from "../../people/content-sealing/sealing-writes.ts";
import { readPolicy } from "../../policy/policy-reads.ts";
import { policyInputSchema } from "../../policy/policy-schema.ts";
import { savePolicy } from "../../policy/policy-writes.ts";
import { contentDigest } from "../../requests/answers/answer-content.ts";
import { stopAutomatic } from "../../requests/automatic/stop-automatic.ts";

const yes = { action: "accept" as const, content: { approve: true } };
const APPROVE = tool("approve", { taskSupport: "required" });

async function place({ onTestFinished }: Pick<TestContext, "onTestFinished">, rule: object = {}) {
  const remote = await startTestServer();
  onTestFinished(() => remote.close());
  const organization = await createOrganizationFixture(["127.0.0.1"]);
  onTestFinished(() => organization.close());
  const { organizationId, within, adminUrl } = organization;
  const sql = async (text: string, values: unknown[] = []) =>
    (await withClient(adminUrl, (client) => client.query(text, values))).rows;
  const server = await organization.addServer(remote.url, "2026-07-28");
  const userId = uuidv7();
  await sql(`INSERT INTO "user" (id, email, name) VALUES ($1, $2, 'Olga')`, [
    userId,
    `${userId}@test.example`,
  ]);
  await sql("INSERT INTO membership (organization_id, id, user_id, role) VALUES ($1, $2, $3, 'owner')", [
    ...[organizationId, uuidv7(), userId],
  ]);
  await sql("UPDATE organization SET undo_window_ms = 0");
  const owner: Principal = {
    ...{ organizationId, userId, role: "owner" },
    actor: { kind: "member", id: userId, name: "Olga" },
  };
  const its = { name: "Small", when: "true", answer: yes, mode: "live", dailyCap: 1_000, sample: 0, ...rule };
  await within(async (tx) => {
    const { version } = await readPolicy(tx);
    const policy = policyInputSchema.parse({ automatic: [its] });
    await savePolicy(tx, owner, version, policy, ["Small"]);
  });
  return { organization, remote, server, owner, sql, queries: createQueries(() => organization, 180_000) };
}

const startMany = async (
  organization: OrganizationFixture,
  server: { serverId: string; connectionId: string },
  count: number,
): Promise<string[]> => {
  const ids: string[] = [];
  for (let at = 0; at < count; at++)
    ids.push(await organization.startTask(server, { invoice: `INV-${at}` }, APPROVE));
  return ids;
};

test("a server's question is answered by the rule, and the history says so", async ({ onTestFinished }) => {
  const { organization, remote, server, queries, sql } = await place({ onTestFinished });
  await organization.startEngine();
  const taskId = await organization.startTask(server, {}, APPROVE);
  await queries.inState(taskId, "completed");
  expect(remote.answers).toHaveLength(1);
  const lines = await sql(
    "SELECT type, actor ->> 'name' AS who FROM event WHERE input_request_id IS NOT NULL ORDER BY seq",
  );
  expect(lines.map(({ type }) => type)).toEqual([
    ...["request.opened", "answer.recorded", "delivery.sending", "delivery.accepted", "delivery.confirmed"],
  ]);
  expect(lines[1]!.who).toBe("Small (version 1)");
});

test("engines that are killed in the middle leave each question one answer", { tags: ["full"] }, async ({
  onTestFinished,
}) => {
  const { organization, remote, server, sql } = await place({ onTestFinished });
  const engine = await startEngineProcess(organization.engineEnvironment);
  onTestFinished(() => engine.kill());
  await startMany(organization, server, 25);
  const count = async (what: string) =>
    (await sql(`SELECT count(*)::integer AS count FROM ${what}`))[0]!.count;
  await until("some are answered", async () => (await count("answer")) >= 5, 120_000);
  await engine.kill();
  await organization.startEngine();
  // A start that the kill cut off is not made again by itself: nobody knows whether it reached the server.
  const left = "task WHERE state NOT IN ('completed', 'start_unknown')";
  await until("none is under way", async () => (await count(left)) === 0, 180_000);
  const completed = await count("task WHERE state = 'completed'");
  expect(completed).toBeGreaterThanOrEqual(5);
  expect(await count("input_request")).toBe(completed);
  expect(await count("answer")).toBe(completed);
  expect(await count("automatic_decision WHERE state = 'answered'")).toBe(completed);
  expect(await count("event WHERE type = 'answer.recorded'")).toBe(completed);
  // An attempt that the kill cut off may be sent again.
  expect(remote.answers.length).toBeGreaterThanOrEqual(completed);
});

test("once all are stopped none is recorded or begins to be sent, in the middle of a burst and with two engines", async ({
  onTestFinished,
}) => {
  const { organization, remote, server, owner, sql, queries } = await place({ onTestFinished });
  const { within } = organization;
  await organization.startEngine();
  const other = await startEngineProcess(organization.engineEnvironment);
  onTestFinished(() => other.kill());
  const tasks = await startMany(organization, server, 60);
  const answered = async () =>
    (await sql("SELECT count(*)::integer AS count FROM answer"))[0]!.count as number;
  await until("the burst is under way", async () => (await answered()) >= 10, 120_000);
  const { takenBack } = await within((tx) => stopAutomatic(tx, owner));
  const [{ at }] = (await sql("SELECT clock_timestamp() AS at")) as [{ at: Date }];
  // Those whose sending had begun go on; all others wait for people.
  await until("everything is asked and judged", async () => {
    const [row] = await sql(`SELECT (SELECT count(*) FROM input_request)::integer AS asked,
        (SELECT count(*) FROM automatic_decision WHERE state = 'waiting')::integer AS waiting,
        (SELECT count(*) FROM input_request WHERE state = 'answered')::integer AS sent`);
    return row!.asked === tasks.length && row!.waiting === 0 && row!.sent === 0;
  });
  const late = await sql(
    "SELECT type FROM event WHERE type IN ('answer.recorded', 'delivery.sending') AND at > $1",
    [at],
  );
  expect(late).toEqual([]);
  const states = await sql(
    "SELECT state, reason, count(*)::integer AS count FROM automatic_decision GROUP BY 1, 2 ORDER BY 1, 2",
  );
  const of = (state: string) => states.find((row) => row.state === state)?.count ?? 0;
  expect(of("undone")).toBe(takenBack);
  expect(of("answered") + of("undone") + of("kept")).toBe(tasks.length);
  expect(of("kept")).toBeGreaterThan(0);
  expect(remote.answers).toHaveLength(of("answered"));
  const open = await sql("SELECT id, task_id FROM input_request WHERE state = 'open' ORDER BY created_at");
  expect(open).toHaveLength(of("undone") + of("kept"));
  // People answer them.
  for (const { id } of open.slice(0, 2)) await organization.answer(id, yes);
  await queries.inState(open[0]!.task_id, "completed");
  expect(remote.answers.length).toBeGreaterThan(of("answered"));
});

test("where content is sealed, what a rule says is kept as a keyed digest, and compared all the same", {
  tags: ["full"],
}, async ({ onTestFinished }) => {
  const { organization, server, queries, sql } = await place({ onTestFinished }, { mode: "shadow" });
  const { operator, within } = organization;
  await organization.startEngine();
  const plain = contentDigest("accept", yes.content);
  const decisionOf = async (id: string) =>
    (
      await sql("SELECT state, content_digest, agreed FROM automatic_decision WHERE input_request_id = $1", [
        id,
      ])
    )[0]!;
  const judged = async () => {
    const taskId = await organization.startTask(server, {}, APPROVE);
    const { id } = await queries.openRequest(taskId);
    await until("it is judged", async () => (await decisionOf(id)).state === "shadow", 120_000);
    return { id, taskId };
  };
  const before = await judged();
  expect((await decisionOf(before.id)).content_digest).toBe(plain);
  await within((tx) => beginSealing(tx, operator, organization.seal));
  const after = await judged();
  expect((await decisionOf(after.id)).content_digest).not.toContain(plain);
  await until(
    "what was kept before is keyed too",
    async () => !(await decisionOf(before.id)).content_digest.includes(plain),
  );
  for (const { id, taskId } of [before, after]) {
    await organization.answer(id, yes);
    expect((await decisionOf(id)).agreed).toBe(true);
    await queries.inState(taskId, "completed");
  }
});
