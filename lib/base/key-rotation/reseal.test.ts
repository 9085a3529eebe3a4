import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { withClient } from "../../../scripts/database/roles.ts";
import { insertServer, insertTask } from "../../../test/fixtures/rows.ts";
import { databaseForFile } from "../../../test/for-file.ts";
import { createOrganization } from "../../people/organizations/organization-writes.ts";
import { createDatabase, type Database } from "../db/db.ts";
import { uuidv7 } from "../ids.ts";
import { createSeal, type SealingKey } from "../seal.ts";
import { countByKey, reseal, sealedColumns } from "./reseal.ts";

const key = (kid: string): SealingKey => ({ kid, key: randomBytes(32) });
const [old, current, lost] = [key("old"), key("new"), key("lost")];
const TASKS = 230;
const database = databaseForFile();
let db: Database;
const acme = uuidv7();
const globex = uuidv7();
const person = uuidv7();
const ofPerson = { organizationId: "user", table: "second_factor", row: person, column: "sealed_secret" };

beforeAll(async () => {
  db = createDatabase(database.ownerUrl, { connections: 2 });
  await withClient(database.adminUrl, async (client) => {
    await client.query(`INSERT INTO "user" (id, email, name) VALUES ($1, 'p@test.example', 'P')`, [person]);
    await client.query("INSERT INTO second_factor (user_id, sealed_secret) VALUES ($1, $2)", [
      person,
      createSeal([old]).seal(ofPerson, "p"),
    ]);
  });
  for (const [id, tasks] of [
    [acme, TASKS],
    [globex, 3],
  ] as const) {
    await db.withOrganization(id, (tx) => createOrganization(tx, { slug: id, name: id }));
    const server = await insertServer(db, id);
    for (let n = 0; n < tasks; n++) await insertTask(db, id, server, { state: "completed" });
    await db.withOrganization(id, async (tx) => {
      const seal = createSeal([old]);
      for (const { id: row } of await tx.task.findMany({
        where: { organizationId: id },
        select: { id: true },
      }))
        await tx.task.updateMany({
          where: { organizationId: id, id: row },
          data: {
            sealedHandle: seal.seal(
              { organizationId: id, table: "task", row, column: "sealed_handle" },
              `h-${row}`,
            ),
          },
        });
      await tx.connection.updateMany({
        where: { organizationId: id },
        data: {
          sealedCredentials: seal.seal(
            {
              organizationId: id,
              table: "connection",
              row: server.connectionId,
              column: "sealed_credentials",
            },
            "token",
          ),
        },
      });
    });
  }
});
afterAll(async () => {
  await db.close();
});

describe("resealing", () => {
  test("knows every sealed column that the database has", async () => {
    const { rows } = await withClient(database.adminUrl, (client) =>
      client.query(
        "SELECT table_name AS table, column_name AS column FROM information_schema.columns WHERE table_schema = 'public' AND column_name LIKE '%sealed%' ORDER BY 1, 2",
      ),
    );
    const known = (await sealedColumns(db)).map(({ table, column }) => ({ table, column }));
    expect(known.length).toBeGreaterThanOrEqual(7);
    expect(known).toEqual(rows);
  });

  test("refuses a table whose rows are not named by one column", async () => {
    await withClient(database.ownerUrl, (client) =>
      client.query("CREATE TABLE odd (a uuid, b uuid, sealed_x text, PRIMARY KEY (a, b))"),
    );
    await expect(sealedColumns(db)).rejects.toThrow("odd.sealed_x");
    await withClient(database.ownerUrl, (client) => client.query("DROP TABLE odd"));
  });

  test("moves every value of every organization, and of people, to the first key; all of them open without the old one", async () => {
    const values = TASKS + 3 + 2 + 1;
    expect(await countByKey(db)).toEqual(new Map([["old", values]]));
    const done = await reseal(db, createSeal([current, old]));
    const counts = Object.fromEntries(done.map((each) => [`${each.table}.${each.column}`, each.resealed]));
    expect(counts).toMatchObject({
      "task.sealed_handle": TASKS + 3,
      "connection.sealed_credentials": 2,
      "second_factor.sealed_secret": 1,
      "task.sealed_session": 0,
    });
    expect(done.filter(({ changed, unopened }) => changed + unopened > 0)).toEqual([]);
    expect(await countByKey(db)).toEqual(new Map([["new", values]]));
    const alone = createSeal([current]);
    const { rows } = await withClient(database.adminUrl, (client) =>
      client.query("SELECT sealed_secret FROM second_factor"),
    );
    expect(alone.open(ofPerson, rows[0].sealed_secret)).toBe("p");
    for (const id of [acme, globex]) {
      const tasks = await db.withOrganization(id, (tx) =>
        tx.task.findMany({ where: { organizationId: id } }),
      );
      for (const { id: row, sealedHandle } of tasks)
        expect(
          alone.open({ organizationId: id, table: "task", row, column: "sealed_handle" }, sealedHandle ?? ""),
        ).toBe(`h-${row}`);
    }
  });

  test("has nothing to do a second time", async () => {
    const done = await reseal(db, createSeal([current, old]));
    expect(done.filter(({ resealed }) => resealed > 0)).toEqual([]);
  });

  test("goes on where it was stopped, and leaves alone what it cannot open", async () => {
    await withClient(database.adminUrl, async (client) => {
      const { rows } = await client.query(
        "SELECT id FROM task WHERE organization_id = $1 ORDER BY id LIMIT 3",
        [acme],
      );
      const place = (row: string) => ({ organizationId: acme, table: "task", row, column: "sealed_handle" });
      const put = (row: string, value: string) =>
        client.query("UPDATE task SET sealed_handle = $2 WHERE id = $1", [row, value]);
      await put(rows[0].id, createSeal([lost]).seal(place(rows[0].id), "x"));
      await put(rows[1].id, createSeal([old]).seal(place(rows[2].id), "of another row"));
      await put(rows[2].id, createSeal([old]).seal(place(rows[2].id), "left over"));
    });
    const done = await reseal(db, createSeal([current, old]));
    const handles = done.find(({ table, column }) => `${table}.${column}` === "task.sealed_handle");
    expect(handles).toMatchObject({ resealed: 1, unopened: 2, changed: 0 });
    expect(await countByKey(db)).toMatchObject(
      new Map([
        ["lost", 1],
        ["old", 1],
        ["new", TASKS + 4],
      ]),
    );
  });
});
