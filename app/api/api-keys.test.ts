/** What an API key may not do any more: after its end, beside its networks, with a secret that was replaced. */
import { beforeAll, describe, expect, test, vi } from "vitest";
import { withClient } from "@/scripts/database/roles.ts";
import { patiently } from "@/test/setup/patience.ts";
import { webForFile } from "@/test/web.ts";

const DAY_MS = 24 * 3600_000;

const web = webForFile();
let acme: string;
let olga: Member;
let ada: Member;
interface Member {
  userId: string;
  memberId: string;
  cookie: string;
}

beforeAll(async () => {
  acme = await web.organization("acme-keys");
  olga = await web.member(acme, "Olga", "owner");
  ada = await web.member(acme, "Ada", "admin");
});

const sql = (text: string, values: unknown[] = []) =>
  withClient(web.database.adminUrl, async (client) => (await client.query(text, values)).rows);
const make = async (who: { cookie?: string; key?: string }, input: object = {}) => {
  const { status, body } = await web.call("POST", "/api/v1/api-keys", {
    ...who,
    body: { name: "Billing", role: "viewer", ...input },
  });
  return { status, body, ...body } as { status: number; body: { code?: string } } & Made;
};
interface Made {
  id: string;
  secret: string;
  expiresAt: string | null;
  previousUntil: string | null;
  state: string;
}
const use = async (key: string, headers: Record<string, string> = {}) => {
  const { status, body } = await web.call("GET", "/api/v1/me", { key, headers });
  return [status, body.code ?? null];
};
const listed = async (id: string) =>
  (await web.call("GET", "/api/v1/api-keys?limit=200", { cookie: olga.cookie })).body.items.find(
    (key: { id: string }) => key.id === id,
  );
const lines = async (type: string, id: string) =>
  (await sql("SELECT data FROM event WHERE type = $1 AND data->>'keyId' = $2 ORDER BY seq", [type, id])).map(
    ({ data }) => data,
  );
const inDays = (iso: string | null) => (iso ? Math.round((Date.parse(iso) - Date.now()) / DAY_MS) : null);

describe("the end of a key", () => {
  test("is in 90 days unless chosen otherwise, and never only where an owner allows it", async () => {
    const ends = async (expires?: unknown) => {
      const made = await make(ada, { expires });
      return made.status === 201 ? inDays(made.expiresAt) : [made.status, made.body.code];
    };
    expect(await ends()).toBe(90);
    for (const days of [7, 30, 90, 365]) expect(await ends(days)).toBe(days);
    expect(await ends(new Date(Date.now() + 20 * DAY_MS).toISOString())).toBe(20);
    const refused = [422, "invalid_input"];
    for (const expires of [
      "never",
      0,
      8,
      -7,
      null,
      "",
      "soon",
      new Date(Date.now() - 1000).toISOString(),
      new Date(Date.now() + 400 * DAY_MS).toISOString(),
    ])
      expect([expires, await ends(expires)]).toEqual([expires, refused]);

    const allow = (who: Member, keysWithoutEnd: boolean) =>
      web.call("PATCH", "/api/v1/organization", { cookie: who.cookie, body: { keysWithoutEnd } });
    expect((await allow(ada, true)).status).toBe(403);
    expect(await ends("never")).toEqual(refused);
    expect((await allow(olga, true)).body.keysWithoutEnd).toBe(true);
    expect(await ends("never")).toBeNull();
    expect((await allow(olga, false)).body.keysWithoutEnd).toBe(false);
    expect(await ends("never")).toEqual(refused);
  });

  test("a key from before keys had an end has none, and a web process of before gives 90 days", async () => {
    const { id, secret } = await make(ada);
    await sql("UPDATE api_key SET expires_at = NULL WHERE id = $1", [id]);
    expect(await listed(id)).toMatchObject({ state: "active", expiresAt: null });
    expect(await use(secret)).toEqual([200, null]);
    const [old] = await sql(
      `INSERT INTO api_key (organization_id, id, name, role, secret_hash) VALUES ($1, gen_random_uuid(), 'Old', 'viewer',
        decode(md5(random()::text), 'hex')) RETURNING expires_at`,
      [acme],
    );
    expect(inDays(old.expires_at.toISOString())).toBe(90);
  });

  test("the next call after it is refused, and the key is shown as expired", async () => {
    const { id, secret } = await make(ada);
    expect(await use(secret)).toEqual([200, null]);
    await sql("UPDATE api_key SET expires_at = now() - interval '1 second' WHERE id = $1", [id]);
    expect(await use(secret)).toEqual([401, "key_expired"]);
    expect(await listed(id)).toMatchObject({ state: "expired" });
    // Nor does a web process of before take it.
    const [old] = await sql(
      "SELECT count(*)::int AS found FROM gate.api_key((SELECT secret_hash FROM api_key WHERE id = $1))",
      [id],
    );
    expect(old.found).toBe(0);
    await web.call("DELETE", `/api/v1/api-keys/${id}`, { cookie: ada.cookie });
    expect(await use(secret)).toEqual([401, "unauthenticated"]);
  });

  test("ends its streams within a minute", async () => {
    const { id, secret } = await make(ada);
    const stream = await listen(secret);
    await sql("UPDATE api_key SET expires_at = now() - interval '1 second' WHERE id = $1", [id]);
    await stream.endsWithinAMinute();
  });

  test("stops what was begun with it: bulk operations and retries", async () => {
    const { id } = await make(ada, { role: "operator" });
    const inForce = async () => {
      const { IN_FORCE } = await import("@/lib/people/api-keys/api-key-reads.ts");
      const rows = await web.db.withOrganization(
        acme,
        (tx) => tx.$queryRaw<unknown[]>`SELECT k.id FROM api_key k WHERE k.id = ${id}::uuid AND ${IN_FORCE}`,
      );
      return rows.length;
    };
    expect(await inForce()).toBe(1);
    await sql("UPDATE api_key SET expires_at = now() - interval '1 second' WHERE id = $1", [id]);
    expect(await inForce()).toBe(0);
  });

  test("counts as no key does: guesses with an ended one are limited by address", async () => {
    const { id, secret } = await make(ada);
    await sql("UPDATE api_key SET expires_at = now() - interval '1 second' WHERE id = $1", [id]);
    const from = { "x-forwarded-for": "192.0.2.50" };
    await use(secret, from);
    const [counted] = await sql("SELECT count(*)::int AS rows FROM throttle WHERE key = $1", [
      "calls address 192.0.2.50",
    ]);
    expect(counted.rows).toBe(1);
  });
});

describe("a role", () => {
  test("of a maker who is made less bounds the key at once, however the membership was changed", async () => {
    const mia = await web.member(acme, "Mia", "admin");
    const { secret } = await make(mia, { role: "admin" });
    expect((await web.call("GET", "/api/v1/api-keys", { key: secret })).status).toBe(200);
    await sql("UPDATE membership SET role = 'viewer' WHERE user_id = $1", [mia.userId]);
    expect((await web.call("GET", "/api/v1/api-keys", { key: secret })).status).toBe(403);
    expect((await web.call("GET", "/api/v1/me", { key: secret })).body.role).toBe("viewer");
    await sql("DELETE FROM membership WHERE user_id = $1", [mia.userId]);
    expect(await use(secret)).toEqual([401, "unauthenticated"]);
  });
});

describe("rotating a key", () => {
  const rotate = async (who: object, id: string, body: object = {}, headers: Record<string, string> = {}) => {
    const reply = await web.call("POST", `/api/v1/api-keys/${id}/rotate`, { ...who, body, headers });
    return { status: reply.status, ...reply.body } as Made & { status: number; code?: string };
  };

  test("gives a new secret at once; the old one works for the overlap and not longer", async () => {
    const { id, secret } = await make(ada);
    const rotated = await rotate(ada, id);
    expect(rotated).toMatchObject({ status: 200, id, state: "rotated" });
    expect([inDays(rotated.previousUntil), inDays(rotated.expiresAt)]).toEqual([1, 90]);
    expect([await use(secret), await use(rotated.secret)]).toEqual([
      [200, null],
      [200, null],
    ]);
    expect(await listed(id)).toMatchObject({ state: "rotated", previousUntil: rotated.previousUntil });
    await sql("UPDATE api_key SET previous_until = now() - interval '1 second' WHERE id = $1", [id]);
    expect([await use(secret), await use(rotated.secret)]).toEqual([
      [401, "key_expired"],
      [200, null],
    ]);
    expect(await listed(id)).toMatchObject({ state: "active", previousUntil: null });
    // A second rotation leaves no third secret.
    const again = await rotate(ada, id, { overlapMs: 7 * DAY_MS });
    expect(await use(secret)).toEqual([401, "unauthenticated"]);
    expect([await use(rotated.secret), await use(again.secret)]).toEqual([
      [200, null],
      [200, null],
    ]);
    expect(await lines("key.rotated", id)).toHaveLength(2);
  });

  test("without an overlap, or once it is ended by hand, the old secret is refused at once", async () => {
    const { id, secret } = await make(ada);
    const first = await rotate(ada, id, { overlapMs: 0 });
    expect([await use(secret), first.previousUntil]).toEqual([[401, "unauthenticated"], null]);
    const second = await rotate(ada, id, { overlapMs: DAY_MS });
    const end = () => web.call("DELETE", `/api/v1/api-keys/${id}/previous-secret`, { cookie: ada.cookie });
    expect((await end()).status).toBe(204);
    expect((await end()).status).toBe(204);
    expect([await use(first.secret), await use(second.secret)]).toEqual([
      [401, "unauthenticated"],
      [200, null],
    ]);
    expect(await lines("key.secret_ended", id)).toHaveLength(1);
  });

  test("never makes the old secret live longer than it would have", async () => {
    const { id, secret } = await make(ada, { expires: new Date(Date.now() + 3600_000).toISOString() });
    const { previousUntil } = await rotate(ada, id, { overlapMs: 7 * DAY_MS });
    expect(Date.parse(previousUntil ?? "")).toBeLessThanOrEqual(Date.now() + 3600_000);
    const ended = await make(ada);
    await sql("UPDATE api_key SET expires_at = now() - interval '1 second' WHERE id = $1", [ended.id]);
    expect((await rotate(ada, ended.id)).previousUntil).toBeNull();
    expect([await use(secret), await use(ended.secret)]).toEqual([
      [200, null],
      [401, "unauthenticated"],
    ]);
  });

  test.each([
    { overlapMs: -1 },
    { overlapMs: 7 * DAY_MS + 1 },
    { overlapMs: 0.5 },
    { overlapMs: "1" },
    { expires: "never" },
    { other: 1 },
  ])("refuses %j", async (body) => {
    const { id } = await make(ada);
    expect(await rotate(ada, id, body)).toMatchObject({ status: 422, code: "invalid_input" });
  });

  test("is its maker's alone: nobody gets a secret of another person's key, nor of the command line's", async () => {
    const { id } = await make(olga, { role: "owner" });
    const weak = await make(olga);
    const [{ id: makerless }] = await (async () => {
      await web.key(acme, "viewer");
      return sql("SELECT id FROM api_key WHERE created_by IS NULL AND role = 'viewer' AND name = 'viewer'");
    })();
    for (const [who, key] of [
      [ada, id],
      [ada, weak.id],
      [olga, makerless],
      [{ key: await web.key(acme, "owner") }, weak.id],
      [{ key: await web.key(acme, "owner") }, makerless],
    ] as const)
      expect(await rotate(who, key)).toMatchObject({ status: 403, code: "forbidden" });
    // A key rotates itself, without moving its end, and no other.
    const helper = await make(olga, { role: "admin", expires: 7 });
    expect((await rotate({ key: helper.secret }, weak.id)).status).toBe(403);
    expect((await rotate({ key: helper.secret }, helper.id, { expires: 30 })).status).toBe(403);
    const renewed = await rotate({ key: helper.secret }, helper.id);
    expect([renewed.status, renewed.expiresAt]).toEqual([200, helper.expiresAt]);
    expect((await rotate(olga, crypto.randomUUID())).status).toBe(404);
  });

  test("under one Idempotency-Key happens once, and a repeat answers the same secret", async () => {
    const { id, secret } = await make(ada);
    const headers = { "idempotency-key": "rotation 1" };
    const [first, second] = await Promise.all([rotate(ada, id, {}, headers), rotate(ada, id, {}, headers)]);
    expect(first.secret).toBe(second.secret);
    expect(await lines("key.rotated", id)).toHaveLength(1);
    expect([await use(secret), await use(first.secret)]).toEqual([
      [200, null],
      [200, null],
    ]);
    expect(await rotate(ada, id, { overlapMs: 0 }, headers)).toMatchObject({ code: "idempotency_mismatch" });
    // After another rotation the key is free, and brings no secret back.
    await rotate(ada, id, { overlapMs: 0 }, { "idempotency-key": "rotation 2" });
    const third = await rotate(ada, id, { overlapMs: 0 }, headers);
    expect([third.status, third.secret === first.secret]).toEqual([200, false]);
    expect(await use(first.secret)).toEqual([401, "unauthenticated"]);
  });
});

describe("the networks of a key", () => {
  const from = (address: string) => ({ "x-forwarded-for": address });

  test("are the only ones it is taken from; other addresses are refused and recorded, once in a while", async () => {
    const { id, secret } = await make(ada, { networks: ["203.0.113.0/24", "2001:db8::/32"] });
    for (const address of ["203.0.113.7", "::ffff:203.0.113.7", "2001:db8::7", "10.0.0.1, 203.0.113.7"])
      expect([address, await use(secret, from(address))]).toEqual([address, [200, null]]);
    for (const address of ["203.0.114.7", "2001:db9::7", "203.0.113.7, 10.0.0.1", "x"])
      expect([address, await use(secret, from(address))]).toEqual([
        address,
        [403, "address_not_allowed_for_key"],
      ]);
    expect(await use(secret)).toEqual([403, "address_not_allowed_for_key"]);
    expect(await lines("key.refused", id)).toEqual([
      { keyId: id, name: "Billing", network: "203.0.114.0/24" },
    ]);
    // Nor does a web process of before take it, which knows no networks.
    const [old] = await sql(
      "SELECT count(*)::int AS found FROM gate.api_key((SELECT secret_hash FROM api_key WHERE id = $1))",
      [id],
    );
    expect(old.found).toBe(0);
  });

  test("are checked of open streams too", async () => {
    const { id, secret } = await make(ada);
    const stream = await listen(secret, from("203.0.113.7"));
    const change = (networks: string[], who = ada) =>
      web.call("PATCH", `/api/v1/api-keys/${id}`, { cookie: who.cookie, body: { networks } });
    expect((await change(["198.51.100.0/24"])).body.networks).toEqual(["198.51.100.0/24"]);
    await stream.endsWithinAMinute();
    expect(await lines("key.networks_changed", id)).toHaveLength(1);
  });

  test("of an owner's key are changed by owners, and of any other by admins", async () => {
    const { id } = await make(olga, { role: "owner", networks: ["203.0.113.7"] });
    const change = (who: Member) =>
      web.call("PATCH", `/api/v1/api-keys/${id}`, { cookie: who.cookie, body: { networks: [] } });
    expect([(await change(ada)).status, (await change(olga)).status]).toEqual([403, 200]);
  });

  test.each(["0.0.0.0/0", "::/0", "10.0.0.0/33", "10.0.0/8", "example.com", ""])(
    "refuses %j",
    async (network) => {
      expect(await make(ada, { networks: [network] })).toMatchObject({ status: 422, code: "invalid_input" });
    },
  );
});

describe("the last use of a key", () => {
  test("is written once a minute, with the network and the program", async () => {
    const { id, secret } = await make(ada);
    const call = (address: string, agent: string) =>
      use(secret, { "x-forwarded-for": address, "user-agent": agent });
    await call("203.0.113.7", "curl/8.5");
    const first = await listed(id);
    expect(first).toMatchObject({ lastUsedNetwork: "203.0.113.0/24", lastUsedAgent: "curl/8.5" });
    expect(first.lastUsedAt).toMatch(/:00\.000Z$/);
    await sql(
      "UPDATE api_key SET last_used_at = date_trunc('minute', now()) + interval '1 minute' WHERE id = $1",
      [id],
    );
    const version = () => sql("SELECT xmin::text, last_used_agent FROM api_key WHERE id = $1", [id]);
    const before = await version();
    for (let n = 0; n < 5; n++) await call("198.51.100.1", "other");
    expect(await version()).toEqual(before);
    await sql("UPDATE api_key SET last_used_at = now() - interval '61 s' WHERE id = $1", [id]);
    await Promise.all([1, 2, 3].map(() => call("2001:db8::1", `${"a".repeat(300)}\u0000`.slice(0, 250))));
    expect(await listed(id)).toMatchObject({
      lastUsedNetwork: "2001:db8::/48",
      lastUsedAgent: "a".repeat(200),
    });
  });

  test("is not moved by a call that is refused", async () => {
    const { id, secret } = await make(ada, { networks: ["203.0.113.7"] });
    await use(secret, { "x-forwarded-for": "198.51.100.1" });
    await sql("UPDATE api_key SET expires_at = now() - interval '1 second', networks = '{}' WHERE id = $1", [
      id,
    ]);
    await use(secret);
    expect(await listed(id)).toMatchObject({ lastUsedAt: null, lastUsedNetwork: null });
  });
});

/** Opens a stream, on timers that the test moves. */
async function listen(key: string, headers: Record<string, string> = {}) {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  const abort = new AbortController();
  const response = await web.open("GET", "/api/v1/stream", { key, headers, signal: abort.signal });
  let ended = false;
  void (async () => {
    for await (const _chunk of response.body ?? []);
    ended = true;
  })();
  return {
    async endsWithinAMinute() {
      try {
        expect([response.status, ended]).toEqual([200, false]);
        await vi.advanceTimersByTimeAsync(60_000);
        vi.useRealTimers();
        await patiently(() => expect(ended).toBe(true));
      } finally {
        vi.useRealTimers();
        abort.abort();
      }
    },
  };
}
