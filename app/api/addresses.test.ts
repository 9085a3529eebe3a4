/** Where an organization lists networks, it is reached from those alone: by sessions, keys, streams and links. */
import { beforeEach, describe, expect, test, vi } from "vitest";
import { callerOf } from "@/lib/web/http/client-address.ts";
import { statementsOf } from "@/test/guards/statements.ts";
import { patiently } from "@/test/setup/patience.ts";
import { tokenOf, webForFile } from "@/test/web.ts";

const CODE = "address_not_allowed_for_organization";
const INSIDE = "203.0.113.7";
const OUTSIDE = "198.51.100.7";

interface Member {
  userId: string;
  memberId: string;
  cookie: string;
}

const web = webForFile();
let acme: string;
let olga: Member;
let made = 0;

beforeEach(async () => {
  acme = await web.organization(`acme-${++made}`);
  olga = await web.member(acme, "Olga", "owner");
});

const from = (address: string) => ({ "x-forwarded-for": address });
type Who = { cookie?: string; key?: string };
const get = (path: string, who: Who, address: string) =>
  web.call("GET", path, { ...who, headers: from(address) });
const sql = (text: string, values: unknown[] = []) => web.database.sql(text, values);
const read = async (who: Who = olga, address = INSIDE) =>
  (await get("/api/v1/organization/addresses", who, address)).body;
const save = (networks: string[], version: number, { cookie }: Who = olga, address = INSIDE) =>
  web.call("PUT", "/api/v1/organization/addresses", {
    ...(cookie && { cookie }),
    headers: from(address),
    body: { networks, version },
  });
/** Sets the list without the checks of a save. */
const list = (networks: string[], organizationId = acme) =>
  sql("UPDATE organization SET networks = $2, networks_version = networks_version + 1 WHERE id = $1", [
    organizationId,
    networks,
  ]);
const lines = async (type: string) =>
  (await sql("SELECT actor, data FROM event WHERE organization_id = $1 AND type = $2 ORDER BY seq", [
    acme,
    type,
  ])) as {
    actor: { kind: string; name: string };
    data: Record<string, unknown>;
  }[];

async function listen(who: Who, address: string) {
  const { GET } = await import("@/app/api/v1/stream/route.ts");
  const abort = new AbortController();
  const request = new Request("http://localhost:3000/api/v1/stream", {
    headers: {
      ...from(address),
      ...(who.cookie && { cookie: who.cookie }),
      ...(who.key && { authorization: `Bearer ${who.key}` }),
    },
    signal: abort.signal,
  });
  const response = await GET(request, { params: Promise.resolve({}) });
  const stream = { status: response.status, ended: false, leave: () => abort.abort() };
  void (async () => {
    for await (const _ of response.body ?? []);
    stream.ended = true;
  })();
  return stream;
}

describe("an organization's networks", () => {
  test("are the only ones from which sessions and keys are taken, and nothing is told elsewhere", async () => {
    const key = await web.key(acme, "admin");
    await list(["203.0.113.0/24"]);
    for (const who of [{ cookie: olga.cookie }, { key }]) {
      expect((await get("/api/v1/me", who, INSIDE)).status).toBe(200);
      for (const path of [
        "/api/v1/me",
        "/api/v1/organization",
        "/api/v1/organizations",
        "/api/v1/organization/export",
        "/api/v1/events/export",
        "/api/v1/tasks/export",
        "/api/v1/stream",
        "/api/v1/me/security",
      ]) {
        const refused = await get(path, who, OUTSIDE);
        expect([path, refused.status, refused.body.code]).toEqual([path, 403, CODE]);
        expect(JSON.stringify(refused.body)).not.toContain("acme");
      }
    }
    await list([]);
    expect((await get("/api/v1/me", olga, OUTSIDE)).status).toBe(200);
  });

  test("are judged for what a page reads by itself too, and in a view", async () => {
    const ben = await web.member(acme, "Ben", "approver");
    const begun = await web.call("POST", `/api/v1/members/${ben.memberId}/view-as`, { cookie: olga.cookie });
    expect(begun.status).toBe(200);
    await list([INSIDE]);
    const unattended = { ...from(OUTSIDE), "x-intray-unattended": "1" };
    for (const headers of [from(OUTSIDE), unattended])
      expect((await web.call("GET", "/api/v1/tasks", { cookie: olga.cookie, headers })).body.code).toBe(CODE);
    expect((await get("/api/v1/tasks", olga, INSIDE)).status).toBe(200);
  });

  test("keep no idle session alive that is refused, and keep one that is let in", async () => {
    const lastSeen = () => sql("SELECT last_seen_at AS at FROM session WHERE user_id = $1", [olga.userId]);
    await list(["203.0.113.0/24"]);
    await sql("UPDATE session SET last_seen_at = now() - interval '1 hour' WHERE user_id = $1", [
      olga.userId,
    ]);
    const before = await lastSeen();
    for (const [method, path, body] of [
      ["GET", "/api/v1/me"],
      ["GET", "/api/v1/tasks"],
      ["PUT", "/api/v1/me/organization", { organizationId: acme }],
    ] as const)
      expect(
        (await web.call(method, path, { cookie: olga.cookie, headers: from(OUTSIDE), ...(body && { body }) }))
          .status,
      ).toBe(403);
    expect(await lastSeen()).toEqual(before);
    const reads = { ...from(INSIDE), "x-intray-unattended": "1" };
    await web.call("GET", "/api/v1/me", { cookie: olga.cookie, headers: reads });
    expect(await lastSeen()).toEqual(before);
    expect((await get("/api/v1/me", olga, INSIDE)).status).toBe(200);
    expect(await lastSeen()).not.toEqual(before);
  });

  test.each<[string, string[], string, boolean]>([
    ["IPv4 in IPv6", ["203.0.113.0/24"], "::ffff:203.0.113.7", true],
    ["IPv4 in IPv6, in hexadecimal", ["203.0.113.0/24"], "::ffff:cb00:7107", true],
    ["IPv4 in IPv6 from outside", ["203.0.113.0/24"], "::ffff:198.51.100.7", false],
    ["an octet with a leading zero", ["10.0.0.1", "8.0.0.1"], "010.0.0.1", false],
    ["a network with a leading zero in the address", ["203.0.113.0/24"], "203.0.113.07", false],
    ["the same /64", ["2001:db8:1:2::/64"], "2001:db8:1:2:ffff::9", true],
    ["the next /64", ["2001:db8:1:2::/64"], "2001:db8:1:3::1", false],
    ["one IPv6 address alone", ["2001:db8:1:2::1"], "2001:db8:1:2::2", false],
    ["one IPv6 address, written out", ["2001:db8:1:2::1/128"], "2001:0db8:0001:0002:0:0:0:1", true],
    ["IPv4 against a list of IPv6", ["2001:db8::/32"], "203.0.113.7", false],
    ["a zone", ["203.0.113.0/24"], "fe80::1%eth0", false],
    ["no address", ["203.0.113.0/24"], "unknown", false],
    ["a list that nobody can read", ["not a network"], "203.0.113.7", false],
  ])("judge %s", async (_what, networks, address, reached) => {
    await list(networks);
    const { status, body } = await get("/api/v1/me", olga, address);
    expect([status, body.code]).toEqual(reached ? [200, undefined] : [403, CODE]);
  });

  test.each<[string, string, string | undefined, number]>([
    ["no proxy", OUTSIDE, INSIDE, 0],
    ["one proxy, a forged beginning", "10.0.0.9", `${INSIDE}, ${OUTSIDE}`, 1],
    ["two proxies, a forged beginning", "10.0.0.9", `${INSIDE}, ${OUTSIDE}, 10.0.0.8`, 2],
    ["a caller past both proxies", OUTSIDE, undefined, 2],
  ])("are not passed by a header of the caller's own: %s", async (_what, peer, header, proxies) => {
    await list([INSIDE]);
    expect((await get("/api/v1/me", olga, callerOf(peer, header, proxies))).body.code).toBe(CODE);
  });

  test("take effect at the next call, of every process", async () => {
    await list([INSIDE]);
    expect((await get("/api/v1/me", olga, OUTSIDE)).status).toBe(403);
    await list([OUTSIDE]);
    expect((await get("/api/v1/me", olga, OUTSIDE)).status).toBe(200);
    expect((await get("/api/v1/me", olga, INSIDE)).status).toBe(403);
  });

  test("cost a call no query of their own", async () => {
    const key = await web.key(acme, "owner");
    const asked = async (who: Who) => {
      const [{ status }, statements] = await statementsOf(() => get("/api/v1/me", who, INSIDE));
      expect(status).toBe(200);
      return statements.filter(
        (statement) => !/gate\.(take_calls|sweep_throttle|note_key_use|note_session_use)/.test(statement),
      );
    };
    for (const who of [{ cookie: olga.cookie }, { key }]) {
      await list([]);
      const without = await asked(who);
      await list([INSIDE]);
      expect([without.length, await asked(who)]).toEqual([1, without]);
    }
  });

  test("are narrowed by a key's own, and not widened", async () => {
    const make = async (networks: string[]) =>
      (
        await web.call("POST", "/api/v1/api-keys", {
          cookie: olga.cookie,
          body: { name: "Billing", role: "viewer", networks },
        })
      ).body.secret as string;
    const [narrow, wide] = [await make([INSIDE]), await make([OUTSIDE])];
    await list(["203.0.113.0/24"]);
    expect((await get("/api/v1/me", { key: narrow }, INSIDE)).status).toBe(200);
    expect((await get("/api/v1/me", { key: narrow }, "203.0.113.8")).body.code).toBe(
      "address_not_allowed_for_key",
    );
    expect((await get("/api/v1/me", { key: wide }, OUTSIDE)).body.code).toBe(CODE);
  });

  test.each<[string, string[], string[], string[]]>([
    ["the organization's alone", [], ["203.0.113.0/24"], ["203.0.113.0/24"]],
    ["the key's alone", [INSIDE], [], [INSIDE]],
    ["what both lists have in common", [INSIDE, OUTSIDE], ["203.0.113.0/24", "2001:db8::/32"], [INSIDE]],
    ["the narrower of two", ["203.0.0.0/16"], ["203.0.113.0/24"], ["203.0.113.0/24"]],
    ["no network where nothing is common", [OUTSIDE], ["203.0.113.0/24"], ["none"]],
  ])("bind keys in a web process of before too: %s", async (_what, own, organization, both) => {
    const key = await web.call("POST", "/api/v1/api-keys", {
      cookie: olga.cookie,
      body: { name: "Billing", role: "viewer", networks: own },
    });
    await list(organization);
    const [row] = await sql(
      "SELECT networks FROM gate.find_api_key((SELECT secret_hash FROM api_key WHERE id = $1))",
      [key.body.id],
    );
    expect(row.networks).toEqual(both);
  });

  test("leave a line of history for a refusal, one for each person and network in an hour", async () => {
    await list(["203.0.113.0/24"]);
    for (const address of [OUTSIDE, "198.51.100.8", "192.0.2.1", OUTSIDE])
      await get("/api/v1/me", olga, address);
    const key = await web.key(acme, "viewer");
    await Promise.all([get("/api/v1/me", { key }, OUTSIDE), get("/api/v1/me", { key }, OUTSIDE)]);
    const seen = (await lines("organization.address_refused")).map(({ actor, data }) => [
      actor.kind,
      data.network,
    ]);
    expect(seen).toEqual([
      ["member", "198.51.100.0/24"],
      ["member", "192.0.2.0/24"],
      ["key", "198.51.100.0/24"],
    ]);
  });
});

describe("an open stream", () => {
  test("ends at once when the list is changed so that it leaves its address out, and others go on", async () => {
    const key = await web.key(acme, "viewer");
    const [outside, program, inside] = [
      await listen(olga, OUTSIDE),
      await listen({ key }, OUTSIDE),
      await listen(olga, INSIDE),
    ];
    // The connection for hints may still be opening: saves again until the streams have heard.
    await patiently(async () => {
      const { version, networks } = await read();
      const next = networks.length === 1 ? [INSIDE, "192.0.2.0/24"] : [INSIDE];
      expect((await save(next, version)).status).toBe(200);
      expect([outside.ended, program.ended]).toEqual([true, true]);
    });
    expect(inside.ended).toBe(false);
    inside.leave();
  });

  test("is not opened from outside, and one that was is looked at again by itself", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    try {
      const stream = await listen(olga, OUTSIDE);
      await list([INSIDE]);
      expect((await listen(olga, OUTSIDE)).status).toBe(403);
      await vi.advanceTimersByTimeAsync(30_000);
      vi.useRealTimers();
      await patiently(() => expect(stream.ended).toBe(true));
    } finally {
      vi.useRealTimers();
    }
  });
});

describe("from outside", () => {
  const choose = (organizationId: string, address: string, who: Who = olga) =>
    web.call("PUT", "/api/v1/me/organization", { ...who, headers: from(address), body: { organizationId } });

  test("a session can leave for another organization that is reached, and for no other", async () => {
    const [globex, initech] = [
      await web.organization(`globex-${made}`),
      await web.organization(`initech-${made}`),
    ];
    for (const id of [globex, initech])
      await sql(
        `INSERT INTO membership (organization_id, id, user_id, role) VALUES ($1, gen_random_uuid(), $2, 'viewer')`,
        [id, olga.userId],
      );
    await choose(acme, INSIDE);
    await list([INSIDE]);
    await list([INSIDE], initech);
    const strange = await web.organization(`strange-${made}`);
    await list([INSIDE], strange);
    expect((await choose(initech, OUTSIDE)).body.code).toBe(CODE);
    expect((await choose(acme, OUTSIDE)).body.code).toBe(CODE);
    // Whether an organization of others lists networks is nobody's to learn.
    expect((await choose(strange, OUTSIDE)).body.code).toBe("not_found");
    expect((await get("/api/v1/me", olga, OUTSIDE)).body.code).toBe(CODE);
    expect((await choose(globex, OUTSIDE)).status).toBe(204);
    expect((await get("/api/v1/me", olga, OUTSIDE)).body.organization.id).toBe(globex);
    // Nor from an organization that is reached into one that is not.
    expect((await choose(acme, OUTSIDE)).body.code).toBe(CODE);
    expect((await get("/api/v1/me", olga, OUTSIDE)).body.organization.id).toBe(globex);
  });

  test("nobody joins, with an account or without, and what is refused is noted", async () => {
    const invite = async (email: string) =>
      tokenOf(
        (
          await web.call("POST", "/api/v1/invitations", {
            cookie: olga.cookie,
            body: { email, role: "viewer" },
          })
        ).body.url,
      );
    const account = {
      token: await invite(`new${made}@test.example`),
      name: "New",
      password: "correct horse battery",
    };
    await list([INSIDE]);
    const join = (address: string) =>
      web.call("POST", "/api/join/account", { body: account, headers: from(address) });
    expect((await join(OUTSIDE)).body.code).toBe(CODE);
    expect(await lines("organization.address_refused")).toHaveLength(1);
    expect((await join(INSIDE)).status).toBe(201);

    const globex = await web.organization(`globex-${made}`);
    const gus = await web.member(globex, "Gus", "owner");
    await list([], acme);
    const [{ email }] = (await sql(`UPDATE "user" SET proven_at = now() WHERE id = $1 RETURNING email`, [
      gus.userId,
    ])) as [{ email: string }];
    const token = await invite(email);
    await list([INSIDE]);
    // Gus' own organization is not reached from there either; to join another that is, that does not matter.
    await list([OUTSIDE], globex);
    const accept = (address: string) =>
      web.call("POST", "/api/join", { cookie: gus.cookie, body: { token }, headers: from(address) });
    expect((await accept(OUTSIDE)).body.code).toBe(CODE);
    expect((await accept(INSIDE)).status).toBe(204);
  });

  test("a session can be ended, and the way back from a server's sign-in tells nothing", async () => {
    await list([INSIDE]);
    const { arrive } = await import("@/app/oauth/callback/arrive.ts");
    const back = await arrive(
      new Request("http://localhost:3000/oauth/callback?code=x&state=y", {
        headers: { cookie: olga.cookie, ...from(OUTSIDE) },
      }),
    );
    expect([back.status, new URL(back.headers.get("location") ?? "").search]).toEqual([
      303,
      "?refused=signed_out",
    ]);
    const { handleAuth } = await import("@/lib/web/auth/auth.ts");
    const ask = (path: string[]) =>
      handleAuth(
        new Request(`http://localhost:3000/api/auth/${path.join("/")}`, {
          headers: { cookie: olga.cookie, ...from(OUTSIDE) },
        }),
        path,
      );
    expect((await ask(["session"])).status).toBe(404);
    const [csrf] = [(await (await ask(["csrf"])).json()) as { csrfToken: string }];
    expect(Object.keys(csrf)).toEqual(["csrfToken"]);
  });
});

describe("the list", () => {
  test("is set by owners, read by admins, and tells who asks what Intray sees of them", async () => {
    const ada = await web.member(acme, "Ada", "admin");
    const ola = await web.member(acme, "Ola", "operator");
    expect(await read(ada)).toEqual({
      networks: [],
      version: 0,
      seen: { address: INSIDE, network: INSIDE, isPrivate: false },
    });
    expect((await read(ada, "2001:db8:1:2::9")).seen.network).toBe("2001:db8:1:2::/64");
    for (const address of ["10.1.2.3", "127.0.0.1", "::1", "fd00::1", "172.20.0.4"])
      expect([address, (await read(ada, address)).seen.isPrivate]).toEqual([address, true]);
    expect((await get("/api/v1/organization/addresses", ola, INSIDE)).status).toBe(403);
    expect((await save([INSIDE], 0, ada)).status).toBe(403);
    expect((await save([INSIDE], 0)).body.networks).toEqual([INSIDE]);
    expect(await lines("organization.networks_changed")).toMatchObject([
      { data: { from: [], networks: [INSIDE] } },
    ]);
  });

  test("is not saved so that it leaves its own author out", async () => {
    const refused = await save(["192.0.2.0/24"], 0);
    expect([refused.status, refused.body.code, refused.body.address]).toEqual([
      409,
      "own_address_outside",
      INSIDE,
    ]);
    expect((await save(["192.0.2.0/24"], 0, olga, "unknown")).body.code).toBe("own_address_outside");
    expect(await read()).toMatchObject({ networks: [], version: 0 });
    expect((await save(["192.0.2.0/24", INSIDE], 0)).status).toBe(200);
  });

  test("is saved by one of two owners at once, and the other is told", async () => {
    const otto = await web.member(acme, "Otto", "owner");
    const both = await Promise.all([save([INSIDE], 0), save([INSIDE, "192.0.2.0/24"], 0, otto)]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(both.map(({ body }) => body.code).filter(Boolean)).toEqual(["addresses_changed"]);
    expect(await lines("organization.networks_changed")).toHaveLength(1);
    expect((await read()).version).toBe(1);
  });

  test("that is saved as it is leaves no line", async () => {
    await save([INSIDE], 0);
    expect((await save([INSIDE], 1)).body.version).toBe(1);
    expect(await lines("organization.networks_changed")).toHaveLength(1);
  });

  test.each([
    "0.0.0.0/0",
    "::/0",
    "010.0.0.1",
    "10.0.0.0/33",
    "::ffff:203.0.113.0/120",
    "0:0:0:0:0:ffff:cb00:7100/120",
    "x",
  ])("refuses %j", async (network) => {
    expect((await save([INSIDE, network], 0)).body.code).toBe("invalid_input");
  });
});
