/** An organization that requires its own SAML provider: who gets in, and that nobody locks everybody out. */
import { beforeEach, describe, expect, test } from "vitest";
import { ANY_SIGN_IN, type SignInPolicy } from "@/lib/people/organizations/sign-in/sign-in-schema.ts";
import { withClient } from "@/scripts/database/roles.ts";
import { addProvider, browserOf, errorOf, signInBySaml, type TestProvider } from "@/test/saml/browsers.ts";
import { makeIdpKey, type Said } from "@/test/saml/idp.ts";
import { webForFile } from "@/test/web.ts";

const ACR = "urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport";

const web = webForFile();
let acme: string;
let ana: { userId: string; memberId: string; cookie: string };
let provider: TestProvider;
let made = 0;

beforeEach(async () => {
  acme = await web.organization(`acme-${++made}`);
  ana = await web.member(acme, "Ana", "owner");
  provider = await addProvider(web, acme, ana.cookie, { createAccounts: true, defaultRole: "viewer" });
  await link(ana.userId, "ana");
});

const sql = (statement: string, values: unknown[] = []) =>
  withClient(web.database.adminUrl, async (client) => (await client.query(statement, values)).rows);
const link = (userId: string, subject: string, { id } = provider) =>
  sql("SELECT gate.link_identity($1, $2, $3)", [userId, `saml:${id}`, subject]);
async function signIn(said: Partial<Said>, at = provider): Promise<string> {
  const browser = browserOf(web, `10.6.${++made >> 8}.${made & 255}`);
  expect(errorOf(await signInBySaml(web, browser, at, said))).toBeNull();
  return browser.cookie();
}
const codeOf = async (cookie: string) => {
  const { status, body } = await web.call("GET", "/api/v1/me", { cookie });
  return status === 200 ? "in" : body.code;
};
const put = (cookie: string, policy: Partial<SignInPolicy>) =>
  web.call("PUT", "/api/v1/organization/sign-in", { cookie, body: { ...ANY_SIGN_IN, ...policy } });
/** Ana, signed in through the provider, requires it. Returns her cookie. */
async function requireIt(policy: Partial<SignInPolicy> = {}): Promise<string> {
  const cookie = await signIn({ nameId: "ana" });
  const set = await put(cookie, { providers: [`saml:${provider.id}`], ...policy });
  expect([set.status, set.body.code]).toEqual([200, undefined]);
  return cookie;
}
const change = (cookie: string, body: object) =>
  web.call("PATCH", `/api/v1/saml-providers/${provider.id}`, { cookie, body });

describe("an organization that requires its SAML provider", () => {
  test("is reached by that provider's sessions alone, of those that were open too", async () => {
    const ben = await web.member(acme, "Ben", "approver");
    const other = await addProvider(web, acme, ana.cookie, { name: "Other" });
    await link(ben.userId, "ben");
    await link(ben.userId, "ben", other);
    const byOther = await signIn({ nameId: "ben" }, other);
    expect([await codeOf(ben.cookie), await codeOf(byOther)]).toEqual(["in", "in"]);
    const cookie = await requireIt();
    expect(await codeOf(cookie)).toBe("in");
    for (const refused of [ben.cookie, ana.cookie, byOther]) {
      expect(await codeOf(refused)).toBe("single_sign_on_required");
      for (const path of ["/tasks", "/organization/export", "/stream"])
        expect((await web.open("GET", `/api/v1${path}`, { cookie: refused })).status, path).toBe(401);
    }
    for (const method of ["password", "passkey", "oidc"]) {
      await sql("UPDATE session SET method = $2 WHERE user_id = $1 AND method <> 'saml'", [
        ben.userId,
        method,
      ]);
      expect(await codeOf(ben.cookie), method).toBe("single_sign_on_required");
    }
    expect(await codeOf(await signIn({ nameId: "ben" }))).toBe("in");
  });

  test("asks again once the provider's word is older than it says", async () => {
    const cookie = await requireIt({ providerAgeMs: 15 * 60_000 });
    expect(await codeOf(cookie)).toBe("in");
    await sql("UPDATE session SET authenticated_at = now() - interval '16 minutes' WHERE user_id = $1", [
      ana.userId,
    ]);
    expect(await codeOf(cookie)).toBe("sign_in_again_required");
    expect(await codeOf(await signIn({ nameId: "ana", authenticated: -16 }))).toBe("sign_in_again_required");
    expect(await codeOf(await signIn({ nameId: "ana", authenticated: -14 }))).toBe("in");
  });

  test("has keys rest whose person it has not signed in for as long as it says", async () => {
    const cookie = await requireIt({ keyAgeMs: 24 * 3600_000 });
    await sql("UPDATE session SET factor_at = 'infinity'");
    const makeKey = async (more: object = {}) =>
      (await web.call("POST", "/api/v1/api-keys", { cookie, body: { name: "k", role: "viewer", ...more } }))
        .body.secret as string;
    const body = { name: "Nightly", role: "viewer", ownerId: ana.memberId };
    const { id } = (await web.call("POST", "/api/v1/service-accounts", { cookie, body })).body;
    const keys = [await makeKey(), await makeKey({ serviceAccountId: id })];
    const codes = () =>
      Promise.all(
        keys.map(async (key) => {
          const answer = await web.call("GET", "/api/v1/me", { key });
          return answer.status === 200 ? "works" : answer.body.code;
        }),
      );
    expect(await codes()).toEqual(["works", "works"]);
    await sql("UPDATE provider_vouch SET at = now() - interval '25 hours' WHERE user_id = $1", [ana.userId]);
    expect(await codes()).toEqual(["key_rests", "service_account_rests"]);
    // Another provider's word is none, and an old word of this one neither.
    const other = await addProvider(web, acme, cookie, { name: "Other" });
    await link(ana.userId, "ana", other);
    await signIn({ nameId: "ana" }, other);
    expect(await codes()).toEqual(["key_rests", "service_account_rests"]);
    await signIn({ nameId: "ana" });
    expect(await codes()).toEqual(["works", "works"]);
    // Without such a rule keys have no sign-in to be too old.
    await sql("UPDATE provider_vouch SET at = now() - interval '1 year' WHERE user_id = $1", [ana.userId]);
    await put(cookie, { providers: [`saml:${provider.id}`] });
    expect(await codes()).toEqual(["works", "works"]);
  });

  test("takes the class of authentication that it asks for, and no other", async () => {
    const cookie = await requireIt({ acrValues: [ACR] });
    expect(await codeOf(cookie)).toBe("in");
    const weaker = await signIn({ nameId: "ana", acr: "urn:oasis:names:tc:SAML:2.0:ac:classes:unspecified" });
    expect(await codeOf(weaker)).toBe("sign_in_too_weak");
  });

  test("is not given rules that the owner's own session does not meet", async () => {
    expect((await put(ana.cookie, { providers: [`saml:${provider.id}`] })).body.code).toBe("would_lock_out");
    const cookie = await signIn({ nameId: "ana" });
    const demanding = { providers: [`saml:${provider.id}`], acrValues: ["urn:stronger"] };
    expect((await put(cookie, demanding)).body.code).toBe("would_lock_out");
    const unknown = { providers: ["saml:00000000-0000-7000-8000-000000000000"] };
    expect((await put(cookie, unknown)).body.code).toBe("invalid_input");
    const globex = await web.organization(`globex-${made}`);
    const gus = await web.member(globex, "Gus", "owner");
    const foreign = await addProvider(web, globex, gus.cookie);
    expect((await put(cookie, { providers: [`saml:${foreign.id}`] })).body.code).toBe("invalid_input");
  });

  test("keeps the provider, one of its keys and its address", async () => {
    const cookie = await requireIt();
    const path = `/api/v1/saml-providers/${provider.id}`;
    expect((await web.call("DELETE", path, { cookie })).body.code).toBe("would_lock_out");
    const { certificate } = await makeIdpKey();
    const before = (await web.call("GET", path, { cookie })).body;
    for (const what of [{ certificates: certificate }, { ssoUrl: "https://elsewhere.example/sso" }])
      expect((await change(cookie, what)).body.code).toBe("would_lock_out");
    expect((await web.call("GET", path, { cookie })).body).toEqual(before);
    // A change of keys: the new one beside the old one, then the new one alone.
    const both = `${before.certificates[0].pem}\n${certificate}`;
    expect((await change(cookie, { certificates: both })).status).toBe(200);
    expect((await change(cookie, { certificates: certificate, ssoUrl: before.ssoUrl })).status).toBe(200);
    await put(cookie, {});
    expect((await change(cookie, { ssoUrl: "https://elsewhere.example/sso" })).status).toBe(200);
    expect((await web.call("DELETE", path, { cookie })).status).toBe(204);
  });

  test("has the provider, or does not require it, where one owner requires what another removes", async () => {
    const cookie = await signIn({ nameId: "ana" });
    const otto = await web.member(acme, "Otto", "owner");
    const [set, removed] = await Promise.all([
      put(cookie, { providers: [`saml:${provider.id}`] }),
      web.call("DELETE", `/api/v1/saml-providers/${provider.id}`, { cookie: otto.cookie }),
    ]);
    expect([200, 401, 422]).toContain(set.status);
    const [left] = await sql("SELECT count(*)::integer AS n FROM saml_provider WHERE organization_id = $1", [
      acme,
    ]);
    const [policy] = await sql("SELECT providers FROM sign_in_policy WHERE organization_id = $1", [acme]);
    expect(left.n === 1 || !policy || policy.providers.length === 0, `${set.status} ${removed.status}`).toBe(
      true,
    );
  });

  test("with a provider that went meanwhile: whoever requires it waits, and is told", async () => {
    const cookie = await signIn({ nameId: "ana" });
    const providerId = provider.id;
    await withClient(web.database.adminUrl, async (client) => {
      await client.query("BEGIN");
      await client.query("DELETE FROM saml_provider WHERE id = $1", [providerId]);
      const setting = put(cookie, { providers: [`saml:${providerId}`] });
      await waitsForLock();
      await client.query("COMMIT");
      const set = await setting;
      expect([set.status, set.body.code]).toEqual([422, "invalid_input"]);
    });
  });
});

/** Until a statement of the web waits for another's row. */
async function waitsForLock(): Promise<void> {
  for (;;) {
    const [row] = await sql(
      "SELECT count(*)::integer AS n FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
    );
    if (row.n > 0) return;
  }
}
