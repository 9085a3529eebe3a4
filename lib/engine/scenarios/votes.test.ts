/** Requests on which several people have to agree, with a real engine and server: one answer reaches the server, at the end. */
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
import { createHumanTask } from "../../lifecycle/human-tasks/human-task-writes.ts";
import { beginSealing } from "../../people/content-sealing/sealing-writes.ts";
import { readPolicy } from "../../policy/policy-reads.ts";
import { policyInputSchema } from "../../policy/policy-schema.ts";
import { savePolicy } from "../../policy/policy-writes.ts";
import { contentDigest } from "../../requests/answers/answer-content.ts";
import { recordDecision, undoAnswer } from "../../requests/answers/answer-writes.ts";
import { readReceipt } from "../../requests/receipts/receipt-reads.ts";

const yes = { action: "accept" as const, content: { approve: true } };

async function place({ onTestFinished }: Pick<TestContext, "onTestFinished">) {
  const remote = await startTestServer();
  onTestFinished(() => remote.close());
  const organization = await createOrganizationFixture(["127.0.0.1"]);
  onTestFinished(() => organization.close());
  const server = await organization.addServer(remote.url, "2026-07-28");
  const people: Principal[] = [];
  for (const name of ["Cleo", "Dora"]) people.push(await member(organization, name));
  await policy(organization, { need: 2 });
  return { organization, remote, server, people, queries: createQueries(() => organization, 180_000) };
}

async function member({ organizationId, adminUrl }: OrganizationFixture, name: string): Promise<Principal> {
  const userId = uuidv7();
  await withClient(adminUrl, async (client) => {
    await client.query('INSERT INTO "user" (id, email, name) VALUES ($1, $2, $3)', [
      userId,
      `${userId}@test.example`,
      name,
    ]);
    await client.query(
      "INSERT INTO membership (organization_id, id, user_id, role) VALUES ($1, $2, $3, 'approver')",
      [organizationId, uuidv7(), userId],
    );
  });
  return { organizationId, userId, role: "approver", actor: { kind: "member", id: userId, name } };
}

const policy = ({ operator, within }: OrganizationFixture, stage: object) =>
  within(async (tx) => {
    const { version } = await readPolicy(tx);
    const rules = [
      { name: "All", stages: [{ name: "Approvers", approvers: { roles: ["approver"] }, ...stage }] },
    ];
    await savePolicy(tx, operator, version, policyInputSchema.parse({ rules }));
  });

/** One person decides. */
const decide = (
  { organizationId, within }: OrganizationFixture,
  who: Principal,
  requestId: string,
  input: Omit<Parameters<typeof recordDecision>[3], "questionHash"> = yes,
) =>
  within(async (tx) => {
    const { questionHash } = await tx.inputRequest.findFirstOrThrow({
      where: { organizationId, id: requestId },
    });
    await recordDecision(tx, who, requestId, { ...input, questionHash });
  });

test("a server's question is asked under the policy, and gets one answer once the last vote is there", async ({
  onTestFinished,
}) => {
  const { organization, remote, server, people, queries } = await place({ onTestFinished });
  await organization.startEngine();
  const taskId = await organization.startTask(server, {}, tool("approve", { taskSupport: "required" }));
  const { id } = await queries.openRequest(taskId);
  expect((await queries.request(id)).approval).toMatchObject({ rule: "All", version: 1 });
  await decide(organization, organization.approver, id);
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  expect((await queries.task(taskId)).state).toBe("input_required");
  expect(remote.answers).toHaveLength(0);
  await decide(organization, people[0]!, id);
  await queries.inState(taskId, "completed");
  expect(remote.answers).toHaveLength(1);
  expect(await queries.request(id)).toMatchObject({ state: "settled" });
  const { operator, within } = organization;
  const receipt = await within((tx) => readReceipt(tx, operator, id));
  expect(receipt).toMatchObject({
    request: { state: "settled" },
    votes: [{ agrees: true }, { agrees: true }],
    answers: [
      {
        action: "accept",
        contentDigest: contentDigest("accept", yes.content),
        delivery: { state: "confirmed", reached: "taken", way: "update", attempts: 1 },
      },
    ],
    sent: "taken",
  });
  expect(receipt.history.map(({ type }) => type)).toEqual([
    "request.opened",
    "vote.recorded",
    "vote.recorded",
    "answer.recorded",
    "delivery.sending",
    "delivery.accepted",
    "delivery.confirmed",
  ]);
});

test("votes outlive an engine that is killed, and the last one's answer its own", { tags: ["full"] }, async ({
  onTestFinished,
}) => {
  const { organization, remote, server, people, queries } = await place({ onTestFinished });
  const engine = await startEngineProcess(organization.engineEnvironment);
  const taskId = await organization.startTask(server, {}, tool("approve", { taskSupport: "required" }));
  const { id } = await queries.openRequest(taskId);
  await decide(organization, organization.approver, id);
  await engine.kill();
  await decide(organization, people[0]!, id, { ...yes, holdMs: 500 });
  await organization.startEngine();
  await queries.inState(taskId, "completed");
  expect(remote.answers).toHaveLength(1);
});

test("questions of Intray's own are voted on too, and undone", async ({ onTestFinished }) => {
  const { organization, people, queries } = await place({ onTestFinished });
  const { operator, within } = organization;
  const { taskId, inputRequestId: id } = await within((tx) =>
    createHumanTask(tx, operator, {
      tool: "request_approval",
      arguments: { action: "Pay INV-100", amount: 12.5, currency: "EUR", details: {} },
    }),
  );
  await organization.startEngine();
  const approve = { action: "accept" as const, content: {} };
  await decide(organization, organization.approver, id, approve);
  await decide(organization, people[0]!, id, { ...approve, holdMs: 60_000 });
  await within((tx) => undoAnswer(tx, people[0]!, id));
  expect((await queries.request(id)).state).toBe("open");
  await decide(organization, people[1]!, id, approve);
  const task = await queries.inState(taskId, "completed");
  expect(task.result).toMatchObject({ structuredContent: { outcome: "answered", by: { name: "Dora" } } });
  const receipt = await within((tx) => readReceipt(tx, operator, id));
  expect(receipt).toMatchObject({ sent: "carried_out", answers: [{ withdrawnAt: expect.any(String) }, {}] });
});

test("what votes say is sealed where the organization seals content, and still agreed to", async ({
  onTestFinished,
}) => {
  const { organization, people, queries, server, remote } = await place({ onTestFinished });
  const { operator, within } = organization;
  await organization.startEngine();
  await within((tx) => beginSealing(tx, operator, organization.seal));
  const taskId = await organization.startTask(server, {}, tool("approve", { taskSupport: "required" }));
  const { id } = await queries.openRequest(taskId);
  await decide(organization, organization.approver, id, { ...yes, comment: "A secret reason" });
  const stored = await within(
    (tx) =>
      tx.$queryRaw<
        { text: string }[]
      >`SELECT v.content::text || v.comment || v.content_digest AS text FROM vote v`,
  );
  expect(stored).toHaveLength(1);
  expect(stored[0]!.text).toMatch(/sealed\/vote\.content\/j/);
  expect(stored[0]!.text).not.toContain("secret");
  await decide(organization, people[0]!, id);
  await queries.inState(taskId, "completed");
  expect(remote.answers).toHaveLength(1);
});

test("those who have a vote are told, and nobody any more once they have voted", async ({
  onTestFinished,
}) => {
  const { organization, people, queries, server } = await place({ onTestFinished });
  await organization.startEngine();
  const taskId = await organization.startTask(server, {}, tool("approve", { taskSupport: "required" }));
  const { id } = await queries.openRequest(taskId);
  const told = () =>
    organization.within(async (tx) => {
      const notices = await tx.notice.findMany({
        where: { organizationId: organization.organizationId, inputRequestId: id, withdrawnAt: null },
      });
      return notices.map(({ userId }) => userId).sort();
    });
  const { approver, operator } = organization;
  const voters = [approver, ...people].map(({ userId }) => userId!);
  await until("all with a vote are told", async () => (await told()).length >= voters.length);
  expect(await told()).toEqual(voters.toSorted());
  expect(voters).not.toContain(operator.userId);
  await decide(organization, approver, id);
  await until("who has voted is told no more", async () => (await told()).length === voters.length - 1);
  expect(await told()).toEqual(people.map(({ userId }) => userId!).sort());
});
