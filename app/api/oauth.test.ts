/**
 * OAuth at MCP servers: the requests that Intray makes, and those that it refuses. A1-A18 are the names in
 * the specification's list.
 */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createNetwork } from "@/lib/base/network/network.ts";
import { createSeal } from "@/lib/base/seal.ts";
import { callbackUrl, metadataDocumentUrl } from "@/lib/mcp/oauth/oauth-client.ts";
import { OAUTH_REFUSALS } from "@/lib/mcp/oauth/oauth-fetch.ts";
import { beginConnecting } from "@/lib/servers/connections/connect.ts";
import { refusalWords } from "@/lib/servers/connections/oauth-words.ts";
import { withClient } from "@/scripts/database/roles.ts";
import { createOAuthWebFixture, type OAuthWebFixture } from "@/test/fixtures/oauth-web-fixture.ts";
import { startTestServer, type TestServer } from "@/test/servers/mcp-server.ts";
import { ORIGIN, startWeb, type TestWeb } from "@/test/web.ts";

let web: TestWeb;
let inner: TestServer;
let fixture: OAuthWebFixture;
let authority: OAuthWebFixture["authority"];
let remote: OAuthWebFixture["remote"];

beforeAll(async () => {
  const settings = { INTRAY_ALLOW_HOSTS: "127.0.0.1" };
  web = await startWeb(settings);
  inner = await startTestServer();
});
beforeEach(async () => {
  fixture = await createOAuthWebFixture(web, inner.url);
  ({ authority, remote } = fixture);
});
afterEach(() => fixture.close());
afterAll(async () => {
  await inner.close();
  await web.stop();
});

/** Has the authorization server's answers at `path` carry other members. */
const altered = (path: string, over: Record<string, unknown>) => {
  authority.behave.instead = async (request, response) => {
    if (request.url !== path || request.headers["x-real"]) return false;
    const { body } = request as unknown as { body: Record<string, string> };
    const isForm = request.headers["content-type"]?.includes("form") ?? false;
    const real = await fetch(authority.issuer + path, {
      method: "POST",
      headers: {
        "x-real": "1",
        "content-type": request.headers["content-type"] ?? "",
        ...(request.headers.authorization && { authorization: request.headers.authorization }),
      },
      body: isForm ? String(new URLSearchParams(body)) : JSON.stringify(body),
    });
    response.writeHead(real.status, { "content-type": "application/json" });
    response.end(JSON.stringify({ ...((await real.json()) as object), ...over }));
    return true;
  };
};
const sent = (path: string) => authority.seen.filter((request) => request.path === path);
const changed = (over: Record<string, unknown>) => (metadata: Record<string, unknown>) => ({
  ...metadata,
  ...over,
});
const reasonOf = async (serverId: string) => {
  const { status, body } = await fixture.depart(serverId);
  expect([status, body.code]).toEqual([409, "cannot_connect"]);
  expect(refusalWords(body.reason).title).not.toBe("");
  return body.reason;
};
const urlOf = async (serverId: string) => {
  const departed = await fixture.depart(serverId);
  expect(departed.status).toBe(200);
  return new URL(departed.body.authorizationUrl);
};
/** A forged response to the current sign-in. */
const answered = (url: URL, query: Record<string, string>) =>
  `${url.searchParams.get("redirect_uri")}?${new URLSearchParams({ state: url.searchParams.get("state")!, ...query })}`;

test("a sign-in by the shortest way: registered, signed in, connected, and the tools are there", async () => {
  const server = await fixture.addServer();
  expect(server.body).toMatchObject({
    health: { state: "unauthorized", message: "Nobody is signed in at this server yet." },
    startsOn: null,
  });
  expect(await fixture.connect(server.id)).toBe(`/servers/${server.id}?connected`);
  const now = await web.call("GET", `/api/v1/servers/${server.id}`, { cookie: fixture.ana.cookie });
  expect(now.body).toMatchObject({ health: { state: "ok" }, startsOn: "shared", era: "2026-07-28" });
});

describe("who grants access", () => {
  test("A1: the resource metadata that the challenge names is read, and nothing is guessed", async () => {
    const { id } = await fixture.addServer();
    remote.behave.metadata = changed({ scopes_supported: ["mcp:admin"] });
    expect((await urlOf(id)).searchParams.get("scope")).toBe("mcp:admin offline_access");
  });

  test("A1: without a word in the challenge it is found at its well-known place", async () => {
    const { id } = await fixture.addServer();
    remote.behave.isSilent = true;
    expect((await urlOf(id)).origin).toBe(authority.issuer);
  });

  /** Has the server's metadata at an address that only its challenge tells. */
  const hide = (challenge: (metadataUrl: string) => string | string[]) => {
    remote.behave.challenge = () => challenge(`http://${remote.hostAndPort}/elsewhere`);
    remote.behave.instead = (request, response) => {
      if (request.url === "/mcp/") response.writeHead(307, { location: "/mcp" }).end();
      else if (request.url === "/elsewhere") {
        const named = { resource: remote.url, authorization_servers: [authority.issuer] };
        response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(named));
      } else if (request.url?.startsWith("/.well-known/")) response.writeHead(404).end();
      else return false;
      return true;
    };
  };

  test.each<[string, (metadataUrl: string) => string | string[]]>([
    ["behind another scheme's", (url) => `Basic realm="x", Bearer resource_metadata="${url}"`],
    ["in a header of its own", (url) => ["Negotiate", `bearer  Resource_Metadata = "${url}"`]],
    ["behind one without it", (url) => `Bearer realm="a, b", DPoP resource_metadata="${url}"`],
  ])("A1: a challenge %s is read", async (_, challenge) => {
    const { id } = await fixture.addServer();
    hide(challenge);
    expect((await urlOf(id)).origin).toBe(authority.issuer);
  });

  test("A1: the challenge is read where the server sends its calls on, within its origin", async () => {
    const { id } = await fixture.addServer({ kind: "oauth" }, `${remote.url}/`);
    hide((url) => `Bearer resource_metadata="${url}"`);
    expect((await urlOf(id)).origin).toBe(authority.issuer);
  });

  test("A5: a slash at the end of the resource's name makes it no other", async () => {
    const { id } = await fixture.addServer();
    remote.behave.metadata = changed({ resource: `${remote.url}/` });
    expect((await urlOf(id)).searchParams.get("resource")).toBe(`${remote.url}/`);
  });

  test("empty members of either document count as absent, and odd ones that nobody needs do no harm", async () => {
    const { id } = await fixture.addServer();
    remote.behave.metadata = changed({
      scopes_supported: null,
      jwks_uri: "",
      resource_documentation: "see above",
      bearer_methods_supported: null,
    });
    authority.behave.metadata = changed({
      scopes_supported: [],
      service_documentation: "",
      revocation_endpoint: "",
      op_policy_uri: "/policy",
      token_endpoint_auth_methods_supported: [],
      client_id_metadata_document_supported: "no",
    });
    expect((await urlOf(id)).searchParams.get("scope")).toBeNull();
  });

  test("a page in place of a document is none, and why nothing is found is said", async () => {
    const { id } = await fixture.addServer();
    const pages: typeof remote.behave.instead = (request, response) => {
      if (!request.url?.startsWith("/.well-known/")) return false;
      response.writeHead(200, { "content-type": "text/html" }).end("<h1>Sign in</h1>");
      return true;
    };
    authority.behave.instead = pages;
    expect(await reasonOf(id)).toBe("metadata_missing");
    authority.behave.instead = (request, response) => {
      if (!request.url?.startsWith("/.well-known/")) return false;
      response.writeHead(503).end();
      return true;
    };
    expect(await reasonOf(id)).toBe("server_failed");
    remote.behave.isSilent = true;
    remote.behave.instead = pages;
    expect(await reasonOf(id)).toBe("no_authorization_server");
    remote.behave.isSilent = false;
    expect(await reasonOf(id)).toBe("metadata_invalid");
  });

  test("A2: where there is no OAuth metadata, OpenID Connect's is read", async () => {
    const { id } = await fixture.addServer();
    authority.behave.instead = (request, response) => {
      if (request.url !== "/.well-known/oauth-authorization-server") return false;
      response.writeHead(404).end();
      return true;
    };
    expect((await urlOf(id)).origin).toBe(authority.issuer);
    expect(authority.seen.map(({ path }) => path).slice(0, 2)).toEqual([
      "/.well-known/oauth-authorization-server",
      "/.well-known/openid-configuration",
    ]);
  });

  test("A3: metadata that names another issuer is refused", async () => {
    const { id } = await fixture.addServer();
    authority.behave.metadata = changed({ issuer: "https://other.example" });
    expect(await reasonOf(id)).toBe("metadata_issuer");
  });

  test.each([
    ["of another origin", "https://victim.example/mcp"],
    ["below another path", "/mcp/of-another"],
    ["that is no address", "everything"],
  ])("A5, A12: a server that names a resource %s is refused", async (_, resource) => {
    const { id } = await fixture.addServer();
    const named = resource.startsWith("/") ? `http://${remote.hostAndPort}${resource}` : resource;
    remote.behave.metadata = changed({ resource: named });
    expect(await reasonOf(id)).toMatch(/^(resource_mismatch|metadata_invalid)$/);
    expect(authority.seen).toEqual([]);
  });

  test("A server that names no authorization server, and is none, is said to be so", async () => {
    const { id } = await fixture.addServer({ kind: "oauth" }, inner.url);
    expect(await reasonOf(id)).toBe("no_authorization_server");
  });
});

describe("what has to be sound before anybody leaves", () => {
  test.each([
    ["is not mentioned", undefined],
    ["is plain only", ["plain"]],
    ["is mentioned and empty", []],
  ])("A4: PKCE with S256 that %s is refused", async (_, methods) => {
    const { id } = await fixture.addServer();
    authority.behave.metadata = changed({ code_challenge_methods_supported: methods });
    expect(await reasonOf(id)).toBe("pkce_unsupported");
    expect(sent("/reg")).toEqual([]);
  });

  test("A4: the challenge is S256, and its verifier comes with the code", async () => {
    const { id } = await fixture.addServer();
    const url = await urlOf(id);
    expect(url.searchParams.get("code_challenge_method")).toBe("S256");
    await fixture.arrive(await authority.signIn(url.href));
    expect(sent("/token")[0]?.form.get("code_verifier")).toMatch(/^[\w.~-]{43,}$/);
  });

  test.each([
    ["authorization_endpoint", "http://as.example/auth"],
    ["token_endpoint", "http://as.example/token"],
    ["registration_endpoint", "http://as.example/reg"],
    ["revocation_endpoint", "http://as.example/revoke"],
    ["token_endpoint", "https://me:secret@as.example/token"],
  ])("A15: %s at %s is refused", async (name, url) => {
    const { id } = await fixture.addServer();
    authority.behave.metadata = changed({ [name]: url });
    expect(await reasonOf(id)).toBe("insecure_endpoint");
  });

  test.each([
    "javascript:alert(document.domain)//",
    "data:text/html,<script>1</script>",
    "vbscript:x",
    "ftp://as.example/auth",
    "file:///etc/passwd",
    "intray://as",
  ])("A16: a browser is never sent to %s", async (url) => {
    const { id } = await fixture.addServer();
    authority.behave.metadata = changed({ authorization_endpoint: url });
    expect(await reasonOf(id)).toMatch(/^(metadata_invalid|insecure_endpoint)$/);
  });

  test("an authorization server inside the network is not asked", async () => {
    const { id } = await fixture.addServer();
    for (const issuer of ["https://169.254.169.254", "https://10.0.0.7", "https://[::1]:8443"]) {
      remote.behave.metadata = changed({ authorization_servers: [issuer] });
      expect(await reasonOf(id)).toBe("unreachable");
    }
  });

  test("a redirect into the network is not followed", async () => {
    const { id } = await fixture.addServer();
    authority.behave.instead = (request, response) => {
      if (!request.url?.startsWith("/.well-known/")) return false;
      response.writeHead(302, { location: "http://169.254.169.254/latest/meta-data/" }).end();
      return true;
    };
    expect(await reasonOf(id)).toBe("metadata_missing");
  });
});

describe("who Intray is", () => {
  test("A10, A17: it registers as a web application that renews, and A8: once", async () => {
    const { id } = await fixture.addServer();
    await fixture.connect(id);
    await fixture.connect(id, { shared: false });
    const bodies = sent("/reg").map(({ form }) => JSON.parse([...form.keys()][0] ?? ""));
    expect(bodies).toHaveLength(1);
    expect(bodies[0]).toMatchObject({
      application_type: "web",
      grant_types: ["authorization_code", "refresh_token"],
      redirect_uris: [callbackUrl(ORIGIN, authority.issuer)],
    });
    expect((await urlOf(id)).searchParams.get("scope")).toContain("offline_access");
  });

  test("A8, A11: what an admin gave comes first, and is for one issuer: another one is refused", async () => {
    const registered = await fetch(`${authority.issuer}/reg`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ redirect_uris: [callbackUrl(ORIGIN, authority.issuer)] }),
    }).then((reply) => reply.json());
    const before = sent("/reg").length;
    const { client_id: clientId, client_secret: clientSecret } = registered;
    const { id, body } = await fixture.addServer({ kind: "oauth", clientId, clientSecret });
    expect(JSON.stringify(body)).not.toContain(clientSecret);
    expect(await fixture.connect(id)).toContain("?connected");
    expect(sent("/reg")).toHaveLength(before);
    expect((await urlOf(id)).searchParams.get("client_id")).toBe(clientId);
    const other = await createOAuthWebFixture(web, inner.url);
    remote.behave.metadata = changed({ authorization_servers: [other.authority.issuer] });
    expect(await reasonOf(id)).toBe("issuer_changed");
    expect(
      JSON.stringify(other.authority.seen.map(({ form, headers }) => [[...form], headers])),
    ).not.toContain(clientSecret);
    await other.close();
  });

  test("A11: at another authorization server it registers anew, with a state of its own", async () => {
    const { id } = await fixture.addServer();
    const first = (await urlOf(id)).searchParams.get("client_id");
    const other = await createOAuthWebFixture(web, inner.url);
    remote.behave.metadata = changed({ authorization_servers: [other.authority.issuer] });
    const url = await urlOf(id);
    expect(url.origin).toBe(other.authority.issuer);
    expect(url.searchParams.get("client_id")).not.toBe(first);
    remote.behave.metadata = undefined;
    expect((await urlOf(id)).searchParams.get("client_id")).toBe(first);
    await other.close();
  });

  test("A10: a registration that is refused, or not offered, is said in words", async () => {
    const { id } = await fixture.addServer();
    authority.behave.instead = (request, response) => {
      if (request.url !== "/reg") return false;
      response.writeHead(400, { "content-type": "application/json" });
      response.end('{"error":"invalid_redirect_uri","error_description":"words of theirs"}');
      return true;
    };
    const refused = await fixture.depart(id);
    expect(refused.body.reason).toBe("registration_refused");
    expect(JSON.stringify(refused.body)).not.toContain("words of theirs");
    authority.behave.metadata = changed({ registration_endpoint: undefined });
    expect(await reasonOf(id)).toBe("registration_unavailable");
  });

  test.each<[string, Record<string, unknown>]>([
    ["empty addresses", { client_uri: "", logo_uri: "", tos_uri: "", policy_uri: "" }],
    ["null members", { logo_uri: null, scope: null, jwks_uri: null, contacts: null, grant_types: null }],
    ["no redirect_uris", { redirect_uris: undefined }],
    ["odd members that nobody needs", { redirect_uris: "x", contacts: "x", client_id_issued_at: "today" }],
    ["an end of its secret as a text", { client_secret_expires_at: "0" }],
  ])("a registration with %s is one", async (_, over) => {
    const { id } = await fixture.addServer();
    altered("/reg", over);
    expect(await fixture.connect(id)).toBe(`/servers/${id}?connected`);
  });

  test("A9: the document at our address says who it is, and is the client id where it can be read", async () => {
    const own = metadataDocumentUrl(ORIGIN, authority.issuer);
    const document = await web.call("GET", new URL(own).pathname);
    expect(document.body).toMatchObject({
      client_id: own,
      client_name: "Intray",
      redirect_uris: [`${ORIGIN}/oauth/callback/${own.split("/").at(-1)}`],
      token_endpoint_auth_method: "none",
    });
    const { id } = await fixture.addServer();
    authority.behave.metadata = changed({
      client_id_metadata_document_supported: true,
      authorization_response_iss_parameter_supported: true,
    });
    const network = createNetwork({ allowHosts: ["127.0.0.1"], denyPorts: [] });
    const seal = createSeal([{ kid: "k1", key: Buffer.alloc(32, 1) }]);
    const actor = { kind: "member" as const, id: fixture.ana.userId, name: "Ana" };
    const principal = {
      organizationId: fixture.organizationId,
      userId: fixture.ana.userId,
      role: "admin" as const,
    };
    const departed = await beginConnecting(
      { db: web.db, network, seal },
      {
        principal: { ...principal, actor },
        sessionId: crypto.randomUUID(),
        origin: "https://intray.example",
      },
      id,
      { shared: true },
    );
    const url = new URL(departed.authorizationUrl);
    expect(url.searchParams.get("client_id")).toBe(
      metadataDocumentUrl("https://intray.example", authority.issuer),
    );
    expect(url.searchParams.get("redirect_uri")).not.toBe(
      callbackUrl("https://intray.example", authority.issuer),
    );
    expect(sent("/reg")).toEqual([]);
    await network.close();
  });
});

describe("the answer that a browser brings back", () => {
  test.each([
    ["advertised and right", true, "own", "connected"],
    ["advertised and missing", true, null, "refused=issuer_mismatch"],
    ["advertised and another's", true, "https://evil.example", "refused=issuer_mismatch"],
    ["not advertised and right", false, "own", "connected"],
    ["not advertised and missing", false, null, "connected"],
    ["not advertised and another's", false, "https://evil.example", "refused=issuer_mismatch"],
    ["right but for a slash", true, "own/", "refused=issuer_mismatch"],
  ])("A6: the issuer is %s", async (_, advertised, iss, outcome) => {
    const { id } = await fixture.addServer();
    authority.behave.metadata = changed({ authorization_response_iss_parameter_supported: advertised });
    const back = new URL(await authority.signIn((await urlOf(id)).href));
    if (iss === null) back.searchParams.delete("iss");
    else back.searchParams.set("iss", iss.replace("own", authority.issuer));
    expect(await fixture.arrive(back.href)).toBe(`/servers/${id}?${outcome}`);
    expect(sent("/token")).toHaveLength(outcome === "connected" ? 1 : 0);
  });

  test("A6: of an error from elsewhere nothing is shown; of a real one no more than its kind", async () => {
    const { id } = await fixture.addServer();
    const error = { error: "access_denied", error_description: "Call +1 555 0100 to go on" };
    const forged = await fixture.arrive(answered(await urlOf(id), { ...error, iss: "https://evil.example" }));
    expect(forged).toBe(`/servers/${id}?refused=issuer_mismatch`);
    const denied = await authority.signIn((await urlOf(id)).href, "deny");
    expect(await fixture.arrive(denied)).toBe(`/servers/${id}?refused=denied`);
    const odd = await fixture.arrive(answered(await urlOf(id), { error: "<b>x</b>", iss: authority.issuer }));
    expect(odd).toBe(`/servers/${id}?refused=sign_in_failed`);
  });

  test("the mix-up attack: a code of a hostile server is refused, and nobody gets the other's code or verifier", async () => {
    const hostile = await createOAuthWebFixture(web, inner.url);
    const { id } = await fixture.addServer();
    const atHome = await urlOf(id);
    const honest = new URL(await authority.signIn(atHome.href));
    // The hostile one answers the honest sign-in with its own name, and again with the honest code.
    const forged = { code: "a code of theirs", iss: hostile.authority.issuer };
    expect(await fixture.arrive(answered(atHome, forged))).toBe(`/servers/${id}?refused=issuer_mismatch`);
    const next = await urlOf(id);
    const stolen = { code: honest.searchParams.get("code")!, iss: hostile.authority.issuer };
    expect(await fixture.arrive(answered(next, stolen))).toBe(`/servers/${id}?refused=issuer_mismatch`);
    expect([sent("/token"), hostile.authority.seen]).toEqual([[], []]);
    await hostile.close();
  });

  test("A7: a state works once", async () => {
    const { id } = await fixture.addServer();
    const back = await authority.signIn((await urlOf(id)).href);
    const twice = await Promise.all([fixture.arrive(back), fixture.arrive(back)]);
    expect(twice.sort()).toEqual([`/servers/${id}?connected`, "/servers?refused=flow_unknown"].sort());
    expect(await fixture.arrive(back)).toBe("/servers?refused=flow_unknown");
    expect(sent("/token")).toHaveLength(1);
  });

  test("A7: nobody else's browser ends it: not another's, another session's, another organization's, or one signed out", async () => {
    const { id } = await fixture.addServer();
    const back = await authority.signIn((await urlOf(id)).href);
    const ben = await web.member(fixture.organizationId, "Ben", "owner");
    const other = await createOAuthWebFixture(web, inner.url);
    const elsewhere = await web.signIn(fixture.ana.userId);
    for (const cookie of [ben.cookie, other.ana.cookie, elsewhere])
      expect(await fixture.arrive(back, cookie)).toBe("/servers?refused=flow_unknown");
    expect(await fixture.arrive(back, null)).toBe("/servers?refused=signed_out");
    expect(sent("/token")).toEqual([]);
    // The forged responses have not used up the sign-in.
    expect(await fixture.arrive(back)).toBe(`/servers/${id}?connected`);
    await other.close();
  });

  test("A7: after ten minutes it is over; an unknown, missing or doubled state is none", async () => {
    const { id } = await fixture.addServer();
    const url = await urlOf(id);
    const back = await authority.signIn(url.href);
    expect(await fixture.arrive(`${back}&state=other`)).toBe("/servers?refused=flow_unknown");
    await withClient(web.database.adminUrl, (client) =>
      client.query("UPDATE oauth_flow SET expires_at = expires_at - interval '10 minutes 1 second'"),
    );
    expect(await fixture.arrive(back)).toBe("/servers?refused=flow_unknown");
    const nothing = "http://localhost:3000/oauth/callback";
    expect(await fixture.arrive(nothing)).toBe("/servers?refused=flow_unknown");
    expect(await fixture.arrive(`${nothing}?state=x&code=y`)).toBe("/servers?refused=flow_unknown");
  });

  test("a code that comes twice, or not at all, is refused", async () => {
    const { id } = await fixture.addServer();
    const iss = authority.issuer;
    expect(await fixture.arrive(`${answered(await urlOf(id), { code: "a", iss })}&code=b`)).toContain(
      "malformed",
    );
    expect(await fixture.arrive(answered(await urlOf(id), { iss }))).toContain("malformed");
    expect(sent("/token")).toEqual([]);
  });

  test("who lost the role meanwhile connects nothing", async () => {
    const { id } = await fixture.addServer();
    const back = await authority.signIn((await urlOf(id)).href);
    await withClient(web.database.adminUrl, (client) =>
      client.query("UPDATE membership SET role = 'operator' WHERE user_id = $1", [fixture.ana.userId]),
    );
    expect(await fixture.arrive(back)).toBe(`/servers/${id}?refused=not_allowed`);
    expect(sent("/token")).toEqual([]);
  });
});

describe("while an authorization server takes its time to hand out tokens", () => {
  test.each([
    ["who loses the role", "UPDATE membership SET role = 'operator' WHERE user_id = $1"],
    ["who is removed", "DELETE FROM membership WHERE user_id = $1"],
  ])("%s connects nothing", async (_what, change) => {
    const { id } = await fixture.addServer();
    const back = await authority.signIn((await urlOf(id)).href);
    authority.behave.instead = async ({ url }) => {
      if (url === "/token")
        await withClient(web.database.adminUrl, (client) => client.query(change, [fixture.ana.userId]));
      return false;
    };
    expect(await fixture.arrive(back)).toBe(`/servers/${id}?refused=not_allowed`);
    expect(sent("/token")).toHaveLength(1);
    const grants = await withClient(web.database.adminUrl, (client) =>
      client.query("SELECT FROM oauth_grant WHERE organization_id = $1", [fixture.organizationId]),
    );
    expect(grants.rowCount).toBe(0);
  });
});

describe("tokens", () => {
  test("A5: the resource goes with every request, as the server names itself", async () => {
    const { id } = await fixture.addServer();
    const url = await urlOf(id);
    await fixture.arrive(await authority.signIn(url.href));
    expect(url.searchParams.get("resource")).toBe(remote.url);
    expect(sent("/token")[0]?.form.get("resource")).toBe(remote.url);
  });

  test("A12: they go to their server alone, in the header of every request, and never in an address", async () => {
    const { id } = await fixture.addServer();
    await fixture.connect(id);
    const calls = remote.seen.filter(({ status }) => status === 200);
    expect(calls.length).toBeGreaterThan(1);
    expect(new Set(calls.map(({ token }) => token)).size).toBe(1);
    expect(remote.seen.every(({ url }) => url === "/mcp")).toBe(true);
    const token = calls[0]?.token ?? "";
    const atAuthority = authority.seen.map(({ form, headers }) => [[...form], headers]);
    expect(JSON.stringify(atAuthority)).not.toContain(token);
  });

  test("A13, A18: they are sealed in the database, and nowhere in answers or history", async () => {
    const { id } = await fixture.addServer();
    await fixture.connect(id);
    const token = remote.seen.find(({ status }) => status === 200)?.token ?? "";
    const verifier = sent("/token")[0]?.form.get("code_verifier") ?? "";
    const secret = JSON.stringify(sent("/token")[0]?.headers.authorization);
    expect(token.length).toBeGreaterThan(20);
    const dump = await withClient(web.database.adminUrl, async (client) => {
      const tables = ["oauth_grant", "oauth_client", "oauth_flow", "connection", "server", "event", "change"];
      const rows = [];
      for (const table of tables) rows.push((await client.query(`SELECT t::text FROM "${table}" t`)).rows);
      return JSON.stringify(rows);
    });
    const cookie = fixture.ana.cookie;
    const shown = await Promise.all(
      [`/api/v1/servers/${id}`, `/api/v1/servers/${id}/connections`, "/api/v1/events"].map(
        async (url) => (await web.call("GET", url, { cookie })).body,
      ),
    );
    for (const hidden of [token, verifier, secret.slice(8, -1)])
      for (const text of [dump, JSON.stringify(shown)]) expect(text).not.toContain(hidden);
    expect(dump).toContain("v1.k1.");
    expect(JSON.stringify(shown)).toContain("connection.authorized");
  });

  test("A13: a refresh token is not assumed", async () => {
    const { id } = await fixture.addServer();
    authority.behave.instead = (request, response) => {
      if (request.url !== "/token") return false;
      response.writeHead(200, { "content-type": "application/json" });
      response.end('{"access_token":"only-this","token_type":"Bearer"}');
      return true;
    };
    expect(await fixture.connect(id)).toContain("connected");
    const { body } = await web.call("GET", `/api/v1/servers/${id}/connections`, {
      cookie: fixture.ana.cookie,
    });
    expect(body.items[1]).toMatchObject({ shared: true, renews: false, expiresAt: null });
  });

  test.each([
    [
      "10 MB",
      "unreachable",
      (write: (text: string) => void) => {
        for (let part = 0; part < 160; part++) write("x".repeat(65_536));
      },
    ],
    ["no JSON", "malformed", (write: (text: string) => void) => write("<html>words of theirs</html>")],
    [
      "a token of another kind",
      "token_unusable",
      (write: (text: string) => void) => write('{"access_token":"x","token_type":"mac"}'),
    ],
    [
      "a token with a line break",
      "token_unusable",
      (write: (text: string) => void) => write('{"access_token":"x\\r\\nx-evil: 1","token_type":"Bearer"}'),
    ],
    [
      "an error in a 200",
      "grant_refused",
      (write: (text: string) => void) => write('{"error":"invalid_grant"}'),
    ],
  ])("a token endpoint that answers %s connects nothing", async (_, code, write) => {
    const { id } = await fixture.addServer();
    authority.behave.instead = (request, response) => {
      if (request.url !== "/token") return false;
      response.writeHead(200, { "content-type": "application/json" });
      write((text) => response.write(text));
      response.end();
      return true;
    };
    expect(await fixture.connect(id)).toBe(`/servers/${id}?refused=${code}`);
    const { body } = await web.call("GET", `/api/v1/servers/${id}/connections`, {
      cookie: fixture.ana.cookie,
    });
    expect(body.items.map((one: { state: string }) => one.state)).toEqual(["not_connected", "not_connected"]);
  });

  test.each<[string, Record<string, unknown>, { renews: boolean; expires: boolean }]>([
    ["null members", { refresh_token: null, scope: null, id_token: null }, { renews: false, expires: true }],
    ["empty members", { refresh_token: "", scope: "", id_token: "" }, { renews: false, expires: true }],
    ["a lifetime of null", { expires_in: null }, { renews: true, expires: false }],
    ["a lifetime as a text", { expires_in: "3600" }, { renews: true, expires: true }],
    ["a lifetime that is no number", { expires_in: "1 hour" }, { renews: true, expires: false }],
    ["rights as a list", { scope: ["a"], refresh_token_expires_in: null }, { renews: true, expires: true }],
  ])("a token with %s is taken", async (_, over, { renews, expires }) => {
    const { id } = await fixture.addServer();
    altered("/token", over);
    expect(await fixture.connect(id)).toContain("?connected");
    const { body } = await web.call("GET", `/api/v1/servers/${id}/connections`, {
      cookie: fixture.ana.cookie,
    });
    const expiresAt = expires ? expect.any(String) : null;
    expect(body.items[1]).toMatchObject({ shared: true, state: "connected", renews, expiresAt });
  });

  test.each<[string, number, string, string]>([
    ["a spent code", 400, '{"error":"invalid_grant","error_description":"words"}', "grant_refused"],
    ["a spent code, with null members", 400, '{"error":"invalid_grant","error_uri":null}', "grant_refused"],
    ["an error of its own", 400, '{"error":"code_already_used"}', "token_refused"],
    ["the name of a function", 400, '{"error":"constructor"}', "token_refused"],
    ["an object as the error", 400, '{"error":{"message":"The code was used"}}', "token_refused"],
    ["a page", 403, "<html>words</html>", "token_refused"],
    ["an unknown client", 401, '{"error":"invalid_client"}', "client_refused"],
    ["that it is busy", 400, '{"error":"temporarily_unavailable"}', "server_failed"],
    ["that it asks for fewer calls", 429, "", "server_failed"],
    ["that it broke down", 500, "words", "server_failed"],
  ])(
    "a token endpoint that says %s is quoted by its kind, not as unreachable",
    async (_, status, body, code) => {
      const { id } = await fixture.addServer();
      authority.behave.instead = (request, response) => {
        if (request.url !== "/token") return false;
        response.writeHead(status, { "content-type": "application/json" }).end(body);
        return true;
      };
      expect(await fixture.connect(id)).toBe(`/servers/${id}?refused=${code}`);
    },
  );

  test("a token endpoint that redirects gets the code once, and nobody else does", async () => {
    const { id } = await fixture.addServer();
    const other = await createOAuthWebFixture(web, inner.url);
    authority.behave.instead = (request, response) => {
      if (request.url !== "/token") return false;
      response.writeHead(307, { location: `${other.authority.issuer}/token` }).end();
      return true;
    };
    expect(await fixture.connect(id)).toContain("refused=");
    expect(other.authority.seen).toEqual([]);
    await other.close();
  });
});

test("every refusal has words, and none says what a stranger wrote", () => {
  const titles = OAUTH_REFUSALS.map((code) => refusalWords(code).title);
  expect(new Set(titles).size).toBe(OAUTH_REFUSALS.length);
  expect(refusalWords("<script>").title).toBe(refusalWords("sign_in_failed").title);
  expect(refusalWords("constructor").title).toBe(refusalWords("sign_in_failed").title);
});
