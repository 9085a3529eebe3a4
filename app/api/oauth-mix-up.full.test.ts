/** Mix-up attacks at sign-ins to MCP servers (RFC 9207, RFC 9700 section 4.4): one that relays, one that lends endpoints. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createNetwork } from "@/lib/base/network/network.ts";
import { createSeal } from "@/lib/base/seal.ts";
import { callbackUrl } from "@/lib/mcp/oauth/oauth-client.ts";
import { beginConnecting } from "@/lib/servers/connections/connect.ts";
import { createOAuthWebFixture, type OAuthWebFixture } from "@/test/fixtures/oauth-web-fixture.ts";
import { forFile } from "@/test/for-file.ts";
import { type GuardedServer, startGuardedServer } from "@/test/servers/guarded-server.ts";
import { startTestServer } from "@/test/servers/mcp-server.ts";
import { type RelayingServer, startRelayingServer } from "@/test/servers/oauth/relaying-server.ts";
import { ORIGIN, webForFile } from "@/test/web.ts";

const web = webForFile({ INTRAY_ALLOW_HOSTS: "127.0.0.1" });
const inner = forFile(startTestServer);
let fixture: OAuthWebFixture;
let authority: OAuthWebFixture["authority"];
let relay: RelayingServer;
let hostile: GuardedServer;

beforeEach(async () => {
  fixture = await createOAuthWebFixture(web, inner.url);
  ({ authority } = fixture);
  // An honest server of before RFC 9207, which knows Intray as a public client.
  authority.behave.metadata = (metadata) => ({
    ...metadata,
    authorization_response_iss_parameter_supported: undefined,
    token_endpoint_auth_methods_supported: ["none"],
  });
  relay = await startRelayingServer(authority.issuer);
  hostile = await startGuardedServer(inner.url, { issuer: relay.issuer, check: async () => null });
});
afterEach(async () => {
  await hostile.close();
  await relay.close();
  await fixture.close();
});

const departed = async (serverId: string) => {
  const answer = await fixture.depart(serverId);
  expect(answer.status).toBe(200);
  return new URL(answer.body.authorizationUrl);
};
/** Where the hostile server sends a browser that goes to sign in there. */
const relayed = async (url: URL) => {
  const reply = await fetch(url, { redirect: "manual" });
  return String(reply.headers.get("location"));
};

describe("an authorization server that relays browsers to an honest one", () => {
  test("gets neither the code nor tokens: an answer of one issuer comes to that issuer's address", async () => {
    const honest = await fixture.addServer();
    relay.target = await departed(honest.id);
    const { id } = await fixture.addServer({ kind: "oauth" }, hostile.url);
    const back = new URL(await authority.signIn(await relayed(await departed(id))));
    back.searchParams.delete("iss");
    expect(back.searchParams.get("code")).toBeTruthy();
    expect(await fixture.arrive(back.href)).toBe(`/servers/${id}?refused=issuer_mismatch`);
    expect(relay.stolen).toEqual([]);
    expect(relay.seen).not.toContain("/token");
  });

  test("gets nothing by an address of its own either: the honest server knows none but its own", async () => {
    const honest = await fixture.addServer();
    relay.target = await departed(honest.id);
    relay.keepsRedirect = true;
    const { id } = await fixture.addServer({ kind: "oauth" }, hostile.url);
    const onward = await relayed(await departed(id));
    expect(new URL(onward).searchParams.get("redirect_uri")).toBe(callbackUrl(ORIGIN, relay.issuer));
    await expect(authority.signIn(onward)).rejects.toThrow("the authorization server ended with 400");
    expect(relay.stolen).toEqual([]);
  });

  test("gets nothing by the address of another issuer that takes the state of its own sign-in", async () => {
    const honest = await fixture.addServer();
    const back = new URL(await authority.signIn((await departed(honest.id)).href));
    back.searchParams.delete("iss");
    back.pathname = new URL(callbackUrl(ORIGIN, relay.issuer)).pathname;
    expect(await fixture.arrive(back.href)).toBe(`/servers/${honest.id}?refused=issuer_mismatch`);
    // An address that is no issuer's is no address at all.
    expect((await web.call("GET", `/oauth/callback/other${back.search}`)).status).toBe(404);
    const tokens = authority.seen.filter(({ path }) => path === "/token");
    expect(tokens).toEqual([]);
  });
});

test("a metadata document is the client only where answers name their issuer", async () => {
  // Whom a document stands for, no authorization server can tell: an attacker may send people with it to an honest one.
  const own = authority.behave.metadata;
  const departure = async (iss: boolean) => {
    authority.behave.metadata = (metadata) => ({
      ...own?.(metadata),
      client_id_metadata_document_supported: true,
      authorization_response_iss_parameter_supported: iss,
    });
    const { id } = await fixture.addServer();
    const { organizationId, ana } = fixture;
    const actor = { kind: "member" as const, id: ana.userId, name: "Ana" };
    const network = createNetwork({ allowHosts: ["127.0.0.1"], denyPorts: [] });
    const begun = await beginConnecting(
      { db: web.db, network, seal: createSeal([{ kid: "k1", key: Buffer.alloc(32, 1) }]) },
      {
        principal: { organizationId, userId: ana.userId, role: "admin", actor },
        sessionId: crypto.randomUUID(),
        origin: "https://intray.example",
      },
      id,
      { shared: true },
    );
    await network.close();
    return new URL(begun.authorizationUrl).searchParams;
  };
  expect((await departure(true)).get("client_id")).toMatch(
    /^https:\/\/intray\.example\/oauth\/client-metadata\//,
  );
  const registered = await departure(false);
  expect(registered.get("client_id")).not.toContain("intray.example");
  expect(registered.get("redirect_uri")).toBe(callbackUrl("https://intray.example", authority.issuer));
});

describe("metadata that lends an endpoint of another's server", () => {
  const lend = (endpoints: Record<string, string>) => {
    authority.behave.metadata = (metadata) => ({ ...metadata, ...endpoints });
  };
  const allowing = (serverId: string, allowHosts: string[] | undefined, who = fixture.ana, shared = true) =>
    web.call("POST", `/api/v1/servers/${serverId}/connect`, {
      cookie: who.cookie,
      body: { shared, ...(allowHosts && { allowHosts }) },
    });

  test.each([
    "authorization_endpoint",
    "token_endpoint",
    "registration_endpoint",
    "revocation_endpoint",
    "jwks_uri",
  ])(
    "%s: nobody leaves, and nothing is registered, until an admin allows both hosts by name",
    async (endpoint) => {
      lend({ [endpoint]: `${relay.issuer}/lent` });
      const { id } = await fixture.addServer();
      const hosts = [authority.hostAndPort, relay.hostAndPort];
      const refused = await allowing(id, undefined);
      expect([refused.status, refused.body.code, refused.body.hosts]).toEqual([
        409,
        "hosts_not_allowed",
        hosts,
      ]);
      for (const some of [[authority.hostAndPort], [relay.hostAndPort], [...hosts, "third.example"], []])
        expect((await allowing(id, some)).body.code).toBe("hosts_not_allowed");
      expect([relay.seen, authority.seen.filter(({ path }) => path === "/reg")]).toEqual([[], []]);
    },
  );

  test("an admin's yes to both names is kept with the server, in history, and asked for again where they change", async () => {
    lend({ revocation_endpoint: `${relay.issuer}/revoke` });
    const { id } = await fixture.addServer();
    const ola = await web.member(fixture.organizationId, "Ola", "operator");
    const hosts = [authority.hostAndPort, relay.hostAndPort];
    const byOperator = await allowing(id, hosts, ola, false);
    expect([byOperator.status, byOperator.body.code]).toEqual([403, "forbidden"]);
    expect((await allowing(id, undefined, ola, false)).body.hosts).toEqual(hosts);
    expect((await allowing(id, hosts)).status).toBe(200);
    // For everybody, without another question.
    expect((await allowing(id, undefined, ola, false)).status).toBe(200);
    const { body: history } = await web.call("GET", "/api/v1/events", { cookie: fixture.ana.cookie });
    const lines = history.items.filter(({ type }: { type: string }) => type === "server.hosts_allowed");
    expect(lines.map(({ data }: { data: object }) => data)).toMatchObject([{ serverId: id, hosts }]);
    // The same host for another purpose, and another host for the same one.
    lend({ revocation_endpoint: `${relay.issuer}/revoke`, token_endpoint: `${relay.issuer}/token` });
    expect((await allowing(id, undefined)).body.code).toBe("hosts_not_allowed");
    lend({ revocation_endpoint: hostile.url });
    expect((await allowing(id, undefined)).body.hosts).toEqual([authority.hostAndPort, hostile.hostAndPort]);
    lend({});
    expect((await allowing(id, undefined)).status).toBe(200);
    // Credentials that are entered anew ask anew.
    lend({ revocation_endpoint: `${relay.issuer}/revoke` });
    expect((await allowing(id, undefined)).status).toBe(200);
    const body = { auth: { kind: "oauth" } };
    await web.call("PATCH", `/api/v1/servers/${id}`, { cookie: fixture.ana.cookie, body });
    expect((await allowing(id, undefined)).body.code).toBe("hosts_not_allowed");
  });

  test("another organization's yes says nothing for this one", async () => {
    lend({ revocation_endpoint: `${relay.issuer}/revoke` });
    const mine = await fixture.addServer();
    expect((await allowing(mine.id, [authority.hostAndPort, relay.hostAndPort])).status).toBe(200);
    const other = await createOAuthWebFixture(web, inner.url);
    other.remote.behave.metadata = (metadata) => ({ ...metadata, authorization_servers: [authority.issuer] });
    const { id } = await other.addServer();
    expect((await allowing(id, undefined, other.ana)).body.code).toBe("hosts_not_allowed");
    await other.close();
  });
});

describe("clients from before issuers had addresses of their own", () => {
  const shared = `${ORIGIN}/oauth/callback`;
  const asBefore = (id: string, redirectUri: string | null) =>
    web.db.withOrganization(fixture.organizationId, (tx) =>
      tx.oauthClient.updateMany({
        where: { serverId: id, organizationId: fixture.organizationId },
        data: { redirectUri },
      }),
    );
  const register = () =>
    fetch(`${authority.issuer}/reg`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ redirect_uris: [shared] }),
    }).then((reply) => reply.json());

  test("a registration renews the grants it has; the next sign-in registers anew, with the issuer's own address", async () => {
    authority.behave.metadata = undefined;
    const { id } = await fixture.addServer();
    await fixture.connect(id);
    await asBefore(id, shared);
    const before = (
      await web.call("GET", `/api/v1/servers/${id}/connections`, { cookie: fixture.ana.cookie })
    ).body;
    const url = await departed(id);
    expect(url.searchParams.get("redirect_uri")).toBe(callbackUrl(ORIGIN, authority.issuer));
    const clients = await web.db.withOrganization(fixture.organizationId, (tx) =>
      tx.oauthClient.findMany({ where: { serverId: id }, orderBy: { createdAt: "asc" } }),
    );
    expect(clients.map(({ redirectUri }) => redirectUri)).toEqual([
      shared,
      callbackUrl(ORIGIN, authority.issuer),
    ]);
    const connection = before.items.find((one: { shared: boolean }) => one.shared);
    await web.db.withOrganization(fixture.organizationId, (tx) =>
      tx.oauthGrant.updateMany({
        where: { connectionId: connection.id },
        data: { refreshAt: new Date(0), expiresAt: new Date(0) },
      }),
    );
    const checked = await web.call("POST", `/api/v1/servers/${id}/check`, { cookie: fixture.ana.cookie });
    expect(checked.body.health.state).toBe("ok");
    const renewals = authority.seen.filter(({ form }) => form.get("grant_type") === "refresh_token");
    expect(renewals).toHaveLength(1);
    await fixture.arrive(await authority.signIn(url.href));
    expect((await departed(id)).searchParams.get("client_id")).toBe(clients[1]?.clientId);
  });

  test("a client id that an admin entered keeps the shared address until it is entered anew", async () => {
    authority.behave.metadata = undefined;
    const { client_id: clientId, client_secret: clientSecret } = await register();
    const { id } = await fixture.addServer({ kind: "oauth", clientId, clientSecret });
    await departed(id);
    await asBefore(id, null);
    expect(await fixture.connect(id)).toBe(`/servers/${id}?connected`);
    expect((await departed(id)).searchParams.get("redirect_uri")).toBe(shared);
    const patch = (auth: object) =>
      web.call("PATCH", `/api/v1/servers/${id}`, { cookie: fixture.ana.cookie, body: { auth } });
    // A secret alone moves nothing.
    await patch({ kind: "oauth", clientId, clientSecret });
    expect((await departed(id)).searchParams.get("redirect_uri")).toBe(shared);
    await patch({ kind: "oauth" });
    await patch({ kind: "oauth", clientId, clientSecret });
    expect((await departed(id)).searchParams.get("redirect_uri")).toBe(callbackUrl(ORIGIN, authority.issuer));
  });

  test("who has to enter a client id is told the address that the authorization server needs", async () => {
    authority.behave.metadata = (metadata) => ({ ...metadata, registration_endpoint: undefined });
    const { id } = await fixture.addServer();
    const { body } = await fixture.depart(id);
    expect(body).toMatchObject({
      reason: "registration_unavailable",
      redirectUri: callbackUrl(ORIGIN, authority.issuer),
    });
  });
});

describe("metadata that names its issuer otherwise than it was asked for", () => {
  const reasonFor = async (asked: string, named: string) => {
    authority.behave.instead = (request, response) => {
      if (!request.url?.includes("/.well-known/")) return false;
      response.writeHead(200, { "content-type": "application/json" });
      response.end(
        JSON.stringify({
          issuer: authority.issuer + named,
          authorization_endpoint: `${authority.issuer}/auth`,
          token_endpoint: `${authority.issuer}/token`,
          registration_endpoint: `${authority.issuer}/reg`,
          response_types_supported: ["code"],
          code_challenge_methods_supported: ["S256"],
        }),
      );
      return true;
    };
    const { id } = await fixture.addServer();
    fixture.remote.behave.metadata = (metadata) => ({
      ...metadata,
      authorization_servers: [authority.issuer + asked],
    });
    const { status, body } = await fixture.depart(id);
    return status === 200 ? body.issuer.replace(authority.issuer, "") : body.reason;
  };

  test.each([
    ["", "/"],
    ["/", ""],
    ["/tenant", "/tenant/"],
    ["/tenant/", "/tenant"],
  ])("by a slash at its end is the one: %j, %j", async (asked, named) => {
    expect(await reasonFor(asked, named)).toBe(named);
  });

  test.each([
    ["/tenant", ""],
    ["/tenant", "/Tenant"],
    ["/tenant", "/tenant//"],
    ["/tenant", "/tenant2"],
    ["/tenant/", "/tenant?"],
    ["/tenant", "/./tenant"],
  ])("in any other way is another's: %j, %j", async (asked, named) => {
    expect(await reasonFor(asked, named)).toBe("metadata_issuer");
  });
});
