/** What somebody with the right to make things can have of them: bounded, so that nobody fills the lists of all. */
import { beforeEach, expect, test } from "vitest";
import { withClient } from "@/scripts/database/roles.ts";
import { webForFile } from "@/test/web.ts";

const web = webForFile();
let acme: string;
let ana: { userId: string; memberId: string; cookie: string };
let otto: { userId: string; memberId: string; cookie: string };
let made = 0;

beforeEach(async () => {
  acme = await web.organization(`acme-${++made}`);
  ana = await web.member(acme, "Ana", "owner");
  otto = await web.member(acme, "Otto", "owner");
});

const sql = (text: string, values: unknown[] = []) => web.database.sql(text, values);
const post = async (path: string, body: object, cookie = ana.cookie) => {
  const answer = await web.call("POST", `/api/v1${path}`, { cookie, body });
  return answer.body.code ?? answer.status;
};
const fillKeys = (count: number, maker: string | null) =>
  sql(
    `INSERT INTO api_key (organization_id, id, name, role, secret_hash, created_by)
      SELECT $1, gen_random_uuid(), 'k', 'viewer', sha256(gen_random_uuid()::text::bytea), $3
      FROM generate_series(1, $2::integer)`,
    [acme, count, maker],
  );
const key = { name: "k", role: "viewer" };

test("a member has 100 keys in force, and ended ones do not count", async () => {
  await fillKeys(99, ana.userId);
  expect(
    await Promise.all([1, 2, 3].map(() => post("/api-keys", key))).then((all) => all.map(String).sort()),
  ).toEqual(["201", "too_many_keys", "too_many_keys"]);
  expect(await post("/api-keys", key, otto.cookie)).toBe(201);
  await sql(
    "UPDATE api_key SET revoked_at = now() WHERE id = (SELECT id FROM api_key WHERE created_by = $1 LIMIT 1)",
    [ana.userId],
  );
  expect(await post("/api-keys", key)).toBe(201);
});

test("an organization has 1,000 keys in force", async () => {
  await fillKeys(999, null);
  expect(await post("/api-keys", key)).toBe(201);
  expect(await post("/api-keys", key, otto.cookie)).toBe("too_many_keys");
});

test("an organization has 500 service accounts", async () => {
  await sql(
    `INSERT INTO service_account (organization_id, id, name, role, owner_id)
      SELECT $1, gen_random_uuid(), 'account ' || n, 'viewer', $2 FROM generate_series(1, 499) n`,
    [acme, ana.userId],
  );
  const account = (name: string) =>
    post("/service-accounts", { name, role: "viewer", ownerId: ana.memberId });
  expect(await account("one")).toBe(201);
  expect(await account("two")).toBe("too_many_service_accounts");
});

test("an organization has 10,000 open invitations", async () => {
  await sql(
    `INSERT INTO invitation (organization_id, id, email, role, token_hash, invited_by, expires_at)
      SELECT $1, gen_random_uuid(), 'person' || n || '@acme.example', 'viewer',
        sha256(gen_random_uuid()::text::bytea), $2, now() + interval '1 day' FROM generate_series(1, 9999) n`,
    [acme, ana.userId],
  );
  const invite = (email: string) => post("/invitations", { email, role: "viewer" });
  expect(await invite("a@acme.example")).toBe(201);
  expect(await invite("b@acme.example")).toBe("too_many_invitations");
});

test("an organization has 500 servers of its own", async () => {
  await sql(
    `INSERT INTO server (organization_id, id, name, url, era_setting, auth_kind)
      SELECT $1, gen_random_uuid(), 'server ' || n, 'https://mcp.example/' || n, 'auto', 'none'
      FROM generate_series(1, 500) n`,
    [acme],
  );
  expect(await post("/servers", { name: "one more", url: "https://mcp.example/mcp" })).toBe(
    "too_many_servers",
  );
});

test("an account has 20 passkeys", async () => {
  await sql(
    `INSERT INTO passkey (id, user_id, name, credential_id, public_key, counter)
      SELECT gen_random_uuid(), $1, 'key', gen_random_uuid()::text, '\\x00', 0 FROM generate_series(1, 20)`,
    [ana.userId],
  );
  expect(await post("/me/passkeys/options", {})).toBe("too_many_passkeys");
});

test("one check of the history runs at a time in an organization, and others check theirs", async () => {
  const globex = await web.organization(`globex-${made}`);
  const [ours, theirs] = [await web.key(acme, "admin"), await web.key(globex, "admin")];
  const verify = (key: string) => web.call("GET", "/api/v1/events/verify", { key });
  const { refused, own, other } = await withClient(web.database.adminUrl, async (client) => {
    await client.query("BEGIN");
    await client.query("LOCK TABLE event_head IN ACCESS EXCLUSIVE MODE");
    const other = verify(theirs);
    const own = [verify(ours), verify(ours), verify(ours)];
    const refused: Awaited<(typeof own)[number]>[] = [];
    for (const each of own) void each.then((answer) => refused.push(answer));
    // One of them waits for the lock. A check that came after its end would not be refused.
    await expect.poll(() => refused.length).toBe(2);
    await client.query("ROLLBACK");
    return { refused: refused.slice(0, 2), own: await Promise.all(own), other: await other };
  });
  for (const { status, body, headers } of refused) {
    expect([status, body.code]).toEqual([429, "throttled"]);
    expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
  }
  expect(own.map(({ status }) => status).sort()).toEqual([200, 429, 429]);
  expect([other.status, other.body.ok]).toEqual([200, true]);
  expect((await verify(ours)).status).toBe(200);
});

test("checks of the history are counted, for all of an organization together", async () => {
  const [one, other] = [await web.key(acme, "admin"), await web.key(acme, "owner")];
  const statuses = new Set<number>();
  for (let check = 0; check < 25; check++)
    statuses.add((await web.call("GET", "/api/v1/events/verify", { key: check % 2 ? one : other })).status);
  expect([...statuses]).toEqual([200, 429]);
});
