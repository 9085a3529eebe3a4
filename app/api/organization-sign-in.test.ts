/** What an organization asks of a sign-in, tried with sessions that do not have it. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Secret, TOTP } from "otpauth";
import pg from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ANY_SIGN_IN, type SignInPolicy } from "@/lib/people/organizations/sign-in/sign-in-schema.ts";
import { forFile } from "@/test/for-file.ts";
import { AuthBrowser } from "@/test/servers/auth-browser.ts";
import { CLIENT, startOidc } from "@/test/servers/oidc-server.ts";
import { ORIGIN, startWeb, type TestWeb, tokenOf } from "@/test/web.ts";

let web: TestWeb;
const oidc = forFile(startOidc, (made) => made.stop());
let folder: string;
let admin: pg.Client;
let handleAuth: typeof import("@/lib/web/auth/auth.ts").handleAuth;

const PROVIDERS = [
  { id: "corp", name: "Corp SSO", linkByEmail: true, trustedDomains: ["test.example", "new.example"] },
  { id: "other", name: "Other", linkByEmail: true, trustedDomains: ["test.example"] },
];

beforeAll(async () => {
  oidc.allow(PROVIDERS.map(({ id }) => `${ORIGIN}/api/auth/callback/${id}`));
  folder = await mkdtemp(join(tmpdir(), "intray-sso-"));
  const file = join(folder, "sign-in.json");
  const providers = PROVIDERS.map((each) => ({ ...each, issuer: oidc.issuer, ...CLIENT }));
  await writeFile(file, JSON.stringify({ providers }));
  web = await startWeb({ INTRAY_SIGN_IN_FILE: file, NEXTAUTH_URL: ORIGIN });
  ({ handleAuth } = await import("@/lib/web/auth/auth.ts"));
  admin = new pg.Client({ connectionString: web.database.adminUrl });
  await admin.connect();
});
afterAll(async () => {
  await admin.end();
  await web.stop();
  await rm(folder, { recursive: true });
});

interface Person {
  userId: string;
  memberId: string;
  cookie: string;
}

let made = 0;
let acme: string;
let owner: Person;
beforeEach(async () => {
  acme = await web.organization(`acme-${++made}`);
  owner = await web.member(acme, "Olga", "owner");
});
afterEach(() => {
  oidc.behave.idToken = undefined;
  oidc.accounts.clear();
});

const browser = () => new AuthBrowser(handleAuth, `10.3.1.${made}`);

/** Signs a member in at a provider, whose account has the member's address. */
async function signInAt(provider: string, name: string, organizationId = acme, at = browser()) {
  const email = `${name.toLowerCase()}-${organizationId}@test.example`;
  oidc.accounts.set(email, { email, email_verified: true });
  const landed = await at.signInAt(provider, email, "/tasks");
  await admin.query("UPDATE session SET factor_at = 'infinity'");
  return { browser: at, landed, cookie: at.cookie() };
}

const put = (cookie: string, policy: Partial<SignInPolicy>) =>
  web.call("PUT", "/api/v1/organization/sign-in", { cookie, body: { ...ANY_SIGN_IN, ...policy } });
const me = (cookie: string) => web.call("GET", "/api/v1/me", { cookie });
const codeOf = async (cookie: string) => {
  const { status, body } = await me(cookie);
  return status === 200 ? "in" : body.code;
};

/** The owner, signed in at the provider, requires it. Returns the owner's cookie. */
async function requireCorp(policy: Partial<SignInPolicy> = {}): Promise<string> {
  const { cookie } = await signInAt("corp", "Olga");
  const set = await put(cookie, { providers: ["corp"], ...policy });
  expect([set.status, set.body.code]).toEqual([200, undefined]);
  return cookie;
}

describe("an organization that requires single sign-on", () => {
  test("is not reached by a session of a password, a passkey, another provider or a process of before", async () => {
    const ben = await web.member(acme, "Ben", "admin");
    const corp = await requireCorp();
    expect(await codeOf(corp)).toBe("in");
    for (const [method, provider] of [
      ["password", null],
      ["passkey", null],
      ["demo", null],
      ["oidc", null],
      ["oidc", "other"],
    ] as const) {
      await admin.query(
        "UPDATE session SET method = $1, provider = $2, provider_subject = $2 WHERE user_id = $3",
        [method, provider, ben.userId],
      );
      const refused = await me(ben.cookie);
      expect([refused.status, refused.body.code], `${method} ${provider}`).toEqual([
        401,
        "single_sign_on_required",
      ]);
      expect(refused.body.detail).toContain("Corp SSO");
      for (const path of [
        "/tasks",
        "/members",
        "/api-keys",
        "/organization",
        "/events",
        "/notices",
        "/me/preferences",
      ])
        expect((await web.call("GET", `/api/v1${path}`, { cookie: ben.cookie })).status, path).toBe(401);
      for (const path of ["/organization/export", "/events/export", "/stream"])
        expect((await web.open("GET", `/api/v1${path}`, { cookie: ben.cookie })).status, path).toBe(401);
    }
    // A web process of before asks this function.
    const { rows } = await admin.query(
      "SELECT s.secret_hash, g.session_id FROM session s LEFT JOIN gate.session(s.secret_hash, 9999999, false) g ON true WHERE s.user_id = $1",
      [ben.userId],
    );
    expect(rows.map((row) => row.session_id)).toEqual([null]);
    const there = await signInAt("corp", "Ben");
    expect(there.landed.pathname).toBe("/tasks");
    expect((await me(there.cookie)).body.user.id).toBe(ben.userId);
  });

  test("leaves the person's other organizations alone, which a session can go on to", async () => {
    const globex = await web.organization(`globex-${made}`);
    await web.db.withOrganization(globex, (tx) =>
      tx.membership.create({
        data: { organizationId: globex, id: crypto.randomUUID(), userId: owner.userId, role: "viewer" },
      }),
    );
    await requireCorp();
    expect(await codeOf(owner.cookie)).toBe("in");
    expect((await me(owner.cookie)).body.organization.id).toBe(globex);
    const listed = await web.call("GET", "/api/v1/organizations", { cookie: owner.cookie });
    expect(listed.body.items).toMatchObject([
      { id: acme, refusal: "provider", providers: [{ id: "corp", name: "Corp SSO" }] },
      { id: globex, refusal: null, providers: [] },
    ]);
    // Chosen all the same, it says what it asks for, and is not told of a session.
    const before = await eventsOf(acme, "session.opened");
    const choose = (organizationId: string) =>
      web.call("PUT", "/api/v1/me/organization", { cookie: owner.cookie, body: { organizationId } });
    expect((await choose(acme)).status).toBe(204);
    expect(await codeOf(owner.cookie)).toBe("single_sign_on_required");
    expect(await eventsOf(acme, "session.opened")).toEqual(before);
    expect((await choose(globex)).status).toBe(204);
    expect(await codeOf(owner.cookie)).toBe("in");
  });

  test("ends what is open when it begins to, streams included", async () => {
    const ben = await web.member(acme, "Ben", "viewer");
    const stream = await web.open("GET", "/api/v1/stream", { cookie: ben.cookie });
    expect(stream.status).toBe(200);
    const reader = stream.body!.getReader();
    await requireCorp();
    for (let at = await reader.read(); !at.done; at = await reader.read());
    expect(await codeOf(ben.cookie)).toBe("single_sign_on_required");
  });

  test("takes a refused session's account calls alone", async () => {
    const ben = await web.member(acme, "Ben", "admin");
    await requireCorp();
    const call = (method: "GET" | "POST", path: string, body?: object) =>
      web.call(method, `/api/v1${path}`, { cookie: ben.cookie, ...(body && { body }) });
    expect((await call("GET", "/me/step-up")).status).toBe(200);
    expect((await call("POST", "/api-keys", { name: "k", role: "viewer" })).status).toBe(401);
    expect((await call("POST", "/invitations", { email: "a@b.example", role: "viewer" })).status).toBe(401);
  });

  test("is joined by an invitation only through its provider", async () => {
    const corp = await requireCorp();
    const invite = async (email: string) => {
      const made = await web.call("POST", "/api/v1/invitations", {
        cookie: corp,
        body: { email, role: "viewer" },
      });
      return tokenOf(made.body.url);
    };
    const token = await invite("newt@new.example");
    const account = { token, name: "Newt", password: "correct horse battery staple" };
    const refused = await web.call("POST", "/api/join/account", { body: account });
    expect([refused.status, refused.body.code]).toEqual([401, "single_sign_on_required"]);
    const rows = await admin.query(`SELECT FROM "user" WHERE email = 'newt@new.example'`);
    expect(rows.rowCount).toBe(0);

    const elsewhere = await web.organization(`elsewhere-${made}`);
    const eve = await web.member(elsewhere, "Eve", "owner");
    const { rows: found } = await admin.query(`SELECT email FROM "user" WHERE id = $1`, [eve.userId]);
    const second = await invite(found[0].email);
    const joined = await web.call("POST", "/api/join", { cookie: eve.cookie, body: { token: second } });
    expect([joined.status, joined.body.code]).toEqual([401, "single_sign_on_required"]);
    const members = await admin.query("SELECT FROM membership WHERE organization_id = $1", [acme]);
    expect(members.rowCount).toBe(1);

    oidc.accounts.set("newt", { email: "newt@new.example", email_verified: true, name: "Newt" });
    const newt = browser();
    await newt.signInAt("corp", "newt");
    expect((await web.call("POST", "/api/join", { cookie: newt.cookie(), body: { token } })).status).toBe(
      204,
    );
    expect((await me(newt.cookie())).body.organization.id).toBe(acme);
  });

  test("leads back to where one was going, and sends the new session there", async () => {
    const globex = await web.organization(`first-${made}`);
    const ben = await web.member(globex, "Ben", "viewer");
    await web.db.withOrganization(acme, (tx) =>
      tx.membership.create({
        data: { organizationId: acme, id: crypto.randomUUID(), userId: ben.userId, role: "viewer" },
      }),
    );
    await requireCorp();
    // Without a word of where: the first organization.
    expect((await me((await signInAt("corp", "Ben", globex)).cookie)).body.organization.id).toBe(globex);
    const email = `ben-${globex}@test.example`;
    const at = browser();
    const landed = await at.signInAt("corp", email, "/settings/members", { organization: acme });
    expect(landed.pathname).toBe("/settings/members");
    expect((await me(at.cookie())).body.organization.id).toBe(acme);
    // Somebody else's organization is chosen by no cookie.
    const foreign = await web.organization(`foreign-${made}`);
    const again = browser();
    await again.signInAt("corp", email, "/", { organization: foreign });
    expect((await me(again.cookie())).body.organization.id).toBe(globex);
  });
});

describe("what a provider has to have said", () => {
  /** The provider's ID token says this beside what it says anyway. */
  const saying = (claims: Record<string, unknown>) => {
    oidc.behave.idToken = ({ acr: _acr, amr: _amr, auth_time: _time, ...rest }, sign) =>
      sign({ ...rest, ...claims });
  };
  const now = () => Math.floor(Date.now() / 1000);

  test("is asked of the ID token: a class, methods and a time, each refused by its own name", async () => {
    saying({ acr: "gold", amr: ["pwd", "mfa"], auth_time: now() - 60 });
    await requireCorp({ acrValues: ["gold", "platinum"], amrValues: ["mfa"], providerAgeMs: 3600_000 });
    for (const [claims, code, refusal] of [
      [{ acr: "gold", amr: ["mfa", "hwk"], auth_time: now() }, "in", undefined],
      [{ amr: ["mfa"], auth_time: now() }, "sign_in_too_weak", "acr"],
      [{ acr: "silver", amr: ["mfa"], auth_time: now() }, "sign_in_too_weak", "acr"],
      [{ acr: "gold", auth_time: now() }, "sign_in_too_weak", "amr"],
      [{ acr: "gold", amr: ["pwd"], auth_time: now() }, "sign_in_too_weak", "amr"],
      [{ acr: "gold", amr: "mfa", auth_time: now() }, "sign_in_too_weak", "amr"],
      [{ acr: "gold", amr: ["mfa"] }, "sign_in_too_weak", "auth_time"],
      [{ acr: "gold", amr: ["mfa"], auth_time: "now" }, "sign_in_too_weak", "auth_time"],
      [{ acr: "gold", amr: ["mfa"], auth_time: now() - 3700 }, "sign_in_again_required", "again"],
    ] as const) {
      saying(claims);
      const { cookie } = await signInAt("corp", "Olga");
      const { status, body } = await me(cookie);
      expect([status === 200 ? "in" : body.code, body.refusal], JSON.stringify(claims)).toEqual([
        code,
        refusal,
      ]);
    }
  });

  test("is not taken from the user info, which nobody has signed", async () => {
    saying({ acr: "gold", amr: ["mfa"], auth_time: now() });
    await requireCorp({ acrValues: ["gold"] });
    const email = `olga-${acme}@test.example`;
    saying({});
    oidc.accounts.set(email, { email, email_verified: true, acr: "gold", amr: ["mfa"] } as never);
    const at = browser();
    await at.signInAt("corp", email);
    expect(await codeOf(at.cookie())).toBe("sign_in_too_weak");
  });

  test("is asked for at the provider, with a new proof where the last is too old", async () => {
    saying({ acr: "gold", auth_time: now() });
    await requireCorp({ acrValues: ["gold", "platinum"], providerAgeMs: 3600_000 });
    const start = async (at: AuthBrowser, more: Record<string, string> = {}) =>
      new URL(await at.post("signin/corp", { callbackUrl: "/", ...more })).searchParams;
    const named = await start(browser(), { organization: acme });
    expect([named.get("max_age"), named.get("acr_values"), named.get("prompt")]).toEqual([
      "3600",
      "gold platinum",
      null,
    ]);
    // Another provider is asked for nothing, nor is one without an organization, or for one that is not there.
    const other = new URL(await browser().post("signin/other", { callbackUrl: "/", organization: acme }));
    for (const params of [
      other.searchParams,
      await start(browser()),
      await start(browser(), { organization: crypto.randomUUID() }),
      await start(browser(), { organization: "no id" }),
    ])
      expect([params.get("max_age"), params.get("acr_values")]).toEqual(["31536000", null]);

    const { browser: aged, cookie } = await signInAt("corp", "Olga");
    await admin.query("UPDATE session SET authenticated_at = now() - interval '2 hours'");
    expect(await codeOf(cookie)).toBe("sign_in_again_required");
    const again = await start(aged);
    expect([again.get("max_age"), again.get("prompt")]).toEqual(["0", "login"]);
  });

  test("is enforced where the sign-in began without an organization in view, and the next round asks for it by itself", async () => {
    saying({ acr: "gold", auth_time: now() });
    await requireCorp({ acrValues: ["gold"], providerAgeMs: 3600_000 });
    saying({ acr: "silver", auth_time: now() });
    const { browser: at, cookie } = await signInAt("corp", "Olga");
    const refused = await web.call("GET", "/api/v1/tasks", { cookie });
    expect([refused.status, refused.body.code]).toEqual([401, "sign_in_too_weak"]);
    expect((await web.call("PUT", "/api/v1/undo-window", { cookie, body: { holdMs: 0 } })).status).toBe(401);
    expect((await web.open("GET", "/api/v1/stream", { cookie })).status).toBe(401);
    // No word of the organization: it is the one that refuses the browser's session.
    const next = new URL(await at.post("signin/corp", { callbackUrl: "/tasks" })).searchParams;
    expect([next.get("max_age"), next.get("acr_values")]).toEqual(["0", "gold"]);
    saying({ acr: "gold", auth_time: now() });
    const { cookie: strong, landed } = await signInAt("corp", "Olga", acme, at);
    expect([landed.pathname, await codeOf(strong)]).toEqual(["/tasks", "in"]);
  });

  test("counts no longer for a provider whose clock is ahead", async () => {
    saying({ auth_time: now() + 40 * 24 * 3600 });
    await requireCorp({ providerAgeMs: 3600_000 });
    const { rows } = await admin.query(
      "SELECT bool_and(authenticated_at <= now()) AS past FROM session WHERE provider = 'corp' AND user_id = $1",
      [owner.userId],
    );
    expect(rows[0].past).toBe(true);
  });
});

describe("a second factor", () => {
  const PASSWORD = "correct horse battery";
  const givePassword = async ({ userId }: Person) => {
    const { hashPassword } = await import("@/lib/people/members/password.ts");
    await admin.query(`UPDATE "user" SET password_hash = $1 WHERE id = $2`, [
      await hashPassword(PASSWORD),
      userId,
    ]);
  };
  const require = async (from: SignInPolicy["secondFactorFrom"]) => {
    await admin.query("UPDATE session SET amr = '{pwd,otp}' WHERE user_id = $1", [owner.userId]);
    expect((await put(owner.cookie, { secondFactorFrom: from })).status).toBe(200);
  };

  test("is asked of passwords from a role on; passkeys and providers have one of their own", async () => {
    const [vic, ada] = [await web.member(acme, "Vic", "viewer"), await web.member(acme, "Ada", "admin")];
    await require("admin");
    expect(await codeOf(owner.cookie)).toBe("in");
    expect(await codeOf(vic.cookie)).toBe("in");
    expect(await codeOf(ada.cookie)).toBe("second_factor_required");
    await admin.query("UPDATE session SET method = 'passkey' WHERE user_id = $1", [ada.userId]);
    expect(await codeOf(ada.cookie)).toBe("in");
    expect(await codeOf((await signInAt("corp", "Ada")).cookie)).toBe("in");
    // Whoever is made more is asked from then on.
    await admin.query("UPDATE membership SET role = 'owner' WHERE user_id = $1", [vic.userId]);
    expect(await codeOf(vic.cookie)).toBe("second_factor_required");
  });

  test("is set up before anything else, and lets the session in at once", async () => {
    const ada = await web.member(acme, "Ada", "approver");
    await givePassword(ada);
    await require("approver");
    const call = (method: "GET" | "POST", path: string, body: object) =>
      web.call(method, `/api/v1${path}`, { cookie: ada.cookie, body });
    expect((await call("POST", "/me/password", { currentPassword: PASSWORD, password: "x" })).status).toBe(
      401,
    );
    const started = await call("POST", "/me/second-factor", { currentPassword: PASSWORD });
    expect(started.status).toBe(200);
    expect((await call("POST", "/me/second-factor/confirm", { code: "000000" })).status).toBe(422);
    expect(await codeOf(ada.cookie)).toBe("second_factor_required");
    const totp = new TOTP({ secret: Secret.fromBase32(started.body.secret) });
    expect((await call("POST", "/me/second-factor/confirm", { code: totp.generate() })).status).toBe(200);
    expect(await codeOf(ada.cookie)).toBe("in");
  });

  test("that was asked at the sign-in counts; without, the password leads to setting one up", async () => {
    const ada = await web.member(acme, "Ada", "approver");
    await givePassword(ada);
    await require("viewer");
    const email = `ada-${acme}@test.example`;
    const at = browser();
    expect(await at.signIn("password", { email, password: PASSWORD })).toBeNull();
    expect(await codeOf(at.cookie())).toBe("second_factor_required");
    const cookie = at.cookie();
    const started = await web.call("POST", "/api/v1/me/second-factor", {
      cookie,
      body: { currentPassword: PASSWORD },
    });
    const totp = new TOTP({ secret: Secret.fromBase32(started.body.secret) });
    const confirmed = await web.call("POST", "/api/v1/me/second-factor/confirm", {
      cookie,
      body: { code: totp.generate() },
    });
    const second = browser();
    expect(await second.signIn("password", { email, password: PASSWORD })).toBe("second_factor");
    expect(await second.signIn("code", { code: confirmed.body.recoveryCodes[0] })).toBeNull();
    expect(await codeOf(second.cookie())).toBe("in");
  });
});

describe("a session", () => {
  test("lasts as long as the organization says, in it alone", async () => {
    const ben = await web.member(acme, "Ben", "viewer");
    expect((await put(owner.cookie, { sessionMs: 3600_000 })).status).toBe(200);
    expect(await codeOf(ben.cookie)).toBe("in");
    const globex = await web.organization(`long-${made}`);
    await web.db.withOrganization(globex, (tx) =>
      tx.membership.create({
        data: { organizationId: globex, id: crypto.randomUUID(), userId: ben.userId, role: "viewer" },
      }),
    );
    const choose = (organizationId: string) =>
      web.call("PUT", "/api/v1/me/organization", { cookie: ben.cookie, body: { organizationId } });
    await choose(acme);
    await admin.query("UPDATE session SET created_at = now() - interval '61 minutes' WHERE user_id = $1", [
      ben.userId,
    ]);
    expect(await codeOf(ben.cookie)).toBe("sign_in_again_required");
    await choose(globex);
    expect(await codeOf(ben.cookie)).toBe("in");
    await choose(acme);
    expect(await codeOf(ben.cookie)).toBe("sign_in_again_required");
  });

  test("that was idle for longer than its organization lets it is over, and nothing makes it count as used", async () => {
    const ben = await web.member(acme, "Ben", "viewer");
    expect((await put(owner.cookie, { idleMs: 600_000 })).status).toBe(200);
    const globex = await web.organization(`idle-${made}`);
    await web.db.withOrganization(globex, (tx) =>
      tx.membership.create({
        data: { organizationId: globex, id: crypto.randomUUID(), userId: ben.userId, role: "viewer" },
      }),
    );
    const rest = (minutes: number) =>
      admin.query("UPDATE session SET last_seen_at = now() - $1 * interval '1 minute' WHERE user_id = $2", [
        minutes,
        ben.userId,
      ]);
    await rest(9);
    expect(await codeOf(ben.cookie)).toBe("in");
    await rest(11);
    const body = { organizationId: globex };
    expect((await web.call("PUT", "/api/v1/me/organization", { cookie: ben.cookie, body })).status).toBe(401);
    expect(await codeOf(ben.cookie)).toBe("unauthenticated");
  });
});

describe("the rules", () => {
  test("are an owner's to set, in person and with a step-up", async () => {
    const ada = await web.member(acme, "Ada", "admin");
    expect((await put(ada.cookie, {})).status).toBe(403);
    const key = await web.key(acme, "owner");
    const body = { ...ANY_SIGN_IN };
    expect((await web.call("PUT", "/api/v1/organization/sign-in", { key, body })).status).toBe(403);
    await admin.query("UPDATE session SET factor_at = NULL WHERE user_id = $1", [owner.userId]);
    expect((await put(owner.cookie, {})).body.code).toBe("step_up_required");
    const read = await web.call("GET", "/api/v1/organization/sign-in", { cookie: ada.cookie });
    expect(read.body).toEqual({
      ...ANY_SIGN_IN,
      offered: [
        { id: "corp", name: "Corp SSO" },
        { id: "other", name: "Other" },
      ],
    });
  });

  test("are refused where they would lock out whoever sets them, and change nothing then", async () => {
    for (const policy of [
      { providers: ["corp"] },
      { secondFactorFrom: "viewer" as const },
      { providers: ["corp", "other"] },
    ]) {
      const refused = await put(owner.cookie, policy);
      expect([refused.status, refused.body.code], JSON.stringify(policy)).toEqual([409, "would_lock_out"]);
    }
    const { cookie } = await signInAt("corp", "Olga");
    for (const policy of [
      { providers: ["other"] },
      { providers: ["corp"], acrValues: ["platinum"] },
      { providers: ["corp"], amrValues: ["hwk"] },
    ])
      expect((await put(cookie, policy)).body.code, JSON.stringify(policy)).toBe("would_lock_out");
    expect((await put(cookie, { providers: ["nowhere"] })).body.code).toBe("invalid_input");
    const saml = "saml:0190a000-0000-7000-8000-000000000000";
    expect((await put(cookie, { providers: [saml] })).body.code).toBe("invalid_input");
    expect((await web.call("GET", "/api/v1/organization/sign-in", { cookie })).body).toMatchObject(
      ANY_SIGN_IN,
    );
    expect(await eventsOf(acme, "organization.sign_in_changed")).toEqual([]);
  });

  test("stand in the history, and bind no other organization", async () => {
    const other = await web.organization(`beside-${made}`);
    const eve = await web.member(other, "Eve", "owner");
    await requireCorp({ idleMs: 600_000 });
    expect(await codeOf(eve.cookie)).toBe("in");
    expect(
      (await web.call("GET", "/api/v1/organization/sign-in", { cookie: eve.cookie })).body.providers,
    ).toEqual([]);
    expect(await eventsOf(acme, "organization.sign_in_changed")).toMatchObject([
      { providers: ["corp"], idleMs: 600_000 },
    ]);
  });
});

async function eventsOf(organizationId: string, type: string) {
  const { rows } = await admin.query(
    "SELECT data FROM event WHERE organization_id = $1 AND type = $2 ORDER BY seq",
    [organizationId, type],
  );
  return rows.map((row) => row.data);
}
