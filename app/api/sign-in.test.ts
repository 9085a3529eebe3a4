import { beforeAll, describe, expect, test, vi } from "vitest";
import { seedDemo } from "@/prisma/seed-demo.ts";
import { webForFile } from "@/test/web.ts";

const SETUP_TOKEN = "the token of the tests";

const web = webForFile(() => ({
  INTRAY_DEMO: "1",
  INTRAY_SETUP_TOKEN: SETUP_TOKEN,
  CRON_SECRET: "a secret of the scheduler",
}));

beforeAll(async () => {
  await seedDemo(web.database.ownerUrl, { invoiceUrl: "http://127.0.0.1:3001" });
  await seedDemo(web.database.ownerUrl, { invoiceUrl: "http://127.0.0.1:3002" });
});

const from = (address: string) => ({ "x-forwarded-for": address });
const HERE = { network: "10.7.0.1", browser: null };

describe("the demonstration", () => {
  test("offers its people on this machine's names alone", async () => {
    for (const host of ["localhost", "localhost:3000", "127.0.0.1:3000", "[::1]:3000"])
      expect((await demoPeople({ host })).map((person) => person.name)).toEqual([
        "Ana",
        "Ola",
        "Ben",
        "Cleo",
        "Gus",
      ]);
    for (const host of [
      "evil.example",
      "localhost.evil.example",
      "10.0.0.1",
      "127.0.0.1.evil.example:80",
      "",
    ])
      expect(await demoPeople({ host })).toEqual([]);
  });

  test("offers nobody, and lets nobody in, unless the server in front says that a request came directly", async () => {
    const { demoPeople: peopleFor } = await import("@/lib/web/auth/demo.ts");
    for (const mark of ["", "1", "true"])
      expect(await peopleFor(new Headers({ host: "localhost:3000", "x-intray-direct": mark }))).toEqual([]);
  });

  test("is nowhere once Intray is known by another name", async () => {
    const { env } = await import("@/lib/base/env.ts");
    const own = env().url;
    try {
      env().url = "https://intray.example";
      expect(await demoPeople({ host: "localhost:3000" })).toEqual([]);
    } finally {
      env().url = own;
    }
    expect(await demoPeople({ host: "localhost:3000" })).toHaveLength(5);
  });

  test("has its servers where the sample server listens now", async () => {
    const ana = await signInAs("Ana");
    const { items } = (await web.call("GET", "/api/v1/servers", { cookie: ana })).body;
    expect(items.map((item: { name: string; url: string }) => [item.name, item.url])).toEqual([
      ["Finance ERP", "http://127.0.0.1:3002/mcp"],
      ["Finance ERP (2025-11-25)", "http://127.0.0.1:3002/mcp"],
    ]);
  });

  async function demoPeople(headers: Record<string, string>) {
    const { directHeaders } = await import("@/lib/web/auth/direct.ts");
    const { demoPeople: peopleFor } = await import("@/lib/web/auth/demo.ts");
    return peopleFor(new Headers({ ...directHeaders(), ...headers }));
  }

  async function signInAs(name: string): Promise<string> {
    const person = (await demoPeople({ host: "localhost" })).find((candidate) => candidate.name === name);
    return web.signIn(person?.id ?? "");
  }

  test("wrong setup tokens are counted wherever they come from, and keep nobody out who has the right one", async () => {
    const setUp = (token: string, n: number) =>
      web.call("POST", "/api/setup", {
        body: {
          token,
          organizationName: "X",
          name: "X",
          // The demo uses this e-mail address.
          email: "ana@acme.example",
          password: "a long password",
        },
        headers: from(`10.4.0.${n}`),
      });
    const guess = (n: number) => setUp(`a guess, ${n}`, n);
    const codes = [];
    for (let n = 0; n < 62; n++) codes.push((await guess(n)).body.code);
    expect(codes).toEqual([...Array(60).fill("wrong_setup_token"), "throttled", "throttled"]);
    const { status, body } = await setUp(SETUP_TOKEN, 63);
    expect([status, body.errors[0].field]).toEqual([422, "email"]);
    const { withClient } = await import("@/scripts/database/roles.ts");
    await withClient(web.database.adminUrl, (client) => client.query("DELETE FROM throttle"));
  });

  test("is over for good once Intray is set up, of two at once by one", async () => {
    const ana = await signInAs("Ana");
    const key = (
      await web.call("POST", "/api/v1/api-keys", { cookie: ana, body: { name: "k", role: "owner" } })
    ).body.secret;
    const body = {
      token: SETUP_TOKEN,
      organizationName: "Acme",
      name: "Dora",
      email: "Dora@real.example",
      password: "correct horse battery",
    };
    const common = await web.call("POST", "/api/setup", { body: { ...body, password: "Password123!" } });
    expect([common.status, common.body.errors?.[0]?.field]).toEqual([422, "password"]);
    const weak = await web.call("POST", "/api/setup", { body: { ...body, password: "short" } });
    expect([weak.status, weak.body.errors[0].field]).toEqual([422, "password"]);
    const taken = await web.call("POST", "/api/setup", { body: { ...body, email: "ana@acme.example" } });
    expect([taken.status, taken.body.errors[0].field]).toEqual([422, "email"]);

    const { token: _, ...tokenless } = body;
    for (const [wrong, code] of [
      [tokenless, "invalid_input"],
      [{ ...body, token: "" }, "invalid_input"],
      [{ ...body, token: [SETUP_TOKEN] }, "invalid_input"],
      [{ ...body, token: "a stranger's guess" }, "wrong_setup_token"],
      [{ ...body, token: SETUP_TOKEN.slice(1) }, "wrong_setup_token"],
    ] as const) {
      const refused = await web.call("POST", "/api/setup", { body: wrong, headers: from("10.3.0.1") });
      expect([refused.body.code, refused.body.errors[0].field]).toEqual([code, "token"]);
      expect(JSON.stringify(refused.body)).not.toContain(SETUP_TOKEN);
    }
    await withoutToken(async () => {
      const closed = await web.call("POST", "/api/setup", { body, headers: from("10.3.0.1") });
      expect([closed.status, closed.body.code]).toEqual([403, "setup_closed"]);
      expect(closed.body.detail).toMatch(/INTRAY_SETUP_TOKEN.*intray org create/);
      expect(await warnings()).toEqual([expect.stringMatching(/INTRAY_SETUP_TOKEN.*intray org create/)]);
    });
    expect(await warnings()).toEqual([]);

    const answers = await Promise.all([1, 2].map(() => web.call("POST", "/api/setup", { body })));
    expect(answers.map((answer) => answer.status).sort()).toEqual([201, 409]);
    // The demo uses "acme".
    expect(answers.find((answer) => answer.status === 201)?.body.slug).toMatch(/^acme-[0-9a-f]{6}$/);

    // The token is used up; a wrong token and the right one get the same response.
    for (const token of [SETUP_TOKEN, "a stranger's guess"]) {
      const late = await web.call("POST", "/api/setup", { body: { ...body, token } });
      expect([late.status, late.body.code]).toEqual([409, "already_set_up"]);
    }

    await withoutToken(async () => expect(await warnings()).toEqual([]));

    expect(await demoPeople({ host: "localhost" })).toEqual([]);
    expect((await web.call("GET", "/api/v1/me", { cookie: ana })).status).toBe(401);
    expect((await web.call("GET", "/api/v1/me", { key })).status).toBe(401);
    const { checkPassword } = await import("@/lib/web/auth/sign-in/with-password.ts");
    expect((await checkPassword(" DORA@real.example", "correct horse battery", HERE)).kind).toBe("person");
  });
});

/** Returns a web process's messages about setup at its start. */
async function warnings(): Promise<unknown[]> {
  const { log } = await import("@/lib/base/log.ts");
  const { warnWhileSetupIsClosed } = await import("@/lib/web/auth/setup.ts");
  const warn = vi.spyOn(log, "warn");
  try {
    await warnWhileSetupIsClosed();
    return warn.mock.calls.map(([line]) => line);
  } finally {
    warn.mockRestore();
  }
}

/** A web process without a setup token. */
async function withoutToken(work: () => Promise<void>): Promise<void> {
  const { env } = await import("@/lib/base/env.ts");
  const given = env().setupToken;
  try {
    env().setupToken = undefined;
    await work();
  } finally {
    env().setupToken = given;
  }
}

// Each attempt computes a slow hash, on purpose.
describe("passwords", () => {
  test("are set with a link that works once, of two at once for one, and ends the person's sessions", async () => {
    const { makePasswordLink } = await import("@/lib/people/members/member-writes.ts");
    const organization = await web.organization("links");
    const ben = await web.member(organization, "Ben", "viewer");
    const token = await web.db.withOrganization(organization, (tx) =>
      makePasswordLink(tx, ben.userId, 60_000),
    );
    const set = (password: string) =>
      web.call("POST", "/api/set-password", { body: { token, password }, headers: from("10.1.1.1") });
    const answers = await Promise.all([set("a long password"), set("a long password")]);
    expect(answers.map((answer) => answer.status).sort()).toEqual([204, 410]);
    expect((await set("another password")).body.code).toBe("link_expired");
    expect((await web.call("GET", "/api/v1/me", { cookie: ben.cookie })).status).toBe(401);

    const old = await web.db.withOrganization(organization, (tx) => makePasswordLink(tx, ben.userId, -1));
    const late = await web.call("POST", "/api/set-password", {
      body: { token: old, password: "a long password" },
      headers: from("10.1.1.1"),
    });
    expect(late.status).toBe(410);
  });

  test("are set by one link alone: the others of the person end, and of two used at once one wins", async () => {
    const { makePasswordLink } = await import("@/lib/people/members/member-writes.ts");
    const organization = await web.organization("more-links");
    const ben = await web.member(organization, "Ben", "viewer");
    const tokens = await Promise.all(
      [1, 2, 3].map(() =>
        web.db.withOrganization(organization, (tx) => makePasswordLink(tx, ben.userId, 60_000)),
      ),
    );
    const set = (token: string | undefined) =>
      web.call("POST", "/api/set-password", {
        body: { token, password: "a long password" },
        headers: from("10.1.1.2"),
      });
    const answers = await Promise.all([set(tokens[0]), set(tokens[1])]);
    expect(answers.map((answer) => answer.status).sort()).toEqual([204, 410]);
    expect((await set(tokens[2])).body.code).toBe("link_expired");
  });

  test("are refused after five wrong tries of one account from one network, and after thirty from all", async () => {
    const { checkPassword } = await import("@/lib/web/auth/sign-in/with-password.ts");
    const from = async (network: string, email = "nobody@x.example") =>
      (await checkPassword(email, "wrong wrong", { network, browser: null })).kind;
    const tries = [];
    for (let n = 0; n < 7; n++) tries.push(await from("10.0.0.1"));
    expect(tries).toEqual([...Array(5).fill("refused"), "throttled", "throttled"]);
    for (let n = 0; n < 25; n++) expect(await from(`10.0.1.${n}`)).toBe("refused");
    expect(await from("10.0.2.1")).toBe("throttled");
    expect(await from("10.0.0.1", "somebody@x.example")).toBe("refused");
  });

  test("cannot be set without end from one address", async () => {
    const body = { token: "x", password: "a long password" };
    const answers = [];
    for (let n = 0; n < 11; n++)
      answers.push(
        await web.call("POST", "/api/set-password", { body, headers: from("10.9.9.9, 10.2.2.2") }),
      );
    expect(answers.map((answer) => answer.status)).toEqual([...Array(10).fill(410), 429]);
    expect(answers.at(-1)?.headers.get("retry-after")).toBe("60");
  });
});

test("a run of the engine is for the scheduler alone, one at a time", async () => {
  const { runEngineOnce } = await import("@/lib/web/engine-run.ts");
  const secret = `Bearer ${process.env.CRON_SECRET}`;
  let finish = () => {};
  const work = () => new Promise<number>((resolve) => (finish = () => resolve(1)));
  await expect(runEngineOnce(null, work)).rejects.toMatchObject({ code: "unauthenticated" });
  await expect(runEngineOnce(`${secret}x`, work)).rejects.toMatchObject({ code: "unauthenticated" });
  const first = runEngineOnce(secret, work);
  await expect(runEngineOnce(secret, work)).rejects.toMatchObject({ code: "engine_busy" });
  finish();
  expect(await first).toBe(1);
});

test("readiness says what is missing", async () => {
  const answer = await web.call("GET", "/readyz");
  expect([answer.status, answer.body]).toEqual([
    503,
    { ready: false, database: true, migrations: true, engine: false },
  ]);
  // Calls work nevertheless: people read and answer while no engine runs.
  expect((await web.call("GET", "/readyz?part=web")).status).toBe(200);
  const { withClient } = await import("@/scripts/database/roles.ts");
  await withClient(web.database.engineUrl, (client) =>
    client.query("INSERT INTO engine (id) VALUES (gen_random_uuid())"),
  );
  expect((await web.call("GET", "/readyz")).status).toBe(200);
});

test("during an upgrade the old version stays ready, and the new one becomes so with its migrations", async () => {
  const { withClient } = await import("@/scripts/database/roles.ts");
  const change = (sql: string) => withClient(web.database.ownerUrl, (client) => client.query(sql));
  const status = async () => (await web.call("GET", "/readyz?part=web")).status;
  await change(
    `INSERT INTO _prisma_migrations (id, checksum, migration_name) VALUES ('newer', '', '9999_newer')`,
  );
  await change("UPDATE _prisma_migrations SET finished_at = now() WHERE id = 'newer'");
  expect(await status()).toBe(200);
  await change("UPDATE _prisma_migrations SET finished_at = NULL WHERE migration_name LIKE '0002%'");
  expect(await status()).toBe(503);
  await change("DELETE FROM _prisma_migrations WHERE id = 'newer'");
  await change("UPDATE _prisma_migrations SET finished_at = now()");
});

test("the web does not work as the database's owner or a superuser", async () => {
  const { createDatabase } = await import("@/lib/base/db/db.ts");
  const { refusePowerfulRole } = await import("@/lib/base/db/db.ts");
  for (const [url, refused] of [
    [web.database.ownerUrl, true],
    [web.database.adminUrl, true],
    [web.database.appUrl, false],
    [web.database.engineUrl, false],
  ] as const) {
    const db = createDatabase(url, { connections: 1 });
    const check = refusePowerfulRole(db, "APP_DATABASE_URL");
    await (refused ? expect(check).rejects.toThrow("row security") : expect(check).resolves.toBeUndefined());
    await db.close();
  }
});
