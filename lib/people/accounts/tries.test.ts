/** Tries to sign in, counted by two processes at once, and the size of what is kept of them. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { withClient } from "../../../scripts/database/roles.ts";
import { databaseForFile } from "../../../test/for-file.ts";
import { createDatabase, type Database, Prisma } from "../../base/db/db.ts";
import { PASSWORD_TRIES } from "../../web/tunables.ts";
import { accountMark, beginTry } from "./tries.ts";

const SECRET = "a secret of the tests";
const database = databaseForFile();
let processes: Database[];

beforeAll(async () => {
  processes = [1, 2].map(() => createDatabase(database.appUrl, { connections: 3 }));
});
afterAll(async () => {
  for (const one of processes) await one.close();
});

const sql = (text: string, values: unknown[] = []) =>
  withClient(database.adminUrl, async (client) => (await client.query(text, values)).rows);
const tryAs = (n: number, email: string, network: string) =>
  beginTry(processes[n % 2]!, SECRET, PASSWORD_TRIES, email, { network, browser: null });
/** How many of so many at once were looked at. */
async function lookedAt(count: number, make: (n: number) => [email: string, network: string]) {
  const tries = await Promise.all(Array.from({ length: count }, (_, n) => tryAs(n, ...make(n))));
  return tries.filter(({ waitMs }) => waitMs === 0).length;
}

test("of sixty tries of one account from one network at once, five are looked at", async () => {
  expect(await lookedAt(60, () => ["one@x.example", "192.0.2.1"])).toBe(5);
  const rows = await sql("SELECT max(wrong) AS wrong, count(*)::integer AS rows FROM sign_in_try");
  expect(rows).toEqual([{ wrong: 5, rows: 3 }]);
});

test("of a hundred of one account from as many networks at once, as many as an account is allowed", async () => {
  const looked = await lookedAt(100, (n) => ["two@x.example", `10.1.0.${n}`]);
  // The test itself may take as long as one try takes to come back.
  expect(looked).toBeGreaterThanOrEqual(PASSWORD_TRIES.account.tries);
  expect(looked).toBeLessThanOrEqual(PASSWORD_TRIES.account.tries + 1);
});

test("of two hundred accounts from one network at once, as many as a network is allowed; right ones give it back", async () => {
  const network = "192.0.2.3";
  const tries = await Promise.all(
    Array.from({ length: 200 }, (_, n) => tryAs(n, `spray${n}@x.example`, network)),
  );
  const looked = tries.filter(({ waitMs }) => waitMs === 0);
  expect(looked.length).toBeGreaterThanOrEqual(PASSWORD_TRIES.network.tries);
  expect(looked.length).toBeLessThanOrEqual(PASSWORD_TRIES.network.tries + 5);
  for (const one of tries) expect(one.waitMs).toBeLessThanOrEqual(PASSWORD_TRIES.network.everyMs);
  await Promise.all(looked.slice(0, 20).map((one) => one.wasRight()));
  expect(await lookedAt(20, (n) => [`more${n}@x.example`, network])).toBe(20);
});

test("pauses grow to their longest, and no further; a right password ends them", async () => {
  const at = ["slow@x.example", "192.0.2.4"] as const;
  const waits = [];
  for (let n = 0; n < 14; n++) {
    const { waitMs } = await tryAs(n, ...at);
    waits.push(Math.round(waitMs / 1000));
    if (waitMs > 0)
      await sql(
        "UPDATE sign_in_try SET tried_at = tried_at - $1 * interval '1 ms', full_at = full_at - interval '1 hour' WHERE tried_at > now() - interval '1 minute'",
        [waitMs],
      );
  }
  expect(waits.filter((wait) => wait > 0).slice(0, 4)).toEqual([30, 60, 120, 240]);
  expect(Math.max(...waits)).toBeLessThanOrEqual(PASSWORD_TRIES.longestPauseMs / 1000);
  const first = await tryAs(0, "right@x.example", "192.0.2.5");
  for (let n = 0; n < 4; n++) await tryAs(n, "right@x.example", "192.0.2.5");
  expect((await tryAs(0, "right@x.example", "192.0.2.5")).waitMs).toBeGreaterThan(0);
  await first.wasRight();
  expect((await tryAs(0, "right@x.example", "192.0.2.5")).waitMs).toBe(0);
});

test("a place of the table keeps sixteen rows, so that strangers can't fill it", async () => {
  await sql("DELETE FROM sign_in_try");
  // All of one place, which nobody can aim at without the secret.
  for (let n = 0; n < 100; n++)
    await sql(
      "SELECT gate.lock_tries('\\x0000'::bytea || substr(sha256(convert_to($1::text, 'UTF8')), 1, 30))",
      [String(n)],
    );
  expect(await sql("SELECT count(*)::integer AS rows FROM sign_in_try")).toEqual([{ rows: 16 }]);
  expect(await sql("SELECT DISTINCT place FROM sign_in_try")).toEqual([{ place: 0 }]);
  const [largest] = await sql("SELECT ((255 << 4) | (255 >> 4)) AS place");
  expect(largest).toEqual({ place: 4095 });
});

test("rows are forgotten after a day, places after ninety", async () => {
  await tryAs(0, "old@x.example", "192.0.2.6");
  await sql("UPDATE sign_in_try SET tried_at = now() - interval '25 hours'");
  await tryAs(0, "new@x.example", "192.0.2.7");
  await processes[0]!.gate(Prisma.sql`SELECT gate.sweep_throttle()`);
  expect(await sql("SELECT count(*)::integer AS rows FROM sign_in_try")).toEqual([{ rows: 3 }]);
});

test("no row and no log names an address", async () => {
  await tryAs(0, "named@x.example", "192.0.2.8");
  const rows = await sql("SELECT sign_in_try::text AS row FROM sign_in_try");
  expect(rows.every(({ row }) => !/named|192\.0\.2/.test(row))).toBe(true);
  expect(accountMark(SECRET, "named@x.example")).toMatch(/^[0-9a-f]{12}$/);
});
