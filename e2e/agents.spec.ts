/** An agent is added, granted tools, told of a change of them and revoked, with the keyboard where it matters. */
import type { Server } from "../lib/servers/server-schema.ts";
import { checkAppearance } from "./fixtures/appearance.ts";
import { changeTools } from "./fixtures/changed-tools.ts";
import { newOwner } from "./fixtures/organizations.ts";
import {
  apiOf,
  expect,
  invoiceServer,
  newInvoiceId,
  openPhoneAs,
  SOON,
  tabTo,
  test,
} from "./fixtures/test.ts";

test("an owner adds an agent, copies its set-up once, changes what it may call, and revokes it", {
  tag: "@journey",
}, async ({ browser }) => {
  const yara = await newOwner(browser, "Yara", "yankee");
  const made = await apiOf(yara).write("POST", "/servers", {
    name: "Invoices",
    url: `${invoiceServer()}/mcp`,
  });
  expect(made.status()).toBe(201);

  await yara.goto("/servers");
  await yara.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Agents" }).click();
  await expect(yara.getByRole("navigation", { name: "Main" }).locator("[aria-current=page]")).toHaveText(
    "Agents",
  );
  await expect(yara.getByText("No agents yet")).toBeVisible(SOON);
  await checkAppearance(yara, "no agents");

  await tabTo(yara, yara.getByRole("button", { name: "Add agent" }));
  await yara.keyboard.press("Enter");
  const dialog = yara.getByRole("dialog");
  await dialog.getByRole("button", { name: "Add agent" }).click();
  await expect(dialog.locator("[aria-invalid=true]").first()).toBeFocused();
  await dialog.getByLabel("Name").fill("Coding agent");
  const grant = dialog.getByRole("button", { name: "Grant", exact: true });
  await expect(grant).toBeDisabled();
  await dialog.getByLabel("Tool", { exact: true }).selectOption({ label: "All tools" });
  await expect(dialog.getByText("“Add agent” also grants all tools of Invoices.")).toBeVisible();
  await tabTo(yara, grant);
  await yara.keyboard.press("Enter");
  await expect(dialog.getByText("All tools of Invoices", { exact: true })).toBeVisible();
  await expect(grant).toBeDisabled();
  await dialog.getByLabel("Tool", { exact: true }).selectOption({ label: "process_invoice" });
  await grant.click();
  await dialog.getByLabel("If no call rule matches: process_invoice of Invoices").selectOption("ask");
  await dialog.getByLabel("Wait up to").selectOption({ label: "20 s" });
  await checkAppearance(yara, "adding an agent");
  await dialog.getByRole("button", { name: "Add agent" }).click();

  await expect(dialog.getByLabel("Secret")).toHaveValue(/^ita_[\w-]{43}$/, SOON);
  const secret = await dialog.getByLabel("Secret").inputValue();
  await expect(dialog.getByText("claude mcp add --transport http intray")).toContainText(secret);
  await dialog.getByLabel("Set-up for", { exact: true }).selectOption("curl");
  await checkAppearance(yara, "an agent's set-up");
  await dialog.getByRole("button", { name: "Copy the set-up for curl" }).click();
  expect(await yara.evaluate(() => navigator.clipboard.readText())).toContain(`${process.env.E2E_URL}/mcp`);
  await dialog.getByRole("button", { name: "Done" }).click();
  const row = yara.getByRole("list", { name: "Agents" }).getByRole("listitem");
  await expect(row).toContainText("uses a secret · 1 server, 1 tool · waits up to 20 s");
  await expect(row).toContainText("never connected");

  await row.getByRole("link", { name: "Coding agent" }).click();
  const grants = yara.getByRole("list", { name: "Tools it may call" });
  await expect(grants.getByText("If no call rule matches: Require approval")).toBeVisible(SOON);
  await expect(yara.getByText(secret)).toHaveCount(0);
  await checkAppearance(yara, "an agent");

  await yara.getByRole("button", { name: "Edit…" }).click();
  await dialog.getByRole("button", { name: "Remove All tools of Invoices" }).click();
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(grants.getByRole("listitem")).toHaveCount(1, SOON);

  await yara.getByRole("button", { name: "New secret…" }).click();
  await expect(dialog.getByText("The current secret stops working at once.")).toBeVisible();
  await checkAppearance(yara, "a new secret for an agent");
  await dialog.getByRole("button", { name: "Make a new secret" }).click();
  await expect(dialog.getByLabel("Secret")).toHaveValue(/^ita_[\w-]{43}$/, SOON);
  await expect(dialog.getByLabel("Secret")).not.toHaveValue(secret);
  await dialog.getByRole("button", { name: "Done" }).click();
  await expect(grants.getByRole("listitem")).toHaveCount(1);

  await yara.getByRole("button", { name: "Revoke…" }).click();
  await dialog.getByRole("button", { name: "Revoke", exact: true }).click();
  await expect(yara.getByText("No agents yet")).toBeVisible(SOON);
  await yara.goto("/activity");
  await expect(yara.getByText("Yara revoked the agent “Coding agent”")).toBeVisible(SOON);
  await expect(yara.getByText("Yara gave the agent “Coding agent” a new secret")).toBeVisible();
  await yara.context().close();
});

test("an agent is granted what is chosen when it is added, and without a tool leads to its grants", async ({
  browser,
}) => {
  const zoe = await newOwner(browser, "Zoe", "zulu");
  const { write } = apiOf(zoe);
  await write("POST", "/servers", { name: "Invoices", url: `${invoiceServer()}/mcp` });
  await zoe.goto("/servers/agents");
  const dialog = zoe.getByRole("dialog");
  const add = async (name: string) => {
    await zoe.getByRole("button", { name: "Add agent" }).click();
    await dialog.getByLabel("Name").fill(name);
  };
  await add("Payer");
  await dialog.getByLabel("Tool", { exact: true }).selectOption({ label: "process_invoice" });
  await dialog.getByRole("button", { name: "Add agent" }).click();
  await expect(zoe.getByRole("dialog", { name: "Payer is ready" })).toBeVisible(SOON);
  await dialog.getByRole("button", { name: "Done" }).click();
  const list = zoe.getByRole("list", { name: "Agents" });
  await expect(list.getByRole("listitem").filter({ hasText: "Payer" })).toContainText("1 tool");

  await add("Asker");
  await dialog.getByRole("button", { name: "Add agent" }).click();
  await expect(zoe.getByRole("dialog", { name: "Asker is ready to ask people" })).toBeVisible(SOON);
  await checkAppearance(zoe, "an agent without tools, added");
  await dialog.getByRole("link", { name: "Grant tools" }).click();
  await zoe.getByRole("button", { name: "Grant tools…" }).click();
  await dialog.getByLabel("Tool", { exact: true }).selectOption({ label: "process_invoice" });
  await dialog.getByRole("button", { name: "Save" }).click();
  const grants = zoe.getByRole("list", { name: "Tools it may call" });
  await expect(grants.getByText("process_invoice")).toBeVisible(SOON);
  await zoe.context().close();
});

test("on a phone a long dialog keeps its buttons in view, also while it scrolls, and no code widens the page", async ({
  browser,
}) => {
  const phone = await openPhoneAs(browser, "Ana");
  await phone.goto("/servers/agents");
  await phone.getByRole("button", { name: "Add agent" }).click();
  const dialog = phone.getByRole("dialog");
  const add = dialog.getByRole("button", { name: "Add agent" });
  await expect(add).toBeInViewport({ ratio: 1 });
  const name = `Phone ${newInvoiceId()}`;
  await dialog.getByLabel("Name").fill(name);
  await dialog.getByLabel("Wait up to").focus();
  await expect(add).toBeInViewport({ ratio: 1 });
  // Nothing shows below the buttons.
  const [foot, all] = [await add.locator("..").boundingBox(), await dialog.boundingBox()];
  expect(Math.abs(foot!.y + foot!.height - (all!.y + all!.height))).toBeLessThanOrEqual(2);
  await checkAppearance(phone, "adding an agent, on a phone");
  await add.click();
  await dialog.getByLabel("Set-up for", { exact: true }).selectOption("curl");
  await expect(dialog.getByRole("button", { name: "Done" })).toBeInViewport({ ratio: 1 });
  const code = dialog.locator("pre");
  const [box, around] = [await code.boundingBox(), await dialog.boundingBox()];
  expect(box!.x + box!.width).toBeLessThanOrEqual(around!.x + around!.width);
  await checkAppearance(phone, "an agent's set-up, on a phone");
  await dialog.getByRole("link", { name: "Grant tools" }).click();
  await expect(phone.getByRole("heading", { name, level: 1 })).toBeVisible(SOON);
  await phone.getByRole("button", { name: "Revoke…" }).click();
  await dialog.getByRole("button", { name: "Revoke", exact: true }).click();
  await expect(phone).toHaveURL(/\/servers\/agents$/, SOON);
  await phone.context().close();
});

test("a tool that its server describes otherwise requires approval, until an admin who sees what changed approves it", async ({
  ana,
}) => {
  const { write } = apiOf(ana);
  const url = `${invoiceServer()}/mcp`;
  const server = (await (await write("POST", "/servers", { name: "Changing ledger", url })).json()) as Server;
  // Nobody asks a paused server for its tools meanwhile.
  await write("POST", `/servers/${server.id}/pause`, { reason: "Its tools change" });
  const body = { name: "Reconciler", grants: [{ serverId: server.id }] };
  const { id } = await (await write("POST", "/agent-credentials", body)).json();
  await changeTools(server.id);

  await ana.goto("/servers/agents");
  const row = ana.getByRole("listitem").filter({ hasText: "Reconciler" });
  await expect(row.getByText("2 changed tools")).toBeVisible(SOON);
  await checkAppearance(ana, "agents with a changed tool");
  await row.getByRole("link", { name: "Reconciler" }).click();
  await expect(ana.getByText(/^Changed since it was granted/)).toBeVisible(SOON);
  // What changed is in sight: what the tool says, and what it takes.
  await expect(ana.getByText("In pounds:").first()).toBeVisible(SOON);
  await expect(ana.getByText("New field: bcc")).toBeVisible();
  await ana.getByText("Input schema, before and after").click();
  await expect(ana.getByText('"bcc"').locator("visible=true")).toBeVisible();
  await expect(ana.getByText("The server did not have this tool when its tools were granted.")).toBeVisible();
  await expect(ana.getByText("Deletes every line")).toBeVisible();
  await checkAppearance(ana, "an agent with a changed tool");
  await tabTo(ana, ana.getByRole("button", { name: "Approve 2 current versions" }));
  await ana.keyboard.press("Enter");
  await expect(ana.getByText(/^Changed since it was granted/)).toHaveCount(0, SOON);
  const headers = { origin: process.env.E2E_URL ?? "" };
  expect((await ana.request.delete(`/api/v1/agent-credentials/${id}`, { headers })).status()).toBe(204);
  await ana.reload();
  await expect(ana.getByText("Agent not found")).toBeVisible(SOON);
});
