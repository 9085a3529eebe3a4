import { createHmac } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { withClient } from "@/scripts/database/roles.ts";
import { forFile } from "@/test/for-file.ts";
import { AuthBrowser } from "@/test/servers/auth-browser.ts";
import { CLIENT, encode, type OidcServer, startOidc } from "@/test/servers/oidc-server.ts";
import { ORIGIN, startWeb, type TestWeb, tokenOf } from "@/test/web.ts";

let web: TestWeb;
const oidc = forFile(startOidc, (made) => made.stop());
let folder: string;
let acme: string;
let globex: string;
let handleAuth: typeof import("@/lib/web/auth/auth.ts").handleAuth;

const GROUPS = [
  { claim: "finance", organization: "acme", role: "approver" },
  { claim: "bosses", organization: "acme", role: "owner" },
  { claim: "bosses", organization: "globex", role: "viewer" },
];
/** Whose addresses of these the providers prove. */
const trustedDomains = ["test.example", "new.example"];
const POLICIES = [
  { id: "strict", name: "Strict" },
  { id: "linking", name: "Linking", linkByEmail: true, trustedDomains },
  { id: "open", name: "Open", linkByEmail: true },
  { id: "domain", name: "Domain", linkByEmail: true, allowedDomains: ["acme.example"] },
  { id: "groups", name: "Acme SSO", linkByEmail: true, createAccounts: true, groups: GROUPS, trustedDomains },
];

beforeAll(async () => {
  oidc.allow(POLICIES.map(({ id }) => `${ORIGIN}/api/auth/callback/${id}`));
  folder = await mkdtemp(join(tmpdir(), "intray-sign-in-"));
  const file = join(folder, "sign-in.json");
  const providers = POLICIES.map((policy) => ({ ...policy, issuer: oidc.issuer, ...CLIENT }));
  await writeFile(file, JSON.stringify({ providers }));
  web = await startWeb({
    INTRAY_SIGN_IN_FILE: file,
    NEXTAUTH_URL: ORIGIN,
  });
  ({ handleAuth } = await import("@/lib/web/auth/auth.ts"));
  acme = await web.organization("acme");
  globex = await web.organization("globex");
});
beforeEach(() => {
  oidc.accounts.clear();
});
afterEach(async () => {
  const { forgetDiscoveries } = await import("@/lib/web/auth/sign-in/discovery.ts");
  forgetDiscoveries();
  oidc.away = false;
  oidc.behave.idToken = undefined;
  oidc.behave.metadata = undefined;
});
afterAll(async () => {
  await web.stop();
  await rm(folder, { recursive: true });
});

let people = 0;
const browser = () => new AuthBrowser(handleAuth, `10.0.1.${++people}`);

async function me(signedIn: AuthBrowser) {
  return web.call("GET", "/api/v1/me", { cookie: signedIn.cookie() });
}

const codeOf = (url: URL) => url.searchParams.get("error");

describe("a sign-in as a factor", () => {
  const fresh = async (at: AuthBrowser) =>
    (await web.call("GET", "/api/v1/me/step-up", { cookie: at.cookie() })).body.fresh;
  /** Says that the provider asked the person that long ago, or does not say when. */
  const asked = (secondsAgo: number | null) => {
    oidc.behave.idToken = ({ auth_time: _, ...claims }, sign) =>
      sign({
        ...claims,
        ...(secondsAgo !== null && { auth_time: Math.floor(Date.now() / 1000) - secondsAgo }),
      });
  };
  let known = 0;
  const person = async () => {
    const name = `Faye${++known}`;
    await web.member(acme, name, "owner");
    const email = `${name.toLowerCase()}-${acme}@test.example`;
    oidc.accounts.set(name, { email, email_verified: true });
    return name;
  };

  test("counts from when the provider asked the person, not from when it let the browser in", async () => {
    const faye = await person();
    const at = browser();
    await at.signInAt("linking", faye);
    expect(await fresh(at)).toBe(true);
    // A browser whose session was lost, or was ended by whoever sits there: the provider still knows it, and asks nothing.
    at.forgetSession();
    asked(3600);
    await at.signInAt("linking", faye);
    expect((await me(at)).status).toBe(200);
    expect(await fresh(at)).toBe(false);
    const made = await web.call("POST", "/api/v1/api-keys", {
      cookie: at.cookie(),
      body: { name: "k", role: "viewer" },
    });
    expect(made.body.code).toBe("step_up_required");
  });

  test("is asked for anew of a browser that is signed in, and the provider's clock makes it last no longer", async () => {
    const faye = await person();
    const at = browser();
    await at.signInAt("linking", faye);
    const again = new URL(await at.post("signin/linking", { callbackUrl: "/" })).searchParams;
    expect([again.get("prompt"), again.get("max_age")]).toEqual(["login", "0"]);
    await at.signInAt("linking", faye);
    expect(await fresh(at)).toBe(true);
    asked(-3600);
    await at.signInAt("linking", faye);
    const [row] = await withClient(
      web.database.adminUrl,
      async (client) =>
        (await client.query("SELECT max(factor_at) <= now() AS past FROM session WHERE method = 'oidc'"))
          .rows,
    );
    expect(row.past).toBe(true);
  });

  test("of a provider that does not say when it asked counts where it was asked to ask anew alone", async () => {
    const faye = await person();
    asked(null);
    const at = browser();
    await at.signInAt("linking", faye);
    expect(await fresh(at)).toBe(false);
    await at.signInAt("linking", faye);
    expect(await fresh(at)).toBe(true);
    at.forgetSession();
    await at.signInAt("linking", faye);
    expect(await fresh(at)).toBe(false);
  });
});

describe("an identity", () => {
  test("is the issuer and its subject: it finds its account again, whatever the address says by then", async () => {
    const ben = await web.member(acme, "Ben", "viewer");
    const email = `ben-${acme}@test.example`;
    oidc.accounts.set("ben", { email, email_verified: true });
    const first = browser();
    expect((await first.signInAt("linking", "ben", "/tasks?state=open")).href).toBe(
      `${ORIGIN}/tasks?state=open`,
    );
    expect((await me(first)).body.user.id).toBe(ben.userId);

    oidc.accounts.set("ben", { email: "elsewhere@other.example", email_verified: false });
    const second = browser();
    await second.signInAt("strict", "ben");
    expect((await me(second)).body.user.id).toBe(ben.userId);
    // The session list names the sign-in method.
    const { body } = await web.call("GET", "/api/v1/me/sessions", { cookie: second.cookie() });
    expect(body.items.map((item: { method: string }) => item.method)).toContain("oidc");
  });

  test("is not linked by an address that the provider has not verified, nor where the policy does not say so", async () => {
    await web.member(acme, "Una", "viewer");
    const email = `una-${acme}@test.example`;
    oidc.accounts.set("una", { email, email_verified: false });
    oidc.accounts.set("uma", { email });
    oidc.accounts.set("ute", { email, email_verified: true });
    for (const [provider, login, code] of [
      ["linking", "una", "email_unverified"],
      ["linking", "uma", "email_unverified"],
      ["strict", "ute", "no_account"],
    ] as const) {
      const refused = browser();
      const landed = await refused.signInAt(provider, login);
      expect([landed.pathname, codeOf(landed)]).toEqual(["/sign-in", code]);
      expect((await me(refused)).status).toBe(401);
    }
  });

  test("is linked to an account by the ID token's word alone, and for a domain that the provider is trusted for", async () => {
    await web.member(acme, "Uli", "viewer");
    const email = `uli-${acme}@test.example`;
    oidc.accounts.set("uli", { email, email_verified: true });
    // Nothing is named for this provider: it makes accounts, and opens none.
    expect(codeOf(await browser().signInAt("open", "uli"))).toBe("account_exists");
    // Only the user info says so, which nobody has signed.
    for (const claims of [{}, { email }, { email, email_verified: false }, { email: "x@test.example" }]) {
      oidc.behave.idToken = ({ email: _email, email_verified: _verified, ...rest }, sign) =>
        sign({ ...rest, ...claims });
      expect(codeOf(await browser().signInAt("linking", "uli")), JSON.stringify(claims)).toMatch(
        /account_exists|email_unverified/,
      );
    }
    oidc.behave.idToken = undefined;
    oidc.accounts.set("sub", { email: `uli-${acme}@test.example.evil.example`, email_verified: true });
    expect(codeOf(await browser().signInAt("linking", "sub"))).toBe("no_account");
    expect(codeOf(await browser().signInAt("linking", "uli"))).toBe(null);
  });

  test("of a provider that is not trusted makes an unproven account, which its person joins one organization with", async () => {
    const inviter = await web.member(acme, "Ivo", "admin");
    const email = "nora@elsewhere.example";
    const invite = async (cookie: string) => {
      const body = { email, role: "viewer" };
      const { url } = (await web.call("POST", "/api/v1/invitations", { cookie, body })).body;
      return tokenOf(url);
    };
    const first = await invite(inviter.cookie);
    oidc.accounts.set("nora", { email, email_verified: true, name: "Nora" });
    const nora = browser();
    expect(codeOf(await nora.signInAt("open", "nora"))).toBe(null);
    const proven = async () =>
      (await sql(`SELECT proven_at FROM "user" WHERE email = $1`, [email]))[0]?.proven_at;
    expect(await proven()).toBeNull();
    const join = (token: string) => web.call("POST", "/api/join", { cookie: nora.cookie(), body: { token } });
    expect((await join(first)).status).toBe(204);
    const elsewhere = await web.organization("elsewhere");
    const second = await invite((await web.member(elsewhere, "Eve", "owner")).cookie);
    expect((await join(second)).body.code).toBe("account_unproven");
    // Once the operator trusts the provider for the domain, its next word proves the account, which stays as it is.
    const { signInSettings } = await import("@/lib/web/auth/sign-in/providers.ts");
    const open = signInSettings().providers.find(({ id }) => id === "open");
    open?.trustedDomains.push("elsewhere.example");
    try {
      expect(codeOf(await nora.signInAt("open", "nora"))).toBe(null);
    } finally {
      open?.trustedDomains.pop();
    }
    expect(await proven()).not.toBeNull();
    expect((await join(second)).status).toBe(204);
  });

  test("is refused without an account, and from a domain that may not come in, at every sign-in", async () => {
    oidc.accounts.set("nobody", { email: "nobody@acme.example", email_verified: true });
    expect(codeOf(await browser().signInAt("linking", "nobody"))).toBe("no_account");
    await web.member(acme, "Dot", "viewer");
    oidc.accounts.set("dot", { email: `dot-${acme}@test.example`, email_verified: true });
    expect(codeOf(await browser().signInAt("domain", "dot"))).toBe("domain_not_allowed");
    expect(codeOf(await browser().signInAt("linking", "dot"))).toBe(null);
    // Known by now, and still of a domain that this provider may not let in.
    expect(codeOf(await browser().signInAt("domain", "dot"))).toBe("domain_not_allowed");
    expect(await sql("SELECT data FROM account_event WHERE type = 'session.refused'")).toEqual([
      { data: { reason: "domain_not_allowed" } },
    ]);
    expect((await eventsOf(acme)).map((event) => event.type)).not.toContain("session.refused");
  });
});

describe("an invitation", () => {
  test("for a verified address lets somebody without an account in to accept it, and nobody else", async () => {
    const inviter = await web.member(acme, "Ina", "admin");
    const body = { email: "newt@new.example", role: "viewer" };
    const { url } = (await web.call("POST", "/api/v1/invitations", { cookie: inviter.cookie, body })).body;
    oidc.accounts.set("newt", { email: "newt@new.example", email_verified: false, name: "Newt" });
    expect(codeOf(await browser().signInAt("linking", "newt"))).toBe("email_unverified");
    oidc.accounts.set("newt", { email: "newt@new.example", email_verified: true, name: "Newt" });
    expect(codeOf(await browser().signInAt("strict", "newt"))).toBe("no_account");
    const newt = browser();
    // The tab keeps the token meanwhile: a fragment goes to nobody.
    const { pathname } = new URL(url);
    const landed = await newt.signInAt("linking", "newt", pathname);
    expect(landed.href).toBe(`${ORIGIN}${pathname}`);
    // Not a member yet: only the invitation is visible.
    expect((await me(newt)).status).toBe(401);
    const token = tokenOf(url);
    const joined = await web.call("POST", "/api/join", { cookie: newt.cookie(), body: { token } });
    expect(joined.status).toBeLessThan(300);
    expect((await me(newt)).body).toMatchObject({ user: { name: "Newt" }, role: "viewer" });
  });
});

describe("groups", () => {
  test("make an account, a membership and its role, and take away what they gave", async () => {
    oidc.accounts.set("gia", {
      email: "gia@new.example",
      email_verified: true,
      name: "Gia",
      groups: ["finance", "bosses"],
    });
    const gia = browser();
    expect(codeOf(await gia.signInAt("groups", "gia"))).toBe(null);
    const { body } = await me(gia);
    expect(body.user).toMatchObject({ name: "Gia", email: "gia@new.example" });
    expect(await rolesOf(body.user.id)).toEqual({ acme: "owner", globex: "viewer" });

    // A second owner, so that this one may leave.
    await web.member(acme, "Otto", "owner");
    oidc.accounts.set("gia", { ...oidc.accounts.get("gia"), groups: ["finance"] });
    await browser().signInAt("groups", "gia");
    expect(await rolesOf(body.user.id)).toEqual({ acme: "approver" });
    const types = (await eventsOf(acme)).map((event) => event.type);
    expect(types).toContain("member.role_changed");
    expect((await eventsOf(globex)).map((event) => event.type)).toContain("member.removed");

    oidc.accounts.set("gia", { ...oidc.accounts.get("gia"), groups: [] });
    expect(codeOf(await browser().signInAt("groups", "gia"))).toBe("no_organization");
    expect(await rolesOf(body.user.id)).toEqual({});
    // What they were signed in to is over with it.
    expect((await me(gia)).status).toBe(401);
  });

  test("leave the last owner, and a membership that people gave", async () => {
    const place = await web.organization("initech");
    const member = await web.member(place, "Milton", "viewer");
    oidc.accounts.set("milton", { email: `milton-${place}@test.example`, email_verified: true, groups: [] });
    await browser().signInAt("groups", "milton");
    expect(await rolesOf(member.userId)).toEqual({ initech: "viewer" });

    const lone = await web.organization("lone");
    const boss = await web.member(lone, "Bill", "owner");
    const { applyGroups } = await import("@/lib/people/accounts/groups.ts");
    const { services } = await import("@/lib/web/tenant.ts");
    const rule = { claim: "staff", organization: "lone", role: "viewer" as const };
    await applyGroups(await services(), { id: "x", name: "X", groups: [rule] }, boss.userId, [rule]);
    expect(await rolesOf(boss.userId)).toEqual({ lone: "owner" });
  });

  test("make one account and one membership of two first sign-ins at once", async () => {
    oidc.accounts.set("two", { email: "two@new.example", email_verified: true, groups: ["finance"] });
    const both = [browser(), browser()];
    const landed = await Promise.all(both.map((one) => one.signInAt("groups", "two")));
    const rows = await sql(
      `SELECT (SELECT count(*)::integer FROM "user" WHERE email = $1) AS accounts,
        (SELECT count(*)::integer FROM membership m JOIN "user" u ON u.id = m.user_id WHERE u.email = $1) AS memberships,
        (SELECT count(*)::integer FROM identity WHERE subject = 'two') AS identities`,
      ["two@new.example"],
    );
    expect(rows).toEqual([{ accounts: 1, memberships: 1, identities: 1 }]);
    expect(landed.map(codeOf)).toEqual([null, null]);
  });

  test("open no account for somebody in none of them, nor in place of one with the address", async () => {
    oidc.accounts.set("odd", { email: "odd@new.example", email_verified: true, groups: ["golf"] });
    expect(codeOf(await browser().signInAt("groups", "odd"))).toBe("no_account");
    expect(await sql(`SELECT id FROM "user" WHERE email = 'odd@new.example'`)).toEqual([]);
  });
});

describe("a token", () => {
  const account = { email: "tess@new.example", email_verified: true, groups: ["finance"] };
  test.each<[string, NonNullable<OidcServer["behave"]["idToken"]>]>([
    ["without a signature", (claims) => `${encode({ alg: "none" })}.${encode(claims)}.`],
    ["signed with the secret that it shares with us", (claims) => signHs256(claims)],
    [
      "that was altered",
      (claims, sign) => `${sign(claims).replace(/\.[^.]+\./, `.${encode({ ...claims, sub: "boss" })}.`)}`,
    ],
    ["of another issuer", (claims, sign) => sign({ ...claims, iss: "https://evil.example" })],
    ["for somebody else's client", (claims, sign) => sign({ ...claims, aud: "another" })],
    ["that has expired", (claims, sign) => sign({ ...claims, exp: Math.floor(Date.now() / 1000) - 60 })],
    ["of another sign-in", (claims, sign) => sign({ ...claims, nonce: "another" })],
    ["without the nonce", ({ nonce: _nonce, ...claims }, sign) => sign(claims)],
  ])("%s is refused", async (_what, idToken) => {
    oidc.accounts.set("tess", account);
    oidc.behave.idToken = idToken;
    const refused = browser();
    const landed = await refused.signInAt("groups", "tess");
    expect([landed.pathname, codeOf(landed)]).toEqual(["/sign-in", "OAuthCallback"]);
    expect((await me(refused)).status).toBe(401);
    expect(await sql(`SELECT id FROM identity WHERE subject IN ('tess', 'boss')`)).toEqual([]);
  });

  test("re-made by the test and left as it was is taken: the refusals above are for what was wrong", async () => {
    oidc.accounts.set("tina", { ...account, email: "tina@new.example" });
    oidc.behave.idToken = (claims, sign) => sign(claims);
    expect(codeOf(await browser().signInAt("groups", "tina"))).toBe(null);
  });

  test("is refused where the provider's own page says that it is somebody else", async () => {
    oidc.accounts.set("tom", { ...account, email: "tom@new.example" });
    const foreign = "https://login.evil.example";
    oidc.behave.metadata = (metadata) => ({ ...metadata, issuer: foreign });
    oidc.behave.idToken = (claims, sign) => sign({ ...claims, iss: foreign });
    const landed = await browser().signInAt("groups", "tom");
    expect(landed.pathname).toBe("/sign-in");
    expect(codeOf(landed)).toMatch(/^(provider_failed|OAuthCallback)$/);
    expect(await sql(`SELECT id FROM identity WHERE subject = 'tom'`)).toEqual([]);
  });
});

describe("a sign-in", () => {
  test("does not reach the metadata service, whatever the provider's page says", async () => {
    oidc.accounts.set("meg", { email: "meg@new.example", email_verified: true, groups: ["finance"] });
    oidc.behave.metadata = (metadata) => ({
      ...metadata,
      token_endpoint: "http://169.254.169.254/latest/meta-data",
    });
    expect(codeOf(await browser().signInAt("groups", "meg"))).toBe("OAuthSignin");
  });

  test("is finished only by the browser that began it", async () => {
    oidc.accounts.set("eve", { email: "eve@new.example", email_verified: true, groups: ["finance"] });
    const attacker = browser();
    let caught: string | undefined;
    const original = attacker.send.bind(attacker);
    attacker.send = async (url, form) => {
      if (url.includes("/api/auth/callback/")) {
        caught = url;
        return new Response("kept for the victim");
      }
      return original(url, form);
    };
    await attacker.signInAt("groups", "eve");
    const victim = browser();
    const landed = new URL((await victim.go(caught ?? "")).url);
    expect(landed.pathname).toBe("/sign-in");
    expect((await me(victim)).status).toBe(401);
  });

  test.each([
    ["https://evil.example/"],
    ["//evil.example/x"],
    ["/\\evil.example/x"],
    ["/.//evil.example/x"],
    [`${ORIGIN}.evil.example/`],
    ["javascript:alert(1)"],
    ["/%09/evil.example"],
  ])("leads to no other site: %s", async (callbackUrl) => {
    oidc.accounts.set("cal", { email: "cal@new.example", email_verified: true, groups: ["finance"] });
    const landed = await browser().signInAt("groups", "cal", callbackUrl);
    expect(landed.origin).toBe(ORIGIN);
    expect(landed.pathname.startsWith("//")).toBe(false);
  });

  test("with nothing to do with a person is not offered: the rest of next-auth is not there", async () => {
    for (const path of ["session", "_log", "verify-request", "signout"])
      expect((await browser().send(`/api/auth/${path}`)).status).toBe(404);
    expect((await browser().send("/api/auth/_log", { level: "error", code: "x" })).status).toBe(404);
  });
});

describe("the provider", () => {
  const DISCOVERY = "/.well-known/openid-configuration";
  const begin = (at = browser()) => at.post("signin/linking", { callbackUrl: "/" });

  test("is asked once what it is, however many sign-ins begin, at once and later, and once for its keys", async () => {
    oidc.asked.clear();
    const landed = await Promise.all(Array.from({ length: 60 }, () => begin()));
    expect(landed.every((url) => url.startsWith(oidc.issuer))).toBe(true);
    expect(oidc.asked.get(DISCOVERY)).toBe(1);
    oidc.accounts.set("kim", { email: "kim@new.example", email_verified: true, groups: ["finance"] });
    for (let n = 0; n < 3; n++) expect(codeOf(await browser().signInAt("groups", "kim"))).toBe(null);
    expect([oidc.asked.get(DISCOVERY), oidc.asked.get("/jwks")]).toEqual([1, 1]);
  });

  test("that does not answer is asked once in some seconds, and people are told", async () => {
    oidc.asked.clear();
    oidc.away = true;
    const { log } = await import("@/lib/base/log.ts");
    const info = vi.spyOn(log, "info");
    const landed = [];
    for (let n = 0; n < 10; n++) landed.push(new URL(await begin()).searchParams.get("error"));
    expect(landed).toEqual(Array(10).fill("OAuthSignin"));
    const noted = info.mock.calls.filter(([line]) => (line as { outcome?: string }).outcome === "failed");
    info.mockRestore();
    expect(noted).toHaveLength(10);
    expect(oidc.asked.get(DISCOVERY)).toBe(1);
  });

  test("is not begun at without end from one network", async () => {
    const one = new AuthBrowser(handleAuth, "192.0.2.99");
    const landed = [];
    for (let n = 0; n < 122; n++) landed.push(await begin(one));
    const paused = landed.filter((url) => url.startsWith(`${ORIGIN}/sign-in`));
    expect(paused).toHaveLength(2);
    expect(codeOf(new URL(paused[0]!))).toBe("throttled:60");
    expect(await begin()).toContain(oidc.issuer);
  });
});

async function eventsOf(organizationId: string) {
  return (await sql(`SELECT type, data FROM event WHERE organization_id = $1 ORDER BY seq`, [
    organizationId,
  ])) as { type: string; data: unknown }[];
}

async function rolesOf(userId: string): Promise<Record<string, string>> {
  const rows = await sql(
    `SELECT o.slug, m.role FROM membership m JOIN organization o ON o.id = m.organization_id WHERE m.user_id = $1`,
    [userId],
  );
  return Object.fromEntries(rows.map((row) => [row.slug, row.role]));
}

/** A token that any holder of the client's secret could sign. */
function signHs256(claims: object): string {
  const text = `${encode({ alg: "HS256" })}.${encode(claims)}`;
  return `${text}.${createHmac("sha256", CLIENT.clientSecret).update(text).digest("base64url")}`;
}

/** Reads as a superuser: the tables, whatever the row security. */
function sql(text: string, values: unknown[] = []) {
  return web.database.sql(text, values);
}
