import { once } from "node:events";
import { type AddressInfo, createServer, Socket } from "node:net";
import { pipeline } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { databaseForFile } from "../../../test/for-file.ts";
import { connectRaw } from "../../../test/setup/postgres.ts";
import { uuidv7 } from "../ids.ts";
import { isDatabaseDown } from "./database-errors.ts";
import { createDatabase, type Database } from "./db.ts";
import { listen } from "./listen.ts";

const postgres = databaseForFile();
let database: Database;

beforeAll(async () => {
  database = createDatabase(postgres.appUrl, { connections: 2, transactionMs: 20_000 });
});
afterAll(async () => {
  await database?.close();
});

test("a transaction in which nothing is said for long is ended by Postgres, so that its locks hold up nobody", async () => {
  const organizationId = uuidv7();
  const [limit] = await database.withOrganization(
    organizationId,
    (tx) =>
      tx.$queryRaw<{ ms: number }[]>`SELECT setting::integer AS ms FROM pg_settings
        WHERE name = 'idle_in_transaction_session_timeout'`,
  );
  expect(limit?.ms).toBe(10_000);
  let tries = 0;
  const stalled = database.withOrganization(organizationId, async (tx) => {
    tries++;
    await tx.$executeRaw`SET LOCAL idle_in_transaction_session_timeout = 50`;
    await tx.$queryRaw`SELECT pg_advisory_xact_lock(7)::text`;
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    await tx.$queryRaw`SELECT 1`;
  });
  const failure = stalled.catch((error: unknown) => error);
  const other = await database.withOrganization(organizationId, async (tx) => {
    await tx.$queryRaw`SELECT pg_advisory_xact_lock(7)::text`;
    return "goes on";
  });
  expect(other).toBe("goes on");
  expect(isDatabaseDown(await failure)).toBe(true);
  expect(tries).toBe(1);
});

test("who says in the address to be patient waits for a database that is slow to answer", async () => {
  const slow = createServer(async (socket) => {
    await pause(6_000);
    pipeline(socket, connectRaw(postgres.appUrl), socket, () => {}); // either end may hang up
  }).listen(0, "127.0.0.1");
  await once(slow, "listening");
  const { port } = slow.address() as AddressInfo;
  const says = async (connect_timeout: string) => {
    const url = new URL(postgres.appUrl);
    url.hostname = "127.0.0.1";
    url.port = String(port);
    url.searchParams.set("connect_timeout", connect_timeout);
    const patient = createDatabase(url.href, { connections: 1 });
    const answer = patient
      .withOrganization(uuidv7(), (tx) => tx.$queryRaw`SELECT 'there' AS it`)
      .catch(isDatabaseDown)
      .finally(() => patient.close());
    return { answer: await answer, hears: await hears(url.href) };
  };
  const [patient, usual] = await Promise.all([says("120"), says("")]);
  slow.close();
  expect(patient).toEqual({ answer: [{ it: "there" }], hears: true });
  expect(usual).toEqual({ answer: true, hears: false });
});

test("a host that is lost without a word is noticed within half a minute, by queries and by LISTEN", async () => {
  const asked = vi.spyOn(Socket.prototype, "setKeepAlive");
  const db = createDatabase(postgres.appUrl, { connections: 1 });
  await db.withOrganization(uuidv7(), (tx) => tx.$queryRaw`SELECT 1`);
  expect(asked.mock.lastCall).toEqual([true, 10_000]);
  asked.mockClear();
  expect(await hears(postgres.appDirectUrl)).toBe(true);
  expect(asked.mock.lastCall).toEqual([true, 10_000]);
  asked.mockRestore();
  await db.close();
});

/** Returns true if the first attempt to listen connects. */
async function hears(url: string): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const listener = listen(url, "stalled", {
    onNotification: () => {},
    onConnected: () => resolve(true),
    onError: () => resolve(false),
  });
  return promise.finally(() => listener.close());
}
