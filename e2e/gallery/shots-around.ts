/** The pages around the work: signing in, servers, and what stands in for a page that is not there. */
import type { Page } from "@playwright/test";
import type { Server } from "../../lib/servers/server-schema.ts";
import { changeTools } from "../fixtures/changed-tools.ts";
import { apiOf, expect, newInvoiceId, openRequest, startInvoice } from "../fixtures/test.ts";
import { DARK, LIGHT, type Shot } from "./shot.ts";
import { openInbox } from "./shots-request.ts";

const front = (name: string, path: string): Shot => ({
  name,
  person: null,
  async open(page) {
    await page.goto(path);
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  },
});

/** The id of the server that has a recipe. */
async function payables(page: Page): Promise<string> {
  const { items } = await apiOf(page).get<{ items: Server[] }>("/servers");
  return items.find(({ name }) => name === "Accounts payable")?.id ?? "";
}

export const AROUND: Shot[] = [
  front("sign-in", "/sign-in"),
  front("sign-in refused", "/sign-in?error=throttled:150"),
  front("forgot-password", "/forgot-password"),
  front("setup", "/setup"),
  {
    name: "set-password",
    person: null,
    async open(page, fixture) {
      const words = ["user", "create", "dora@acme.example", "--org", "acme", "--role", "approver"];
      const [link] = /https?:\/\/\S+/.exec(await fixture.intray.command(...words)) ?? [];
      await page.goto(link ?? "/set-password");
      await expect(page.getByLabel(/password/i).first()).toBeVisible();
    },
  },
  front("set-password with an old link", "/set-password#token=none"),
  front("set-password incomplete", "/set-password"),
  front("join with an old link", "/join#token=none"),
  front("an agent refused", "/agents/sign-in?error=invalid_client"),
  { ...front("not found", "/not-there"), person: "Ben" },
  {
    name: "not found inside",
    person: "Ben",
    async open(page) {
      await page.goto("/tasks/00000000-0000-7000-8000-000000000000");
      await expect(page.getByText("Task not found").first()).toBeVisible();
    },
  },
  {
    name: "request not found",
    person: "Ben",
    async open(page) {
      await page.goto("/inbox/00000000-0000-7000-8000-000000000000");
      await expect(page.getByText("Request not found")).toBeVisible();
    },
  },
  {
    name: "get started",
    person: "Ana",
    async open(page) {
      await page.goto("/get-started");
      await expect(page.getByRole("region", { name: "Connect an agent" })).toBeVisible();
    },
  },
  {
    name: "servers",
    person: "Ana",
    async open(page) {
      await page.goto("/servers");
      await expect(page.getByRole("heading", { level: 2 }).nth(2)).toBeVisible();
    },
  },
  {
    name: "server",
    person: "Ana",
    async open(page) {
      await page.goto("/servers");
      await page.getByRole("link", { name: "Back office", exact: true }).click();
      await expect(page.getByText("can run as a task").first()).toBeVisible();
    },
  },
  {
    name: "agents",
    person: "Ana",
    async open(page) {
      const { get, write } = apiOf(page);
      const { items } = await get<{ items: { id: string }[] }>("/servers");
      const grants = items.slice(0, 2).map(({ id }) => ({ serverId: id }));
      for (const name of ["Claude Code on Ana’s laptop", "Nightly reconciliation"])
        await write("POST", "/agent-credentials", { name, grants, expires: 7 });
      await page.goto("/servers/agents");
      await expect(page.getByText(/^Ends /).first()).toBeVisible();
    },
  },
  {
    name: "agent",
    person: "Ana",
    async open(page) {
      await page.goto("/servers/agents");
      await page.getByRole("link", { name: "Nightly reconciliation" }).click();
      await expect(page.getByRole("heading", { name: "Set-up" })).toBeVisible();
    },
  },
  {
    name: "add an agent",
    person: "Ana",
    async open(page) {
      const { get } = apiOf(page);
      const { items } = await get<{ items: { id: string }[] }>("/servers");
      for (const { id } of items) await get(`/servers/${id}/tools`);
      await page.goto("/servers/agents");
      await page.getByRole("button", { name: "Add agent" }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel("Tool", { exact: true }).selectOption({ label: "All tools" });
      await dialog.getByRole("button", { name: "Grant", exact: true }).click();
      await dialog.getByLabel("Tool", { exact: true }).selectOption({ index: 2 });
      await expect(dialog.getByText(/^“Add agent” also grants/)).toBeVisible();
    },
  },
  {
    name: "agent added without tools",
    person: "Ana",
    async open(page) {
      await page.goto("/servers/agents");
      await page.getByRole("button", { name: "Add agent" }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel("Name").fill("Nightly script");
      await dialog.getByRole("button", { name: "Add agent" }).click();
      await dialog.getByLabel("Set-up for", { exact: true }).selectOption("TypeScript SDK");
      await expect(dialog.getByText(/callTool/)).toBeVisible();
    },
  },
  {
    name: "agent with changed tools",
    person: "Ana",
    async open(page, { office }) {
      const { write } = apiOf(page);
      const name = `Ledger ${Math.random().toString(36).slice(2, 6)}`;
      const server = await (await write("POST", "/servers", { name, url: office.url })).json();
      await write("POST", `/servers/${server.id}/pause`, { reason: "Its tools change" });
      const grants = [{ serverId: server.id, before: "ask" }];
      const agent = await (await write("POST", "/agent-credentials", { name: "Reconciler", grants })).json();
      await changeTools(server.id);
      await page.goto(`/servers/agents/${agent.id}`);
      await page.getByText("Input schema, before and after").click();
      await expect(page.getByText("In pounds:").first()).toBeVisible();
    },
  },
  {
    name: "an agent asks",
    person: "Ola",
    async open(page) {
      const redirect = "http://127.0.0.1:4999/callback";
      const data = { client_name: "Claude Code", redirect_uris: [redirect] };
      const registered = await page.request.post("/agents/oauth/register", { data });
      const search = new URLSearchParams({
        client_id: (await registered.json()).client_id,
        response_type: "code",
        redirect_uri: redirect,
        code_challenge: "x".repeat(43),
        code_challenge_method: "S256",
        state: "its own",
      });
      await page.goto(`/agents/oauth/auth?${search}`);
      await expect(page.getByText("Did you start this sign-in?")).toBeVisible();
    },
  },
  {
    name: "policy by rows",
    person: "Ana",
    async open(page) {
      await page.goto("/settings/policy");
      await page.getByRole("button", { name: "Two people above 5,000" }).click();
      await page.getByRole("button", { name: "Add a condition" }).click();
      await expect(page.getByRole("group", { name: "Row 2" })).toBeVisible();
    },
  },
  {
    name: "policy tried before a save",
    person: "Ana",
    async open(page) {
      await page.goto("/settings/policy");
      await page.getByRole("button", { name: "Two people above 5,000" }).click();
      await expect(page.getByRole("list", { name: "Stages without people to spare" })).toBeVisible();
      await page.getByRole("button", { name: "Try it on the last 30 days" }).click();
      await expect(page.getByRole("region", { name: "Try it on the last 30 days" })).toContainText(
        "Tried on",
      );
    },
  },
  {
    name: "call rules tried",
    person: "Ana",
    async open(page) {
      await startInvoice(page, { id: newInvoiceId() });
      await page.goto("/settings/call-rules");
      await page.getByRole("button", { name: "Add a rule…" }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel("Name", { exact: true }).fill("Large payments");
      await dialog.getByRole("button", { name: "Add a condition" }).click();
      await dialog.getByLabel("Value").fill("1000");
      await dialog.getByRole("button", { name: "Add the rule" }).click();
      await page.getByRole("button", { name: "Try on the last 100 calls" }).click();
      await expect(page.getByRole("list", { name: "Tried calls" })).toBeVisible();
    },
  },
  {
    name: "recipe's question",
    person: "Ana",
    async open(page) {
      const args = { invoice_id: newInvoiceId(), customer: "ACME Corp", amount: 1250, currency: "EUR" };
      const body = { serverId: await payables(page), tool: "process_invoice", arguments: args };
      const { id } = await (await apiOf(page).write("POST", "/tasks", body)).json();
      await page.goto(`/inbox/${await openRequest(page, id)}`);
      await expect(page.getByText("Details from Accounts payable")).toBeVisible();
    },
  },
  {
    name: "recipe tried",
    person: "Ana",
    async open(page) {
      await page.goto(`/servers/${await payables(page)}`);
      await page.getByRole("button", { name: "Edit process_invoice" }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByText("Try it", { exact: true }).click();
      const reply = { status: "PENDING-APPROVAL", invoice_id: "INV-7", customer: "ACME Corp", amount: 1250 };
      await dialog.getByLabel("On a recorded reply").fill(JSON.stringify(reply));
      await dialog.getByRole("button", { name: "Try the reply" }).click();
      await expect(dialog.getByText("Approve invoice INV-7 of ACME Corp?")).toBeVisible();
    },
  },
  {
    name: "connect server",
    person: "Ana",
    async open(page) {
      await page.goto("/servers");
      await page.getByRole("button", { name: "Connect server" }).click();
      await expect(page.getByRole("dialog")).toBeVisible();
    },
  },
  {
    name: "connect server tried",
    person: "Ana",
    async open(page, { office }) {
      await page.goto("/servers");
      await page.getByRole("button", { name: "Connect server" }).click();
      await page.getByLabel("Address").fill(office.url);
      await page.keyboard.press("Enter");
      await expect(page.getByText("The server answers. No sign-in needed.")).toBeVisible();
    },
  },
  {
    name: "connect server dead",
    person: "Ana",
    async open(page, { office }) {
      await page.goto("/servers");
      await page.getByRole("button", { name: "Connect server" }).click();
      await page.getByLabel("Address").fill(office.url.replace(/mcp$/, "answers"));
      await page.keyboard.press("Enter");
      await expect(page.getByRole("button", { name: "Save anyway" })).toBeVisible();
      await page.getByText("Advanced").click();
    },
  },
  {
    name: "server unreachable",
    person: "Ana",
    async open(page, { office }) {
      const url = office.url.replace(/mcp$/, "answers");
      const made = await apiOf(page).write("POST", "/servers", { name: "Old ledger", url });
      expect(made.status(), await made.text()).toBe(201);
      const { id } = (await made.json()) as { id: string };
      await page.goto(`/servers/${id}`);
      await expect(page.getByText("No tools known yet").first()).toBeVisible();
    },
  },
  {
    name: "server not found",
    person: "Ana",
    async open(page) {
      await page.goto("/servers/00000000-0000-7000-8000-000000000000");
      await expect(page.getByText("Server not found")).toBeVisible();
    },
  },
  {
    name: "page failed",
    person: "Ola",
    fails: true,
    async open(page) {
      await page.route("**/api/v1/servers?*", (route) =>
        route.fulfill({ json: { items: [null], nextCursor: null } }),
      );
      await page.goto("/servers");
      await expect(page.getByText("This page could not be shown")).toBeVisible();
    },
  },
  {
    name: "activity",
    person: "Ana",
    async open(page, fixture) {
      await fixture.invoice("acme");
      await page.goto("/activity");
      await expect(page.getByText("Server asked").first()).toBeVisible();
    },
  },
  {
    name: "account menu",
    person: "Ben",
    async open(page) {
      await page.goto("/tasks");
      await page.getByRole("button", { name: "Ben: account and appearance" }).click();
      await expect(page.getByRole("menu")).toBeVisible();
    },
    appearances: [LIGHT, DARK],
  },
  {
    name: "keys",
    person: "Ben",
    async open(page) {
      await page.goto("/inbox");
      await expect(page.getByRole("searchbox").first()).toBeVisible();
      await page.keyboard.press("?");
      await expect(page.getByRole("dialog", { name: "Keyboard shortcuts" })).toBeVisible();
    },
  },
  {
    name: "palette",
    person: "Ben",
    async open(page) {
      await page.goto("/inbox");
      await expect(page.getByRole("searchbox").first()).toBeVisible();
      await page.keyboard.press("ControlOrMeta+k");
      await expect(page.getByRole("dialog").getByRole("combobox")).toBeVisible();
    },
  },
  {
    name: "palette finds",
    person: "Ben",
    async open(page) {
      await page.goto("/inbox");
      await expect(page.getByRole("searchbox").first()).toBeVisible();
      await page.keyboard.press("ControlOrMeta+k");
      await page.getByRole("dialog").getByRole("combobox").fill("set");
      await expect(page.getByRole("option").first()).toBeVisible();
    },
  },
  {
    name: "tour",
    person: "Cleo",
    async open(page, fixture) {
      await fixture.as("Cleo").request.fetch("/api/v1/me/preferences", {
        method: "PATCH",
        data: { tourSeen: false },
        headers: { origin: fixture.intray.url },
      });
      await page.goto("/inbox");
      await expect(page.getByText(/1 of 3/)).toBeVisible();
    },
    async after(_, fixture) {
      await fixture.as("Cleo").request.fetch("/api/v1/me/preferences", {
        method: "PATCH",
        data: { tourSeen: true },
        headers: { origin: fixture.intray.url },
      });
    },
  },
  {
    name: "offline",
    person: "Ben",
    async open(page, fixture) {
      await openInbox(page, (await fixture.ask("approve_payment")).requestId);
      await page.context().setOffline(true);
      await expect(page.getByText(/offline/i).first()).toBeVisible();
    },
  },
];
