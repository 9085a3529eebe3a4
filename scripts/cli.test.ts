import { spawn } from "node:child_process";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../lib/testing/postgres.ts";
import { withClient } from "./database/roles.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

function intray(...args: string[]): Promise<{ code: number | null; out: string; err: string }> {
  return run({ DATABASE_URL: database.ownerUrl }, args);
}

function run(settings: Record<string, string>, args: string[]) {
  const { PATH = "", HOME = "" } = process.env;
  const child = spawn(process.execPath, ["scripts/cli.ts", ...args], {
    env: { PATH, HOME, NODE_ENV: "test", INTRAY_URL: "https://intray.example", ...settings },
  });
  let out = "";
  let err = "";
  child.stdout.on("data", (data) => (out += data));
  child.stderr.on("data", (data) => (err += data));
  return new Promise<{ code: number | null; out: string; err: string }>((resolve) =>
    child.on("close", (code) => resolve({ code, out, err })),
  );
}

test("makes an organization, people and keys, and prints the result alone", async () => {
  const organization = await intray("org", "create", "acme", "--name", "Acme", "--owner", "Ana@acme.example");
  expect(organization).toMatchObject({ code: 0, err: "" });
  expect(organization.out).toMatch(/^https:\/\/intray\.example\/set-password\?token=[\w-]{43}\n$/);
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
  const key = await intray("key", "create", "--org", "acme", "--role", "operator");
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

test.each([
  ["a slug that is taken", ["org", "create", "acme", "--name", "A", "--owner", "a@b.example"], 1],
  [
    "somebody who is a member",
    ["user", "create", "ben@acme.example", "--org", "acme", "--role", "viewer"],
    1,
  ],
  ["an organization that nobody has", ["key", "create", "--org", "nope", "--role", "viewer"], 1],
  ["a role that is none", ["key", "create", "--org", "acme", "--role", "king"], 2],
  ["a missing option", ["key", "create", "--role", "viewer"], 2],
  ["an unknown option", ["key", "create", "--org", "acme", "--role", "viewer", "--force"], 2],
  ["an address that is none", ["user", "create", "ben", "--org", "acme", "--role", "viewer"], 2],
  ["a command that is none", ["make", "coffee"], 2],
  ["nothing", [], 2],
])("refuses %s", async (_what, args, code) => {
  const answer = await intray(...args);
  expect([answer.code, answer.out]).toEqual([code, ""]);
  expect(answer.err).not.toBe("");
  expect(answer.err).not.toContain("    at ");
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

test("the doctor names what is wrong", async () => {
  const settings = { DATABASE_URL: database.ownerUrl, INTRAY_KEYS: KEYS, AUTH_SECRET: "0123456789abcdef" };
  const doctor = await run(settings, ["doctor"]);
  expect(doctor.code).toBe(1);
  expect(doctor.out).toContain("ok   migrations");
  expect(doctor.out).toContain("BAD  engine");
  const unset = await run({ DATABASE_URL: database.ownerUrl }, ["doctor"]);
  expect(unset.out).toContain("INTRAY_KEYS and AUTH_SECRET");
});

const KEYS = `k1:${Buffer.alloc(32, 1).toString("base64")}`;
