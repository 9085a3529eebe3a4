/** The settings, one's own and the organization's. */
import { apiOf, expect } from "../fixtures/test.ts";
import type { Shot } from "./shot.ts";

/** As Ana, who sees all sections. */
const settings = (name: string, path: string): Shot => ({
  name,
  person: "Ana",
  async open(page) {
    await page.goto(path);
    await expect(page.getByRole("main").getByRole("heading", { level: 2 }).first()).toBeVisible();
  },
});

export const SETTINGS: Shot[] = [
  {
    name: "settings",
    person: "Ana",
    async open(page) {
      await page.goto("/settings");
      await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
    },
  },
  settings("settings appearance", "/settings/appearance"),
  settings("settings channels", "/settings/channels"),
  {
    name: "settings channels in use",
    person: "Ana",
    async open(page) {
      const at = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
      const digest = {
        days: "working",
        hour: 8,
        zone: "America/Argentina/Buenos_Aires",
        sentAt: at(1_500),
        failure: null,
      };
      await page.route("**/api/v1/me/notifications", async (route) => {
        const response = await route.fetch();
        const { email, ...more } = await response.json();
        const failure = { error: "The mail server answered 451.", since: at(40) };
        await route.fulfill({ response, json: { ...more, email: { ...email, failure }, digest } });
      });
      await page.route("**/api/v1/me/calendar-feed", (route) =>
        route.fulfill({ json: { feed: { createdAt: at(9_000), readAt: at(12) } } }),
      );
      await page.goto("/settings/channels");
      await expect(page.getByText("The mail server answered 451.")).toBeVisible();
      await page.getByRole("button", { name: "New address…" }).scrollIntoViewIfNeeded();
    },
    async after(page) {
      await page.unroute("**/api/v1/me/notifications");
      await page.unroute("**/api/v1/me/calendar-feed");
    },
  },
  {
    name: "settings devices",
    person: "Ana",
    async open(page) {
      const at = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
      const device = (userAgent: string, more: object) => ({
        ...{ id: crypto.randomUUID(), userAgent, current: false, showsText: false },
        ...{ createdAt: at(9_000), seenAt: at(50), sentAt: null, failure: null, test: null, ...more },
      });
      const test = { id: crypto.randomUUID(), askedAt: at(2), sentAt: at(1), shownAt: null };
      const items = [
        device("Mozilla/5.0 (iPhone) Version/18.4 Mobile Safari/604.1", {
          showsText: true,
          sentAt: at(4),
          test,
        }),
        device("Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0", {
          current: true,
          sentAt: at(3),
          test: { ...test, shownAt: at(0) },
        }),
        device("Mozilla/5.0 (Linux; Android 16) Chrome/140.0 Mobile Safari/537.36", {
          failure: { error: "The push service answered 503.", since: at(95) },
        }),
      ];
      await page.route("**/api/v1/me/devices", (route) =>
        route.fulfill({ json: { items, publicKey: "B", textAllowed: true } }),
      );
      await page.goto("/settings/channels");
      await page.getByRole("list", { name: "Devices" }).scrollIntoViewIfNeeded();
      await expect(page.getByText("The push service answered 503.")).toBeVisible();
    },
    async after(page) {
      await page.unroute("**/api/v1/me/devices");
    },
  },
  settings("settings slack", "/settings/slack"),
  {
    name: "settings slack set up",
    person: "Ana",
    async open(page) {
      const at = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
      const app = {
        ...{ team: "Acme Workspace", bot: "intray", setUpAt: at(9_000), showsText: true, members: 12 },
        ...{ revoked: null, socket: null, pausedUntil: null },
        failing: { members: 1, error: "Slack answered channel_not_found.", since: at(95) },
      };
      await page.route("**/api/v1/organization/slack", (route) =>
        route.fulfill({ json: { app, manifest: "{}" } }),
      );
      await page.goto("/settings/slack");
      await expect(page.getByText("Acme Workspace")).toBeVisible();
    },
    async after(page) {
      await page.unroute("**/api/v1/organization/slack");
    },
  },
  {
    name: "settings slack account",
    person: "Ana",
    async open(page) {
      const at = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
      const account = {
        ...{ name: "Ana at Slack", linkedAt: at(9_000), sentAt: at(4), failure: null },
        test: { askedAt: at(1), deliveredAt: at(1) },
      };
      await page.route("**/api/v1/me/slack", (route) =>
        route.fulfill({ json: { team: "Acme Workspace", account } }),
      );
      await page.goto("/settings/channels");
      await page.getByText("Ana at Slack").scrollIntoViewIfNeeded();
    },
    async after(page) {
      await page.unroute("**/api/v1/me/slack");
    },
  },
  settings("settings teams", "/settings/teams"),
  {
    name: "settings teams account",
    person: "Ana",
    async open(page) {
      const at = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
      const account = {
        ...{ name: "Ana at Work", linkedAt: at(9_000), sentAt: null, test: null, hasApp: false },
        failure: { error: "Intray’s app is not in your Teams yet. Add it there.", since: at(95) },
      };
      await page.route("**/api/v1/me/teams", (route) =>
        route.fulfill({ json: { tenant: "66666666-7777-4888-9999-000000000000", account } }),
      );
      await page.goto("/settings/channels");
      await page.getByText("Ana at Work").scrollIntoViewIfNeeded();
    },
    async after(page) {
      await page.unroute("**/api/v1/me/teams");
    },
  },
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
  settings("settings sign-in", "/settings/sign-in"),
  {
    name: "settings sign-in required",
    person: "Ana",
    async open(page) {
      await page.route("**/api/v1/organization/sign-in", (route) =>
        route.fulfill({
          json: {
            providers: ["acme"],
            providerAgeMs: 28_800_000,
            keyAgeMs: null,
            acrValues: [],
            amrValues: ["mfa"],
            secondFactorFrom: "admin",
            sessionMs: 14_400_000,
            idleMs: null,
            offered: [
              { id: "acme", name: "Acme SSO" },
              { id: "partners", name: "Partners of Acme" },
            ],
          },
        }),
      );
      const domain = {
        createdAt: "2026-01-05T10:00:00.000Z",
        record: `intray-domain-verification=${"x7Qd".repeat(8)}`,
      };
      const items = [
        {
          ...domain,
          id: "0190a000-0000-7000-8000-000000000001",
          domain: "acme.example",
          verifiedAt: domain.createdAt,
        },
        {
          ...domain,
          id: "0190a000-0000-7000-8000-000000000002",
          domain: "subsidiary-of-acme.example",
          verifiedAt: null,
        },
      ];
      await page.route("**/api/v1/organization/domains", (route) => route.fulfill({ json: { items } }));
      await page.goto("/settings/sign-in");
      await expect(page.getByText("subsidiary-of-acme.example").first()).toBeVisible();
    },
    async after(page) {
      await page.unroute("**/api/v1/organization/sign-in");
      await page.unroute("**/api/v1/organization/domains");
    },
  },
  settings("settings saml", "/settings/saml"),
  {
    name: "settings saml add",
    person: "Ana",
    async open(page) {
      await page.goto("/settings/saml");
      await page.getByRole("button", { name: "Add a provider…" }).click();
      await page.getByLabel("Set up from").selectOption("hand");
      await expect(page.getByLabel("Signing certificates")).toBeVisible();
    },
  },
  settings("settings directory", "/settings/directory"),
  {
    name: "settings directory rotate",
    person: "Ana",
    async open(page) {
      const { token } = await apiOf(page).get<{ token: object | null }>("/directory");
      if (token === null) await apiOf(page).write("POST", "/directory/token", {});
      await page.goto("/settings/directory");
      await page.getByRole("button", { name: "Rotate…" }).click();
      await expect(page.getByRole("dialog")).toBeVisible();
    },
    async after(page) {
      const headers = { origin: process.env.E2E_URL ?? "" };
      await page.request.delete("/api/v1/directory/token", { headers });
    },
  },
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
      await expect(page.getByText("Ends soon").first()).toBeVisible();
    },
  },
  {
    name: "settings service accounts",
    person: "Ana",
    async open(page) {
      const { get, write } = apiOf(page);
      const { items: members } = await get<{ items: { id: string; name: string }[] }>("/members");
      const { items: known } = await get<{ items: { name: string }[] }>("/service-accounts");
      for (const [name, owner, suspended] of [
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
        if (suspended) await write("PATCH", `/service-accounts/${id}`, { suspended });
      }
      await page.goto("/settings/api-keys");
      await expect(page.getByText("Suspended", { exact: true }).first()).toBeVisible();
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
      await page.getByLabel("May use").selectOption("some");
      await expect(page.getByLabel("Read tasks")).toBeVisible();
    },
  },
  settings("settings keyboard", "/settings/keyboard"),
  settings("settings answers", "/settings/answers"),
];
