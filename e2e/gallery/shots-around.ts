/** The pages around the work: signing in, servers, settings, and what stands in for a page that is not there. */
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

/** As Ana, who sees all sections. */
const settings = (name: string, path: string): Shot => ({
  name,
  person: "Ana",
  async open(page) {
    await page.goto(path);
    await expect(page.getByRole("main").getByRole("heading", { level: 2 }).first()).toBeVisible();
  },
});

export const AROUND: Shot[] = [
  front("sign-in", "/sign-in"),
  front("sign-in refused", "/sign-in?error=throttled:150"),
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
    name: "settings",
    person: "Ana",
    async open(page) {
      await page.goto("/settings");
      await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
    },
  },
  settings("settings appearance", "/settings/appearance"),
  settings("settings notifications", "/settings/notifications"),
  settings("settings security", "/settings/security"),
  {
    name: "notices about the account",
    person: "Ana",
    async open(page) {
      const told = (
        cause: string,
        data: object,
        more = 0,
        canBeRead = false,
        readAt: string | null = null,
      ) => ({
        id: crypto.randomUUID(),
        kind: "account",
        cause,
        task: null,
        inputRequestId: null,
        server: null,
        assignment: null,
        account: { data, more, canBeRead },
        createdAt: new Date().toISOString(),
        readAt,
      });
      const items = [
        told(
          "account.passkey_added",
          { name: "A key with a name that goes on for quite a while, as some do" },
          3,
        ),
        told("account.new_sign_in", {
          method: "password",
          address: "198.51.100.7",
          browser: "Firefox/140 Linux",
        }),
        told("account.second_factor_removed", {}, 0, true),
        told("account.recovery_code_used", { left: 9 }, 0, true, new Date().toISOString()),
      ];
      await page.route("**/api/v1/notices?*", (route) =>
        route.fulfill({ json: { items, nextCursor: null } }),
      );
      await page.goto("/notices");
      await expect(page.getByText("Passkey added, and 3 more like this")).toBeVisible();
    },
    async after(page) {
      await page.unroute("**/api/v1/notices?*");
    },
  },
  settings("settings members", "/settings/members"),
  settings("settings audit stream", "/settings/audit-streams"),
  {
    name: "settings audit stream failing",
    person: "Ana",
    async open(page) {
      const { items } = await apiOf(page).get<{ items: { id: string }[] }>("/audit-streams");
      if (items.length === 0)
        await apiOf(page).write("POST", "/audit-streams", { kind: "syslog", host: "logs.invalid" });
      await page.goto("/settings/audit-streams");
      await expect(page.getByText("Failing")).toBeVisible({ timeout: 30_000 });
    },
    async after(page) {
      const { items } = await apiOf(page).get<{ items: { id: string }[] }>("/audit-streams");
      const headers = { origin: process.env.E2E_URL ?? "" };
      for (const { id } of items) await page.request.delete(`/api/v1/audit-streams/${id}`, { headers });
    },
  },
  {
    name: "settings audit stream add",
    person: "Ana",
    async open(page) {
      await page.goto("/settings/audit-streams");
      await page.getByRole("button", { name: "Add a destination…" }).click();
      await page.getByLabel("Kind").selectOption("syslog");
      await expect(page.getByLabel("CA certificate")).toBeVisible();
    },
  },
  {
    name: "view as dialog",
    person: "Ana",
    async open(page) {
      await page.goto("/settings/members");
      await page.getByRole("button", { name: "View as Ben" }).click();
      await expect(page.getByRole("dialog")).toBeVisible();
    },
  },
  {
    name: "view as",
    person: "Ana",
    async open(page) {
      await page.goto("/settings/members");
      await page.getByRole("button", { name: "View as Ben" }).click();
      await page.getByRole("button", { name: "Start viewing" }).click();
      await expect(page.getByText("Viewing as Ben.")).toBeVisible();
    },
    async after(page) {
      await page.getByRole("button", { name: "Stop viewing" }).click();
      await page.waitForURL("**/settings/members");
    },
  },
  settings("settings organization", "/settings/organization"),
  {
    name: "settings api keys",
    person: "Ana",
    async open(page) {
      const { write } = apiOf(page);
      await page.goto("/settings/api-keys");
      for (const [name, more] of [
        ["Nightly export", { permissions: ["tasks:read", "requests:read"], networks: ["203.0.113.0/24"] }],
        ["Billing", { expires: 7 }],
      ] as const) {
        const made = await write("POST", "/api-keys", { name, role: "operator", ...more });
        const { id } = await made.json();
        if (name === "Nightly export") await write("POST", `/api-keys/${id}/rotate`, {});
      }
      await page.reload();
      await expect(page.getByText("Expiring").first()).toBeVisible();
    },
  },
  {
    name: "settings service accounts",
    person: "Ana",
    async open(page) {
      const { get, write } = apiOf(page);
      const { items: members } = await get<{ items: { id: string; name: string }[] }>("/members");
      const { items: known } = await get<{ items: { name: string }[] }>("/service-accounts");
      for (const [name, owner, rests] of [
        ["Nightly import", "Ola", false],
        ["Invoice bot", "Ana", true],
      ] as const) {
        if (known.some((account) => account.name === name)) continue;
        const ownerId = members.find((member) => member.name === owner)?.id;
        const description = "Books what the bank sent yesterday";
        const made = await write("POST", "/service-accounts", {
          name,
          description,
          role: "operator",
          ownerId,
        });
        const { id } = await made.json();
        if (rests) await write("PATCH", `/service-accounts/${id}`, { rests });
      }
      await page.goto("/settings/api-keys");
      await expect(page.getByText("Rests", { exact: true }).first()).toBeVisible();
      await page.getByRole("list", { name: "Service accounts" }).scrollIntoViewIfNeeded();
    },
  },
  {
    name: "make a service account",
    person: "Ana",
    async open(page) {
      await page.goto("/settings/api-keys");
      await page.getByRole("button", { name: "Make a service account…" }).click();
      await expect(page.getByLabel("What it is for")).toBeVisible();
    },
  },
  {
    name: "settings networks",
    person: "Ana",
    async open(page) {
      await page.goto("/settings/organization");
      await page.getByLabel("Reached from").fill("192.0.2.0/24");
      await page.getByRole("button", { name: "Save networks" }).click();
      await expect(page.getByText(/locked out/)).toBeVisible();
    },
  },
  {
    name: "make an api key",
    person: "Ana",
    async open(page) {
      await page.goto("/settings/api-keys");
      await page.getByRole("button", { name: "Make a key…" }).click();
      await page.getByLabel("May do").selectOption("some");
      await page.getByLabel("Reaches").selectOption("some");
      await expect(page.getByLabel("Read tasks")).toBeVisible();
    },
  },
  settings("settings keyboard", "/settings/keyboard"),
  settings("settings answers", "/settings/answers"),
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
