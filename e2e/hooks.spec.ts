/** A coding agent's hook asks before a call, and a person decides on what they see of it. */
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
    beforeTool("Bash", { command: "deploy \u202ekrow --token abcdefgh1234", description: "Ship it" }),
  );
  const pane = await opened();
  await expect(pane.getByRole("heading", { name: "May Claude Code run this command?" })).toBeVisible(SOON);
  const call = pane.getByRole("region", { name: "The call" });
  await expect(call).toContainText("The agent “Laptop” wants to use Bash in /home/ana/shop");
  await expect(call.getByRole("region", { name: "Command" })).toHaveText("deploy U+202Ekrow --token •••");
  await expect(call).toContainText("Ship it");
  await expect(call).toContainText("Secrets are shown as •••");
  await checkAppearance(approver, "a command to approve");
  await pane.getByRole("button", { name: /^Approve/ }).click();
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
