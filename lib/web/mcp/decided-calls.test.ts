/** How calls of agents were decided, counted from real calls of `/mcp` and of a hook. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { createSharedAgentFixture } from "../../../test/fixtures/agents/agent-fixture.ts";
import { rawAgent } from "../../../test/fixtures/agents/raw-agent.ts";
import { beforeTool, rawHook } from "../../../test/fixtures/agents/raw-hook.ts";
import { createDatabase, type Database } from "../../base/db/db.ts";
import { uuidv7 } from "../../base/ids.ts";
import { settleOwnQuestions } from "../../lifecycle/human-tasks/settle-own-questions.ts";
import { readCallRules } from "../../policy/call-rules/call-rule-reads.ts";
import { callRulesInputSchema } from "../../policy/call-rules/call-rule-schema.ts";
import { saveCallRules } from "../../policy/call-rules/call-rule-writes.ts";
import { readOverview } from "../../requests/statistics/statistics-reads.ts";
import { countHistory } from "../../requests/statistics/statistics-writes.ts";

let fixture: Awaited<ReturnType<typeof createSharedAgentFixture>>;
let engine: Database;
beforeAll(async () => {
  // Without an engine: a call that passes is a queued task, and nothing is sent.
  fixture = await createSharedAgentFixture({ engine: false });
  engine = createDatabase(fixture.organization.engineEnvironment.ENGINE_DATABASE_URL!, { connections: 2 });
});
afterAll(async () => {
  await engine?.close();
  await fixture?.close();
});

const rules = (...all: object[]) =>
  fixture.organization.within(async (tx) => {
    const { version } = await readCallRules(tx);
    const input = callRulesInputSchema.parse({ rules: all });
    await saveCallRules(tx, fixture.organization.operator, version, input);
  });

async function figures(organizationId: string) {
  while (await engine.withOrganization(organizationId, (tx) => countHistory(tx, 5)));
  const overviews = await engine.withOrganization(organizationId, async (tx) => [
    await readOverview(tx, "24h", new Date()),
    await readOverview(tx, "30d", new Date()),
  ]);
  const [day, month] = overviews.map(({ agentCalls }) => agentCalls);
  expect(month).toEqual(day);
  return day;
}

test("each call counts once, as a rule, an earlier approval, a person, or nobody let it pass", async () => {
  const { organization, serverId } = fixture;
  const { organizationId, database } = organization;
  const settle = () => settleOwnQuestions(organizationId, database);
  await rules(
    { name: "Asked", tools: ["quick"], when: '"asked" in arguments', before: "ask" },
    { name: "Never", tools: ["quick"], when: '"never" in arguments', before: "deny" },
    { name: "Reads", tools: ["Read"], before: "allow" },
    { name: "No pushes", tools: ["Push"], before: "deny" },
  );
  const { id, secret } = await fixture.agent({ holdMs: 0, grants: [{ serverId }] });
  const agent = rawAgent(fixture.endpoint.url, secret);
  const call = (name: string, args: object) => {
    const params = { name, arguments: args };
    return agent.modern("tools/call", params, false);
  };
  const approve = { action: "accept", content: {} } as const;
  const decline = { action: "decline", comment: "Not ours" } as const;
  const decide = async (input: Parameters<typeof organization.answer>[1]) => {
    const { id: requestId } = await fixture.openRequest();
    await organization.answer(requestId, input);
    await settle();
  };

  await call("erp__quick", { note: "free" });
  await call("erp__quick", { never: true });
  await call("erp__quick", { asked: 1 });
  await decide({ ...approve, standing: { forMs: 3_600_000, except: ["asked"] } });
  await call("erp__quick", { asked: 2 });
  await call("erp__quick", { asked: 3, other: true });
  await decide(decline);
  // Neither a call, nor decided yet.
  await call("request_approval", { action: "Deploy?" });
  await decide(approve);
  await call("erp__quick", { asked: 4, waits: true });

  expect(await figures(organizationId)).toEqual({
    byRule: 1,
    byStandingApproval: 1,
    byPerson: 1,
    refused: 2,
  });
  const denied = await organization.sql("SELECT data FROM event WHERE type = 'agent.call_denied'", []);
  expect(denied).toEqual([{ data: { agentId: id, tool: "erp__quick", rule: "Never", version: 1 } }]);

  await decide(decline);
  const hook = rawHook(fixture.endpoint.url, "/hooks/claude-code", secret);
  await hook(beforeTool("Read", { file_path: "/a" }));
  await hook(beforeTool("Push", {}));
  for (const input of [approve, decline]) {
    const held = hook(beforeTool("Bash", { command: "ls" }));
    await decide(input);
    await held;
  }
  expect(await figures(organizationId)).toEqual({
    byRule: 2,
    byStandingApproval: 1,
    byPerson: 2,
    refused: 5,
  });

  const other = uuidv7();
  await organization.sql("INSERT INTO organization (id, slug, name) VALUES ($1, 'other', 'Other')", [other]);
  expect(await figures(other)).toEqual({ byRule: 0, byStandingApproval: 0, byPerson: 0, refused: 0 });
});
