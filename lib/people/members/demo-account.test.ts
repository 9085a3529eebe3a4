/** Anyone can sign in as a person of the demonstration, so they must never join a real organization. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { seedDemo } from "../../../prisma/seed-demo.ts";
import { withClient } from "../../../scripts/database/roles.ts";
import { databaseForFile } from "../../../test/for-file.ts";
import { createDatabase, type Database } from "../../base/db/db.ts";
import { uuidv7 } from "../../base/ids.ts";
import { COMMAND_LINE, createOrganization } from "../organizations/organization-writes.ts";
import { addMember } from "./member-writes.ts";

const database = databaseForFile();
let db: Database;
beforeAll(async () => {
  await seedDemo(database.ownerUrl, { invoiceUrl: "http://127.0.0.1:1" });
  db = createDatabase(database.ownerUrl, { connections: 1 });
});
afterAll(async () => {
  await db.close();
});

/** As `org create` does it. */
function makeOrganization(slug: string, email: string) {
  const id = uuidv7();
  return db.withOrganization(id, async (tx) => {
    await createOrganization(tx, { slug, name: slug });
    await addMember(tx, COMMAND_LINE, { email, name: "Somebody", role: "owner" });
  });
}

const count = async (sql: string) =>
  (await withClient(database.adminUrl, (client) => client.query(`SELECT count(*)::int AS n FROM ${sql}`)))
    .rows[0].n;

test("a person of the demonstration owns no real organization, and nothing of it is made", async () => {
  await expect(makeOrganization("real", "ana@acme.example")).rejects.toMatchObject({ code: "demo_account" });
  expect(await count("organization WHERE slug = 'real'")).toBe(0);
  expect(
    await count("membership m JOIN \"user\" u ON u.id = m.user_id WHERE u.email = 'ana@acme.example'"),
  ).toBe(1);
});

test("others do", async () => {
  await makeOrganization("real", "dana@initech.example");
  expect(await count("organization WHERE slug = 'real'")).toBe(1);
});
