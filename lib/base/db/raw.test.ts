/** Raw statements have the values and results that the client's own have. */
import { PrismaPg } from "@prisma/adapter-pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { databaseForFile } from "../../../test/for-file.ts";
import { PrismaClient } from "../../generated/prisma/client.ts";
import { uuidv7 } from "../ids.ts";
import { isDatabaseDown } from "./database-errors.ts";
import { createDatabase, type Database, Prisma, type Tx } from "./db.ts";
import { KeptText } from "./kept-text.ts";

const postgres = databaseForFile();
let database: Database;
let client: PrismaClient;
const organizationId = uuidv7();

beforeAll(async () => {
  database = createDatabase(postgres.ownerUrl, { connections: 1 });
  client = new PrismaClient({ adapter: new PrismaPg(postgres.ownerUrl) });
});
afterAll(async () => {
  await client.$disconnect();
  await database.close();
});

const within = <T>(work: (tx: Tx) => Promise<T>) => database.withOrganization(organizationId, work);

const RESULTS = [
  "1::smallint",
  "2::integer",
  "9007199254740993::bigint",
  "-1::bigint",
  "1.50::numeric",
  "0.1::float8",
  "true",
  "'a'::text",
  "'b'::varchar",
  "'0198c0de-0000-7000-8000-000000000000'::uuid",
  "'{\"a\": [1, null]}'::jsonb",
  "'{\"b\":1}'::json",
  "'2026-01-02'::date",
  "'03:04:05'::time",
  "'2026-01-02 03:04:05.678'::timestamp",
  "'2026-01-02 03:04:05.678901+00'::timestamptz",
  "'2026-01-02 03:04:05+02'::timestamptz",
  "'\\x00ff'::bytea",
  "NULL::integer",
  "ARRAY[1, NULL, 3]",
  "ARRAY[1::bigint, NULL]",
  "ARRAY[1.5::numeric]",
  "ARRAY['x,\"y\"', NULL, '']::text[]",
  "ARRAY['0198c0de-0000-7000-8000-000000000000'::uuid]",
  "ARRAY['2026-01-02 03:04:05+00'::timestamptz, NULL]",
  "ARRAY['2026-01-02'::date]",
  "ARRAY['\\x01'::bytea]",
  "ARRAY[true, false]",
  "'{}'::text[]",
  "'10.0.0.1'::inet",
];

test.each(RESULTS)("the result %s", async (expression) => {
  const text = `SELECT ${expression} AS it`;
  const own = await within((tx) => tx.$queryRawUnsafe(text));
  expect(own).toEqual(await client.$queryRawUnsafe(text));
});

const VALUES: [string, unknown][] = [
  ["bigint", 9007199254740993n],
  ["integer", 7],
  ["float8", 1.5],
  ["boolean", false],
  ["text", 'it\'s "so", \\'],
  ["timestamptz", new Date("2026-01-02T03:04:05.678Z")],
  ["timestamptz[]", [new Date("2026-01-02T03:04:05Z")]],
  ["bytea", Uint8Array.of(0, 255)],
  ["bytea", Buffer.from([1, 2])],
  ["text[]", ["a,b", '"', null, ""]],
  ["integer[]", []],
  ["jsonb", { a: "ä" }],
  ["text", null],
  ["numeric", new Prisma.Decimal("1.50")],
];

test.each(VALUES)("a value of %s: %o", async (type, value) => {
  const plain = () => Prisma.sql`SELECT ${value}::${Prisma.raw(type)} AS it`;
  const [own] = await within((tx) => tx.$queryRaw<{ it: unknown }[]>(plain()));
  const [theirs] = await client.$queryRaw<{ it: unknown }[]>(plain());
  expect(own).toEqual(theirs);
});

test("what is changed is counted, by models and statements of one transaction, and rolled back together", async () => {
  const slug = `raw-${uuidv7().slice(-8)}`;
  const failed = within(async (tx) => {
    await tx.organization.create({ data: { id: organizationId, slug, name: "Raw" } });
    expect(
      await tx.$executeRaw`UPDATE organization SET name = 'Rawer' WHERE id = ${organizationId}::uuid`,
    ).toBe(1);
    expect((await tx.organization.findUniqueOrThrow({ where: { id: organizationId } })).name).toBe("Rawer");
    throw new Error("no");
  });
  await expect(failed).rejects.toThrow("no");
  expect(await within((tx) => tx.organization.count())).toBe(0);
});

test("transactions that use models at once each see their own organization", async () => {
  const two = createDatabase(postgres.ownerUrl, { connections: 2 });
  const ids = [uuidv7(), uuidv7()];
  const names = await Promise.all(
    ids.map((id, n) =>
      two.withOrganization(id, async (tx) => {
        await tx.organization.create({ data: { id, slug: `at-once-${id.slice(-8)}`, name: `${n}` } });
        // In the same tick, in which the client would gather reads of one id.
        return Promise.all(ids.map((each) => tx.organization.findUnique({ where: { id: each } })));
      }),
    ),
  );
  await two.close();
  expect(names.map((found) => found.map((one) => one?.name))).toEqual([
    ["0", undefined],
    [undefined, "1"],
  ]);
});

test("a transaction that is over sends nothing more, by statements or models", async () => {
  const kept = await within(async (tx) => [tx]);
  const [tx] = kept as [Tx];
  for (const call of [async () => tx.$queryRaw`SELECT 1`, async () => tx.organization.count()])
    expect(isDatabaseDown(await call().catch((error: unknown) => error))).toBe(true);
});

test("a transaction that takes too long is rolled back, and its connection serves the next one", async () => {
  const hasty = createDatabase(postgres.ownerUrl, { connections: 1, transactionMs: 200 });
  const late = hasty.withOrganization(organizationId, async (tx) => {
    await tx.$queryRaw`SELECT 1`;
    await hasty.withOrganization(organizationId, (next) => next.$queryRaw`SELECT 1`);
    await tx.$queryRaw`SELECT 1`;
  });
  expect(isDatabaseDown(await late.catch((error: unknown) => error))).toBe(true);
  await hasty.close();
});

test("a kept text has each call's values, and is made once a variant", async () => {
  const kept = new KeptText(["a", "b"]);
  let made = 0;
  const read = (a: string, b: string, variant = "x") =>
    within((tx) =>
      tx.$queryRaw<{ it: string }[]>(
        kept.statement(variant, { a, b }, (marks) => {
          made++;
          return Prisma.sql`SELECT ${marks.b}::text || ${marks.a}::text || ${"!"}::text || ${marks.a}::text AS it`;
        }),
      ),
    );
  expect(await read("1", "2")).toEqual([{ it: "21!1" }]);
  expect(await read("3", "4")).toEqual([{ it: "43!3" }]);
  expect(made).toBe(1);
  await read("5", "6", "y");
  expect(made).toBe(2);
});
