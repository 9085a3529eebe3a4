/** Agents that are not what they say, and people who use another's sign-in. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  type AgentIntray,
  authorization,
  type Browser,
  CALLBACK,
  post,
  startAgentIntray,
} from "@/test/fixtures/agents/agent-oauth-fixture.ts";

let intray: AgentIntray;
let acme: string;
let ola: Awaited<ReturnType<AgentIntray["web"]["member"]>>;
let eve: typeof ola;

beforeAll(async () => {
  intray = await startAgentIntray();
  acme = await intray.web.organization("acme");
  ola = await intray.web.member(acme, "Ola", "operator");
  eve = await intray.web.member(acme, "Eve", "operator");
});
// Each test has the tries of a network of its own.
beforeEach(async () => void (await sql("DELETE FROM throttle")));
afterAll(() => intray.close());

const sql = (text: string, values: unknown[] = []) => intray.web.database.sql(text, values);
const addressOf = (query: URLSearchParams) => `${intray.url}/agents/oauth/auth?${query}`;

/** A code that a member allowed, and the form that exchanges it. */
async function code(browser: Browser, clientId: string) {
  const { verifier, query } = authorization(clientId, intray.mcp);
  const back = await browser.allow(addressOf(query));
  return {
    grant_type: "authorization_code",
    code: back.searchParams.get("code") ?? "",
    client_id: clientId,
    redirect_uri: CALLBACK,
    code_verifier: verifier,
  };
}

describe("a code", () => {
  test("works once; a second time it ends what came of it", async () => {
    const form = await code(intray.browser(ola.cookie), await intray.register({ client_name: "Replayed" }));
    const { body } = await intray.token(form);
    expect(await intray.call(body.access_token)).toMatchObject({ status: 200 });
    expect((await intray.token(form)).body.error).toBe("invalid_grant");
    expect(await intray.call(body.access_token)).toMatchObject({ status: 401 });
    const rows = await sql(`SELECT data FROM event WHERE type = 'agent.signed_out'`);
    expect(rows).toContainEqual({ data: expect.objectContaining({ name: "Replayed", why: "used_twice" }) });
  });

  test("works once, of ten at the same moment", async () => {
    const form = await code(intray.browser(ola.cookie), await intray.register());
    const replies = await Promise.all(Array.from({ length: 10 }, () => intray.token(form)));
    const taken = replies.filter(({ status }) => status === 200);
    expect(taken.length).toBeLessThanOrEqual(1);
    for (const { body } of taken) expect(await intray.call(body.access_token)).toMatchObject({ status: 401 });
  });

  test.each<[string, (form: Record<string, string>, other: string) => Record<string, string>]>([
    ["of another client", (form, other) => ({ ...form, client_id: other })],
    ["with another redirect", (form) => ({ ...form, redirect_uri: "http://127.0.0.1:9999/callback" })],
    ["with another verifier", (form) => ({ ...form, code_verifier: "v".repeat(43) })],
    ["for another resource", (form) => ({ ...form, resource: "https://other.example/mcp" })],
    ["without a verifier", ({ code_verifier: _, ...form }) => form],
  ])("is refused %s", async (_name, change) => {
    const form = await code(intray.browser(ola.cookie), await intray.register());
    const { status, body } = await intray.token(change(form, await intray.register()));
    expect(status).toBe(400);
    expect(["invalid_grant", "invalid_target", "invalid_request"]).toContain(body.error);
    expect(body).not.toHaveProperty("access_token");
  });
});

describe("a refresh token", () => {
  test("works once; the one of before ends all that came of it", async () => {
    const clientId = await intray.register();
    const first = await intray.signIn(intray.browser(ola.cookie), clientId);
    const renew = (refresh_token: string) =>
      intray.token({ grant_type: "refresh_token", refresh_token, client_id: clientId });
    const second = (await renew(first.refresh_token)).body;
    expect(await intray.call(second.access_token)).toMatchObject({ status: 200 });
    expect((await renew(first.refresh_token)).body.error).toBe("invalid_grant");
    expect(await intray.call(second.access_token)).toMatchObject({ status: 401 });
    expect((await renew(second.refresh_token)).body.error).toBe("invalid_grant");
  });

  test("works once, of ten at the same moment", async () => {
    const clientId = await intray.register();
    const { refresh_token } = await intray.signIn(intray.browser(ola.cookie), clientId);
    const form = { grant_type: "refresh_token", refresh_token, client_id: clientId };
    const replies = await Promise.all(Array.from({ length: 10 }, () => intray.token(form)));
    const taken = replies.filter(({ status }) => status === 200);
    expect(taken.length).toBeLessThanOrEqual(1);
    for (const { body } of taken) expect(await intray.call(body.access_token)).toMatchObject({ status: 401 });
  });

  test("is its client's alone", async () => {
    const { refresh_token } = await intray.signIn(intray.browser(ola.cookie), await intray.register());
    const form = { grant_type: "refresh_token", refresh_token, client_id: await intray.register() };
    expect((await intray.token(form)).body.error).toBe("invalid_grant");
  });
});

describe("an access token", () => {
  test("is for /mcp of this Intray, and for nothing else of it", async () => {
    const { access_token } = await intray.signIn(intray.browser(ola.cookie), await intray.register());
    const api = await intray.web.call("GET", "/api/v1/tasks", { key: access_token });
    expect(api.status).toBe(401);
    await sql(`UPDATE agent_oauth_record SET payload = payload || '{"aud": "https://other.example/mcp"}'
      WHERE kind = 'AccessToken'`);
    expect(await intray.call(access_token)).toMatchObject({ status: 401 });
  });

  test("reaches the organization in which it was allowed, wherever its member works now", async () => {
    const globex = await intray.web.organization("globex");
    await intray.web.db.withOrganization(globex, (tx) =>
      tx.membership.create({
        data: { organizationId: globex, id: crypto.randomUUID(), userId: ola.userId, role: "owner" },
      }),
    );
    const cookie = await intray.web.signIn(ola.userId);
    const move = (organizationId: string) =>
      intray.web.call("PUT", "/api/v1/me/organization", { cookie, body: { organizationId } });
    expect((await move(globex)).status).toBe(204);
    const { access_token } = await intray.signIn(intray.browser(cookie), await intray.register());
    expect((await move(acme)).status).toBe(204);
    const { authenticateAgent } = await import("@/lib/web/auth/agent.ts");
    const headers = { authorization: `Bearer ${access_token}` };
    const caller = await authenticateAgent(new Request(intray.mcp, { headers }));
    expect(caller?.principal).toMatchObject({ organizationId: globex, userId: ola.userId, role: "operator" });
  });

  test.each(["", "x", "ita_wrong", "a b", "é".repeat(40)])("is not %j", async (text) => {
    expect(await intray.call(encodeURIComponent(text))).toMatchObject({ status: 401 });
  });
});

describe("a member is not led to allow what another began", () => {
  test("who follows another's link can answer nothing", async () => {
    const evil = intray.browser(eve.cookie);
    const handle = await evil.ask(addressOf(authorization(await intray.register(), intray.mcp).query));
    const victim = intray.browser(ola.cookie);
    for (const decision of ["allow", "deny"] as const)
      expect(await victim.decide(handle, decision)).toMatchObject({
        status: 410,
        body: { code: "no_longer_open" },
      });
    // It stays open for whom it asks.
    expect((await evil.decide(handle, "allow")).status).toBe(200);
  });

  test("nor in another session of their own", async () => {
    const handle = await intray
      .browser(ola.cookie)
      .ask(addressOf(authorization(await intray.register(), intray.mcp).query));
    const other = intray.browser(await intray.web.signIn(ola.userId));
    expect((await other.decide(handle, "allow")).status).toBe(410);
  });

  test("the way back is the browser's that began", async () => {
    const browser = intray.browser(ola.cookie);
    const handle = await browser.ask(addressOf(authorization(await intray.register(), intray.mcp).query));
    const { body } = await browser.decide(handle, "allow");
    const elsewhere = await intray.browser(eve.cookie).open(body.url);
    expect(elsewhere.origin).toBe(intray.url);
    expect(elsewhere.searchParams.has("code")).toBe(false);
    expect((await browser.open(body.url)).searchParams.has("code")).toBe(true);
    // And is gone once.
    const again = await browser.open(body.url);
    expect([again.origin, again.searchParams.has("code")]).toEqual([intray.url, false]);
  });

  test("who goes back without an answer is asked again", async () => {
    const browser = intray.browser(ola.cookie);
    const handle = await browser.ask(addressOf(authorization(await intray.register(), intray.mcp).query));
    const page = await browser.open(`${intray.url}/agents/oauth/auth/${handle}`);
    expect([page.origin, page.pathname]).toEqual([intray.url, "/agents/sign-in"]);
    expect(page.searchParams.get("request")).toMatch(/^[\w-]{43}$/);
  });

  test.each<[string, Record<string, string>, number]>([
    ["another site's page", { "sec-fetch-site": "cross-site" }, 403],
    ["a sibling's page", { "sec-fetch-site": "same-site" }, 403],
    ["a page of another organization", { "x-intray-organization": crypto.randomUUID() }, 409],
  ])("%s answers nothing", async (_name, headers, status) => {
    const browser = intray.browser(ola.cookie);
    const request = await browser.ask(addressOf(authorization(await intray.register(), intray.mcp).query));
    const answer = await intray.web.call("POST", "/api/v1/agent-sign-ins", {
      cookie: ola.cookie,
      body: { request, decision: "allow" },
      headers,
    });
    expect(answer.status).toBe(status);
    expect((await browser.decide(request, "deny")).status).toBe(200);
  });

  test("a key answers nothing, and a session without a recent factor denies only", async () => {
    const browser = intray.browser(ola.cookie);
    const request = await browser.ask(addressOf(authorization(await intray.register(), intray.mcp).query));
    const key = await intray.web.key(acme, "operator");
    const byKey = await intray.web.call("POST", "/api/v1/agent-sign-ins", {
      key,
      body: { request, decision: "allow" },
    });
    expect(byKey.status).toBe(403);
    await sql("UPDATE session SET factor_at = now() - interval '1 hour' WHERE user_id = $1", [ola.userId]);
    expect((await browser.decide(request, "allow")).body.code).toBe("step_up_required");
    expect((await browser.decide(request, "deny")).status).toBe(200);
    await sql("UPDATE session SET factor_at = 'infinity' WHERE user_id = $1 AND agent_id IS NULL", [
      ola.userId,
    ]);
  });

  test("a question is over after ten minutes", async () => {
    const browser = intray.browser(ola.cookie);
    const request = await browser.ask(addressOf(authorization(await intray.register(), intray.mcp).query));
    await sql(
      "UPDATE agent_oauth_record SET expires_at = now() - interval '1 second' WHERE kind = 'Interaction'",
    );
    expect((await browser.decide(request, "allow")).status).toBe(410);
  });

  test("no cookie of the authorization server's stands for a member", async () => {
    const browser = intray.browser(ola.cookie);
    await intray.signIn(browser, await intray.register());
    for (const name of browser.cookies()) expect(name).toMatch(/^intray\.agent(-back)?$/);
  });
});

describe("Intray leads nobody to an address of the client's before a member was asked", () => {
  const EVIL = "https://evil.example/landing";

  test.each<[string, Record<string, string>]>([
    ["a response that is not offered", { response_type: "token" }],
    ["no PKCE", { code_challenge: "", code_challenge_method: "" }],
    ["PKCE in the clear", { code_challenge_method: "plain" }],
    ["another resource", { resource: "https://evil.example/mcp" }],
    ["a request object", { request: "x.y.z" }],
  ])("with %s", async (_name, more) => {
    const clientId = await intray.register({ redirect_uris: [EVIL] });
    const { query } = authorization(clientId, intray.mcp, { redirect_uri: EVIL, ...more });
    for (const [name, value] of [...query]) if (value === "") query.delete(name);
    const page = await intray.browser(ola.cookie).open(addressOf(query));
    expect([page.origin, page.pathname]).toEqual([intray.url, "/agents/sign-in"]);
  });

  test.each(["form_post", "fragment", "web_message"])(
    "and answers in no mode as %s",
    async (response_mode) => {
      const { query } = authorization(await intray.register(), intray.mcp, { response_mode });
      const page = await intray.browser(ola.cookie).open(addressOf(query));
      expect(page.searchParams.get("error")).toBe("unsupported_response_mode");
    },
  );

  test("nor asks without a word: prompt=none is asked as all others", async () => {
    const { query } = authorization(await intray.register(), intray.mcp, { prompt: "none" });
    expect(await intray.browser(ola.cookie).ask(addressOf(query))).not.toBe("");
  });
});

describe("redirects", () => {
  const ask = async (registered: string, asked: string) => {
    const clientId = await intray.register({ redirect_uris: [registered] });
    const { query } = authorization(clientId, intray.mcp, { redirect_uri: asked });
    return intray.browser(ola.cookie).open(addressOf(query));
  };

  test.each([
    ["another port of the computer, as RFC 8252 has it", CALLBACK, CALLBACK.replace("33418", "50001")],
    ["the same", "https://app.example/cb", "https://app.example/cb"],
    [
      "an app's",
      "cursor://anysphere.cursor-retrieval/oauth/cb",
      "cursor://anysphere.cursor-retrieval/oauth/cb",
    ],
    ["a reversed domain's", "com.example.app:/cb", "com.example.app:/cb"],
  ])("may be %s", async (_name, registered, asked) => {
    expect((await ask(registered, asked)).searchParams.has("request")).toBe(true);
  });

  test.each([
    ["another host", "https://app.example/cb", "https://evil.example/cb"],
    ["a longer host", "https://app.example/cb", "https://app.example.evil.example/cb"],
    ["a name before it", "https://app.example/cb", "https://app.example@evil.example/cb"],
    ["a longer path", "https://app.example/cb", "https://app.example/cb/../evil"],
    ["a query more", "https://app.example/cb", "https://app.example/cb?next=evil"],
    ["another port of a site", "https://app.example/cb", "https://app.example:8443/cb"],
    ["no TLS", "https://app.example/cb", "http://app.example/cb"],
    ["another path of the computer", CALLBACK, "http://127.0.0.1:33418/other"],
    ["another computer", CALLBACK, "http://127.0.0.1.evil.example:33418/callback"],
  ])("are not %s", async (_name, registered, asked) => {
    const page = await ask(registered, asked);
    expect(String(page)).toBe(`${intray.url}/agents/sign-in?error=invalid_redirect_uri`);
  });
});

describe("registration", () => {
  const register = (body: unknown) => post(`${intray.url}/agents/oauth/register`, body as object);
  const uris = (...redirect_uris: unknown[]) => ({ client_name: "x", redirect_uris });

  test.each<[string, unknown]>([
    ["no redirects", {}],
    ["none of them", uris()],
    ["a script", uris("javascript:alert(1)")],
    ["data", uris("data:text/html,x")],
    ["a handler of the system's", uris("ms-msdt:/id PCWDiagnostic")],
    ["a search of the system's", uris("search-ms:query=x")],
    ["a file", uris("file:///etc/passwd")],
    ["another computer in the clear", uris("http://evil.example/cb")],
    ["one bad among good ones", uris(CALLBACK, "http://evil.example/cb")],
    ["a fragment", uris("https://app.example/cb#x")],
    ["somebody's name", uris("https://ola@app.example/cb")],
    ["a line feed", uris("https://app.example/\ncb")],
    ["a number", uris(7)],
    ["twenty-one", uris(...Array.from({ length: 21 }, (_, at) => `https://app.example/${at}`))],
    ["no code", { ...uris(CALLBACK), grant_types: ["client_credentials"] }],
    ["the implicit way", { ...uris(CALLBACK), response_types: ["token"] }],
    ["a list", []],
    ["a text", '"x"'],
  ])("refuses %s", async (_name, body) => {
    const { status, body: reply } = await register(body);
    expect(status).toBe(400);
    expect(["invalid_client_metadata", "invalid_redirect_uri"]).toContain(reply.error);
  });

  test("keeps what it understands, and gives no secret", async () => {
    const { status, body } = await register({
      client_name: "Claude Code",
      redirect_uris: [CALLBACK],
      token_endpoint_auth_method: "client_secret_basic",
      client_secret: "of my own",
      client_id: "admin",
      jwks_uri: "http://169.254.169.254/",
      logo_uri: "https://evil.example/logo.svg",
      __proto__: { polluted: true },
    });
    expect(status).toBe(201);
    expect(Object.keys(body).toSorted()).toEqual([
      "client_id",
      "client_id_issued_at",
      "client_name",
      "grant_types",
      "redirect_uris",
      "response_types",
      "token_endpoint_auth_method",
    ]);
    expect(body.client_id).not.toBe("admin");
    expect(body.token_endpoint_auth_method).toBe("none");
  });

  test("is bounded in bytes, and by a network's tries", async () => {
    expect((await register({ ...uris(CALLBACK), client_name: "x".repeat(20_000) })).status).toBe(413);
    // In chunks, which state no length.
    const long = Array.from({ length: 20 }, (_, at) => `${CALLBACK}?${at}${"x".repeat(1_900)}`);
    const chunked = await fetch(`${intray.url}/agents/oauth/register`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: new Blob([JSON.stringify(uris(...long))]).stream(),
      duplex: "half",
    } as RequestInit);
    expect(chunked.status).toBe(413);
    const replies = await Promise.all(Array.from({ length: 40 }, () => register(uris(CALLBACK))));
    const refused = replies.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused[0]?.headers.get("retry-after")).not.toBeNull();
  });

  test("makes room in the network that floods, and never in what was used", async () => {
    const used = await intray.register();
    await intray.signIn(intray.browser(ola.cookie), used);
    const [mine] = [await intray.register()];
    const flood = (network: string, count: number) =>
      sql(
        `INSERT INTO agent_client (id, metadata, network, created_at)
          SELECT $1 || n, '{}', $1, now() - interval '1 hour' + n * interval '1 ms' FROM generate_series(1, $2::integer) n`,
        [network, count],
      );
    const kept = async (network: string) =>
      (await sql("SELECT count(*)::integer AS count FROM agent_client WHERE network = $1", [network]))[0]
        .count;
    await flood("203.0.113.0/24", 6_000);
    await flood("198.51.100.0/24", 5_000);
    await flood("127.0.0.0/24", 299);
    const next = await intray.register();
    const rows = await sql("SELECT id FROM agent_client WHERE id = ANY ($1)", [[used, mine, next]]);
    expect(rows.map(({ id }) => id).sort()).toEqual([used, mine, next].sort());
    expect(await kept("198.51.100.0/24")).toBe(5_000);
    expect(await kept("203.0.113.0/24")).toBeLessThan(5_000);
    // Its own oldest goes, though its network has few of all.
    expect(await sql("SELECT FROM agent_client WHERE id = '127.0.0.0/241'")).toEqual([]);
    await sql("DELETE FROM agent_client WHERE network = ANY ($1) AND metadata = '{}'", [
      ["203.0.113.0/24", "198.51.100.0/24", "127.0.0.0/24"],
    ]);
  });

  test("goes after a day in which nobody let the client in", async () => {
    const unused = await intray.register();
    const used = await intray.register();
    await intray.signIn(intray.browser(ola.cookie), used);
    await sql("UPDATE agent_client SET created_at = now() - interval '25 hours' WHERE id = ANY ($1)", [
      [unused, used],
    ]);
    await intray.register();
    const rows = await sql("SELECT id FROM agent_client WHERE id = ANY ($1)", [[unused, used]]);
    expect(rows).toEqual([{ id: used }]);
    // And once whatever came of it has ended.
    await sql("UPDATE agent_client SET used_at = now() - interval '92 days' WHERE id = $1", [used]);
    await intray.register();
    expect(await sql("SELECT id FROM agent_client WHERE id = $1", [used])).toEqual([]);
  });
});

test.each<[string, string, RequestInit]>([
  ["/agents/oauth/auth", "POST", {}],
  ["/agents/oauth/token", "GET", {}],
  ["/agents/oauth/register", "DELETE", {}],
  ["/.well-known/oauth-protected-resource/mcp", "PUT", {}],
])("%s takes no %s", async (path, method, init) => {
  const reply = await fetch(intray.url + path, { ...init, method });
  expect([reply.status, reply.headers.get("allow")]).toEqual([
    405,
    method === "POST" || method === "PUT" ? "GET" : "POST",
  ]);
  expect(reply.headers.get("x-content-type-options")).toBe("nosniff");
});

test("what only looks like its own path is not its own", async () => {
  for (const path of [
    "/agents/oauth",
    "/agents/oauth/",
    "/agents/oauth/auth/x/y",
    "/agents/oauth/introspect",
  ])
    expect((await fetch(intray.url + path)).status).toBe(404);
});
