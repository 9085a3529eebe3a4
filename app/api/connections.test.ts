/** Connections: the permissions to create, see, use and end them. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { callbackUrl } from "@/lib/mcp/oauth/oauth-client.ts";
import {
  createOAuthWebFixture,
  type OAuthWebFixture,
  type Person,
} from "@/test/fixtures/oauth-web-fixture.ts";
import { startTestServer, type TestServer } from "@/test/servers/mcp-server.ts";
import { ORIGIN, startWeb, type TestWeb } from "@/test/web.ts";

let web: TestWeb;
let inner: TestServer;
let fixture: OAuthWebFixture;
let server: string;
let ola: Person;

beforeAll(async () => {
  const settings = { INTRAY_ALLOW_HOSTS: "127.0.0.1" };
  web = await startWeb(settings);
  inner = await startTestServer();
});
beforeEach(async () => {
  fixture = await createOAuthWebFixture(web, inner.url);
  server = (await fixture.addServer()).id;
  ola = await web.member(fixture.organizationId, "Ola", "operator");
});
afterEach(() => fixture.close());
afterAll(async () => {
  await inner.close();
  await web.stop();
});

const seen = async (who: { cookie?: string; key?: string }) =>
  (await web.call("GET", `/api/v1/servers/${server}/connections`, who)).body.items;
const start = (who: { cookie?: string; key?: string }) =>
  web.call("POST", "/api/v1/tasks", { ...who, body: { serverId: server, tool: "quick" } });
const end = (id: string, who: { cookie?: string; key?: string }) =>
  web.call("DELETE", `/api/v1/connections/${id}`, who);
const states = (items: { state: string }[]) => items.map(({ state }) => state);
const stateOf = async () =>
  (await web.call("GET", `/api/v1/servers/${server}`, { cookie: ola.cookie })).body.startsOn;

test("an operator connects for themselves, and only admins for all; others, and keys, for nobody", async () => {
  const viewer = await web.member(fixture.organizationId, "Vera", "approver");
  const key = await web.key(fixture.organizationId, "admin");
  expect((await fixture.depart(server, { who: ola, shared: true })).status).toBe(403);
  expect((await fixture.depart(server, { who: viewer, shared: false })).status).toBe(403);
  const byKey = await web.call("POST", `/api/v1/servers/${server}/connect`, { key, body: { shared: true } });
  expect(byKey.status).toBe(403);
  expect(await fixture.connect(server, { who: ola, shared: false })).toContain("connected");
});

test("each sees their own and the shared one, and nobody another's own", async () => {
  await fixture.connect(server, { who: ola, shared: false });
  expect(states(await seen(ola))).toEqual(["connected", "not_connected"]);
  expect(states(await seen(fixture.ana))).toEqual(["not_connected", "not_connected"]);
  expect(states(await seen({ key: await web.key(fixture.organizationId, "admin") }))).toEqual([
    "not_connected",
  ]);
  const [own] = await seen(ola);
  expect(own).toMatchObject({
    shared: false,
    connectedBy: { name: "Ola" },
    issuer: fixture.authority.issuer,
    renews: true,
    neededScopes: [],
    openTasks: 0,
  });
  expect(own.scopes).toContain("mcp:tools");
  expect((await end(own.id, { cookie: fixture.ana.cookie })).status).toBe(404);
  expect(await stateOf()).toBe("own");
});

test("a start runs on one's own connection, in private; else on the shared one; else it is refused in words", async () => {
  const refused = await start(ola);
  expect([refused.status, refused.body.code]).toEqual([409, "not_connected"]);
  await fixture.connect(server, { shared: true });
  const shared = await start(ola);
  expect(shared.body).toMatchObject({
    visibility: "organization",
    connection: { owner: null, state: "connected" },
  });
  await fixture.connect(server, { who: ola, shared: false });
  const own = await start(ola);
  expect(own.body).toMatchObject({
    visibility: "private",
    connection: { owner: { name: "Ola" }, state: "connected" },
  });
  expect((await web.call("GET", `/api/v1/tasks/${own.body.id}`, { cookie: fixture.ana.cookie })).status).toBe(
    404,
  );
  const byKey = await start({ key: await web.key(fixture.organizationId, "operator") });
  expect(byKey.body.connection.owner).toBeNull();
});

test("a start again says whose connection it would change to, either way, before it does", async () => {
  await fixture.connect(server, { shared: true });
  const again = (id: string, body: object = {}) =>
    web.call("POST", `/api/v1/tasks/${id}/restart`, { cookie: ola.cookie, body });
  const shared = (await start(ola)).body;
  await fixture.connect(server, { who: ola, shared: false });
  const toOwn = await again(shared.id);
  expect([toOwn.status, toOwn.body]).toEqual([
    409,
    expect.objectContaining({ code: "connection_changed", connection: "own", visibility: "private" }),
  ]);
  const own = (await again(shared.id, { acknowledgeConnectionChange: "own" })).body;
  expect(own.visibility).toBe("private");
  expect((await again(own.id)).status).toBe(201);
  const [connection] = await seen(ola);
  await end(connection.id, ola);
  const toShared = await again(own.id, { acknowledgeConnectionChange: "own" });
  expect([toShared.status, toShared.body.connection]).toEqual([409, "shared"]);
});

test("a key needs the shared one, whoever has connected themselves", async () => {
  await fixture.connect(server, { who: ola, shared: false });
  const refused = await start({ key: await web.key(fixture.organizationId, "operator") });
  expect([refused.status, refused.body.code]).toEqual([409, "not_connected"]);
});

test("who disconnects ends it at the authorization server too; the shared one only admins, and once", async () => {
  await fixture.connect(server, { shared: true });
  const token = fixture.remote.seen.find(({ status }) => status === 200)?.token ?? "";
  const task = (await start(ola)).body.id;
  const [, shared] = await seen(ola);
  expect((await end(shared.id, ola)).status).toBe(403);
  expect((await end(shared.id, fixture.ana)).status).toBe(204);
  expect((await end(shared.id, fixture.ana)).status).toBe(404);
  const revoked = fixture.authority.seen.filter(({ path }) => path === "/token/revocation");
  expect(revoked.map(({ form }) => form.get("token_type_hint"))).toEqual(["refresh_token", "access_token"]);
  expect(await fixture.authority.check(token)).toBeNull();
  // The task keeps its state, and says that it waits for the connection.
  const left = await web.call("GET", `/api/v1/tasks/${task}`, { cookie: ola.cookie });
  expect(left.body).toMatchObject({ state: "queued", connection: { state: "not_connected" } });
  expect((await seen(ola))[1]).toMatchObject({ state: "not_connected", openTasks: 1, connectedBy: null });
  expect(await stateOf()).toBeNull();
});

test("an authorization server that is away does not keep anybody from disconnecting", async () => {
  await fixture.connect(server, { who: ola, shared: false });
  fixture.authority.behave.instead = (request, response) => {
    if (request.url !== "/token/revocation") return false;
    response.destroy();
    return true;
  };
  const [own] = await seen(ola);
  const healthOf = async () =>
    (await web.call("GET", `/api/v1/servers/${server}`, { cookie: ola.cookie })).body.health.state;
  expect(await healthOf()).toBe("ok");
  expect((await end(own.id, ola)).status).toBe(204);
  // The last connection ended, so nobody can use the server now.
  expect(await healthOf()).toBe("unauthorized");
  expect(states(await seen(ola))).toEqual(["not_connected", "not_connected"]);
});

test("another kind of credentials, or the end of the server, ends what was granted", async () => {
  await fixture.connect(server, { who: ola, shared: false });
  await fixture.connect(server, { shared: true });
  const before = fixture.authority.seen.length;
  const body = { auth: { kind: "none" } };
  await web.call("PATCH", `/api/v1/servers/${server}`, { cookie: fixture.ana.cookie, body });
  const ended = fixture.authority.seen.slice(before).filter(({ path }) => path === "/token/revocation");
  expect(ended).toHaveLength(4);
  expect(await seen(ola)).toEqual([]);
  server = (await fixture.addServer()).id;
  await fixture.connect(server, { shared: true });
  const then = fixture.authority.seen.length;
  const removed = await web.call("DELETE", `/api/v1/servers/${server}`, { cookie: fixture.ana.cookie });
  expect(removed.status).toBe(204);
  const again = fixture.authority.seen.slice(then).filter(({ path }) => path === "/token/revocation");
  expect(again).toHaveLength(2);
});

test("what a member was granted ends with the membership, and nobody else's", async () => {
  const { organizationId } = fixture;
  const nia = await web.member(organizationId, "Nia", "operator");
  await fixture.connect(server, { who: nia, shared: false });
  await fixture.connect(server, { who: ola, shared: false });
  await fixture.connect(server, { shared: true });
  const before = fixture.authority.seen.length;
  const removed = await web.call("DELETE", `/api/v1/members/${nia.memberId}`, { cookie: fixture.ana.cookie });
  expect(removed.status).toBe(204);
  const ended = fixture.authority.seen.slice(before).filter(({ path }) => path === "/token/revocation");
  expect(ended).toHaveLength(2);
  const grants = await web.db.withOrganization(organizationId, (tx) =>
    tx.oauthGrant.findMany({ where: { connectedBy: nia.userId } }),
  );
  expect(grants).toMatchObject([{ state: "revoked", sealedTokens: null }]);
  expect(states(await seen(ola))).toEqual(["connected", "connected"]);
  const history = await web.call("GET", "/api/v1/events", { cookie: fixture.ana.cookie });
  const types = history.body.items.map(({ type }: { type: string }) => type);
  expect(types.slice(0, 2)).toEqual(["member.removed", "connection.revoked"]);
});

test("an admin who enters the same client again ends no connection", async () => {
  const registered = await fetch(`${fixture.authority.issuer}/reg`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ redirect_uris: [callbackUrl(ORIGIN, fixture.authority.issuer)] }),
  }).then((reply) => reply.json());
  const auth = { kind: "oauth", clientId: registered.client_id, clientSecret: registered.client_secret };
  server = (await fixture.addServer(auth)).id;
  await fixture.connect(server, { shared: true });
  const patch = (body: object) =>
    web.call("PATCH", `/api/v1/servers/${server}`, { cookie: fixture.ana.cookie, body });
  expect((await patch({ auth })).body).toMatchObject({ health: { state: "ok" }, startsOn: "shared" });
  expect((await patch({ auth: { kind: "oauth", scopes: ["a b"] } })).status).toBe(422);
});
