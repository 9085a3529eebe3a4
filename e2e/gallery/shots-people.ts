/** People and their accounts: who is suspended, sessions, links, ways to sign in, and what asks for a second person. */
import type { Page } from "@playwright/test";
import { apiOf, expect } from "../fixtures/test.ts";
import type { Shot } from "./shot.ts";

const AGO = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
const FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
const PHONE =
  "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1";

/** Answers a call of the page with this, in place of the server. */
const answer = (page: Page, path: string, json: unknown, method = "GET", status = 200) =>
  page.route(path, (route) =>
    route.request().method() === method ? route.fulfill({ status, json }) : route.fallback(),
  );
/** Changes what the server answers to a GET. */
// biome-ignore lint/suspicious/noExplicitAny: each shot knows the answer that it changes
const change = (page: Page, path: string | RegExp, to: (body: any) => unknown) =>
  page.route(path, async (route) => {
    if (route.request().method() !== "GET") return route.fallback();
    const response = await route.fetch();
    return route.fulfill({ response, json: to(await response.json()) });
  });

interface Listed {
  items: { name: string }[];
}

/** The page of members, with Ben as the shot wants him. */
async function members(page: Page, ben: object): Promise<void> {
  await change(page, /\/api\/v1\/members\?(?!.*state=suspended)/, (body: Listed) => ({
    ...body,
    items: body.items.map((item) => (item.name === "Ben" ? { ...item, ...ben } : item)),
  }));
  await page.goto("/settings/members");
  await expect(page.getByRole("list", { name: "Members", exact: true })).toContainText("Ben");
}

/** What an entry of Ben's menu opens. */
const fromMenu = (name: string, entry: string, before?: (page: Page) => Promise<unknown>): Shot => ({
  name,
  person: "Ana",
  async open(page) {
    await before?.(page);
    await members(page, { countsWith: null, vouchedBy: "Otto" });
    await page.getByRole("button", { name: "More for Ben" }).click();
    await page.getByRole("menuitem", { name: entry }).click();
    await expect(page.getByRole("dialog")).toBeVisible();
  },
});

const session = (id: number, current: boolean, userAgent: string) => ({
  id: `00000000-0000-7000-8000-00000000000${id}`,
  current,
  method: current ? "passkey" : "password",
  userAgent,
  agent: null,
  address: current ? "198.51.100.7" : "203.0.113.20",
  createdAt: AGO(60 * id),
  lastSeenAt: AGO(id),
  expiresAt: AGO(-300),
});

const event = (type: string, data: object, minutes: number, times = 1) => ({
  id: crypto.randomUUID(),
  type,
  data,
  times,
  at: AGO(minutes + 5),
  lastAt: AGO(minutes),
});

export const PEOPLE: Shot[] = [
  {
    name: "members suspended",
    person: "Ana",
    async open(page) {
      await answer(page, "**/api/v1/members?state=suspended*", {
        items: [
          ["Vera Veryverylongname of the Accounts Department", "approver", "admin", true],
          ["Otto", "operator", "directory", false],
        ].map(([name, role, cause, proven], at) => ({
          id: crypto.randomUUID(),
          userId: crypto.randomUUID(),
          name,
          email: `${String(name).toLowerCase().replaceAll(" ", ".")}@acme.example`,
          role,
          createdAt: AGO(90_000),
          countsWith: null,
          vouchedBy: null,
          mayVouch: false,
          proven,
          suspended: { at: AGO(30 + 3_000 * at), by: cause === "admin" ? "Ana" : "Entra", cause },
        })),
        nextCursor: null,
      });
      await members(page, { proven: false });
      await page.getByRole("heading", { name: "Suspended" }).scrollIntoViewIfNeeded();
      await expect(page.getByRole("button", { name: "Reinstate Otto" })).toBeVisible();
    },
  },
  fromMenu("suspend dialog", "Suspend…"),
  fromMenu("member sessions", "Sessions…", (page) =>
    answer(page, "**/api/v1/members/*/sessions", {
      items: [session(1, true, FIREFOX), session(2, false, PHONE)].map(({ current: _, ...item }) => item),
    }),
  ),
  fromMenu("member sessions none", "Sessions…", (page) =>
    answer(page, "**/api/v1/members/*/sessions", { items: [] }),
  ),
  fromMenu("password link dialog", "Password link…"),
  {
    name: "password link made",
    person: "Ana",
    async open(page, fixture) {
      const token = "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFG";
      const made = { url: `http://localhost:3000/set-password#token=${token}`, expiresAt: AGO(-1_440) };
      await answer(page, "**/api/v1/members/*/password-link", made, "POST", 201);
      await fromMenu("", "Password link…").open(page, fixture);
      await page.getByRole("button", { name: "Make a link" }).click();
      await expect(page.getByText("The link is ready")).toBeVisible();
    },
  },
  fromMenu("take vouching back", "Take vouching back…"),
  {
    name: "vouch dialog",
    person: "Ana",
    async open(page) {
      await members(page, { mayVouch: true, countsWith: { id: null, name: "Otto" } });
      await page.getByRole("button", { name: "Vouch for Ben" }).click();
      await expect(page.getByRole("dialog")).toBeVisible();
    },
  },
  {
    name: "recent activity",
    person: "Ben",
    async open(page) {
      await answer(page, "**/api/v1/me/security-events", {
        items: [
          event("session.refused", { reason: "wrong_password" }, 3, 12),
          event(
            "session.opened",
            { method: "password", new: true, browser: FIREFOX, address: "203.0.113.20" },
            20,
          ),
          event("account.identity_linked", { issuer: "https://login.acme.example/realms/staff" }, 40),
          event("account.sessions_ended", { count: 2, by: "Ana", organization: "Acme" }, 90),
          event("account.password_changed", { byLink: true, source: "mail" }, 200),
          event("account.passkey_removed", { name: "A key with a name that goes on for quite a while" }, 900),
          event("account.recovery_code_used", { left: 9 }, 2_000),
          event("session.ended", { count: 1 }, 3_000),
          event("session.opened", { method: "passkey" }, 4_000),
        ],
      });
      await page.goto("/settings/security");
      const heading = page.getByRole("heading", { name: "Recent activity" });
      await heading.scrollIntoViewIfNeeded();
      await expect(page.getByText("12 times")).toBeVisible();
    },
  },
  {
    name: "end the other sessions",
    person: "Ben",
    async open(page) {
      const key = {
        id: crypto.randomUUID(),
        name: "Work laptop",
        createdAt: AGO(9_000),
        lastUsedAt: AGO(60),
      };
      await change(page, "**/api/v1/me/security", (body) => ({ ...body, passkeys: [key] }));
      await answer(page, "**/api/v1/me/sessions", {
        items: [session(1, true, FIREFOX), session(2, false, PHONE), session(3, false, FIREFOX)],
      });
      await page.route("**/api/v1/me/passkeys/*", (route) => route.fulfill({ status: 204 }));
      await page.goto("/settings/security");
      await page.getByRole("button", { name: "Remove Work laptop" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Remove", exact: true }).click();
      await expect(page.getByText("You are signed in in 2 other places")).toBeVisible();
    },
  },
  {
    name: "step up",
    person: "Ana",
    async open(page) {
      const refused = { type: "about:blank", title: "Forbidden", status: 403, code: "step_up_required" };
      await answer(page, "**/api/v1/members/*/view-as", { ...refused, detail: "Show it." }, "POST", 403);
      await answer(page, "**/api/v1/me/step-up", { fresh: false, ways: ["password", "passkey"] });
      await page.goto("/settings/members");
      await page.getByRole("button", { name: "View as Ben" }).click();
      await page.getByRole("button", { name: "Start viewing" }).click();
      await expect(page.getByRole("dialog", { name: "Confirm that it is you" })).toBeVisible();
    },
  },
  {
    name: "legal hold",
    person: "Ana",
    async open(page) {
      const hold = {
        by: { kind: "member", id: null, name: "Ana" },
        at: AGO(3_000),
        reason: "Audit of the payments to Initech in the third quarter, as counsel asked on 3 November",
      };
      await change(page, "**/api/v1/organization", (body) => ({ ...body, hold }));
      await page.goto("/settings/retention");
      await expect(page.getByRole("button", { name: "Lift the hold" })).toBeVisible();
      await page.getByRole("heading", { name: "Legal hold" }).scrollIntoViewIfNeeded();
    },
  },
  {
    name: "second person's end proposed",
    person: "Ana",
    async open(page) {
      const fourEyesProposal = {
        by: { kind: "member", id: null, name: "Otto" },
        at: AGO(120),
        takesEffectAt: AGO(-4_200),
        mayAccept: true,
        mayWithdraw: true,
      };
      await change(page, "**/api/v1/organization", (body) => ({ ...body, fourEyes: true, fourEyesProposal }));
      await page.goto("/settings/organization");
      await expect(page.getByText("Otto proposed to require no second person any more")).toBeVisible();
    },
  },
  {
    name: "content that is being sealed",
    person: "Ana",
    async open(page) {
      const changed = { by: { kind: "member", id: null, name: "Ana" }, at: AGO(5) };
      const progress = { done: 41_300, of: 128_000 };
      const json = { sealed: true, changed, progress, unopened: 0, opens: true };
      await page.route("**/api/v1/organization/content-sealing", (route) => route.fulfill({ json }));
      await page.goto("/settings/organization");
      await expect(page.getByText("Encrypting stored content")).toBeVisible();
      await page.getByRole("heading", { name: "Encryption" }).scrollIntoViewIfNeeded();
    },
  },
  {
    name: "content whose key does not open",
    person: "Ana",
    async open(page) {
      const changed = { by: { kind: "member", id: null, name: "Ana" }, at: AGO(5_000) };
      const json = { sealed: true, changed, progress: null, unopened: 3, opens: false };
      await page.unroute("**/api/v1/organization/content-sealing");
      await page.route("**/api/v1/organization/content-sealing", (route) => route.fulfill({ json }));
      await page.goto("/settings/organization");
      await expect(page.getByText("The organization’s key can’t be opened")).toBeVisible();
      await page.getByRole("heading", { name: "Encryption" }).scrollIntoViewIfNeeded();
    },
  },
  {
    name: "join",
    person: null,
    async open(page, fixture) {
      const email = `vera${Date.now()}@acme.example`;
      const body = { email, role: "approver", showLink: true };
      const made = await apiOf(fixture.as("Ana")).write("POST", "/invitations", body);
      expect(made.status(), await made.text()).toBe(201);
      await page.goto(((await made.json()) as { url: string }).url);
      await expect(page.getByLabel("Your name")).toBeVisible();
    },
  },
  {
    name: "oauth several hosts",
    person: "Ana",
    async open(page) {
      await change(page, "**/api/v1/servers/*", (body) => ({ ...body, authKind: "oauth" }));
      const none = {
        id: null,
        state: "not_connected",
        connectedBy: null,
        issuer: null,
        scopes: [],
        neededScopes: [],
        connectedAt: null,
        expiresAt: null,
        renews: false,
        openTasks: 0,
      };
      await answer(page, "**/api/v1/servers/*/connections", {
        items: [
          { ...none, shared: true },
          { ...none, shared: false },
        ],
      });
      await answer(
        page,
        "**/api/v1/servers/*/connect",
        {
          type: "about:blank",
          title: "Conflict",
          status: 409,
          code: "hosts_not_allowed",
          detail: "An admin has to allow them.",
          hosts: ["login.ledger.example", "tokens.elsewhere.example:8443"],
        },
        "POST",
        409,
      );
      await page.goto("/servers");
      await page.getByRole("link", { name: "Back office", exact: true }).click();
      await page.getByRole("button", { name: "Connect… (shared)" }).click();
      await expect(page.getByRole("button", { name: "Allow both hosts" })).toBeVisible();
    },
  },
];
