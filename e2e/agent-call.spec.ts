/** An agent calls a tool, a rule puts a person before the call, and the agent gets what the tool answered, or what the person said. */
import type { Browser } from "@playwright/test";
import { rawAgent } from "../test/fixtures/agents/raw-agent.ts";
import { startTestServer, type TestServer } from "../test/servers/mcp-server.ts";
import { checkAppearance } from "./fixtures/appearance.ts";
import { newMember, newOwner } from "./fixtures/organizations.ts";
import { saveCallRules, savePolicy } from "./fixtures/policy.ts";
import {
  apiOf,
  expect,
  expectToast,
  keysListen,
  openRequest,
  requestPane,
  SOON,
  test,
} from "./fixtures/test.ts";

/** As long as an agent may wait: the person approves before, also on a stalled machine. */
const HOLD_MS = 210_000;

test.setTimeout(240_000);

let erp: TestServer;
test.beforeEach(async () => {
  erp = await startTestServer();
});
test.afterEach(() => erp?.close());

test("an agent's call waits for a person, who approves it in the inbox, and is answered with its result", {
  tag: "@journey",
}, async ({ browser }) => {
  const { approver, call, asked, end } = await begin(browser, "wyoming");
  const called = call({ note: "for March" });
  const requestId = await asked(1);
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

  expect(await called).toMatchObject({ content: [{ type: "text", text: "done" }] });
  expect(erp.calls).toMatchObject([{ name: "quick", arguments: { note: "for March" } }]);
  await end();
});

test("a call is sent back with a text, and the agent's next call shows what was asked before and what changed", async ({
  browser,
}) => {
  const { approver, call, asked, end } = await begin(browser, "kentucky");
  const first = call({ table: "production", rows: 10 });
  await approver.goto(`/inbox/${await asked(1)}`);
  const pane = requestPane(approver);
  await expect(pane.getByRole("button", { name: /^Approve/ })).toBeEnabled();
  await keysListen(approver);
  await approver.keyboard.press("v");
  const dialog = approver.getByRole("dialog", { name: /^Ask to revise/ });
  await expect(dialog).toContainText("The call is not made. The agent “Bookkeeper” gets your text");
  const send = dialog.getByRole("button", { name: "Ask to revise" });
  await expect(send).toBeDisabled();
  await checkAppearance(approver, "request, ask to revise");
  await dialog.getByRole("textbox").fill("Use the staging table");
  await send.click();
  expect(await first).toMatchObject({
    isError: true,
    structuredContent: { revise: true, reason: "Use the staging table" },
  });
  expect(erp.calls).toHaveLength(0);

  const second = call({ table: "staging", rows: 10 });
  await approver.goto(`/inbox/${await asked(2)}`);
  await expect(pane.getByText("Abe asked to revise")).toBeVisible();
  await expect(pane.getByText("Use the staging table")).toBeVisible();
  const changed = pane.getByRole("definition").filter({ hasText: "production" });
  await expect(changed).toHaveCount(1);
  await expect(changed).toContainText("staging");
  await checkAppearance(approver, "request, asked again after a revision");
  // Beside a plain no as well: the reason is the text.
  await pane.getByRole("button", { name: /^Decline/ }).click();
  const decline = approver.getByRole("dialog", { name: /^Decline/ });
  const instead = decline.getByRole("button", { name: "Ask to revise instead" });
  await expect(instead).toBeDisabled();
  await decline.getByRole("textbox").fill("Only one row");
  await checkAppearance(approver, "request, decline or ask to revise");
  await instead.click();
  expect(await second).toMatchObject({ structuredContent: { revise: true, reason: "Only one row" } });
  await end();
});

test("a call is approved with changes, in the tool's form or as JSON, and the agent is told what was changed", async ({
  browser,
}) => {
  const { approver, call, asked, end } = await begin(browser, "nebraska");
  const called = call({ note: "for March", rows: 500 });
  const requestId = await asked(1);
  await approver.goto(`/inbox/${requestId}`);
  const pane = requestPane(approver);
  await expect(pane.getByRole("button", { name: /^Approve/ })).toBeEnabled();
  await keysListen(approver);
  await approver.keyboard.press("e");
  const dialog = approver.getByRole("dialog", { name: /with changes$/ });
  const approve = dialog.getByRole("button", { name: "Approve with changes" });
  await expect(approve).toBeDisabled();
  await dialog.getByLabel("Note").fill("for April");
  const changes = dialog.getByRole("region", { name: "What you change" });
  await expect(changes).toContainText("for March");
  await expect(changes).toContainText("for April");
  await checkAppearance(approver, "request, approve with changes");
  await dialog.getByRole("tab", { name: "JSON" }).click();
  const json = dialog.getByLabel("Arguments");
  await json.fill(JSON.stringify({ note: 5, rows: 500 }));
  await approve.click();
  await expect(dialog.getByRole("alert")).toContainText("The tool does not take these arguments.");
  await json.fill(JSON.stringify({ note: "for April", rows: 50 }));
  await checkAppearance(approver, "request, approve with changes as JSON");
  expect(erp.calls).toHaveLength(0);
  await approve.click();

  const result = (await called) as { content: { text: string }[] };
  expect(result.content.at(-1)?.text).toContain('note: "for March" → "for April"\nrows: 500 → 50');
  expect(erp.calls).toMatchObject([{ name: "quick", arguments: { note: "for April", rows: 50 } }]);
  await approver.goto(`/inbox/${requestId}?tab=done`);
  const given = pane.getByRole("region", { name: "The answer" });
  await expect(given).toContainText("Approved with changes by Abe");
  await expect(given.getByRole("definition").filter({ hasText: "50" })).toHaveCount(1);
  await checkAppearance(approver, "request, approved with changes");
  await end();
});

test("an answer is called fetched only once its agent has fetched it", async ({ browser }) => {
  const { approver, agent, end } = await begin(browser, "oregon");
  const ask = { name: "ask_person", arguments: { message: "May I deploy today?" }, task: {} };
  const { taskId } = (await agent.legacy("tools/call", ask)).answer.result.task;
  const requestId = await openRequest(approver, taskId);
  const pane = requestPane(approver);
  await approver.goto(`/inbox/${requestId}`);
  await pane.getByRole("button", { name: /^Confirm/ }).click();
  await expectToast(approver, "recorded; the agent “Bookkeeper” gets it when it asks");
  await approver.goto(`/inbox/${requestId}?tab=done`);
  const steps = pane.getByRole("list", { name: "Delivery" });
  await expect(steps).toContainText("The agent “Bookkeeper” gets it when it asks", SOON);
  await expect(pane.getByText(/^Fetched by/)).toHaveCount(0);
  await checkAppearance(approver, "an answer that its agent has not fetched");
  await agent.legacy("tools/call", { name: "wait_for_task", arguments: { taskId } });
  await expect(steps).toContainText("Fetched by the agent “Bookkeeper”, done", SOON);
  await expect(pane.getByRole("complementary", { name: "Background" })).toContainText("Fetched by the agent");
  await approver.goto("/tasks");
  await expect(approver.getByText("Confirmed by Abe").first()).toBeVisible();
  await end();
});

test("two people agree on a changed call: a change that came meanwhile is read before a press agrees to it", async ({
  browser,
}) => {
  const { owner, approver, call, asked, end } = await begin(browser, "kansas");
  const other = await newMember(browser, "Bea", "kansas", "approver");
  const stage = { name: "Approvers", approvers: { roles: ["approver"] }, need: 2 };
  await savePolicy(owner, { rules: [{ name: "Two of us", stages: [stage] }] });
  const called = call({ note: "for March", rows: 500 });
  const requestId = await asked(1);
  await approver.goto(`/inbox/${requestId}`);
  await expect(requestPane(approver).getByRole("button", { name: /^Approve/ })).toBeEnabled();
  await other.goto(`/inbox/${requestId}`);
  await expect(requestPane(other).getByRole("button", { name: /^Approve/ })).toBeEnabled();
  await keysListen(other);
  await other.keyboard.press("e");
  const dialog = other.getByRole("dialog", { name: /with changes$/ });
  await dialog.getByRole("tab", { name: "JSON" }).click();
  await dialog.getByLabel("Arguments").fill(JSON.stringify({ note: "for March", rows: 50 }));
  await dialog.getByRole("button", { name: "Approve with changes" }).click();

  const pane = requestPane(approver);
  await expect(pane.getByText("Bea approved this call with changes.")).toBeVisible(SOON);
  await checkAppearance(approver, "request, a changed call to agree to");
  await pane.getByRole("button", { name: /^Approve/ }).click();
  await expect(pane.getByText("Others agreed to another call meanwhile.")).toBeVisible();
  expect(erp.calls).toHaveLength(0);
  await pane.getByRole("button", { name: /^Approve/ }).click();
  const result = (await called) as { content: { text: string }[] };
  expect(result.content.at(-1)?.text).toContain("rows: 500 → 50");
  expect(erp.calls).toMatchObject([{ arguments: { note: "for March", rows: 50 } }]);
  await other.context().close();
  await end();
});

test("a call is approved for a while: the next like it passes, another does not, and revoked it asks again", async ({
  browser,
}) => {
  const { approver, call, asked, end } = await begin(browser, "delaware");
  const first = call({ note: "one", rows: 5 });
  await approver.goto(`/inbox/${await asked(1)}`);
  const pane = requestPane(approver);
  await expect(pane.getByRole("button", { name: /^Approve/ })).toBeEnabled();
  await keysListen(approver);
  await approver.keyboard.press("w");
  const dialog = approver.getByRole("dialog", { name: /for a while$/ });
  await dialog.getByText("1 hour").click();
  await dialog.getByLabel("Calls").fill("2");
  await dialog.getByRole("checkbox", { name: /^note/ }).check();
  await checkAppearance(approver, "request, approve for a while");
  await dialog.getByRole("button", { name: "Approve for a while" }).click();
  expect(await first).toMatchObject({ content: [{ text: "done" }] });

  expect(await call({ note: "two", rows: 5 })).toMatchObject({ content: [{ text: "done" }] });
  await approver.goto("/settings/standing-approvals");
  const list = approver.getByRole("list", { name: "Approvals for a while" });
  await expect(list).toContainText("The same arguments but for note · Used 1 of 2 times");
  await checkAppearance(approver, "settings, approvals for a while");
  await list.getByRole("button", { name: "Revoke" }).click();
  await expect(list).toContainText("Revoked");
  const third = call({ note: "three", rows: 5 });
  await approver.goto(`/inbox/${await asked(3)}`);
  await pane.getByRole("button", { name: /^Approve/ }).click();
  expect(await third).toMatchObject({ content: [{ text: "done" }] });
  await end();
});

/** An organization with an approver, and an agent whose calls of `quick` wait for an approval. */
async function begin(browser: Browser, organization: string) {
  const owner = await newOwner(browser, "Wanda", organization);
  const approver = await newMember(browser, "Abe", organization, "approver");
  const secret = await addAgent(owner, "Bookkeeper");
  await saveCallRules(owner, [{ name: "Look first", when: 'tool.name == "quick"', before: "ask" }]);
  const agent = rawAgent(`${process.env.E2E_URL}/mcp`, secret);
  const toolNamed = async (end: string) => {
    const { answer } = await agent.legacy("tools/list");
    return (answer.result.tools as { name: string }[]).find(({ name }) => name.endsWith(end))?.name;
  };
  await expect.poll(() => toolNamed("__quick"), SOON).toBeTruthy();
  const name = await toolNamed("__quick");
  const tasks = async () => (await apiOf(owner).get<{ items: { id: string }[] }>("/tasks")).items;
  return {
    owner,
    approver,
    agent,
    /** Resolves to the result, once a person has decided and the tool has answered. */
    call: async (args: object) =>
      (await agent.legacy("tools/call", { name, arguments: args })).answer.result as unknown,
    /** The open request of the agent's call, of so many that it has made. */
    async asked(count: number): Promise<string> {
      await expect.poll(async () => (await tasks()).length, SOON).toBe(count);
      return openRequest(approver, (await tasks())[0]!.id);
    },
    async end() {
      for (const page of [owner, approver]) await page.context().close();
    },
  };
}

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
