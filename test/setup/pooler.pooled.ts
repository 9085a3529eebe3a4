/** What Intray does behind a pooler by transaction; runs in the part of the tests that has one. */
import { once } from "node:events";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createDatabase, Prisma } from "../../lib/base/db/db.ts";
import { listen } from "../../lib/base/db/listen.ts";
import { uuidv7 } from "../../lib/base/ids.ts";
import { createTestDatabase, type TestDatabase } from "./postgres.ts";

let postgres: TestDatabase;
beforeAll(async () => {
  postgres = await createTestDatabase();
});
afterAll(() => postgres?.drop());

test("these tests run behind a pooler, which gives a connection's transactions to several sessions", async () => {
  expect(process.env.TEST_POOLER).toBeTruthy();
  const database = createDatabase(postgres.appUrl, { connections: 6 });
  const organizations = Array.from({ length: 6 }, uuidv7);
  const sessions = await Promise.all(
    organizations.map((id) =>
      database.withOrganization(id, async (tx) => {
        const [row] = await tx.$queryRaw<{ pid: number; own: string }[]>`
          SELECT pg_backend_pid() AS pid, current_setting('app.organization_id') AS own FROM pg_sleep(0.05)`;
        return row;
      }),
    ),
  );
  // Each transaction has its own organization, whichever session it was given.
  expect(sessions.map((row) => row?.own)).toEqual(organizations);
  const [left] = await database.gate<{ own: string | null }>(
    Prisma.sql`SELECT nullif(current_setting('app.organization_id', true), '') AS own`,
  );
  expect(left?.own).toBeNull();
  await database.close();
});

test.each([true, false])(
  "many transactions at once all succeed, with names for statements: %s",
  async (named) => {
    // With names an old PgBouncer loses statements, which the pool notices.
    const pools = [1, 2, 3].map(() => createDatabase(postgres.appUrl, { connections: 10, named }));
    const work = (n: number) =>
      pools[n % 3]!.withOrganization(uuidv7(), async (tx) => {
        const [row] = await tx.$queryRawUnsafe<{ it: number }[]>(`SELECT $1::integer + ${n % 7} AS it`, n);
        await tx.$queryRaw`SELECT ${n}::bigint AS it, pg_sleep(0.001)::text`;
        return row?.it;
      });
    for (let round = 0; round < 10; round++) {
      const all = Array.from({ length: 60 }, (_, n) => n);
      expect(await Promise.all(all.map(work))).toEqual(all.map((n) => n + (n % 7)));
      await Promise.all(pools.map((pool) => pool.gate(Prisma.sql`SELECT ${round}::integer AS it`)));
    }
    await Promise.all(pools.map((pool) => pool.close()));
  },
);

test("past the pooler a process hears what another one notifies through it", async () => {
  const { promise: connected, resolve: onConnected } = Promise.withResolvers<void>();
  const heard = new EventTarget();
  const listener = listen(postgres.engineDirectUrl, "intray_wake", {
    onNotification: (payload) => heard.dispatchEvent(new Event(payload)),
    onConnected,
    onError: () => {},
  });
  await connected;
  const database = createDatabase(postgres.appUrl, { connections: 1 });
  const said = once(heard, "there");
  await database.withOrganization(uuidv7(), (tx) => tx.$executeRaw`SELECT pg_notify('intray_wake', 'there')`);
  await said;
  await listener.close();
  await database.close();
});
