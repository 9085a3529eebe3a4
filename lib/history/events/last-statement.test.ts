/** History, and all that goes with it, is one statement with which the transaction ends. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../../test/setup/postgres.ts";
import { createDatabase, type Database, Prisma, type Tx } from "../../base/db/db.ts";
import { uuidv7 } from "../../base/ids.ts";
import { publishChange, wakeEngine } from "../../base/live-updates.ts";
import { COMMAND_LINE, createOrganization } from "../../people/organizations/organization-writes.ts";
import { appendEvents } from "./event-writes.ts";

const organizationId = uuidv7();
let postgres: TestDatabase;
let database: Database;

beforeAll(async () => {
  postgres = await createTestDatabase();
  // One connection, past a pooler, so that what it was sent can be read there; and time, on whatever machine.
  database = createDatabase(postgres.appDirectUrl, { connections: 1, named: true, transactionMs: 600_000 });
  const owner = createDatabase(postgres.ownerUrl, { connections: 1 });
  await owner.withOrganization(organizationId, (tx) =>
    createOrganization(tx, { slug: "acme", name: "Acme" }),
  );
  await owner.close();
});
afterAll(async () => {
  await database?.close();
  await postgres?.drop();
});

const append = (tx: Tx) => appendEvents(tx, [{ type: "server.created", actor: COMMAND_LINE, data: {} }]);

test.each([
  ["alone", async () => undefined],
  ["with hints", (tx: Tx) => publishChange(tx, "server", [uuidv7()])],
  ["with an engine's wake-up", (tx: Tx) => wakeEngine(tx, uuidv7(), uuidv7())],
] as const)("COMMIT goes with the statement of the history, %s", async (_what, more) => {
  await database.gate(Prisma.sql`DEALLOCATE ALL`);
  await database.withOrganization(organizationId, async (tx) => {
    await append(tx);
    await more(tx);
  });
  const sent = await database.gate<{ statement: string }>(
    Prisma.sql`SELECT statement FROM pg_prepared_statements WHERE statement LIKE '%append_lines(%'
      AND statement NOT LIKE '%pg_prepared_statements%'`,
  );
  expect(sent.map(({ statement }) => statement)).toEqual([expect.stringMatching(/^\/\* last \*\/ /)]);
});
