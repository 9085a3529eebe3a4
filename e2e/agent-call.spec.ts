/** An agent calls a tool, a rule puts a person before the call, and the agent gets what the tool answered. */
import { rawAgent } from "../test/fixtures/agents/raw-agent.ts";
import { startTestServer, type TestServer } from "../test/servers/mcp-server.ts";
import { newMember, newOwner } from "./fixtures/organizations.ts";
import { saveCallRules } from "./fixtures/policy.ts";
import { apiOf, expect, openRequest, requestPane, SOON, test } from "./fixtures/test.ts";

/** As long as an agent may wait: the person approves before, also on a stalled machine. */
const HOLD_MS = 210_000;

let erp: TestServer;
test.beforeAll(async () => {
  erp = await startTestServer();
});
test.afterAll(() => erp?.close());

test("an agent's call waits for a person, who approves it in the inbox, and is answered with its result", {
  tag: "@journey",
}, async ({ browser }) => {
  const owner = await newOwner(browser, "Wanda", "wyoming");
  const approver = await newMember(browser, "Abe", "wyoming", "approver");
  const secret = await addAgent(owner, "Bookkeeper");
  await saveCallRules(owner, [{ name: "Look first", when: 'tool.name == "quick"', before: "ask" }]);
  const agent = rawAgent(`${process.env.E2E_URL}/mcp`, secret);
  const toolNamed = async (end: string) => {
    const { answer } = await agent.legacy("tools/list");
    return (answer.result.tools as { name: string }[]).find(({ name }) => name.endsWith(end))?.name;
  };
  await expect.poll(() => toolNamed("__quick"), SOON).toBeTruthy();
  const call = { name: await toolNamed("__quick"), arguments: { note: "for March" } };
  const called = agent.legacy("tools/call", call);

  const tasks = async () => (await apiOf(owner).get<{ items: { id: string }[] }>("/tasks")).items;
  await expect.poll(async () => (await tasks()).length, SOON).toBe(1);
  const requestId = await openRequest(approver, (await tasks())[0]!.id);
  await approver.goto("/inbox");
  await approver.getByRole("region", { name: "Requests" }).locator(`a[href*="${requestId}"]`).click();
  const approval = requestPane(approver).getByRole("region", { name: "Approval before the call" });
  await expect(approval).toContainText("Bookkeeper");
  await expect(approval).toContainText("Required by the rule “Look first”");
  await expect(requestPane(approver).getByText("for March").first()).toBeVisible();
  expect(erp.calls).toHaveLength(0);
  await requestPane(approver)
    .getByRole("button", { name: /^Approve/ })
    .click();

  const { answer } = await called;
  expect(answer.result).toMatchObject({ content: [{ type: "text", text: "done" }] });
  expect(erp.calls).toMatchObject([{ name: "quick", arguments: { note: "for March" } }]);
  for (const page of [owner, approver]) await page.context().close();
});

/** Adds the server, and an agent that may call all of its tools. Returns the agent's secret. */
async function addAgent(owner: Parameters<typeof apiOf>[0], name: string): Promise<string> {
  const { write } = apiOf(owner);
  const server = await write("POST", "/servers", { name: "ERP", url: erp.url });
  expect(server.status(), await server.text()).toBe(201);
  const grants = [{ serverId: (await server.json()).id }];
  const made = await write("POST", "/agent-credentials", { name, holdMs: HOLD_MS, grants });
  expect(made.status(), await made.text()).toBe(201);
  return (await made.json()).secret;
}
