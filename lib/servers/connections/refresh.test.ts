import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createOAuthFixture, type OAuthFixture } from "../../../test/fixtures/oauth-fixture.ts";
import { createDatabase, type Database } from "../../base/db/db.ts";
import { renewTokens } from "../../mcp/oauth/oauth-tokens.ts";
import { PeerError, SignInNeeded } from "../../mcp/peer-error.ts";
import { GrantAccess } from "./access.ts";
import { claimGrant, markNeedsReauth } from "./connection-writes.ts";
import { openTokens, readClientOf } from "./grants.ts";

let fixture: OAuthFixture;
let other: Database;
let id: string;
let organizationId: string;

beforeEach(async () => {
  fixture = await createOAuthFixture();
  organizationId = fixture.organization.organizationId;
  other = createDatabase(fixture.organization.engineEnvironment.ENGINE_DATABASE_URL!, { connections: 4 });
  id = await fixture.connect();
});
afterEach(async () => {
  await other.close();
  await fixture.close();
});

/** Access of another process: the engine's role, and a pool of its own. */
const engineAccess = () => new GrantAccess({ ...fixture.services, db: other }, organizationId, id);
const webAccess = () => new GrantAccess(fixture.services, organizationId, id);
const set = (columns: string) =>
  fixture.organization.within((tx) =>
    tx.$executeRawUnsafe(`UPDATE oauth_grant SET ${columns} WHERE connection_id = '${id}'::uuid`),
  );
const due = () => set("refresh_at = now() - interval '1 second'");
const over = () => set("refresh_at = now() - interval '2 seconds', expires_at = now() - interval '1 second'");

test("an engine and the web that renew at once use the rotating token once, and the grant lives", async () => {
  await over();
  const accesses = [engineAccess(), webAccess(), engineAccess(), webAccess()];
  const tokens = await Promise.all(accesses.flatMap((access) => [access.fresh(), access.fresh()]));
  expect(fixture.renewals()).toBe(1);
  expect(new Set(tokens).size).toBe(1);
  expect(await fixture.authority.check(tokens[0]!)).toMatchObject({ audience: fixture.remote.url });
  await due();
  await Promise.all([engineAccess().fresh(), webAccess().fresh()]);
  expect(fixture.renewals()).toBe(2);
  expect(await fixture.grant(id)).toMatchObject({ state: "connected", version: 3n });
});

test("without that, two uses at once end the grant: what the claim is for", async () => {
  const grant = await fixture.grant(id);
  const client = await fixture.organization.within((tx) =>
    readClientOf(tx, fixture.organization.seal, grant),
  );
  const { refreshToken } = openTokens(fixture.organization.seal, organizationId, grant)!;
  const party = { metadata: grant.metadata, client: client!, resource: grant.resource };
  const renew = () => renewTokens(party, refreshToken!, fixture.services.network, () => undefined);
  const first = await renew();
  await expect(renew()).rejects.toMatchObject({ code: "grant_refused" });
  expect(await fixture.authority.check(first.accessToken)).toBeNull();
});

test("A5: the resource goes with a renewal", async () => {
  await due();
  await webAccess().fresh();
  expect(fixture.authority.seen.at(-1)?.form.get("resource")).toBe(fixture.remote.url);
});

test("a grant that was ended there needs a person, once for all who notice at once", async () => {
  await fixture.authority.revokeAll();
  await over();
  const asked = await Promise.allSettled(
    [engineAccess(), webAccess(), engineAccess()].map((one) => one.fresh()),
  );
  for (const one of asked) expect(one).toMatchObject({ reason: expect.any(SignInNeeded) });
  expect(fixture.renewals()).toBe(1);
  expect((await fixture.grant(id)).state).toBe("needs_reauth");
  expect(await fixture.events("connection.needs_reauth")).toBe(1);
  // Nobody asks again until somebody signed in.
  await expect(webAccess().fresh()).rejects.toBeInstanceOf(SignInNeeded);
  expect(fixture.renewals()).toBe(1);
  await fixture.connect();
  expect(await webAccess().fresh()).toBe(await fixture.accessToken(id));
});

test("who comes with an old version takes nothing away", async () => {
  const grant = await fixture.grant(id);
  await due();
  await webAccess().fresh();
  const taken = await fixture.organization.within((tx) => markNeedsReauth(tx, grant, grant.version));
  expect(taken).toBe(false);
  expect((await fixture.grant(id)).state).toBe("connected");
});

test("an authorization server that is away changes nothing: the old token is used while it is good", async () => {
  const before = await fixture.accessToken(id);
  fixture.authority.behave.instead = (request, response) => {
    if (request.url !== "/token") return false;
    response.writeHead(503).end("down for maintenance");
    return true;
  };
  await due();
  const access = engineAccess();
  expect(await access.fresh()).toBe(before);
  // It is left alone for a while.
  expect(access.current()).toBe(before);
  await over();
  const failed = await engineAccess()
    .fresh()
    .catch((error: unknown) => error);
  expect(failed).toBeInstanceOf(PeerError);
  expect(failed).toMatchObject({ code: "unreachable", reached: "no" });
  expect((await fixture.grant(id)).state).toBe("connected");
  fixture.authority.behave.instead = undefined;
  expect(await engineAccess().fresh()).not.toBe(before);
});

test("who finds it claimed waits, and takes over when the claim has run out", async () => {
  await over();
  const { version } = await fixture.grant(id);
  const claim = (ms: number) => fixture.organization.within((tx) => claimGrant(tx, id, version, ms));
  expect(await claim(1_000)).toBe(true);
  expect(await claim(1_000)).toBe(false);
  const waiting = engineAccess().fresh();
  await sleep(300);
  expect(fixture.renewals()).toBe(0);
  await waiting;
  expect(fixture.renewals()).toBe(1);
});

test("a token that is still good is used where the process that claimed its renewal is gone", async () => {
  const before = await fixture.accessToken(id);
  await due();
  const { version } = await fixture.grant(id);
  await fixture.organization.within((tx) => claimGrant(tx, id, version, 3600_000));
  expect(await engineAccess().fresh()).toBe(before);
  expect(fixture.renewals()).toBe(0);
});

test("a token that the server refuses is renewed once, however many calls it refused", async () => {
  const access = engineAccess();
  const token = await access.fresh();
  const again = await Promise.all([access.refused(token), access.refused(token), webAccess().fresh()]);
  expect(again.slice(0, 2)).toEqual([true, true]);
  expect(await access.fresh()).not.toBe(token);
  expect(fixture.renewals()).toBe(1);
});

test("where it can't be renewed, its end needs a person, and nobody is asked in vain", async () => {
  await set("renews = false, refresh_at = NULL, expires_at = now() - interval '1 second'");
  await expect(engineAccess().fresh()).rejects.toBeInstanceOf(SignInNeeded);
  expect([fixture.renewals(), (await fixture.grant(id)).state]).toEqual([0, "needs_reauth"]);
});

test("a renewal that ends after somebody disconnected brings nothing back", async () => {
  let go = () => {};
  const held = new Promise<void>((resolve) => {
    go = resolve;
  });
  fixture.authority.behave.instead = async (request) => {
    if (request.url === "/token") await held;
    return false;
  };
  await due();
  const renewing = engineAccess().fresh();
  await sleep(200);
  const { disconnect } = await import("./disconnect.ts");
  await disconnect(fixture.services, fixture.organization.operator, id);
  go();
  await expect(renewing).rejects.toBeInstanceOf(SignInNeeded);
  expect(await fixture.grant(id)).toMatchObject({ state: "revoked", sealedTokens: null });
});
