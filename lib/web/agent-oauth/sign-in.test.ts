/** Agents that a member signs in: official clients by their own flow, and what ends what they got. */
import {
  auth as authTwo,
  Client as ClientTwo,
  StreamableHTTPClientTransport as HttpTwo,
} from "@modelcontextprotocol/client";
import { Client as ClientOne } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as HttpOne } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type AgentIntray,
  authorization,
  CALLBACK,
  post,
  startAgentIntray,
} from "@/test/fixtures/agents/agent-oauth-fixture.ts";

let intray: AgentIntray;
let acme: string;
let ola: Awaited<ReturnType<AgentIntray["web"]["member"]>>;

beforeAll(async () => {
  intray = await startAgentIntray();
  acme = await intray.web.organization("acme");
  ola = await intray.web.member(acme, "Ola", "operator");
});
afterAll(() => intray.close());

/** What a client of either package keeps, in memory. */
function clientStore(name: string) {
  const kept: Record<string, unknown> = {};
  const keep = (what: string) => (value: unknown) => {
    kept[what] = value;
  };
  const give = (what: string) => () => kept[what];
  return {
    kept,
    redirectUrl: CALLBACK,
    clientMetadata: { client_name: name, redirect_uris: [CALLBACK], token_endpoint_auth_method: "none" },
    state: () => "the client's state",
    clientInformation: give("client"),
    saveClientInformation: keep("client"),
    tokens: give("tokens"),
    saveTokens: keep("tokens"),
    codeVerifier: give("verifier"),
    saveCodeVerifier: keep("verifier"),
    discoveryState: give("discovery"),
    saveDiscoveryState: keep("discovery"),
    redirectToAuthorization: keep("address"),
  };
}

const NEGOTIATE = { versionNegotiation: { mode: "auto" as const } };

describe("official clients sign in by their own flow, and call", () => {
  test("sdk 1.x", async () => {
    const store = clientStore("Old client");
    const authProvider = store as never;
    const first = new ClientOne({ name: "old", version: "1" });
    await expect(first.connect(new HttpOne(new URL(intray.mcp), { authProvider }) as never)).rejects.toThrow(
      "Unauthorized",
    );
    const back = await intray.browser(ola.cookie).allow(String(store.kept.address));
    expect(back.searchParams.get("state")).toBe("the client's state");
    await new HttpOne(new URL(intray.mcp), { authProvider }).finishAuth(back.searchParams.get("code") ?? "");
    expect(store.kept.tokens).toMatchObject({ token_type: "Bearer", expires_in: 900, scope: "mcp" });
    expect(store.kept.client).not.toHaveProperty("client_secret");
    const refreshed = store.kept.tokens as { access_token: string };
    expect(await intray.call(refreshed.access_token)).toEqual({
      status: 200,
      agent: "Old client",
      role: "operator",
    });
  });

  test("client 2.x", async () => {
    const store = clientStore("New client");
    const authProvider = store as never;
    const first = new ClientTwo({ name: "new", version: "1" }, NEGOTIATE);
    await expect(first.connect(new HttpTwo(new URL(intray.mcp), { authProvider }))).rejects.toThrow();
    const back = await intray.browser(ola.cookie).allow(String(store.kept.address));
    expect(back.searchParams.get("iss")).toBe(`${intray.url}/agents/oauth`);
    const transport = new HttpTwo(new URL(intray.mcp), { authProvider });
    await transport.finishAuth(back.searchParams as never);
    const client = new ClientTwo({ name: "new", version: "1" }, NEGOTIATE);
    await client.connect(new HttpTwo(new URL(intray.mcp), { authProvider }));
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain("ask_person");
    await client.close();
    // And is renewed without its member.
    const before = store.kept.tokens as { access_token: string; refresh_token: string };
    expect(await authTwo(authProvider, { serverUrl: intray.mcp })).toBe("AUTHORIZED");
    const after = store.kept.tokens as typeof before;
    expect(after.access_token).not.toBe(before.access_token);
    expect(after.refresh_token).not.toBe(before.refresh_token);
    expect(await intray.call(after.access_token)).toMatchObject({ status: 200 });
  });
});

test("a call that is held open ends with its member's sign-in", async () => {
  const { cookie } = await intray.web.member(acme, "Hana", "operator");
  const { access_token } = await intray.signIn(intray.browser(cookie), await intray.register());
  const requestInit = { headers: { authorization: `Bearer ${access_token}` } };
  const client = new ClientTwo({ name: "held", version: "1" }, NEGOTIATE);
  await client.connect(new HttpTwo(new URL(intray.mcp), { requestInit }));
  const call = client.callTool({ name: "ask_person", arguments: { message: "May I?" } });
  const ended = call.then(
    (result) => JSON.stringify(result),
    (error: unknown) => String(error),
  );
  await expect
    .poll(() =>
      intray.web.db.withOrganization(acme, (tx) =>
        tx.inputRequest.count({ where: { organizationId: acme, state: "open" } }),
      ),
    )
    .toBe(1);
  await intray.web.call("DELETE", "/api/v1/me/sessions", { cookie, body: {} });
  expect(await ended).toMatch(/revoked|401|unauthenticated/i);
  await client.close();
});

describe("the documents", () => {
  const read = async (path: string) => {
    const reply = await fetch(intray.url + path);
    return { status: reply.status, body: await reply.json(), headers: reply.headers };
  };

  test.each(["/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-protected-resource"])(
    "name the resource at %s",
    async (path) => {
      const { status, body, headers } = await read(path);
      expect([status, body]).toEqual([
        200,
        {
          resource: intray.mcp,
          authorization_servers: [`${intray.url}/agents/oauth`],
          scopes_supported: ["mcp"],
          bearer_methods_supported: ["header"],
          resource_name: "Intray",
        },
      ]);
      expect(headers.get("content-security-policy")).toContain("default-src 'none'");
    },
  );

  test.each([
    "/.well-known/oauth-authorization-server/agents/oauth",
    "/.well-known/openid-configuration/agents/oauth",
    "/agents/oauth/.well-known/openid-configuration",
  ])("describe the authorization server at %s", async (path) => {
    const { status, body } = await read(path);
    expect(status).toBe(200);
    const issuer = `${intray.url}/agents/oauth`;
    expect(body).toMatchObject({
      issuer,
      authorization_endpoint: `${issuer}/auth`,
      token_endpoint: `${issuer}/token`,
      registration_endpoint: `${issuer}/register`,
      revocation_endpoint: `${issuer}/revoke`,
      jwks_uri: `${issuer}/keys`,
      response_types_supported: ["code"],
      response_modes_supported: ["query"],
      code_challenge_methods_supported: ["S256"],
      token_endpoint_auth_methods_supported: ["none"],
      client_id_metadata_document_supported: true,
      authorization_response_iss_parameter_supported: true,
      scopes_supported: ["mcp"],
    });
    expect(body.grant_types_supported.toSorted()).toEqual(["authorization_code", "refresh_token"]);
  });

  test.each([
    "/.well-known/oauth-authorization-server",
    "/.well-known/openid-configuration",
    "/.well-known/oauth-protected-resource/other",
    "/.well-known/",
    "/mcp/.well-known/openid-configuration",
    "/agents/oauth/.well-known/oauth-authorization-server",
  ])("are not at %s, and no page is", async (path) => {
    const { status, body, headers } = await read(path);
    expect([status, body.error]).toEqual([404, "invalid_request"]);
    expect(headers.get("content-type")).toContain("application/json");
  });

  test("are those of INTRAY_URL, whatever host a caller names", async () => {
    const reply = await fetch(`${intray.url}/.well-known/oauth-authorization-server/agents/oauth`, {
      headers: { "x-forwarded-host": "evil.example", "x-forwarded-proto": "https" },
    });
    expect(JSON.stringify(await reply.json())).not.toContain("evil.example");
  });
});

describe("a member decides", () => {
  test("who is not signed in comes to the sign-in, and from there back", async () => {
    const clientId = await intray.register();
    const { query } = authorization(clientId, intray.mcp);
    const page = await intray.browser("").open(`${intray.url}/agents/oauth/auth?${query}`);
    expect(page.pathname).toBe("/sign-in");
    const back = page.searchParams.get("callbackUrl") ?? "";
    expect(back.startsWith("/agents/oauth/auth?")).toBe(true);
    expect(await intray.browser(ola.cookie).ask(intray.url + back)).toMatch(/^[\w-]{43}$/);
  });

  test("each time anew, and once", async () => {
    const browser = intray.browser(ola.cookie);
    const clientId = await intray.register();
    await intray.signIn(browser, clientId);
    // A client that was let in before is asked about again.
    const handle = await browser.ask(
      `${intray.url}/agents/oauth/auth?${authorization(clientId, intray.mcp).query}`,
    );
    expect((await browser.decide(handle, "allow")).status).toBe(200);
    expect((await browser.decide(handle, "allow")).body.code).toBe("no_longer_open");
    expect((await browser.decide(handle, "deny")).body.code).toBe("no_longer_open");
  });

  test("two presses at once are one sign-in", async () => {
    const browser = intray.browser(ola.cookie);
    const clientId = await intray.register();
    const handle = await browser.ask(
      `${intray.url}/agents/oauth/auth?${authorization(clientId, intray.mcp).query}`,
    );
    const answers = await Promise.all([1, 2, 3].map(() => browser.decide(handle, "allow")));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 410, 410]);
    const made = await intray.web.db.withOrganization(acme, (tx) =>
      tx.agentSignIn.count({ where: { organizationId: acme, clientId } }),
    );
    expect(made).toBe(1);
  });

  test("no is told to the client, and makes nothing", async () => {
    const clientId = await intray.register();
    const { query } = authorization(clientId, intray.mcp);
    const back = await intray.browser(ola.cookie).allow(`${intray.url}/agents/oauth/auth?${query}`, "deny");
    expect(Object.fromEntries(back.searchParams)).toMatchObject({
      error: "access_denied",
      state: "the client's own",
      iss: `${intray.url}/agents/oauth`,
    });
    expect(back.searchParams.has("code")).toBe(false);
  });

  test("an agent keeps its credential, with its grants, over sign-ins", async () => {
    const browser = intray.browser(ola.cookie);
    const clientId = await intray.register({ client_name: "Twice" });
    const one = await intray.signIn(browser, clientId);
    const two = await intray.signIn(browser, clientId);
    for (const { access_token } of [one, two])
      expect(await intray.call(access_token)).toMatchObject({ status: 200, agent: "Twice" });
    const agents = await intray.web.db.withOrganization(acme, (tx) =>
      tx.agentCredential.count({ where: { organizationId: acme, oauthClientId: clientId } }),
    );
    expect(agents).toBe(1);
  });

  test("a viewer, and who looks as a member, is told why not", async () => {
    const viewer = await intray.web.member(acme, "Vera", "viewer");
    const { query } = authorization(await intray.register(), intray.mcp);
    const page = await intray.browser(viewer.cookie).open(`${intray.url}/agents/oauth/auth?${query}`);
    expect(String(page)).toBe(`${intray.url}/agents/sign-in?error=role`);
  });

  test("a role is never above the member's, whatever it becomes", async () => {
    const { access_token } = await intray.signIn(intray.browser(ola.cookie), await intray.register());
    const change = (role: string) =>
      intray.web.db.withOrganization(acme, (tx) =>
        tx.membership.updateMany({ where: { organizationId: acme, userId: ola.userId }, data: { role } }),
      );
    await change("viewer");
    expect(await intray.call(access_token)).toMatchObject({ role: "viewer" });
    await change("owner");
    expect(await intray.call(access_token)).toMatchObject({ role: "operator" });
    await change("operator");
  });
});

test("a client that gives a token back is signed out, in the history too", async () => {
  const clientId = await intray.register({ client_name: "Leaves" });
  const { access_token, refresh_token } = await intray.signIn(intray.browser(ola.cookie), clientId);
  const form = new URLSearchParams({ token: refresh_token, client_id: clientId });
  expect((await post(`${intray.url}/agents/oauth/revoke`, form)).status).toBe(200);
  expect(await intray.call(access_token)).toMatchObject({ status: 401 });
  const told = await intray.web.db.withOrganization(acme, (tx) =>
    tx.event.findMany({ where: { organizationId: acme, type: "agent.signed_out" }, select: { data: true } }),
  );
  expect(told).toContainEqual({ data: expect.objectContaining({ name: "Leaves", why: "client" }) });
});
