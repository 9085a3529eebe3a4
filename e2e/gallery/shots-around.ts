/** The pages around the work: signing in, servers, and what stands in for a page that is not there. */
import { apiOf, expect } from "../fixtures/test.ts";
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
      await expect(page.getByRole("button", { name: "Connect anyway" })).toBeVisible();
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
