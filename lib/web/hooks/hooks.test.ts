/** Hooks of Claude Code against the endpoint in its own process: nothing but a rule or a person lets a call pass, whatever happens. */
import { afterEach, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { createSharedAgentFixture } from "../../../test/fixtures/agents/agent-fixture.ts";
import { beforeTool, rawHook } from "../../../test/fixtures/agents/raw-hook.ts";
import { until } from "../../../test/fixtures/organization-fixture.ts";
import { forFile } from "../../../test/for-file.ts";
import { createMakerlessAgent, revokeAgent } from "../../agents/agent-writes.ts";
import { createDatabase } from "../../base/db/db.ts";
import { uuidv7 } from "../../base/ids.ts";
import { settleOwnQuestions } from "../../lifecycle/human-tasks/settle-own-questions.ts";
import { requestCancel } from "../../lifecycle/task-writes.ts";
import { questionHash } from "../../mcp/forms/question-hash.ts";
import { createMakerlessKey } from "../../people/api-keys/api-key-writes.ts";
import { COMMAND_LINE, createOrganization } from "../../people/organizations/organization-writes.ts";
import { readCallRules } from "../../policy/call-rules/call-rule-reads.ts";
import { callRulesInputSchema } from "../../policy/call-rules/call-rule-schema.ts";
import { saveCallRules } from "../../policy/call-rules/call-rule-writes.ts";
import { readPolicy } from "../../policy/policy-reads.ts";
import { policyInputSchema } from "../../policy/policy-schema.ts";
import { savePolicy } from "../../policy/policy-writes.ts";
import { applyCurrentPolicy } from "../../requests/apply-current-policy.ts";
import { ENTRYPOINT_HEADER } from "./claude-code.ts";
import { PROGRAMS } from "./programs.ts";

const PATH = "/hooks/claude-code";
const RULES = [
  { name: "Reads are free", tools: ["Read"], before: "allow" },
  { name: "No pushes", tools: ["Bash"], when: 'arguments.command.startsWith("git push")', before: "deny" },
  { name: "All else is free", before: "allow" },
];
/** Masked in what people read. */
const TOKEN = "ghp_0123456789Abcdefghijklmnopqrstuvwxyz";
const fixture = forFile(() => createSharedAgentFixture());
beforeAll(async () => {
  await rules(...RULES);
});

async function rules(...all: object[]) {
  const { within, operator } = fixture.organization;
  await within(async (tx) => {
    const { version } = await readCallRules(tx);
    await saveCallRules(
      tx,
      { ...operator, role: "admin" },
      version,
      callRulesInputSchema.parse({ rules: all }),
    );
  });
}

/** Of Claude Code in a terminal, unless the headers say otherwise. */
function hookOf(secret: string) {
  const hook = rawHook(fixture.endpoint.url, PATH, secret);
  return (body: unknown, { headers, ...how }: Parameters<typeof hook>[1] = {}) =>
    hook(body, { ...how, headers: { [ENTRYPOINT_HEADER]: "cli", ...headers } });
}

async function anAgent() {
  const { id, secret } = await fixture.agent();
  const tasks = async () => (await fixture.tasks()).filter(({ agentId }) => agentId === id);
  return {
    id,
    secret,
    hook: hookOf(secret),
    tasks,
    /** Waits for the agent's only open request, and returns it. */
    async asked() {
      const task = await until("there is a request", async () =>
        (await tasks()).find(({ state }) => state === "input_required"),
      );
      return fixture.openRequest(task?.id);
    },
    revoke: () =>
      fixture.organization.within((tx) =>
        revokeAgent(tx, { ...fixture.organization.operator, role: "admin" }, id),
      ),
    history: () =>
      fixture.organization.sql(
        `SELECT type, data FROM event WHERE type LIKE 'agent.call%' AND data->>'agentId' = $1 ORDER BY seq`,
        [id],
      ),
  };
}

/** What `PreToolUse` was answered with. */
// biome-ignore lint/suspicious/noExplicitAny: bodies of any shape
const decisionOf = ({ status, body }: { status: number; body: any }) => [
  status,
  body.hookSpecificOutput?.permissionDecision,
  body.hookSpecificOutput?.permissionDecisionReason,
];
const approve = { action: "accept", content: {} } as const;

describe("a call that a rule decides", () => {
  test("is allowed without a request, once that stands in the history", async () => {
    const agent = await anAgent();
    const answer = await agent.hook(beforeTool("Read", { file_path: "/home/ana/shop/secret.txt" }));
    expect(decisionOf(answer)).toEqual([200, "allow", "Intray’s rule “Reads are free” allows it."]);
    expect(await agent.tasks()).toEqual([]);
    const lines = await agent.history();
    expect(lines).toEqual([
      {
        type: "agent.call_allowed",
        data: expect.objectContaining({ tool: "Read", program: "Claude Code", rule: "Reads are free" }),
      },
    ]);
    expect(JSON.stringify(lines)).not.toContain("secret.txt");
  });

  test("is denied with the rule's name", async () => {
    const agent = await anAgent();
    const answer = await agent.hook(beforeTool("Bash", { command: "git push" }));
    expect(decisionOf(answer)).toEqual([200, "deny", "The rule “No pushes” does not allow this call."]);
    expect(await agent.tasks()).toEqual([]);
    expect(await agent.history()).toMatchObject([{ type: "agent.call_denied" }]);
  });
});

describe("a call that people decide", () => {
  test("is denied with what to change, and the exchange stands above the next call of this tool alone", async () => {
    const agent = await anAgent();
    const revised = async () => {
      const { id } = await agent.asked();
      const [row] = await fixture.organization.sql("SELECT revises FROM input_request WHERE id = $1", [id]);
      return { id, revises: row!.revises };
    };
    const first = agent.hook(beforeTool("Bash", { command: "psql production" }));
    const { id } = await revised();
    await fixture.organization.answer(id, { action: "decline", revise: true, comment: "Use staging" });
    expect(decisionOf(await first)[1]).toBe("deny");
    expect(decisionOf(await first)[2]).toMatch(/ asks you to change it and to try again: Use staging$/);

    const other = agent.hook(beforeTool("Edit", { file_path: "/a", old_string: "a", new_string: "b" }));
    const unrelated = await revised();
    expect(unrelated.revises).toBeNull();
    await fixture.organization.answer(unrelated.id, approve);
    expect(decisionOf(await other)[1]).toBe("allow");

    const second = agent.hook(beforeTool("Bash", { command: "psql staging" }));
    const next = await revised();
    expect(next.revises).toBe(id);
    await fixture.organization.answer(next.id, approve);
    expect(decisionOf(await second)[1]).toBe("allow");
  });

  test("is asked about, whatever a rule that names no tool of the program allows, and allowed once a person approved", async () => {
    const agent = await anAgent();
    const held = agent.hook(
      beforeTool("Bash", { command: `deploy --token ${TOKEN}`, description: "Ship it" }),
    );
    const { id, taskId, message } = await agent.asked();
    expect(message).toBe("May Claude Code run this command?");
    const task = (await agent.tasks())[0]!;
    expect((task.arguments as { call: unknown }).call).toEqual({
      program: "Claude Code",
      tool: "Bash",
      input: { command: "deploy --token •••", description: "Ship it" },
      isMasked: true,
      hidden: [{ where: "command", what: "token", characters: 40 }],
      editable: false,
      cwd: "/home/ana/shop",
      session: "5b0f1c1e",
      by: null,
      why: null,
    });
    expect(JSON.stringify(task)).not.toContain(TOKEN);
    const [asked] = await fixture.organization.sql(
      `SELECT question_hash AS "questionHash", requested_schema AS "requestedSchema" FROM input_request WHERE id = $1`,
      [id],
    );
    const question = { taskId, mode: "form", message, url: null, arguments: task.arguments } as const;
    expect(asked!.questionHash).toBe(
      questionHash({
        ...question,
        arguments: question.arguments as Record<string, unknown>,
        requestedSchema: asked!.requestedSchema,
      }),
    );
    await fixture.organization.answer(id, { ...approve, comment: "Once" });
    const answer = await held;
    expect(decisionOf(answer).slice(0, 2)).toEqual([200, "allow"]);
    expect(answer.body.hookSpecificOutput.additionalContext).toMatch(
      /approved it in Intray\. They said: Once$/,
    );
    await fixture.inState(taskId, "completed");
  });

  test("is made as a person changed it", async () => {
    const agent = await anAgent();
    const held = agent.hook(beforeTool("Bash", { command: "rm -r build", timeout: 1_000 }));
    const { id } = await agent.asked();
    const changed = { command: "rm -r build/cache", timeout: 1_000 };
    const answer = (content: Record<string, unknown>) =>
      fixture.organization.answer(id, { action: "accept", content });
    await expect(answer({ arguments: { command: "git push" } })).rejects.toMatchObject({
      code: "denied_by_rule",
    });
    await answer({ arguments: changed });
    const told = {
      permissionDecision: "allow",
      permissionDecisionReason: expect.stringMatching(/ approved it with changes in Intray\.$/),
      updatedInput: changed,
      additionalContext: expect.stringContaining('"rm -r build/cache"'),
    };
    expect((await held).body.hookSpecificOutput).toMatchObject(told);
  });

  test("can't be changed where the input has masked secrets, or by a program that does not take it", async () => {
    const agent = await anAgent();
    const codex = rawHook(fixture.endpoint.url, "/hooks/codex", agent.secret);
    const content = { arguments: { command: "ls" } };
    for (const ask of [
      () => agent.hook(beforeTool("Bash", { command: `deploy --token ${TOKEN}` })),
      () => codex(beforeTool("Bash", { command: "make" })),
    ]) {
      const held = ask();
      const { id } = await agent.asked();
      await expect(fixture.organization.answer(id, { action: "accept", content })).rejects.toMatchObject({
        code: "invalid_content",
      });
      await fixture.organization.answer(id, { action: "decline" });
      expect(decisionOf(await held)[1]).toBe("deny");
    }
  });

  test("is denied with the reason", async () => {
    const agent = await anAgent();
    const held = agent.hook(beforeTool("Bash", { command: "deploy" }));
    const { id } = await agent.asked();
    await fixture.organization.answer(id, { action: "decline", comment: "Not on Fridays" });
    expect(decisionOf(await held)).toEqual([
      200,
      "deny",
      expect.stringMatching(/ declined it in Intray: Not on Fridays$/),
    ]);
  });

  test("asked twice under its id has one request, and one leave; once it was told, the same call is asked about anew", async () => {
    const agent = await anAgent();
    const event = beforeTool("Bash", { command: "deploy" });
    const both = [agent.hook(event), agent.hook(event)];
    const { id } = await agent.asked();
    await fixture.organization.answer(id, approve);
    const said = (await Promise.all(both)).map((answer) => decisionOf(answer)[1]);
    expect(said.toSorted()).toEqual(["allow", "ask"]);
    expect(await agent.tasks()).toHaveLength(1);

    const again = [agent.hook(event), agent.hook(event)];
    const second = await agent.asked();
    const task = (await agent.tasks()).find(({ id: taskId }) => taskId === second.taskId)!;
    expect((task.arguments as { call: { why: string } }).call.why).toBe(
      "Claude Code was told of an earlier approval, and may have made this call.",
    );
    await fixture.organization.answer(second.id, { action: "decline" });
    for (const answer of await Promise.all(again)) expect(decisionOf(answer)[1]).toBe("deny");
    // A no stays one.
    expect(decisionOf(await agent.hook(event))[1]).toBe("deny");
    expect(await agent.tasks()).toHaveLength(2);
  });

  test("approved while nobody held it lets one of several that ask at once pass", async () => {
    const agent = await anAgent();
    const event = beforeTool("Bash", { command: "deploy" });
    await agent.hook(event, { timeout: 1 });
    const { id, taskId } = await agent.asked();
    await fixture.organization.answer(id, approve);
    await fixture.inState(taskId, "completed");
    const said = await Promise.all(Array.from({ length: 4 }, () => agent.hook(event, { timeout: 1 })));
    expect(said.filter((answer) => decisionOf(answer)[1] === "allow")).toHaveLength(1);
  });

  test.each([
    ["another directory", { cwd: "/home/ana/production" }],
    ["another helper", { agent_type: "intern" }],
  ])("under an id that was approved, from %s, is denied", async (_, more) => {
    const agent = await anAgent();
    const event = beforeTool("Bash", { command: "rm -rf *" });
    await agent.hook(event, { timeout: 1 });
    const { id, taskId } = await agent.asked();
    await fixture.organization.answer(id, approve);
    await fixture.inState(taskId, "completed");
    expect(decisionOf(await agent.hook({ ...event, ...more }))[1]).toBe("deny");
    expect(decisionOf(await agent.hook(event))[1]).toBe("allow");
  });

  test("approved while its agent can't be looked up is told of as soon as it can", async () => {
    const { answer, sql } = fixture.organization;
    const agent = await anAgent();
    const held = agent.hook(beforeTool("Bash", { command: "deploy" }));
    const { id } = await agent.asked();
    await sql("ALTER FUNCTION gate.agent_by_secret(bytea) RENAME TO agent_by_no_secret");
    try {
      await answer(id, approve);
      await until("a process has claimed to tell of it", async () => {
        const [call] = await sql(
          `SELECT c.sent_at IS NOT NULL AS claimed FROM agent_call c
            JOIN input_request r ON r.organization_id = c.organization_id AND r.task_id = c.task_id WHERE r.id = $1`,
          [id],
        );
        return call?.claimed === true;
      });
    } finally {
      await sql("ALTER FUNCTION gate.agent_by_no_secret(bytea) RENAME TO agent_by_secret");
    }
    expect(decisionOf(await held)[1]).toBe("allow");
  });

  test("can't be approved once its agent is revoked, as asked or with changes, and is denied", async () => {
    const agent = await anAgent();
    const held = agent.hook(beforeTool("Bash", { command: "deploy" }));
    const { id } = await agent.asked();
    await agent.revoke();
    for (const content of [{}, { arguments: { command: "ls" } }])
      await expect(fixture.organization.answer(id, { action: "accept", content })).rejects.toMatchObject({
        code: "denied_by_rule",
        extra: { rule: null },
      });
    expect(decisionOf(await held)[1]).toBe("deny");
    await fixture.organization.answer(id, { action: "decline" });
  });

  test("approved before its agent was revoked, and told of it afterwards, is denied", async () => {
    const agent = await anAgent();
    const { sql, organizationId, database } = fixture.organization;
    const held = agent.hook(beforeTool("Bash", { command: "deploy" }));
    const { id } = await agent.asked();
    await fixture.organization.answer(id, { ...approve, holdMs: 60_000 });
    // Without a hint, so that only the reader of the answer can notice.
    await sql("UPDATE agent_credential SET revoked_at = now() WHERE id = $1", [agent.id]);
    await sql(
      "UPDATE delivery SET deliver_after = date_trunc('milliseconds', now()) WHERE input_request_id = $1",
      [id],
    );
    await settleOwnQuestions(organizationId, database);
    expect(decisionOf(await held)[1]).toBe("deny");
  });

  describe("and a rule denies since", () => {
    const onlyNow = (command: string) => ({
      name: "Not now",
      tools: ["Bash"],
      when: `arguments.command == '${command}'`,
      before: "deny",
    });
    afterEach(() => rules(...RULES));

    test("can't be approved, can be declined, and is denied when it is asked about again", async () => {
      const agent = await anAgent();
      const event = beforeTool("Bash", { command: "migrate" });
      const held = agent.hook(event);
      const { id } = await agent.asked();
      await rules(onlyNow("migrate"), ...RULES);
      await expect(fixture.organization.answer(id, approve)).rejects.toMatchObject({
        code: "denied_by_rule",
        detail: "The rule “Not now” does not allow this call.",
        extra: { rule: { name: "Not now" } },
      });
      const denied = [200, "deny", "The rule “Not now” does not allow this call."];
      expect(decisionOf(await agent.hook(event))).toEqual(denied);
      await fixture.organization.answer(id, { action: "decline" });
      expect(decisionOf(await held)[1]).toBe("deny");
    });

    test("is denied though a person approved it before", async () => {
      const agent = await anAgent();
      const event = beforeTool("Bash", { command: "migrate" });
      await agent.hook(event, { timeout: 1 });
      const { id, taskId } = await agent.asked();
      await fixture.organization.answer(id, approve);
      await fixture.inState(taskId, "completed");
      await rules(onlyNow("migrate"), ...RULES);
      expect(decisionOf(await agent.hook(event))[1]).toBe("deny");
    });
  });

  describe("with masked parts", () => {
    const command = `deploy --token ${TOKEN}`;
    const ofSecret = `"command" in arguments && arguments.command.contains("${TOKEN}")`;
    const policy = (...all: object[]) =>
      fixture.organization.within(async (tx) => {
        const { version } = await readPolicy(tx);
        const { operator } = fixture.organization;
        await savePolicy(
          tx,
          { ...operator, role: "owner" },
          version,
          policyInputSchema.parse({ rules: all }),
        );
      });
    afterEach(async () => {
      await rules(...RULES);
      await policy();
    });

    test("is judged whole by call rules when the program is told, though people approved what they read", async () => {
      const agent = await anAgent();
      const held = agent.hook(beforeTool("Bash", { command }));
      const { id } = await agent.asked();
      await rules({ name: "Not this one", tools: ["Bash"], when: ofSecret, before: "deny" }, ...RULES);
      await fixture.organization.answer(id, approve);
      expect(decisionOf(await held)).toEqual([
        200,
        "deny",
        "The rule “Not this one” does not allow this call.",
      ]);
      expect(await agent.history()).toMatchObject([
        { type: "agent.call_denied", data: { tool: "Bash", rule: "Not this one" } },
      ]);
    });

    test("is judged whole by the policy, and not again by what is stored", async () => {
      const agent = await anAgent();
      const rule = (name: string) => ({
        name,
        when: `arguments.call.input.command.contains("${TOKEN}")`,
        stages: [{ name: "People", need: 2, approvers: { roles: ["approver", "operator"] } }],
      });
      await policy(rule("Two people"));
      const held = agent.hook(beforeTool("Bash", { command }));
      const { id } = await agent.asked();
      const approval = async () =>
        (await fixture.organization.sql("SELECT approval FROM input_request WHERE id = $1", [id]))[0]!
          .approval;
      expect(await approval()).toMatchObject({ rule: "Two people" });
      await policy(rule("Two others"));
      const { within, organizationId } = fixture.organization;
      const admin = uuidv7();
      const principal = {
        organizationId,
        userId: admin,
        role: "admin",
        actor: { kind: "member", id: admin, name: "Ada" },
      } as const;
      await expect(within((tx) => applyCurrentPolicy(tx, principal, id))).rejects.toMatchObject({
        code: "call_hidden",
      });
      expect(await approval()).toMatchObject({ rule: "Two people" });
      await fixture.organization.answer(id, { action: "decline" });
      expect(decisionOf(await held)[1]).toBe("deny");
    });
  });

  test("under an id that was used before, with another input, is denied", async () => {
    const agent = await anAgent();
    const event = beforeTool("Bash", { command: "ls" });
    const held = agent.hook(event);
    const { id } = await agent.asked();
    await fixture.organization.answer(id, approve);
    await held;
    const other = await agent.hook({ ...event, tool_input: { command: "rm -rf /" } });
    expect(decisionOf(other).slice(0, 2)).toEqual([200, "deny"]);
    expect(await agent.tasks()).toHaveLength(1);
  });

  test("under another id is asked about again, and the same id of another session is another call", async () => {
    const agent = await anAgent();
    const event = beforeTool("Bash", { command: "deploy" });
    const held = [
      agent.hook(event),
      agent.hook({ ...event, tool_use_id: "toolu_other" }),
      agent.hook({ ...event, session_id: "another" }),
    ];
    const tasks = await until("there are three requests", async () => {
      const found = await agent.tasks();
      return found.length === 3 && found;
    });
    for (const task of tasks) {
      const { id } = await fixture.openRequest(task.id);
      await fixture.organization.answer(id, { action: "decline" });
    }
    for (const answer of await Promise.all(held)) expect(decisionOf(answer)[1]).toBe("deny");
  });

  test("of another agent is another call, under whatever ids: in the same organization, and in another one", async () => {
    const agent = await anAgent();
    const event = beforeTool("Bash", { command: "deploy" });
    const held = agent.hook(event);
    const { id } = await agent.asked();
    const { organization } = fixture;
    const owner = createDatabase(organization.adminUrl, { connections: 2, seal: organization.seal });
    onTestFinished(() => owner.close());
    const elsewhere = uuidv7();
    const stranger = await owner.withOrganization(elsewhere, async (tx) => {
      await createOrganization(tx, { slug: "globex", name: "Globex" });
      return createMakerlessAgent(tx, COMMAND_LINE, { name: "Stranger" });
    });
    const colleague = await anAgent();
    const others = [colleague.hook, hookOf(stranger.secret)].map((hook) => hook(event, { timeout: 1 }));
    await fixture.organization.answer(id, approve);
    expect(decisionOf(await held)[1]).toBe("allow");
    for (const answer of await Promise.all(others)) expect(decisionOf(answer)[1]).toBe("ask");
    expect(decisionOf(await colleague.hook(event, { timeout: 1 }))[1]).toBe("ask");
    const theirs = await owner.withOrganization(elsewhere, (tx) =>
      tx.task.findMany({ where: { organizationId: elsewhere } }),
    );
    expect(theirs).toHaveLength(1);
  });

  test("without an id is a call of its own each time: one approval lets one of two equal ones pass", async () => {
    const agent = await anAgent();
    const { tool_use_id: _, ...event } = beforeTool("Bash", {}, { hook_event_name: "PermissionRequest" });
    const both = [agent.hook(event), agent.hook(event)];
    const [one, other] = await until("there are two requests", async () => {
      const found = await agent.tasks();
      return found.length === 2 && found;
    });
    await fixture.organization.answer((await fixture.openRequest(one?.id)).id, approve);
    await fixture.organization.answer((await fixture.openRequest(other?.id)).id, { action: "decline" });
    const said = (await Promise.all(both)).map(({ body }) => body.hookSpecificOutput.decision.behavior);
    expect(said.toSorted()).toEqual(["allow", "deny"]);
  });

  test.each<[string, object]>([
    ["a number that is rounded here", { tool_input: { amount: 2 ** 53 + 2 } }],
    ["a directory too long to be shown", { cwd: `/${"a".repeat(5_000)}` }],
  ])("with %s is denied, and nobody is asked", async (_, more) => {
    const agent = await anAgent();
    const event = { ...beforeTool("mcp__erp__pay", {}), ...more };
    const answer = await agent.hook(event);
    expect(decisionOf(answer).slice(0, 2)).toEqual([200, "deny"]);
    expect(await agent.tasks()).toEqual([]);
  });

  test("of more than a person can read is denied, and a rule may still allow it", async () => {
    const agent = await anAgent();
    const large = "x".repeat(200_000);
    const answer = await agent.hook(beforeTool("Write", { file_path: "/a", content: large }));
    expect(decisionOf(answer).slice(0, 2)).toEqual([200, "deny"]);
    expect(decisionOf(await agent.hook(beforeTool("Read", { file_path: large })))[1]).toBe("allow");
    expect(await agent.tasks()).toEqual([]);
  });
});

describe("when the time is over", () => {
  test("`claude -p` keeps the call, and is told at once when it asks again", async () => {
    const agent = await anAgent();
    const event = beforeTool("Bash", { command: "deploy" });
    const how = { headers: { [ENTRYPOINT_HEADER]: "sdk-cli" } };
    const deferred = await agent.hook(event, { ...how, timeout: 5.5 });
    const { id } = await agent.asked();
    expect(decisionOf(deferred)).toEqual([
      200,
      "defer",
      `Nobody has decided yet. It can be decided in Intray: http://localhost:3000/inbox/${id}`,
    ]);
    await fixture.organization.answer(id, approve);
    expect(decisionOf(await agent.hook(event, how))[1]).toBe("allow");
    expect(await agent.tasks()).toHaveLength(1);
  });

  test("a person at the terminal is asked", async () => {
    const agent = await anAgent();
    const how = { headers: { [ENTRYPOINT_HEADER]: "cli" }, timeout: 1 };
    expect(decisionOf(await agent.hook(beforeTool("Bash", { command: "deploy" }), how))[1]).toBe("ask");
  });

  test("and the request's own time too, the call is denied", async () => {
    const agent = await anAgent();
    const event = beforeTool("Bash", { command: "deploy" });
    await agent.hook(event, { timeout: 1 });
    const { id, taskId } = await agent.asked();
    await fixture.organization.sql(
      "UPDATE input_request SET expires_at = date_trunc('milliseconds', now()) WHERE id = $1",
      [id],
    );
    await fixture.inState(taskId, "completed");
    expect(decisionOf(await agent.hook(event))).toEqual([
      200,
      "deny",
      "Nobody approved it in Intray in time.",
    ]);
  });
});

describe("whatever else happens is a refusal that blocks", () => {
  /** The answer to a request whose event is unknown. */
  const blocks = {
    continue: false,
    decision: "block",
    reason: expect.any(String),
    stopReason: expect.any(String),
  };
  const event = () => beforeTool("Bash", { command: "deploy" });

  test.each<[string, unknown, object]>([
    ["another event", { ...beforeTool("Bash", {}), hook_event_name: "Stop" }, {}],
    ["a body that is no JSON", "{", {}],
    [
      "an input that names a member twice",
      JSON.stringify(beforeTool("Bash", {})).replace(
        '"tool_input":{}',
        '"tool_input":{"command":"ls","command":"rm"}',
      ),
      {},
    ],
    [
      "a number that is none here",
      JSON.stringify(beforeTool("Bash", {})).replace("{}", '{"amount":1e400}'),
      {},
    ],
    [
      "a member that pages drop",
      JSON.stringify(beforeTool("Bash", {})).replace("{}", '{"a":[{"__proto__":"rm -rf"}]}'),
      {},
    ],
    ["a body that is too large", JSON.stringify({ x: "x".repeat(1_100_000) }), {}],
    ["a body of another type", "{}", { headers: { "content-type": "text/plain" } }],
    ["a page of another site", beforeTool("Bash", {}), { headers: { origin: "https://evil.example" } }],
  ])("%s", async (_, body, how) => {
    const agent = await anAgent();
    expect(await agent.hook(body, how)).toEqual({ status: 200, body: blocks });
    expect(await agent.tasks()).toEqual([]);
  });

  test.each([null, "nothing", "ita_made-up"])("the secret %j", async (secret) => {
    expect(await rawHook(fixture.endpoint.url, PATH, secret)(event())).toEqual({ status: 200, body: blocks });
  });

  test.each(Object.entries(PROGRAMS))("in the words of %s", async (key, { refuse }) => {
    const agent = await anAgent();
    for (const secret of [agent.secret, "ita_made-up"]) {
      const answer = await rawHook(fixture.endpoint.url, `/hooks/${key}`, secret)({});
      expect(answer).toEqual({ status: 200, body: refuse(expect.any(String)) });
    }
    expect(await agent.tasks()).toEqual([]);
  });

  test("the key of an owner, which is no agent", async () => {
    const { secret } = await fixture.organization.within((tx) =>
      createMakerlessKey(tx, COMMAND_LINE, { name: "Key", role: "owner" }),
    );
    expect(await rawHook(fixture.endpoint.url, PATH, secret)(event())).toEqual({ status: 200, body: blocks });
  });

  test("an address without its time-out", async () => {
    const agent = await anAgent();
    const answer = await agent.hook(event(), { timeout: null });
    expect(decisionOf(answer)).toEqual([200, "deny", expect.stringContaining("?timeout=600")]);
    expect(await agent.tasks()).toEqual([]);
  });

  test("an agent that is revoked while its call is held, and before its next one", async () => {
    const agent = await anAgent();
    const held = agent.hook(event());
    await agent.asked();
    await agent.revoke();
    expect(decisionOf(await held)).toEqual([
      200,
      "deny",
      "Intray did not allow it. This agent was revoked, or its secret replaced.",
    ]);
    expect(await agent.hook(beforeTool("Read", {}))).toEqual({ status: 200, body: blocks });
  });

  test("a request that is cancelled", async () => {
    const agent = await anAgent();
    const held = agent.hook(event());
    const { taskId } = await agent.asked();
    const { within, operator } = fixture.organization;
    await within((tx) => requestCancel(tx, operator, taskId));
    expect(decisionOf(await held).slice(0, 2)).toEqual([200, "deny"]);
  });

  test("a process that ends well answers what it holds, and one that is killed answers nothing", async () => {
    const agent = await anAgent();
    const first = event();
    const held = agent.hook(first, { headers: { [ENTRYPOINT_HEADER]: "sdk-cli" } });
    const { id } = await agent.asked();
    await fixture.endpoint.drain();
    expect(decisionOf(await held)[1]).toBe("defer");
    await fixture.endpoint.start();
    const again = agent.hook(first);
    again.catch(() => undefined);
    await until("it is held", async () => (await agent.tasks()).length === 1);
    await fixture.endpoint.kill();
    await expect(again).rejects.toThrow();
    await fixture.endpoint.start();
    await fixture.organization.answer(id, approve);
    expect(decisionOf(await agent.hook(first))[1]).toBe("allow");
    expect(await agent.tasks()).toHaveLength(1);
  });

  test("no method but POST is served", async () => {
    const url = new URL(PATH, fixture.endpoint.url);
    for (const method of ["GET", "HEAD", "DELETE", "PUT"])
      expect((await fetch(url, { method })).status).toBe(405);
  });
});
