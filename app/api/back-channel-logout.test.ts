/** A provider signs people out, over real HTTP: sessions, streams and keys are gone, and forged tokens do nothing. */
import { createHmac, generateKeyPairSync, randomUUID, sign as signBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ANY_SIGN_IN } from "@/lib/people/organizations/sign-in/sign-in-schema.ts";
import { AuthBrowser } from "@/test/servers/auth-browser.ts";
import { CLIENT, encode, type OidcServer, startOidc } from "@/test/servers/oidc-server.ts";
import { ORIGIN, startWeb, type TestWeb } from "@/test/web.ts";

const EVENTS = { "http://schemas.openid.net/event/backchannel-logout": {} };

let web: TestWeb;
/** Says the subject alone, and the session. */
let all: OidcServer;
let each: OidcServer;
let folder: string;
let admin: pg.Client;
let front: Server;
let site: string;
let handleAuth: typeof import("@/lib/web/auth/auth.ts").handleAuth;

beforeAll(async () => {
  [all, each] = await Promise.all([startOidc(), startOidc()]);
  // Intray's address for the providers, who speak HTTP to it.
  front = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const headers = new Headers(request.headers as Record<string, string>);
    const init = {
      method: request.method ?? "GET",
      headers,
      ...(request.method === "POST" && { body: Buffer.concat(chunks) }),
    };
    const path = (request.url ?? "").split("/").slice(3);
    const answer = await handleAuth(new Request(`${ORIGIN}${request.url}`, init), path);
    response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text());
  });
  await new Promise<void>((resolve) => front.listen(0, "127.0.0.1", resolve));
  site = `http://127.0.0.1:${(front.address() as AddressInfo).port}/api/auth/backchannel`;
  all.allow([`${ORIGIN}/api/auth/callback/all`], { uri: `${site}/all`, perSession: false });
  each.allow([`${ORIGIN}/api/auth/callback/each`], { uri: `${site}/each`, perSession: true });
  folder = await mkdtemp(join(tmpdir(), "intray-logout-"));
  const file = join(folder, "sign-in.json");
  const rules = { linkByEmail: true, trustedDomains: ["test.example"], ...CLIENT };
  const providers = [
    { id: "all", name: "All", issuer: all.issuer, ...rules },
    { id: "each", name: "Each", issuer: each.issuer, ...rules },
  ];
  await writeFile(file, JSON.stringify({ providers }));
  web = await startWeb({ INTRAY_SIGN_IN_FILE: file, NEXTAUTH_URL: ORIGIN });
  ({ handleAuth } = await import("@/lib/web/auth/auth.ts"));
  admin = new pg.Client({ connectionString: web.database.adminUrl });
  await admin.connect();
});
afterAll(async () => {
  await admin.end();
  await web.stop();
  await new Promise((resolve) => {
    front.close(resolve);
    front.closeAllConnections();
  });
  await Promise.all([all.stop(), each.stop()]);
  await rm(folder, { recursive: true });
});

let made = 0;
let acme: string;
let email: string;
let olga: { userId: string; memberId: string; cookie: string };
beforeEach(async () => {
  acme = await web.organization(`acme-${++made}`);
  olga = await web.member(acme, "Olga", "owner");
  email = `olga-${acme}@test.example`;
  for (const { accounts } of [all, each]) accounts.set(email, { email, email_verified: true });
});
afterEach(() => {
  for (const { behave } of [all, each]) behave.idToken = undefined;
});

async function signInAt(provider: "all" | "each"): Promise<string> {
  const at = new AuthBrowser(handleAuth, `10.4.1.${made}`);
  await at.signInAt(provider, email);
  await admin.query("UPDATE session SET factor_at = 'infinity'");
  return at.cookie();
}

const statusOf = async (cookie: string) => (await web.call("GET", "/api/v1/me", { cookie })).status;
const requireProvider = async (cookie: string, ...providers: string[]) => {
  const body = { ...ANY_SIGN_IN, providers };
  expect((await web.call("PUT", "/api/v1/organization/sign-in", { cookie, body })).status).toBe(200);
};
const makeKey = async (cookie: string): Promise<string> => {
  const body = { name: "build", role: "viewer" };
  return (await web.call("POST", "/api/v1/api-keys", { cookie, body })).body.secret;
};
const keyCode = async (key: string) => {
  const { status, body } = await web.call("GET", "/api/v1/me", { key });
  return status === 200 ? "works" : body.code;
};

describe("a provider that signs a person out", () => {
  test("of all: every session that it opened ends, keys rest and streams of both end, until it signs them in again", async () => {
    const [first, second] = [await signInAt("all"), await signInAt("all")];
    const elsewhere = await signInAt("each");
    await requireProvider(first, "all", "each");
    const key = await makeKey(first);
    expect(await keyCode(key)).toBe("works");
    const streams = await Promise.all([
      web.open("GET", "/api/v1/stream", { cookie: second }),
      web.open("GET", "/api/v1/stream", { key }),
    ]);
    const began = performance.now();
    await all.signOut(email);
    expect([await statusOf(first), await statusOf(second)]).toEqual([401, 401]);
    expect(await keyCode(key)).toBe("key_rests");
    for (const { body } of streams) {
      const reader = body!.getReader();
      for (let at = await reader.read(); !at.done; at = await reader.read());
    }
    expect(performance.now() - began).toBeLessThan(60_000);
    // What another provider opened goes on.
    expect(await statusOf(elsewhere)).toBe(200);
    const { rows } = await admin.query(
      "SELECT data FROM event WHERE organization_id = $1 AND type = 'session.ended' ORDER BY seq DESC LIMIT 1",
      [acme],
    );
    expect(rows[0].data).toEqual({ count: 2, provider: "all", keysRest: true });
    const own = await web.call("GET", "/api/v1/me/security-events", { cookie: elsewhere });
    expect(own.body.items[0]).toMatchObject({ type: "session.ended", data: { count: 2, provider: "all" } });

    expect(await statusOf(await signInAt("each"))).toBe(200);
    expect(await keyCode(key)).toBe("key_rests");
    expect(await statusOf(await signInAt("all"))).toBe(200);
    expect(await keyCode(key)).toBe("works");
  });

  test("of all, while no session is open: keys rest all the same, in organizations that require the provider alone", async () => {
    const cookie = await signInAt("all");
    await requireProvider(cookie, "all");
    const key = await makeKey(cookie);
    const free = await web.organization(`free-${made}`);
    await web.db.withOrganization(free, (tx) =>
      tx.membership.create({
        data: { organizationId: free, id: randomUUID(), userId: olga.userId, role: "owner" },
      }),
    );
    await web.call("PUT", "/api/v1/me/organization", { cookie, body: { organizationId: free } });
    const other = await makeKey(cookie);
    await admin.query("UPDATE session SET revoked_at = now()");
    await all.signOut(email);
    expect([await keyCode(key), await keyCode(other)]).toEqual(["key_rests", "works"]);
    // A web process of before finds no such key.
    const { rows } = await admin.query(
      "SELECT count(f.id)::integer AS found FROM api_key k LEFT JOIN gate.find_api_key(k.secret_hash) f ON true WHERE k.organization_id = $1",
      [acme],
    );
    expect(rows[0].found).toBe(0);
  });

  test("of all: keys of the service accounts that the person answers for rest too, and people are told", async () => {
    const cookie = await signInAt("all");
    await requireProvider(cookie, "all");
    const { memberId } = olga;
    const body = { name: "Billing", role: "viewer", ownerId: memberId };
    const { body: account } = await web.call("POST", "/api/v1/service-accounts", { cookie, body });
    const made = { name: "nightly", role: "viewer", serviceAccountId: account.id };
    const { secret } = (await web.call("POST", "/api/v1/api-keys", { cookie, body: made })).body;
    const stream = await web.open("GET", "/api/v1/stream", { key: secret });
    const due = async () =>
      (await admin.query("SELECT FROM gate.organizations_with_resting_accounts() WHERE id = $1", [acme])).rows
        .length;
    expect([await keyCode(secret), await due()]).toEqual(["works", 0]);
    await all.signOut(email);
    expect([await keyCode(secret), await due()]).toEqual(["service_account_rests", 1]);
    const reader = stream.body!.getReader();
    for (let at = await reader.read(); !at.done; at = await reader.read());
    const back = await signInAt("all");
    expect([await keyCode(secret), await due()]).toEqual(["works", 0]);
    // Given to somebody else, it goes on without its owner of before.
    const otto = await web.member(acme, "Otto", "owner");
    const given = { ownerId: otto.memberId };
    expect(
      (await web.call("PATCH", `/api/v1/service-accounts/${account.id}`, { cookie: back, body: given }))
        .status,
    ).toBe(200);
    await all.signOut(email);
    expect(await keyCode(secret)).toBe("works");
  });

  test("of one session: that one ends, others and keys go on", async () => {
    const [first, second] = [await signInAt("each"), await signInAt("each")];
    await requireProvider(first, "each");
    const key = await makeKey(first);
    const { rows } = await admin.query(
      "SELECT provider_session AS sid FROM session WHERE provider = 'each' AND user_id = $1 ORDER BY created_at",
      [olga.userId],
    );
    expect(new Set(rows.map(({ sid }) => sid)).size).toBe(2);
    await each.signOut(email, rows[0].sid);
    expect([await statusOf(first), await statusOf(second)]).toEqual([401, 200]);
    expect(await keyCode(key)).toBe("works");
  });

  test("ends the sessions of nobody else", async () => {
    const cookie = await signInAt("all");
    const ben = await web.member(acme, "Ben", "viewer");
    all.accounts.set("somebody", { email: "somebody@test.example", email_verified: true });
    await all.signOut("somebody");
    expect([await statusOf(cookie), await statusOf(ben.cookie), await statusOf(olga.cookie)]).toEqual([
      200, 200, 200,
    ]);
  });
});

describe("a logout token", () => {
  const now = () => Math.floor(Date.now() / 1000);
  const claims = (more: Record<string, unknown> = {}) => ({
    iss: all.issuer,
    aud: CLIENT.clientId,
    iat: now(),
    exp: now() + 120,
    jti: randomUUID(),
    sub: email,
    events: EVENTS,
    ...more,
  });
  const post = (token: string | null, provider = "all") =>
    fetch(`${site}/${provider}`, {
      method: "POST",
      body: new URLSearchParams(token === null ? {} : { logout_token: token }),
    });
  const foreign = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
  const signed = (head: object, payload: object, by: (text: string) => string) => {
    const text = `${encode(head)}.${encode(payload)}`;
    return `${text}.${by(text)}`;
  };
  const hmac = (secret: string) => (text: string) =>
    createHmac("sha256", secret).update(text).digest("base64url");

  test.each<[string, () => string | null]>([
    ["that is not there", () => null],
    ["that is none", () => "no token"],
    ["without a signature", () => signed({ alg: "none" }, claims(), () => "")],
    [
      "signed with the client's secret",
      () => signed({ alg: "HS256", kid: "tests" }, claims(), hmac(CLIENT.clientSecret)),
    ],
    [
      "signed with somebody else's key under the provider's name",
      () =>
        signed({ alg: "RS256", kid: "tests" }, claims(), (text) =>
          signBytes("sha256", Buffer.from(text), foreign).toString("base64url"),
        ),
    ],
    ["that was altered", () => all.sign(claims({ sub: "x" })).replace(/\.[^.]+\./, `.${encode(claims())}.`)],
    ["of another key's name", () => all.sign(claims(), { kid: "unknown" })],
    ["of another issuer", () => all.sign(claims({ iss: "https://evil.example" }))],
    ["of another provider of this installation", () => each.sign(claims({ iss: each.issuer }))],
    ["for another client", () => all.sign(claims({ aud: "another" }))],
    ["that is over", () => all.sign(claims({ iat: now() - 300, exp: now() - 200 }))],
    ["that is old, whatever end it names", () => all.sign(claims({ iat: now() - 3600, exp: now() + 3600 }))],
    ["of the future", () => all.sign(claims({ iat: now() + 3600, exp: now() + 7200 }))],
    ["without an end", () => all.sign(claims({ exp: undefined }))],
    ["without its time", () => all.sign(claims({ iat: undefined }))],
    ["without an id", () => all.sign(claims({ jti: undefined }))],
    ["without events", () => all.sign(claims({ events: undefined }))],
    ["with another event", () => all.sign(claims({ events: { "http://other.example": {} } }))],
    [
      "with an event that is no object",
      () => all.sign(claims({ events: { [Object.keys(EVENTS)[0]!]: true } })),
    ],
    ["with a nonce", () => all.sign(claims({ nonce: "n" }))],
    ["about nobody", () => all.sign(claims({ sub: undefined }))],
    ["of another type", () => all.sign(claims(), { typ: "at+jwt" })],
    ["with a subject that is no text", () => all.sign(claims({ sub: { $ne: "" } }))],
    ["with a subject that the database can't keep", () => all.sign(claims({ sub: `${email}\u0000` }))],
  ])("%s does nothing", async (_what, make) => {
    const cookie = await signInAt("all");
    const token = make();
    const answer = await post(token);
    expect([answer.status, answer.headers.get("cache-control")]).toEqual([400, "no-store"]);
    expect(await answer.json()).toMatchObject({ error: "invalid_request" });
    expect(await statusOf(cookie)).toBe(200);
  });

  test("that is good is taken once: again, or at another provider, it does nothing", async () => {
    const cookie = await signInAt("all");
    const token = all.sign(claims(), { typ: "logout+jwt" });
    expect((await post(token, "each")).status).toBe(400);
    expect(await statusOf(cookie)).toBe(200);
    const taken = await post(token);
    expect([taken.status, taken.headers.get("cache-control"), await taken.text()]).toEqual([
      200,
      "no-store",
      "",
    ]);
    expect(await statusOf(cookie)).toBe(401);
    const again = await signInAt("all");
    expect((await post(token)).status).toBe(400);
    expect(await statusOf(again)).toBe(200);
    // Two at once are one.
    const twice = all.sign(claims());
    const statuses = (await Promise.all([post(twice), post(twice)])).map(({ status }) => status);
    expect(statuses.sort()).toEqual([200, 400]);
  });

  test("is no ID token, and an ID token no logout token", async () => {
    let idToken = "";
    all.behave.idToken = (given, sign) => {
      idToken = sign(given);
      return idToken;
    };
    const cookie = await signInAt("all");
    expect((await post(idToken)).status).toBe(400);
    expect((await post(all.sign({ ...claims(), nonce: undefined, events: undefined }))).status).toBe(400);
    expect(await statusOf(cookie)).toBe(200);
    all.behave.idToken = () => all.sign(claims(), { typ: "logout+jwt" });
    expect(await statusOf(await signInAt("all"))).toBe(401);
  });

  test("is taken at the address of a provider that there is, by POST alone", async () => {
    expect((await post(all.sign(claims()), "nobody")).status).toBe(404);
    expect((await fetch(`${site}/all`)).status).toBe(404);
    expect((await fetch(`${site}/all/more`, { method: "POST" })).status).toBe(404);
  });

  test("of a key that is not known has the provider's keys asked for anew, though not by every stranger", async () => {
    await post(all.sign(claims()));
    all.asked.clear();
    for (let n = 0; n < 20; n++) await post(all.sign(claims(), { kid: `unknown-${n}` }));
    expect(all.asked.get("/jwks") ?? 0).toBeLessThanOrEqual(1);
  });
});
