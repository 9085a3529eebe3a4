/** Calls that pass by an approval for a while, from two processes of the endpoint: each use is counted, and nothing else passes. */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { type AgentEndpoint, startAgentEndpoint } from "../../../test/agent-process.ts";
import { createSharedAgentFixture } from "../../../test/fixtures/agents/agent-fixture.ts";
import { until } from "../../../test/fixtures/organization-fixture.ts";
import type { Principal } from "../../access/principal.ts";
import { revokeAgent, updateAgent } from "../../agents/agent-writes.ts";
import { settleOwnQuestions } from "../../lifecycle/human-tasks/settle-own-questions.ts";
import { revokeStandingApproval } from "../../lifecycle/revoke-standing-approval.ts";
import { readCallRules } from "../../policy/call-rules/call-rule-reads.ts";
import { callRulesInputSchema } from "../../policy/call-rules/call-rule-schema.ts";
import { saveCallRules } from "../../policy/call-rules/call-rule-writes.ts";
import { readPolicy } from "../../policy/policy-reads.ts";
import { policyInputSchema } from "../../policy/policy-schema.ts";
import { savePolicy } from "../../policy/policy-writes.ts";
import { undoAnswer } from "../../requests/answers/answer-writes.ts";
import { listStandingApprovals } from "../../requests/standing-approvals/standing-approval-reads.ts";
import type { StandingInput } from "../../requests/standing-approvals/standing-approval-schema.ts";

let fixture: Awaited<ReturnType<typeof createSharedAgentFixture>>;
let second: AgentEndpoint;
beforeAll(async () => {
  // Without an engine: a call that passes is a queued task, and nothing is sent.
  fixture = await createSharedAgentFixture({ engine: false });
  second = await startAgentEndpoint({ ...fixture.organization.webEnvironment });
});
afterAll(async () => {
  await second?.kill();
  await fixture?.close();
});
beforeEach(() => rules());

const HOUR_MS = 3_600_000;
const within: typeof fixture.organization.within = (work) => fixture.organization.within(work);
const rules = (...more: object[]) =>
  within(async (tx) => {
    const { version } = await readCallRules(tx);
    await saveCallRules(
      tx,
      fixture.organization.operator,
      version,
      callRulesInputSchema.parse({ rules: more }),
    );
  });

async function connect(url: string, secret: string) {
  const client = new Client(
    { name: "agent", version: "1" },
    { capabilities: {}, versionNegotiation: { mode: "auto" } },
  );
  const headers = { authorization: `Bearer ${secret}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  onTestFinished(() => client.close());
  return client;
}

/** An agent at both endpoints, whose calls are answered at once with what they wait for. */
async function agent() {
  const { id, secret } = await fixture.agent({
    holdMs: 0,
    grants: [{ serverId: fixture.serverId, before: "ask" }],
  });
  const clients = [await connect(fixture.endpoint.url, secret), await connect(second.url, secret)];
  const tasks = async () => (await fixture.tasks()).filter(({ agentId }) => agentId === id);
  return {
    id,
    tasks,
    /** Tries again as long as the database is busy, as the error says. */
    async call(args: object, at = 0): ReturnType<Client["callTool"]> {
      try {
        return await clients[at % 2]!.callTool({ name: "erp__quick", arguments: { ...args } });
      } catch (error) {
        if (!(error instanceof Error && error.message.endsWith("Try again."))) throw error;
        return this.call(args, at);
      }
    },
    /** How a call stands: `waiting` for an approval, or `passed`. */
    async how(args: object, at = 0) {
      await this.call(args, at);
      const task = (await tasks()).find((each) => JSON.stringify(each.arguments) === JSON.stringify(args));
      return task?.gate === null ? "passed" : task?.gate;
    },
    /** Approves the waiting call with these arguments, and calls like it. */
    async approve(args: object, standing: Partial<StandingInput>, more: object = {}, by?: Principal) {
      const task = (await tasks()).find((each) => JSON.stringify(each.arguments) === JSON.stringify(args));
      const { id: requestId } = await fixture.openRequest(task?.id);
      const bounds = { forMs: HOUR_MS, except: [], ...standing };
      await fixture.organization.answer(
        requestId,
        { action: "accept", content: {}, standing: bounds, ...more },
        by,
      );
      await settle();
      return requestId;
    },
  };
}

/** Gives the server's tools, as they are listed, another description. The returned function gives them back their own. */
async function describeTools(description: string): Promise<() => Promise<void>> {
  const { sql } = fixture.organization;
  const [server] = await sql("SELECT tools::text FROM server WHERE id = $1", [fixture.serverId]);
  const list = async (tools: unknown) => {
    await sql("UPDATE server SET tools = $1::json, tools_checked_at = now() WHERE id = $2", [
      tools,
      fixture.serverId,
    ]);
  };
  const tools = JSON.parse(String(server?.tools)) as object[];
  await list(JSON.stringify(tools.map((tool) => ({ ...tool, description }))));
  return () => list(server?.tools);
}

const settle = () => settleOwnQuestions(fixture.organization.organizationId, fixture.organization.database);
const standing = async (agentId: string) => {
  const { items } = await within((tx) =>
    listStandingApprovals(tx, fixture.organization.approver, { agentId, limit: 50 }),
  );
  return items;
};

describe("an approval for a while", () => {
  test("lets the same call pass, and no other; each use is in the history with it", async () => {
    const its = await agent();
    const call = { note: "a", amount: 5 };
    expect(await its.how(call)).toBe("waiting");
    await its.approve(call, { except: ["note"], mostAmount: 10 });
    expect(await its.how({ note: "b", amount: 5 }, 1)).toBe("passed");
    expect(await its.how({ note: "b", amount: 6 })).toBe("waiting");
    expect(await its.how({ note: "b", amount: 5, force: true })).toBe("waiting");
    const [given] = await standing(its.id);
    expect(given).toMatchObject({ state: "active", uses: 1, mostUses: null, by: { name: "Ben" } });
    const passed = (await its.tasks()).find(({ standingApprovalId }) => standingApprovalId !== null);
    const lines = await within((tx) => tx.event.findMany({ where: { taskId: passed!.id } }));
    expect(lines.find(({ type }) => type === "standing_approval.used")?.data).toMatchObject({
      standingApprovalId: given!.id,
    });
  });

  test("of five uses lets five pass, of many calls at once from two processes", async () => {
    const its = await agent();
    await its.call({ note: "first" });
    await its.approve({ note: "first" }, { uses: 5, except: ["note"] });
    await Promise.all(Array.from({ length: 16 }, (_, at) => its.call({ note: `call ${at}` }, at)));
    const made = (await its.tasks()).filter(({ arguments: args }) => JSON.stringify(args).includes("call "));
    expect(made).toHaveLength(16);
    expect(made.filter(({ gate }) => gate === null)).toHaveLength(5);
    expect(made.filter(({ gate }) => gate === "waiting")).toHaveLength(11);
    expect(await standing(its.id)).toMatchObject([{ state: "used_up", uses: 5, mostUses: 5 }]);
  });

  test("is no cover for what a rule denies, for another agent, or once the tool has changed", async () => {
    const [its, other] = [await agent(), await agent()];
    await its.call({ note: "x" });
    await its.approve({ note: "x" }, { except: ["note"] });
    expect(await other.how({ note: "of another" })).toBe("waiting");
    await rules({ name: "Never", before: "deny" });
    expect(await its.call({ note: "denied" })).toMatchObject({
      isError: true,
      structuredContent: { code: "denied_by_rule" },
    });
    await rules();
    expect(await its.how({ note: "again" })).toBe("passed");
    const asListed = await describeTools("Another one");
    expect(await its.how({ note: "changed" })).toBe("waiting");
    expect(await standing(its.id)).toMatchObject([{ state: "unusable", unusable: "tool_changed" }]);
    await asListed();
    expect(await its.how({ note: "as it was" })).toBe("passed");
    expect(await standing(its.id)).toMatchObject([{ state: "active", unusable: null }]);
  });

  test("of a call that is not made, because its tool changed while the answer could be undone, is of no use", async () => {
    const its = await agent();
    await its.call({ note: "held" });
    const requestId = await its.approve({ note: "held" }, { except: ["note"] }, { holdMs: 60_000 });
    expect(await standing(its.id)).toMatchObject([{ state: "pending", unusable: null }]);
    const asListed = await describeTools("Another one");
    onTestFinished(asListed);
    await fixture.organization.endHold(requestId);
    await settle();
    expect((await its.tasks()).map(({ gate }) => gate)).toEqual(["withdrawn"]);
    expect(await standing(its.id)).toMatchObject([{ state: "unusable", unusable: "call_not_made" }]);
    await asListed();
    expect(await its.how({ note: "as it was" })).toBe("waiting");
  });

  test("says that no call can use it, and why", async () => {
    const { sql, approver, operator, organizationId } = fixture.organization;
    const its = await agent();
    await its.call({ note: "first" });
    await its.approve({ note: "first" }, { except: ["note"] });
    const grant = (grants: { serverId: string; before?: "ask" }[]) =>
      within((tx) => updateAgent(tx, operator, its.id, { grants }));
    const unusable = async () => (await standing(its.id)).map(({ state, unusable: why }) => why ?? state);
    await grant([]);
    expect(await unusable()).toEqual(["not_granted"]);
    await grant([{ serverId: fixture.serverId, before: "ask" }]);
    expect(await unusable()).toEqual(["active"]);
    expect(await its.how({ note: "granted again" })).toBe("passed");
    // Its giver made the agent, and a second person is required.
    const set = (made: string | null, fourEyes: boolean) =>
      Promise.all([
        sql("UPDATE agent_credential SET created_by = $1 WHERE id = $2", [made, its.id]),
        sql("UPDATE organization SET four_eyes = $1 WHERE id = $2", [fourEyes, organizationId]),
      ]);
    await set(approver.userId, true);
    onTestFinished(() => void set(null, false));
    expect(await unusable()).toEqual(["second_person"]);
    await set(null, false);
    await sql(
      "UPDATE agent_credential SET created_at = now() - interval '2 h', expires_at = now() - interval '1 s' WHERE id = $1",
      [its.id],
    );
    expect(await unusable()).toEqual(["agent_ended"]);
    await within((tx) => revokeAgent(tx, operator, its.id));
    expect(await unusable()).toEqual(["agent_revoked"]);
  });

  test("is refused beside any vote, where the policy says who decides", async () => {
    const { operator } = fixture.organization;
    const policy = (rules: object[]) =>
      within(async (tx) => {
        const { version } = await readPolicy(tx);
        await savePolicy(tx, operator, version, policyInputSchema.parse({ rules }));
      });
    const stage = { name: "Both", approvers: { roles: ["approver", "operator"] }, need: 2 };
    await policy([{ name: "Two", stages: [stage], requester: "allowed" }]);
    onTestFinished(() => policy([]));
    const its = await agent();
    await its.call({ note: "two" });
    await expect(its.approve({ note: "two" }, { except: ["note"] })).rejects.toMatchObject({
      code: "invalid_content",
      errors: [{ field: "standing" }],
    });
    const [task] = await its.tasks();
    const { id } = await fixture.openRequest(task?.id);
    expect(await within((tx) => tx.vote.count({ where: { inputRequestId: id } }))).toBe(0);
  });

  test("of a tool that may destroy something is an admin's, and ends with the admin's right", async () => {
    const { sql, approver } = fixture.organization;
    const its = await agent();
    await its.call({ note: "first" });
    const hints = (annotations: object) =>
      sql(
        "UPDATE task SET tool_hints = jsonb_set(tool_hints, '{annotations}', $1::jsonb) WHERE agent_id = $2",
        [JSON.stringify(annotations), its.id],
      );
    const bounds = { except: ["note"] };
    for (const annotations of [{}, { destructiveHint: true }]) {
      await hints(annotations);
      await expect(its.approve({ note: "first" }, bounds)).rejects.toMatchObject({
        detail: "This call may destroy something. Only an admin approves it for a while.",
      });
    }
    await sql("UPDATE membership SET role = 'admin' WHERE user_id = $1", [approver.userId]);
    onTestFinished(
      () => void sql("UPDATE membership SET role = 'approver' WHERE user_id = $1", [approver.userId]),
    );
    await its.approve({ note: "first" }, bounds, {}, { ...approver, role: "admin" });
    expect(await its.how({ note: "of an admin" })).toBe("passed");
    await sql("UPDATE membership SET role = 'approver' WHERE user_id = $1", [approver.userId]);
    expect(await its.how({ note: "of an approver" })).toBe("waiting");
  });

  test("is bounded: no call of more than 16 KiB has one, and no tool of an agent more than 50", async () => {
    const its = await agent();
    const large = { note: "x".repeat(20_000) };
    await its.call(large);
    await expect(its.approve(large, {})).rejects.toThrow(/more than 16 KiB can’t be approved for a while/);
    await its.call({ note: "first" });
    await its.approve({ note: "first" }, {});
    expect(await its.how({ note: "first" })).toBe("approved");
    // Without their answers: 49 times the same one.
    await fixture.organization.sql(
      `DO $$ BEGIN SET LOCAL session_replication_role = replica;
        INSERT INTO standing_approval (organization_id, id, answer_id, input_request_id, task_id, agent_id, server_id, tool, user_id,
          made_by, needs_admin, expires_at)
        SELECT organization_id, gen_random_uuid(), gen_random_uuid(), input_request_id, task_id, agent_id, server_id, tool, user_id,
          made_by, needs_admin, expires_at FROM standing_approval, generate_series(1, 49) WHERE agent_id = '${its.id}'; END $$`,
    );
    await its.call({ note: "one more" });
    await expect(its.approve({ note: "one more" }, {})).rejects.toThrow(/has 50 approvals for a while/);
  });

  test("ends with its answer, and with its approver's right", async () => {
    const { sql, approver } = fixture.organization;
    const its = await agent();
    await its.call({ note: "undone" });
    const requestId = await its.approve({ note: "undone" }, { except: ["note"] }, { holdMs: 60_000 });
    expect(await its.how({ note: "not yet" })).toBe("waiting");
    await within((tx) => undoAnswer(tx, approver, requestId));
    expect(await standing(its.id)).toEqual([]);
    await its.approve({ note: "undone" }, { except: ["note"] });
    expect(await its.how({ note: "in time" })).toBe("passed");
    await sql("UPDATE membership SET role = 'viewer' WHERE user_id = $1", [approver.userId]);
    expect(await its.how({ note: "of a viewer" })).toBe("waiting");
    expect(await standing(its.id)).toMatchObject([{ state: "ended" }]);
    // The same right given again gives nothing back.
    await sql("UPDATE membership SET role = 'approver' WHERE user_id = $1", [approver.userId]);
    expect(await its.how({ note: "of an approver again" })).toBe("waiting");
    expect(await standing(its.id)).toMatchObject([{ state: "ended" }]);
  });

  test("ends with its time", async () => {
    const { sql, organizationId } = fixture.organization;
    const its = await agent();
    await its.call({ note: "first" });
    await its.approve({ note: "first" }, { except: ["note"] });
    expect(await its.how({ note: "in time" })).toBe("passed");
    await sql(
      "UPDATE standing_approval SET created_at = now() - interval '2 h', expires_at = now() - interval '1 s' WHERE organization_id = $1",
      [organizationId],
    );
    expect(await its.how({ note: "too late" })).toBe("waiting");
    expect(await standing(its.id)).toMatchObject([{ state: "expired" }]);
  });

  test("is revoked by who gave it, which stops what was not sent", async () => {
    const { approver, operator } = fixture.organization;
    const its = await agent();
    await its.call({ note: "first" });
    await its.approve({ note: "first" }, { except: ["note"] });
    expect(await its.how({ note: "queued" })).toBe("passed");
    const [given] = await standing(its.id);
    const revoke = (by: typeof approver) => within((tx) => revokeStandingApproval(tx, by, given!.id));
    await expect(revoke(operator)).rejects.toMatchObject({ code: "forbidden" });
    await revoke(approver);
    await revoke(approver);
    const stopped = await until("the call is stopped", async () =>
      (await its.tasks()).find(({ state }) => state === "cancelled"),
    );
    expect(stopped.arguments).toEqual({ note: "queued" });
    expect(await its.how({ note: "after" })).toBe("waiting");
    expect(await standing(its.id)).toMatchObject([{ state: "revoked", revokedBy: { name: "Ben" } }]);
  });
});
