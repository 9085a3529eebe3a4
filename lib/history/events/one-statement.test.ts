/** History, and all that goes with it, is one statement. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { databaseForFile } from "../../../test/for-file.ts";
import { createDatabase, type Database, type Tx } from "../../base/db/db.ts";
import { wakeEngine } from "../../base/engine-hints.ts";
import { uuidv7 } from "../../base/ids.ts";
import { publishChange } from "../../base/live-updates.ts";
import { inScope, Spent } from "../../base/process/scope.ts";
import { COMMAND_LINE, createOrganization } from "../../people/organizations/organization-writes.ts";
import { appendEvents } from "./event-writes.ts";

const organizationId = uuidv7();
const postgres = databaseForFile();
let database: Database;

beforeAll(async () => {
  database = createDatabase(postgres.appUrl, { connections: 1, transactionMs: 600_000 });
  const owner = createDatabase(postgres.ownerUrl, { connections: 1 });
  await owner.withOrganization(organizationId, (tx) =>
    createOrganization(tx, { slug: "acme", name: "Acme" }),
  );
  await owner.close();
});
afterAll(async () => {
  await database?.close();
});

const append = (tx: Tx) => appendEvents(tx, [{ type: "server.created", actor: COMMAND_LINE, data: {} }]);

test.each([
  ["alone", async () => undefined],
  ["with hints", (tx: Tx) => publishChange(tx, "server", [uuidv7()])],
  ["with an engine's wake-up", (tx: Tx) => wakeEngine(tx, uuidv7(), uuidv7())],
] as const)("the history is one statement, %s", async (_what, more) => {
  const spent = new Spent();
  await inScope({ requestId: null, trace: null, spent }, () =>
    database.withOrganization(organizationId, async (tx) => {
      await append(tx);
      await more(tx);
    }),
  );
  // Beside it BEGIN, the scope and COMMIT.
  expect(spent.queries).toBe(4);
});
