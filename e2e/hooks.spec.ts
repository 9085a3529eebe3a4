/** A coding agent's hook asks before a call, and a person decides on what they see of it. */
import type { Overview } from "../lib/requests/statistics/statistics-schema.ts";
import { beforeTool, rawHook } from "../test/fixtures/agents/raw-hook.ts";
import { checkAppearance } from "./fixtures/appearance.ts";
import { newMember, newOwner } from "./fixtures/organizations.ts";
import { saveCallRules } from "./fixtures/policy.ts";
import { apiOf, expect, keysListen, requestPane, SOON, test } from "./fixtures/test.ts";

test("Claude Code asks before a command and a change of a file, and is told what a person decided", {
  tag: "@journey",
}, async ({ browser }) => {
  const owner = await newOwner(browser, "Hanna", "hawaii");
  const approver = await newMember(browser, "Hugo", "hawaii", "approver");
  const made = await apiOf(owner).write("POST", "/agent-credentials", { name: "Laptop" });
  expect(made.status(), await made.text()).toBe(201);
  const hook = rawHook(process.env.E2E_URL ?? "", "/hooks/claude-code", (await made.json()).secret);
  const openOnly = async () => {
    const { items } = await apiOf(approver).get<{ items: { id: string }[] }>("/input-requests?state=open");
    return items.length === 1 ? items[0]!.id : null;
  };
  const opened = async () => {
    await expect.poll(openOnly, SOON).toBeTruthy();
    await approver.goto(`/inbox/${await openOnly()}`);
    return requestPane(approver);
  };

  const command = hook(
    beforeTool("Bash", {
      command: "deploy \u202ekrow --token ghp_0123456789Abcdefghijklmnopqrstuvwxyz",
      description: "Ship it",
    }),
  );
  const pane = await opened();
  await expect(pane.getByRole("heading", { name: "May Claude Code run this command?" })).toBeVisible(SOON);
  const call = pane.getByRole("region", { name: "The call" });
  await expect(call).toContainText("The agent “Laptop” wants to use “Bash” in /home/ana/shop");
  await expect(call.getByRole("region", { name: "Command" })).toHaveText("deploy U+202Ekrow --token •••");
  await expect(call).toContainText("Ship it");
  await expect(call).toContainText("Parts of this call are hidden: 1 place");
  await checkAppearance(approver, "a command to approve");
  // What is said of the hidden part has to be read first.
  const approve = pane.getByRole("button", { name: /^Approve/ });
  await approve.click();
  await expect(call).toContainText("A token of 40 characters in “command”");
  await expect(pane.getByText("You have not seen all of the request yet")).toBeVisible();
  await keysListen(approver);
  await approver.keyboard.press("e");
  await expect(approver.getByRole("dialog")).toBeHidden();
  // A press right after the parts were opened may come too early to count.
  await expect(async () => {
    if (await approve.isVisible()) await approve.click();
    await expect(approve).toBeHidden({ timeout: 3_000 });
  }).toPass(SOON);
  expect((await command).body.hookSpecificOutput).toMatchObject({
    permissionDecision: "allow",
    permissionDecisionReason: "Hugo approved it in Intray.",
  });

  const edit = hook(
    beforeTool("Edit", { file_path: "/home/ana/shop/tax.ts", old_string: "a\nb\n", new_string: "a\nc\n" }),
  );
  await opened();
  await expect(pane.getByRole("heading", { name: "May Claude Code change this file?" })).toBeVisible(SOON);
  await expect(call).toContainText("/home/ana/shop/tax.ts");
  const change = call.getByRole("region", { name: "Change 1" });
  await expect(change).toContainText("gone: b");
  await expect(change).toContainText("new: c");
  await checkAppearance(approver, "a change of a file to approve");
  await pane.getByRole("button", { name: /^Decline/ }).click();
  const decline = approver.getByRole("dialog", { name: "Decline /home/ana/shop/tax.ts" });
  await decline.getByRole("textbox").fill("Wrong rate");
  await decline.getByRole("button", { name: "Decline", exact: true }).click();
  expect((await edit).body.hookSpecificOutput).toMatchObject({
    permissionDecision: "deny",
    permissionDecisionReason: "Hugo declined it in Intray: Wrong rate",
  });

  const file = "/home/ana/shop/tax.cs";
  const windows = hook(
    beforeTool("Edit", { file_path: file, old_string: "a\r\nb\r\n", new_string: "a\r\nc\r\n" }),
  );
  await opened();
  await expect(change).toContainText("gone: b", SOON);
  await expect(call).toContainText("Windows line ends");
  await expect(call).not.toContainText("U+000D");
  await checkAppearance(approver, "a change of a file with Windows line ends");
  await keysListen(approver);
  await approver.keyboard.press("e");
  const changes = approver.getByRole("dialog", { name: "Approve /home/ana/shop/tax.cs with changes" });
  await expect(changes.getByLabel(/file.path/i)).toHaveValue(file, SOON);
  await expect(changes).not.toContainText("optional");
  await checkAppearance(approver, "a hook's call, approve with changes");
  await approver.keyboard.press("Escape");
  await expect(changes).toBeHidden();

  // The owner denies it meanwhile: nobody can approve it any more.
  await saveCallRules(owner, [{ name: "No tax", tools: ["Edit"], before: "deny" }]);
  await pane.getByRole("button", { name: /^Approve/ }).click();
  await expect(pane.getByText("A call rule denies this call.")).toBeVisible(SOON);
  await checkAppearance(approver, "a call that a rule denies since");
  await pane.getByRole("button", { name: /^Decline/ }).click();
  const refuse = approver.getByRole("dialog", { name: `Decline ${file}` });
  await refuse.getByRole("textbox").fill("Not now");
  await refuse.getByRole("button", { name: "Decline", exact: true }).click();
  expect((await windows).body.hookSpecificOutput).toMatchObject({ permissionDecision: "deny" });
  for (const page of [owner, approver]) await page.context().close();
});

test("a person tries an agent's hook on its page: the request is there, or the rule that decided, and the overview counts it", async ({
  browser,
}) => {
  const owner = await newOwner(browser, "Tess", "tahiti");
  const approver = await newMember(browser, "Theo", "tahiti", "approver");
  const { write, get } = apiOf(owner);
  const { id } = await (await write("POST", "/agent-credentials", { name: "Laptop" })).json();
  await owner.goto(`/servers/agents/${id}`);
  const program = owner.getByLabel("Set-up for", { exact: true });
  await program.selectOption("Claude Code, for you");
  const tryIt = owner.getByRole("button", { name: "Try it" });
  await expect(owner.getByText("Sends a harmless call in the agent’s name")).toBeVisible(SOON);
  await tryIt.click();
  await expect(owner.getByText("The call waits for a person.")).toBeVisible(SOON);
  await checkAppearance(owner, "a hook that was tried");
  const request = await owner.getByRole("link", { name: "Show request" }).getAttribute("href");
  await approver.goto(request ?? "");
  const pane = requestPane(approver);
  await expect(pane.getByRole("heading", { name: "May Claude Code run this command?" })).toBeVisible(SOON);
  await expect(pane.getByRole("region", { name: "Command" })).toContainText("Nothing runs");
  await pane.getByRole("button", { name: /^Approve/ }).click();

  await saveCallRules(owner, [{ name: "Echo is free", tools: ["Bash"], before: "allow" }]);
  await tryIt.click();
  await expect(owner.getByText("Allowed. Intray’s rule “Echo is free” allows it.")).toBeVisible(SOON);
  await program.selectOption("Codex, for you");
  await expect(owner.getByText("Sends a harmless call in the agent’s name")).toBeVisible();

  const counted = async () => (await get<Overview>("/overview")).agentCalls;
  await expect.poll(counted, SOON).toEqual({ byRule: 1, byStandingApproval: 0, byPerson: 1, refused: 0 });
  await owner.goto("/overview");
  const calls = owner.getByRole("region", { name: "Calls of agents" });
  await expect(calls.getByText("1 of 2 calls passed without a person.")).toBeVisible(SOON);
  await expect(calls.getByRole("link", { name: "Call rules" })).toBeVisible();
  await checkAppearance(owner, "calls of agents on the overview");
  for (const page of [owner, approver]) await page.context().close();
});
