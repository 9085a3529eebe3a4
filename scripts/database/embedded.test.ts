import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { isDatabaseDown } from "../../lib/base/db/database-errors.ts";
import { createDatabase, Prisma } from "../../lib/base/db/db.ts";
import { readRecord } from "./cluster.ts";
import { startEmbedded } from "./embedded.ts";
import { withClient } from "./roles.ts";

const dataDir = mkdtempSync(join(tmpdir(), "intray-embedded-"));
const longDir = join(mkdtempSync(join(tmpdir(), "intray-embedded-")), "x".repeat(80));
afterAll(() => {
  for (const folder of [dataDir, longDir]) {
    const elsewhere = readRecord(folder).home;
    for (const path of [folder, elsewhere]) if (path) rmSync(path, { recursive: true, force: true });
  }
});

test("it starts in a closed folder, is adopted while it runs, and recovers when it was killed", async () => {
  const first = await startEmbedded(dataDir);
  expect(first.server.adopted).toBe(false);
  expect(statSync(join(dataDir, "secrets.json")).mode & 0o777).toBe(0o600);
  await withClient(first.ownerUrl, (client) => client.query("create table kept as select 7 as value"));

  const again = await startEmbedded(dataDir);
  expect(again.server).toMatchObject({ adopted: true, pid: first.server.pid, port: first.server.port });

  process.kill(first.server.pid, "SIGKILL");
  await first.server.exited;
  const third = await startEmbedded(dataDir);
  expect(third.server).toMatchObject({ adopted: false, port: first.server.port });
  const { rows } = await withClient(third.ownerUrl, (client) => client.query("select value from kept"));
  expect(rows).toEqual([{ value: 7 }]);
  await third.server.stop("fast");
});

test("many that adopt it at once are each let in", async () => {
  const { server } = await startEmbedded(dataDir);
  const all = await Promise.all(Array.from({ length: 12 }, () => startEmbedded(dataDir)));
  expect(new Set(all.map(({ ownerUrl }) => ownerUrl)).size).toBe(1);
  await server.stop("fast");
});

test("neither owner sees the other's database", async () => {
  const { ownerUrl, invoiceUrl, server } = await startEmbedded(dataDir);
  const trespass = new URL(invoiceUrl);
  trespass.pathname = new URL(ownerUrl).pathname;
  await expect(withClient(trespass.href, (client) => client.query("select 1"))).rejects.toThrow(
    "permission denied",
  );
  await server.stop("fast");
});

test("it is reached over a Unix socket, which only its account enters; once stopped it is a database that is down", async () => {
  const { superuserUrl, ownerUrl, server } = await startEmbedded(dataDir);
  const folder = decodeURIComponent(new URL(superuserUrl).hostname);
  expect(statSync(folder).mode & 0o077).toBe(0);
  await withClient(superuserUrl, async (client) => {
    const { rows } = await client.query("SELECT inet_client_addr() AS address");
    expect(rows).toEqual([{ address: null }]);
  });
  const wrong = new URL(ownerUrl);
  wrong.password = "wrong";
  await expect(withClient(wrong.href, (client) => client.query("select 1"))).rejects.toThrow(/password/);

  const database = createDatabase(ownerUrl, { connections: 1 });
  await server.stop("fast");
  const failures = [
    await withClient(ownerUrl, (client) => client.query("select 1")).catch((error) => error),
    await database.gate(Prisma.sql`SELECT 1`).catch((error) => error),
  ];
  expect(failures.map(isDatabaseDown)).toEqual([true, true]);
  await database.close();
});

test("it starts where another program has the pid of one that was killed", async () => {
  const { server } = await startEmbedded(dataDir);
  const folder = join(readRecord(dataDir).home ?? dataDir, "postgres");
  process.kill(server.pid, "SIGKILL");
  await server.exited;
  const locks = readdirSync(folder).filter((name) => name === "postmaster.pid" || name.endsWith(".lock"));
  expect(locks).toHaveLength(2);
  for (const name of locks) {
    const text = readFileSync(join(folder, name), "utf8");
    writeFileSync(join(folder, name), text.replace(/^\d+/, String(process.ppid)));
  }
  const again = await startEmbedded(dataDir);
  await withClient(again.ownerUrl, (client) => client.query("select 1"));
  await again.server.stop("fast");
});

test("it is reached over TCP where the socket's path would be too long", async () => {
  // Otherwise Postgres's account, if it is another, gets a folder elsewhere.
  chmodSync(dirname(longDir), 0o711);
  const { superuserUrl, server } = await startEmbedded(longDir);
  expect(new URL(superuserUrl).hostname).toBe("127.0.0.1");
  await withClient(superuserUrl, (client) => client.query("select 1"));
  await server.stop("fast");
});
