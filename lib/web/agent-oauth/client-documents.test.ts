/** Clients whose id is the address of a metadata document: fetched for a member alone, by our way out, and not believed. */
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { withClient } from "@/scripts/database/roles.ts";
import {
  type AgentIntray,
  authorization,
  CALLBACK,
  startAgentIntray,
} from "@/test/fixtures/agents/agent-oauth-fixture.ts";
import { createAuthority } from "@/test/servers/destinations/certificates.ts";

let intray: AgentIntray;
let publisher: Server;
let host: string;
let ola: Awaited<ReturnType<AgentIntray["web"]["member"]>>;
const fetched: string[] = [];
const trusted = getCACertificates("default");
/** What stands at each path: a document, or all of an answer. */
const documents = new Map<
  string,
  object | { status: number; headers?: Record<string, string>; text?: string }
>();

beforeAll(async () => {
  const authority = await createAuthority("Tests");
  setDefaultCACertificates([...trusted, authority.ca]);
  publisher = createServer(await authority.issue("localhost"), (request, response) => {
    const path = request.url ?? "";
    fetched.push(path);
    const found = documents.get(path);
    if (!found) return void response.writeHead(404).end();
    const {
      status = 200,
      headers = {},
      text,
    } = found as { status?: number; headers?: object; text?: string };
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(text ?? JSON.stringify(found));
  });
  await new Promise<void>((resolve) => publisher.listen(0, "127.0.0.1", resolve));
  host = `localhost:${(publisher.address() as AddressInfo).port}`;
  intray = await startAgentIntray({ INTRAY_ALLOW_HOSTS: host });
  ola = await intray.web.member(await intray.web.organization("acme"), "Ola", "operator");
});
beforeEach(async () => {
  fetched.length = 0;
  await withClient(intray.web.database.adminUrl, (client) => client.query("DELETE FROM throttle"));
});
afterAll(async () => {
  await intray.close();
  publisher.closeAllConnections();
  await new Promise((resolve) => publisher.close(resolve));
  setDefaultCACertificates(trusted);
});

/** Publishes a document, at an address of its own. Returns the client's id. */
let published = 0;
function publish(over: Record<string, unknown> = {}): string {
  const path = `/client-${published++}.json`;
  const client_id = `https://${host}${path}`;
  documents.set(path, {
    client_id,
    client_name: "Published agent",
    redirect_uris: [CALLBACK],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
    ...over,
  });
  return client_id;
}

const ask = async (clientId: string, more: Record<string, string> = {}, cookie = ola.cookie) => {
  const { query } = authorization(clientId, intray.mcp, more);
  return intray.browser(cookie).open(`${intray.url}/agents/oauth/auth?${query}`);
};

test("an official client signs in with its document, and registers nothing", async () => {
  const kept: Record<string, unknown> = {};
  const keep = (what: string) => (value: unknown) => {
    kept[what] = value;
  };
  const authProvider = {
    redirectUrl: CALLBACK,
    clientMetadataUrl: publish(),
    clientMetadata: { client_name: "Published agent", redirect_uris: [CALLBACK] },
    clientInformation: () => kept.client,
    saveClientInformation: keep("client"),
    tokens: () => kept.tokens,
    saveTokens: keep("tokens"),
    codeVerifier: () => kept.verifier,
    saveCodeVerifier: keep("verifier"),
    discoveryState: () => kept.discovery,
    saveDiscoveryState: keep("discovery"),
    redirectToAuthorization: keep("address"),
  } as never;
  const client = new Client({ name: "published", version: "1" }, { versionNegotiation: { mode: "auto" } });
  await expect(
    client.connect(new StreamableHTTPClientTransport(new URL(intray.mcp), { authProvider })),
  ).rejects.toThrow();
  const back = await intray.browser(ola.cookie).allow(String(kept.address));
  const times = fetched.length;
  expect(times).toBe(1);
  await new StreamableHTTPClientTransport(new URL(intray.mcp), { authProvider }).finishAuth(
    back.searchParams as never,
  );
  expect(await intray.call((kept.tokens as { access_token: string }).access_token)).toMatchObject({
    status: 200,
    agent: "Published agent",
  });
  // The exchange, which anybody may ask for, has fetched nothing.
  expect(fetched.length).toBe(times);
});

test("the member is told who publishes it, not only what it calls itself", async () => {
  const page = await ask(publish({ client_name: "Intray\u202e Security" }));
  const { readAgentQuestion } = await import("@/lib/agents/oauth/agent-oauth-reads.ts");
  const { database } = await import("@/lib/web/database.ts");
  const { rows } = await withClient(intray.web.database.adminUrl, (client) =>
    client.query(
      "SELECT id FROM session WHERE user_id = $1 AND agent_id IS NULL ORDER BY created_at LIMIT 1",
      [ola.userId],
    ),
  );
  const handle = page.searchParams.get("request") ?? "";
  expect((await readAgentQuestion(await database(), handle, rows[0].id))?.client).toMatchObject({
    name: "Intray Security",
    publisher: host,
  });
});

test("a stranger has nothing fetched: neither by asking, nor at the other addresses", async () => {
  const clientId = publish();
  expect((await ask(clientId, {}, "")).pathname).toBe("/sign-in");
  const form = { client_id: clientId, code: "x", redirect_uri: CALLBACK, code_verifier: "v".repeat(43) };
  expect((await intray.token({ grant_type: "authorization_code", ...form })).body.error).toBe(
    "invalid_client",
  );
  expect(fetched).toEqual([]);
});

test("a client whose document has gone is renewed by what it said when it was let in", async () => {
  const clientId = publish();
  const { refresh_token } = await intray.signIn(intray.browser(ola.cookie), clientId);
  documents.clear();
  const { status } = await intray.token({ grant_type: "refresh_token", refresh_token, client_id: clientId });
  expect(status).toBe(200);
});

test("a member who takes their time goes back by another process, whatever became of the document", async () => {
  const clientId = publish();
  const { query } = authorization(clientId, intray.mcp);
  const browser = intray.browser(ola.cookie);
  const handle = await browser.ask(`${intray.url}/agents/oauth/auth?${query}`);
  documents.clear();
  intray.startAgain();
  const { body } = await browser.decide(handle, "allow");
  expect((await browser.open(body.url)).searchParams.has("code")).toBe(true);
});

test("no is told by another process, too", async () => {
  const { query } = authorization(publish(), intray.mcp);
  const browser = intray.browser(ola.cookie);
  const handle = await browser.ask(`${intray.url}/agents/oauth/auth?${query}`);
  intray.startAgain();
  const { body } = await browser.decide(handle, "deny");
  expect((await browser.open(body.url)).searchParams.get("error")).toBe("access_denied");
});

describe("a document is refused that", () => {
  test.each<[string, () => string]>([
    ["names another client", () => publish({ client_id: "https://claude.ai/client.json" })],
    ["has a secret", () => publish({ client_secret: "x" })],
    ["wants a shared secret", () => publish({ token_endpoint_auth_method: "client_secret_post" })],
    ["may be answered by a script", () => publish({ redirect_uris: ["javascript:alert(1)"] })],
    ["may be answered in the clear", () => publish({ redirect_uris: ["http://evil.example/cb", CALLBACK] })],
    ["has no redirects", () => publish({ redirect_uris: undefined })],
    ["has a name that is none", () => publish({ client_name: { toString: "x" } })],
    ["is too large", () => publish({ filler: "x".repeat(6_000) })],
    ["is not there", () => `https://${host}/nothing.json`],
    ["is a redirect", () => answering({ status: 302, headers: { location: publish() } })],
    ["is no JSON", () => answering({ status: 200, text: "<html>" })],
    ["is a list", () => answering({ status: 200, text: "[]" })],
  ])("%s", async (_name, make) => {
    const page = await ask(make());
    expect([page.origin, page.pathname]).toEqual([intray.url, "/agents/sign-in"]);
    expect(["invalid_client", "invalid_client_metadata", "invalid_redirect_uri"]).toContain(
      page.searchParams.get("error"),
    );
  });

  function answering(answer: { status: number; headers?: Record<string, string>; text?: string }): string {
    const path = `/answer-${published++}.json`;
    documents.set(path, answer);
    return `https://${host}${path}`;
  }
});

test.each([
  ["a private address", "https://10.0.0.1/client.json"],
  ["the cloud's own", "https://169.254.169.254/client.json"],
  ["this machine, by another port", "https://localhost:1/client.json"],
  ["this machine, by another name", "https://127.0.0.1/client.json"],
  ["no TLS", "http://client.example/client.json"],
  ["a name in it", "https://ola@client.example/client.json"],
  ["dots in it", "https://client.example/../client.json"],
  ["a novel", `https://client.example/${"x".repeat(600)}`],
])("an id is refused that is %s", async (_name, clientId) => {
  const page = await ask(clientId);
  expect(String(page)).toBe(`${intray.url}/agents/sign-in?error=invalid_client`);
});

test("a member has so many documents fetched and no more", async () => {
  const pages = [];
  for (let at = 0; at < 25; at++) pages.push(await ask(publish()));
  expect(pages.filter(({ searchParams }) => searchParams.has("error")).length).toBeGreaterThan(0);
  expect(fetched.length).toBeLessThanOrEqual(20);
});
