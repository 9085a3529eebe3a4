import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createDatabase } from "../lib/base/db/db.ts";
import { createSeal } from "../lib/base/seal.ts";
import { setPassword } from "../lib/people/members/set-password.ts";
import { NO_DATABASE, runHere, runProcess } from "../test/command-line.ts";
import { insertServer } from "../test/fixtures/rows.ts";
import { databaseForFile } from "../test/for-file.ts";
import { withClient } from "./database/roles.ts";

const database = databaseForFile();
let files: string;
beforeAll(async () => {
  files = await mkdtemp(join(tmpdir(), "intray-cli-"));
});
afterAll(async () => {
  await rm(files, { recursive: true });
});

const SETTINGS = { INTRAY_URL: "https://intray.example" };
const intray = (...args: string[]) => run({ DATABASE_URL: database.ownerUrl }, args);
const run = (settings: Record<string, string>, args: string[]) => runHere({ ...SETTINGS, ...settings }, args);
const inProcess = (settings: Record<string, string>, args: string[]) =>
  runProcess({ ...SETTINGS, ...settings }, args);

const rows = (text: string) => database.sql(text);

const KEYS = `k1:${Buffer.alloc(32, 1).toString("base64")}`;

test("makes an organization, people and keys, and prints the result alone", async () => {
  const organization = await intray("org", "create", "acme", "--name", "Acme", "--owner", "Ana@acme.example");
  expect(organization).toMatchObject({ code: 0, err: "" });
  expect(organization.out).toMatch(/^https:\/\/intray\.example\/set-password#token=[\w-]{43}\n$/);
  const user = await intray(
    "user",
    "create",
    "ben@acme.example",
    "--org",
    "acme",
    "--role",
    "approver",
    "--name",
    "Ben",
  );
  expect(user.out).toMatch(/set-password/);
  const operator = ["key", "create", "--org", "acme", "--role", "operator"];
  const key = await inProcess({ DATABASE_URL: database.ownerUrl }, operator);
  expect(key).toMatchObject({ code: 0, err: "" });
  expect(key.out).toMatch(/^itk_[\w-]{43}\n$/);

  const { rows } = await withClient(database.adminUrl, (client) =>
    client.query(
      'SELECT u.email, u.name, m.role FROM membership m JOIN "user" u ON u.id = m.user_id ORDER BY u.email',
    ),
  );
  expect(rows).toEqual([
    { email: "ana@acme.example", name: "Ana", role: "owner" },
    { email: "ben@acme.example", name: "Ben", role: "approver" },
  ]);
  const verified = await intray("events", "verify", "--org", "acme");
  expect([verified.code, JSON.parse(verified.out)]).toMatchObject([0, { ok: true, lines: 4 }]);
});

test("exports a history, verifies the file without a database, and says where either was altered", async () => {
  const file = join(files, "acme.ndjson");
  expect(await intray("events", "export", "--org", "acme", "--out", file)).toEqual({
    code: 0,
    out: "",
    err: "",
  });
  const lines = (await readFile(file, "utf8")).trimEnd().split("\n");
  expect(JSON.parse(lines.at(-1) ?? "")).toMatchObject({ type: "events.exported" });
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const offline = await run(NO_DATABASE, ["events", "verify", "--file", file]);
  const whole = JSON.parse(offline.out);
  expect([offline.code, whole]).toMatchObject([0, { ok: true, lines: lines.length }]);
  const online = await intray("events", "verify", "--org", "acme", "--head", whole.head);
  expect([online.code, JSON.parse(online.out)]).toEqual([0, whole]);
  const again = await intray("events", "export", "--org", "acme", "--out", file);
  expect(again).toMatchObject({ code: 1, out: "", err: `${file}: EEXIST.\n` });
  const printed = await inProcess({ DATABASE_URL: database.ownerUrl }, ["events", "export", "--org", "acme"]);
  expect(printed.out.startsWith(lines.join("\n"))).toBe(true);

  const forged = join(files, "forged.ndjson");
  await writeFile(forged, lines.with(1, (lines[1] ?? "").replace("Ana", "Eve")).join("\n"));
  const found = await run(NO_DATABASE, ["events", "verify", "--file", forged]);
  expect([found.code, JSON.parse(found.out)]).toMatchObject([
    1,
    { ok: false, brokenAt: 2, fault: "altered" },
  ]);
  expect(found.err).toBe("The history does not hold: somebody altered line 2.\n");
  await withClient(database.adminUrl, (client) =>
    client.query("UPDATE event SET type = 'x.y' WHERE seq = 2"),
  );
  const broken = await intray("events", "verify", "--org", "acme");
  expect([broken.code, JSON.parse(broken.out)]).toMatchObject([
    1,
    { ok: false, brokenAt: 2, fault: "altered" },
  ]);
  const kept = "0".repeat(64);
  const rewritten = await run(NO_DATABASE, ["events", "verify", "--file", file, "--head", kept]);
  expect([rewritten.code, JSON.parse(rewritten.out)]).toMatchObject([1, { ok: false, fault: "cut" }]);
});

test.each([
  ["a slug that is taken", ["org", "create", "acme", "--name", "A", "--owner", "a@b.example"], 1],
  [
    "somebody who is a member",
    ["user", "create", "ben@acme.example", "--org", "acme", "--role", "viewer"],
    1,
  ],
  ["an organization that nobody has", ["key", "create", "--org", "nope", "--role", "viewer"], 1],
  ["a role that is none", ["key", "create", "--org", "acme", "--role", "king"], 2],
  [
    "a key without an end where none may be",
    ["key", "create", "--org", "acme", "--role", "viewer", "--expires", "never"],
    2,
  ],
  ["a key from everywhere", ["key", "create", "--org", "acme", "--role", "viewer", "--from", "0.0.0.0/0"], 2],
  ["to rotate what is no key", ["key", "rotate", "x", "--org", "acme"], 2],
  [
    "to rotate a key that nobody has",
    ["key", "rotate", "0199c0de-0000-7000-8000-000000000000", "--org", "acme"],
    1,
  ],
  ["an agent without a name", ["agent", "create", "--org", "acme"], 2],
  [
    "an agent that is held too long",
    ["agent", "create", "--org", "acme", "--name", "A", "--hold-ms", "210001"],
    2,
  ],
  ["an agent of nothing", ["agent", "create", "--org", "acme", "--name", "A", "--grant"], 2],
  ["an agent of no server", ["agent", "create", "--org", "acme", "--name", "A", "--grant", "nope:pay"], 2],
  ["a quota that is no number", ["org", "quota", "acme", "--open", "many"], 2],
  ["a quota of an organization that nobody has", ["org", "quota", "nope", "--open", "1"], 1],
  ["a missing option", ["key", "create", "--role", "viewer"], 2],
  ["an unknown option", ["key", "create", "--org", "acme", "--role", "viewer", "--force"], 2],
  ["an address that is none", ["user", "create", "ben", "--org", "acme", "--role", "viewer"], 2],
  ["a password link for nobody's address", ["user", "password-link", "eve@acme.example"], 1],
  ["a command that is none", ["make", "coffee"], 2],
  ["a file that is not there", ["events", "verify", "--file", "/nowhere/at/all"], 1],
  ["an organization and a file", ["events", "verify", "--file", "x", "--org", "acme"], 2],
  ["a head that is no hash", ["events", "verify", "--org", "acme", "--head", "x"], 2],
  ["nothing", [], 2],
])("refuses %s", async (_what, args, code) => {
  const answer = await intray(...args);
  expect([answer.code, answer.out]).toEqual([code, ""]);
  expect(answer.err).not.toBe("");
  expect(answer.err).not.toContain("    at ");
});

test("a process that is called wrongly exits with 2, prints no result and shows the commands", async () => {
  const answer = await inProcess({ DATABASE_URL: database.ownerUrl }, ["make", "coffee"]);
  expect([answer.code, answer.out]).toEqual([2, ""]);
  expect(answer.err).toMatch(/^There is no command "make coffee"\.\n\nnpm run -s intray -- <command>\n/);
});

test("makes a key with an end and networks, lists it without its secret, and rotates it", async () => {
  const day = new Date(Date.now() + 20 * 86_400_000).toISOString().slice(0, 10);
  const words = [
    "--org",
    "acme",
    "--role",
    "viewer",
    "--name",
    "Nightly",
    "--expires",
    day,
    "--from",
    "10.0.0.0/8,::1",
  ];
  const made = await intray("key", "create", ...words);
  const list = async () => {
    const lines = (await intray("key", "list", "--org", "acme")).out.trim().split("\n");
    return lines.map((line) => JSON.parse(line)).find(({ name }) => name === "Nightly");
  };
  const key = await list();
  expect(key).toMatchObject({
    expiresAt: `${day}T23:59:59.000Z`,
    networks: ["10.0.0.0/8", "::1"],
    state: "active",
  });
  const rotated = await intray(
    "key",
    "rotate",
    key.id,
    "--org",
    "acme",
    "--overlap-hours",
    "2",
    "--expires",
    "7",
  );
  expect(rotated.out).toMatch(/^itk_[\w-]{43}\n$/);
  expect(rotated.out).not.toBe(made.out);
  const after = await list();
  expect(after.state).toBe("rotated");
  expect(Math.round((Date.parse(after.previousUntil) - Date.now()) / 3600_000)).toBe(2);
});

test("sets an organization's quotas, what is not named staying as it is, and shows them", async () => {
  const defaults = { openTasks: 100000, startsAMinute: 12000, openTasksEach: 50000, startsAMinuteEach: 6000 };
  const shown = await intray("org", "quota", "acme");
  expect([shown.code, JSON.parse(shown.out)]).toEqual([0, defaults]);
  await intray("org", "quota", "acme", "--open", "50000");
  const set = await intray("org", "quota", "acme", "--starts", "30", "--starts-each", "10");
  const now = { ...defaults, openTasks: 50000, startsAMinute: 30, startsAMinuteEach: 10 };
  expect([set.code, JSON.parse(set.out)]).toEqual([0, now]);
  expect(JSON.parse((await intray("org", "quota", "acme")).out)).toEqual(now);
});

test("says that a database is away, without its address", async () => {
  const url = "postgresql://intray_owner:hidden@127.0.0.1:9/intray";
  const answer = await run({ DATABASE_URL: url }, ["key", "create", "--org", "acme", "--role", "viewer"]);
  expect([answer.code, answer.out]).toEqual([1, ""]);
  expect(answer.err).not.toContain("hidden");
  const doctor = await run({ DATABASE_URL: url, INTRAY_KEYS: KEYS, AUTH_SECRET: "0123456789abcdef" }, [
    "doctor",
  ]);
  expect(doctor.code).toBe(1);
  expect(doctor.out).toContain("BAD  database");
});

test("the doctor says where sign-ins come from, and when that is a proxy", async () => {
  const settings = {
    DATABASE_URL: database.ownerUrl,
    AUTH_SECRET: "0123456789abcdef",
    INTRAY_KEYS: KEYS,
    INTRAY_URL: "https://intray.example",
  };
  const finding = async () =>
    (await run(settings, ["doctor"])).out.split("\n").find((line) => line.includes("addresses:"));
  expect(await finding()).toBe(
    "ok   addresses: nobody signed in lately to judge by; INTRAY_TRUSTED_PROXIES is 0",
  );
  const from = (address: string) =>
    withClient(database.adminUrl, (client) =>
      client.query(
        `INSERT INTO session (secret_hash, user_id, expires_at, address)
          SELECT sha256(gen_random_uuid()::text::bytea), id, now(), $1 FROM "user" LIMIT 1`,
        [address],
      ),
    );
  await from("10.0.0.5");
  expect(await finding()).toMatch(
    /^BAD {2}addresses: the last sign-in came from 10\.0\.0\.5, .*number of proxies/,
  );
  await from("198.51.100.7");
  expect(await finding()).toMatch(
    /^ok {3}addresses: the last sign-in came from 198\.51\.100\.7, those of a week from 2/,
  );
});

test("reseal moves secrets to the first key, and the doctor says which keys are still needed", async () => {
  const key = (fill: number) => Buffer.alloc(32, fill);
  const spelled = (...names: number[]) =>
    names.map((fill) => `k${fill}:${key(fill).toString("base64")}`).join(",");
  const id = "019b76da-a800-7000-8000-0000000000aa";
  await withClient(database.adminUrl, async (client) => {
    const { rows } = await client.query("SELECT id FROM organization WHERE slug = 'acme'");
    const organizationId = rows[0].id;
    const place = { organizationId, table: "connection", row: id, column: "sealed_credentials" };
    const sealed = createSeal([{ kid: "k1", key: key(1) }]).seal(place, "token");
    await client.query(
      "INSERT INTO server (organization_id, id, name, url, era_setting, auth_kind) VALUES ($1, $2, 'S', 'https://s.example', 'auto', 'bearer')",
      [organizationId, id],
    );
    await client.query(
      "INSERT INTO connection (organization_id, id, server_id, sealed_credentials) VALUES ($1, $2, $2, $3)",
      [organizationId, id, sealed],
    );
  });
  const settings = { DATABASE_URL: database.ownerUrl, AUTH_SECRET: "0123456789abcdef" };
  const doctor = async (keys: string) => (await run({ ...settings, INTRAY_KEYS: keys }, ["doctor"])).out;
  expect(await doctor(spelled(1))).toContain('ok   secrets: 1 sealed under "k1"\n');
  expect(await doctor(spelled(2, 1))).toContain(
    'ok   secrets: 0 sealed under "k2", still 1 under "k1"; run reseal',
  );
  expect(await doctor(spelled(2))).toContain(
    'BAD  secrets: sealed with keys that INTRAY_KEYS does not have: 1 under "k1"',
  );

  const lost = await run({ ...settings, INTRAY_KEYS: spelled(2) }, ["reseal"]);
  expect([lost.code, lost.err]).toEqual([1, expect.stringContaining("1 could not be opened")]);
  const moved = await run({ ...settings, INTRAY_KEYS: spelled(2, 1) }, ["reseal"]);
  expect([moved.code, moved.err]).toEqual([0, ""]);
  expect(moved.out).toContain('connection.sealed_credentials: 1 sealed again under "k2"');
  expect(await doctor(spelled(2))).toContain('ok   secrets: 1 sealed under "k2"\n');
  const none = await run({ DATABASE_URL: database.ownerUrl }, ["reseal"]);
  expect([none.code, none.err]).toEqual([1, "INTRAY_KEYS is not set, and this command needs it.\n"]);
  await withClient(database.adminUrl, async (client) => {
    await client.query("DELETE FROM connection WHERE id = $1", [id]);
    await client.query("DELETE FROM server WHERE id = $1", [id]);
  });
});

test("the doctor names what is wrong", async () => {
  const settings = { DATABASE_URL: database.ownerUrl, INTRAY_KEYS: KEYS, AUTH_SECRET: "0123456789abcdef" };
  const doctor = await run(settings, ["doctor"]);
  expect(doctor.code).toBe(1);
  expect(doctor.out).toContain("ok   migrations");
  expect(doctor.out).toContain("BAD  engine");
  const unset = await run({ DATABASE_URL: database.ownerUrl }, ["doctor"]);
  expect(unset.out).toContain("INTRAY_KEYS and AUTH_SECRET");
});

test("gives organizations the servers of the operator's file, now and when they are made", async () => {
  const folder = await mkdtemp(join(tmpdir(), "intray-servers-"));
  const path = join(folder, "servers.json");
  const settings = { DATABASE_URL: database.ownerUrl, INTRAY_SERVERS_FILE: path };
  const organizations = ["initech", "umbrella"];
  await writeFile(path, JSON.stringify({ mcpServers: { ledger: { command: "s3cret", organizations } } }));

  await intray("org", "create", "initech", "--name", "Initech", "--owner", "ian@initech.example");
  const synced = await inProcess(settings, ["servers", "sync"]);
  expect(synced).toEqual({
    code: 0,
    out: 'The server "ledger" of "initech" was created.\n',
    err: 'The server "ledger" is for "umbrella", an organization that is not there yet.\n',
  });
  await run(settings, ["org", "create", "umbrella", "--name", "Umbrella", "--owner", "uma@umbrella.example"]);
  expect(await run(settings, ["servers", "sync"])).toEqual({ code: 0, out: "", err: "" });
  const { rows } = await withClient(database.adminUrl, (client) =>
    client.query(
      "SELECT o.slug, s.operator_entry AS entry FROM server s JOIN organization o ON o.id = s.organization_id ORDER BY 1",
    ),
  );
  expect(rows).toEqual(organizations.map((slug) => ({ slug, entry: "ledger" })));

  expect((await run(settings, ["doctor"])).out).not.toContain("commands");
  const complete = { ...settings, INTRAY_KEYS: KEYS, AUTH_SECRET: "0123456789abcdef" };
  expect((await run(complete, ["doctor"])).out).toContain(
    "ok   commands: run as Intray's own user, and can read",
  );
  const another = await run({ ...complete, INTRAY_COMMAND_USER: "10002" }, ["doctor"]);
  expect(another.out).toContain(
    process.getuid?.() === 0
      ? "ok   commands: run as user 10002\n"
      : "BAD  commands: cannot run as user 10002, so they are not run: setpriv: setresuid failed",
  );

  await writeFile(path, JSON.stringify({ mcpServers: {} }));
  const removed = await run(settings, ["migrate"]);
  expect([removed.code, removed.out]).toEqual([0, ""]);
  expect(removed.err).toContain('The server "ledger" of "initech" was removed.');

  await writeFile(path, '{"mcpServers": {"ledger": {"command": ["s3cret"]}}}');
  for (const command of [["servers", "sync"], ["migrate"], ["doctor"]]) {
    const refused = await run(settings, command);
    expect([command, refused.code]).toEqual([command, 1]);
    expect(refused.out + refused.err).toContain('INTRAY_SERVERS_FILE: entry "ledger": command:');
    expect(refused.out + refused.err).not.toMatch(/s3cret| {4}at /);
  }
  expect((await intray("servers", "sync")).err).toBe("INTRAY_SERVERS_FILE is not set.\n");
  await rm(folder, { recursive: true });
});

test("prints a link with which somebody who has an account sets a new password, once", async () => {
  const link = await intray("user", "password-link", "Ben@acme.example");
  expect(link).toMatchObject({ code: 0, err: "" });
  const [, token] =
    /^https:\/\/intray\.example\/set-password#token=([\w-]{43})\n$/.exec(link.out) ??
    expect.unreachable(`"${link.out}" is no link`);
  const db = createDatabase(database.appUrl, { connections: 1 });
  const password = "correct horse battery";
  try {
    await setPassword(db, { token: token as string, password });
    await expect(setPassword(db, { token: token as string, password })).rejects.toMatchObject({
      code: "link_expired",
    });
  } finally {
    await db.close();
  }
  const { rows } = await withClient(database.adminUrl, (client) =>
    client.query(`SELECT email FROM "user" WHERE password_hash IS NOT NULL`),
  );
  expect(rows).toEqual([{ email: "ben@acme.example" }]);
});

test("lists accounts that a shown link has made and that are in several organizations, and no others", async () => {
  expect(await intray("user", "made-by-link")).toMatchObject({ code: 0, out: "", err: "" });
  await withClient(database.adminUrl, (client) =>
    client.query(`WITH made AS (INSERT INTO "user" (id, email, name, proven_at)
        VALUES (gen_random_uuid(), 'linked@x.example', 'L', now()) RETURNING id),
      taken AS (INSERT INTO invitation (organization_id, id, email, role, token_hash, expires_at, accepted_at)
        SELECT id, gen_random_uuid(), 'linked@x.example', 'viewer', 'linked', now(), now() FROM organization WHERE slug = 'acme')
      INSERT INTO membership (organization_id, id, user_id, role)
        SELECT o.id, gen_random_uuid(), made.id, 'viewer' FROM made, organization o WHERE o.slug IN ('acme', 'initech')`),
  );
  expect((await intray("user", "made-by-link")).out).toBe("linked@x.example: acme, initech\n");
});

test("turns two-step sign-in off for somebody who is locked out, and writes it down", async () => {
  const [row] = await withClient(database.adminUrl, async (client) => {
    const { rows } = await client.query(`SELECT id FROM "user" WHERE email = 'ben@acme.example'`);
    await client.query(
      "INSERT INTO second_factor (user_id, sealed_secret, confirmed_at) VALUES ($1, 'v1.k.x', now())",
      [rows[0].id],
    );
    return rows;
  });
  const off = await intray("user", "no-second-factor", "Ben@acme.example");
  expect(off).toMatchObject({ code: 0, out: "Two-step sign-in of ben@acme.example is off.\n" });
  expect((await intray("user", "no-second-factor", "ben@acme.example")).code).toBe(1);
  const { rows } = await withClient(database.adminUrl, (client) =>
    client.query(
      "SELECT data FROM account_event WHERE type = 'account.second_factor_removed' AND user_id = $1",
      [row.id],
    ),
  );
  expect(rows).toEqual([{ data: { byOperator: true } }]);
});

test("after a restore every server is paused, for this reason, and stays so when asked again", async () => {
  const paused = () =>
    withClient(database.adminUrl, async (client) => {
      const { rows } = await client.query(
        `SELECT s.name, s.paused_by->>'name' AS by, left(s.pause_reason, 8) AS why, (SELECT count(*)::integer FROM event e
          WHERE e.type = 'server.paused' AND e.data ->> 'serverId' = s.id::text) AS events
          FROM server s WHERE s.name LIKE 'Restored%' ORDER BY s.name`,
      );
      return rows;
    });
  await withClient(database.adminUrl, (client) =>
    client.query(`INSERT INTO server (organization_id, id, name, url, era_setting, auth_kind)
      SELECT id, gen_random_uuid(), name, 'https://mcp.example/mcp', 'auto', 'none'
      FROM (SELECT id FROM organization LIMIT 1) o, unnest('{Restored,Restored and paused before}'::text[]) name`),
  );
  await withClient(database.adminUrl, (client) =>
    client.query(`UPDATE server SET paused_at = now(), pause_reason = 'Maintenance',
      paused_by = '{"kind":"member","id":null,"name":"Ola"}' WHERE name = 'Restored and paused before'`),
  );
  const is = { by: "Command line", why: "Restored", events: 1 };
  for (let time = 1; time <= 2; time++) {
    expect(await intray("restored")).toEqual({ code: 0, out: "", err: "" });
    expect(await paused()).toEqual([
      { name: "Restored", ...is },
      { name: "Restored and paused before", ...is },
    ]);
  }
});

test("vouches for a member whom another invited, once", async () => {
  await intray("org", "create", "vouch", "--name", "Vouch", "--owner", "olga@vouch.example");
  await intray("user", "create", "ida@vouch.example", "--org", "vouch", "--role", "approver");
  const invitedBy = (who: string) =>
    withClient(database.adminUrl, (client) =>
      client.query(
        `UPDATE maker SET invited_by = ${who} FROM "user" u WHERE u.id = maker.user_id AND u.email = 'ida@vouch.example'`,
      ),
    );
  await invitedBy(`(SELECT id FROM "user" WHERE email = 'olga@vouch.example')`);
  const vouch = () => intray("user", "vouch", "ida@vouch.example", "--org", "vouch");
  expect(await vouch()).toEqual({ code: 0, out: "Ida counts as a person of their own.\n", err: "" });
  expect((await vouch()).code).toBe(1);
});

test("confirms a SAML provider, once, and vouches for whom one that is gone had signed in", async () => {
  await intray("org", "create", "saml", "--name", "Saml", "--owner", "olga@saml.example");
  await intray("user", "create", "ida@saml.example", "--org", "saml", "--role", "approver");
  await withClient(database.adminUrl, async (client) => {
    await client.query(`INSERT INTO saml_provider (organization_id, id, name, entity_id, sso_url, certificates, certificate,
        sealed_key, held_by)
      SELECT o.id, gen_random_uuid(), 'Entra', 'https://x.example', 'https://x.example/sso', '{x}', 'x', 'x', ARRAY[u.id]
      FROM organization o, "user" u WHERE o.slug = 'saml' AND u.email = 'olga@saml.example'`);
    await client.query(`INSERT INTO saml_maker (organization_id, user_id, maker, provider_id)
      SELECT o.id, ida.id, olga.id, gen_random_uuid() FROM organization o, "user" ida, "user" olga
      WHERE o.slug = 'saml' AND ida.email = 'ida@saml.example' AND olga.email = 'olga@saml.example'`);
  });
  const confirm = () => intray("org", "confirm-saml", "Entra", "--org", "saml");
  expect(await confirm()).toEqual({ code: 0, out: "Entra is confirmed. Its sessions ended.\n", err: "" });
  expect((await confirm()).code).toBe(1);
  const vouch = () => intray("user", "vouch", "ida@saml.example", "--org", "saml");
  expect((await vouch()).code).toBe(0);
  expect((await vouch()).code).toBe(1);
});

test("makes no member of somebody who is suspended, and says so", async () => {
  await intray("org", "create", "held", "--name", "Held", "--owner", "olga@held.example");
  await intray("user", "create", "sam@held.example", "--org", "held", "--role", "viewer");
  await withClient(database.adminUrl, async (client) => {
    await client.query(`WITH gone AS (DELETE FROM membership m USING "user" u
        WHERE u.id = m.user_id AND u.email = 'sam@held.example' RETURNING m.*)
      INSERT INTO suspended_member (organization_id, id, user_id, role, single_keys, tour_seen, density, joined_at,
        suspended_by, cause)
      SELECT organization_id, id, user_id, role, single_keys, tour_seen, density, created_at, '{"name": "Olga"}', 'admin'
      FROM gone`);
  });
  const again = await intray("user", "create", "sam@held.example", "--org", "held", "--role", "admin");
  expect([again.code, again.out]).toEqual([1, ""]);
  expect(again.err).toContain('sam@held.example is suspended in "held"');
});

test("deletes an organization at once when its slug is said twice, but not under a legal hold", async () => {
  await intray("org", "create", "doomed", "--name", "Doomed", "--owner", "olga@doomed.example");
  const set = (what: string) =>
    withClient(database.adminUrl, (client) =>
      client.query(`UPDATE organization SET ${what} WHERE slug = 'doomed'`),
    );
  const remove = (confirm: string) => intray("org", "delete", "doomed", "--confirm", confirm);
  expect((await remove("other")).code).toBe(2);
  expect((await remove("doomed")).err).toContain("has never exported it");
  await set(`exported_at = now(), hold_at = now(), hold_by = '{}', hold_reason = 'Case 12'`);
  expect((await remove("doomed")).err).toContain("legal hold");
  await set("hold_at = NULL, hold_by = NULL, hold_reason = NULL");
  expect(await remove("doomed")).toEqual({ code: 0, out: '"doomed" is deleted.\n', err: "" });
});

test("says from which networks an organization is reached, and sets and clears them", async () => {
  await intray("org", "create", "places", "--name", "Places", "--owner", "olga@places.example");
  const addresses = (...args: string[]) => intray("org", "addresses", "--org", "places", ...args);
  expect(await addresses()).toMatchObject({ code: 0, out: "" });
  const set = await addresses("--set", "203.0.113.0/24,2001:db8::/32");
  expect(set).toMatchObject({ code: 0, err: "", out: "203.0.113.0/24\n2001:db8::/32\n" });
  expect((await addresses()).out).toBe(set.out);
  for (const wrong of [
    ["--set", "010.0.0.1"],
    ["--set", ""],
    ["--set", "10.0.0.1", "--clear"],
  ])
    expect((await addresses(...wrong)).code).toBe(2);
  expect((await addresses()).out).toBe(set.out);
  expect(await addresses("--clear")).toMatchObject({ code: 0, out: "" });
  const { rows } = await withClient(database.adminUrl, (client) =>
    client.query("SELECT actor, data FROM event WHERE type = 'organization.networks_changed' ORDER BY seq"),
  );
  expect(rows).toMatchObject([
    { actor: { kind: "system", name: "Command line" }, data: { from: [] } },
    { data: { from: ["203.0.113.0/24", "2001:db8::/32"], networks: [] } },
  ]);
});
test("takes back how people have to sign in, where nobody gets in any more, and says it in the history", async () => {
  await intray("org", "create", "locked", "--name", "Locked", "--owner", "olga@locked.example");
  const rows = (text: string) =>
    withClient(database.adminUrl, async (client) => (await client.query(text)).rows);
  await rows(
    "INSERT INTO sign_in_policy (organization_id, providers) SELECT id, '{gone}' FROM organization WHERE slug = 'locked'",
  );
  expect((await intray("org", "sign-in", "--org", "locked")).code).toBe(2);
  const clear = () => intray("org", "sign-in", "--clear", "--org", "locked");
  expect(await clear()).toMatchObject({ code: 0, err: "" });
  expect(await rows("SELECT providers FROM sign_in_policy")).toEqual([{ providers: [] }]);
  expect((await clear()).out).toContain("nothing was changed");
  expect(await rows("SELECT actor FROM event WHERE type = 'organization.sign_in_changed'")).toMatchObject([
    { actor: { name: "Command line" } },
  ]);
});

test("verifies a domain on the operator's word, for one organization, and removes it", async () => {
  await intray("org", "create", "second", "--name", "Second", "--owner", "olga@second.example");
  const domain = (...words: string[]) => intray("org", "domain", "Acme.Example", ...words);
  expect(await domain("--org", "acme")).toMatchObject({
    code: 0,
    out: 'acme.example is a verified domain of "acme".\n',
  });
  expect((await domain("--org", "second")).err).toContain("Another organization");
  expect((await domain("--org", "acme", "--remove")).code).toBe(0);
  expect((await domain("--org", "second")).code).toBe(0);
  expect((await intray("org", "domain", "no-domain", "--org", "acme")).code).toBe(2);
});

test("makes an agent, of servers by slug, name or id, and of single tools", async () => {
  const [{ id: organizationId }] = await rows("SELECT id FROM organization WHERE slug = 'acme'");
  const db = createDatabase(database.ownerUrl, { connections: 1 });
  const tools = ["pay", "x:y"].map((name) => ({
    ...{ name, title: null, description: null, inputSchema: { type: "object" } },
    ...{ taskSupport: "optional", annotations: null, honoursIdempotencyKey: false },
  }));
  const [finance, bank, erp] = [
    await insertServer(db, organizationId, { name: "Finance & Co", tools }),
    await insertServer(db, organizationId, { name: "Bank: Main", tools }),
    await insertServer(db, organizationId, { name: "ERP", tools }),
  ];
  await db.close();
  const create = (...grants: string[]) =>
    intray(
      "agent",
      "create",
      "--org",
      "acme",
      "--name",
      "Coder",
      ...grants.flatMap((one) => ["--grant", one]),
    );
  const made = await create("finance-co:x:y", "bank: main", "bank: main:pay", `${erp.id}:pay`);
  expect(made.code).toBe(0);
  expect(made.out).toMatch(/^ita_[\w-]{43}\n$/);
  expect(made.err).toContain("The agent calls tools at https://intray.example/mcp\n");
  expect(made.err).toContain("claude mcp add --transport http intray https://intray.example/mcp ");
  expect(made.err).toContain("docs/agents.md");
  expect(made.err).not.toContain(made.out.trim());
  const grants = await rows(
    `SELECT g.server_id AS server, g.tool FROM agent_grant g JOIN agent_credential a ON a.id = g.agent_id
      WHERE a.name = 'Coder' AND a.created_by IS NULL`,
  );
  expect(grants).toHaveLength(4);
  expect(grants).toEqual(
    expect.arrayContaining([
      { server: finance.id, tool: "x:y" },
      { server: bank.id, tool: null },
      { server: bank.id, tool: "pay" },
      { server: erp.id, tool: "pay" },
    ]),
  );
  const unknown = await create("erp:fly");
  expect([unknown.code, unknown.out]).toEqual([2, ""]);
  expect(unknown.err).toMatch(/^--grant: The server has no such tool\./);
  const held = await intray(
    "agent",
    "create",
    "--org",
    "acme",
    "--name",
    "Idle",
    "--hold-ms",
    "0",
    "--expires",
    "7",
  );
  expect(held.code).toBe(0);
  const [idle] = await rows(
    "SELECT hold_ms, expires_at < now() + interval '8 days' AS soon FROM agent_credential WHERE name = 'Idle'",
  );
  expect(idle).toEqual({ hold_ms: 0, soon: true });
});
