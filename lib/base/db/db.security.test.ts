import { beforeAll, describe, expect, test } from "vitest";
import { withClient } from "../../../scripts/database/roles.ts";
import { insertRequest, insertServer, insertTask } from "../../../test/fixtures/rows.ts";
import { databaseForFile } from "../../../test/for-file.ts";
import { Prisma } from "../../generated/prisma/client.ts";
import { createOrganization } from "../../people/organizations/organization-writes.ts";
import { uuidv7 } from "../ids.ts";
import { createDatabase } from "./db.ts";

const database = databaseForFile();
let tenantTables: string[];

beforeAll(async () => {
  tenantTables = await withClient(database.adminUrl, async (client) => {
    const { rows } = await client.query(
      "SELECT table_name AS name FROM information_schema.columns WHERE table_schema = 'public' AND column_name = 'organization_id'",
    );
    return rows.map((row) => row.name);
  });
  const db = createDatabase(database.ownerUrl, { connections: 1 });
  const id = uuidv7();
  await db.withOrganization(id, (tx) => createOrganization(tx, { slug: "acme", name: "Acme" }));
  const task = await insertTask(db, id, await insertServer(db, id));
  await insertRequest(db, id, task);
  await db.close();
});

describe("row security", () => {
  test("is on, forced and has a policy for every table of a tenant's", async () => {
    const { rows } = await withClient(database.adminUrl, (client) =>
      client.query(
        `SELECT relname AS name, relrowsecurity AND relforcerowsecurity AS forced,
          EXISTS (SELECT FROM pg_policy p WHERE p.polrelid = c.oid AND p.polname = 'tenant') AS policy
        FROM pg_class c WHERE relname = ANY($1) AND relnamespace = 'public'::regnamespace`,
        [[...tenantTables, "organization"]],
      ),
    );
    expect(rows.length).toBe(tenantTables.length + 1);
    expect(rows.filter((row) => !row.forced || !row.policy)).toEqual([]);
  });

  test("shows no row of any table to a role without an organization", async () => {
    for (const url of [database.appUrl, database.engineUrl, database.ownerUrl]) {
      await withClient(url, async (client) => {
        for (const table of tenantTables) {
          const found = await client
            .query(`SELECT count(*)::integer AS count FROM "${table}"`)
            .catch(deniedIsNone);
          expect([url, table, found.rows[0].count]).toEqual([url, table, 0]);
        }
      });
    }
  });

  test("shows and takes no row of another organization's", async () => {
    const db = createDatabase(database.appUrl, { connections: 1 });
    const other = uuidv7();
    const seen = await db.withOrganization(other, async (tx) => [
      await tx.task.count(),
      (await tx.server.updateMany({ data: { name: "taken" } })).count,
      await tx.organization.count(),
      await tx.user.count(),
    ]);
    expect(seen).toEqual([0, 0, 0, 0]);
    const { rows } = await withClient(database.adminUrl, (client) =>
      client.query("SELECT id FROM organization"),
    );
    const foreign = {
      organizationId: rows[0].id,
      id: uuidv7(),
      name: "x",
      role: "owner",
      secretHash: Buffer.from("x"),
    };
    await expect(db.withOrganization(other, (tx) => tx.apiKey.create({ data: foreign }))).rejects.toThrow();
    await db.close();
  });

  test("lets nobody who serves requests read or write another organization's row, in any table", async () => {
    const other = uuidv7();
    const { rows: organizations } = await withClient(database.adminUrl, (client) =>
      client.query("SELECT id FROM organization WHERE slug = 'acme'"),
    );
    const acme = organizations[0].id;
    for (const url of [database.appUrl, database.engineUrl, database.ownerUrl])
      await withClient(url, async (client) => {
        /** Returns the number of rows that a statement affects in an organization, or null if denied. */
        const touched = async (organization: string, statement: string, values: unknown[] = []) => {
          await client.query("BEGIN");
          try {
            await client.query("SELECT set_config('app.organization_id', $1, true)", [organization]);
            return (await client.query(statement, values)).rowCount;
          } catch (error) {
            if ((error as { code?: string }).code === "42501") return null;
            throw error;
          } finally {
            await client.query("ROLLBACK");
          }
        };
        for (const table of tenantTables) {
          const where = "WHERE organization_id = $1";
          for (const statement of [
            `SELECT FROM "${table}" ${where}`,
            `SELECT FROM "${table}" ${where} FOR UPDATE`,
            `UPDATE "${table}" SET organization_id = organization_id ${where}`,
            `UPDATE "${table}" SET organization_id = '${other}' ${where}`,
            `DELETE FROM "${table}" ${where}`,
          ])
            expect([0, null], `${table}: ${statement}`).toContain(await touched(other, statement, [acme]));
          // Refused by the policy, which comes before what else would be wrong with such a row.
          const insert = `INSERT INTO "${table}" (organization_id) VALUES ($1)`;
          await expect(touched(other, insert, [acme]), table).resolves.toBeNull();
        }
        // It would be seen where it may be.
        expect(await touched(acme, "SELECT FROM task WHERE organization_id = $1", [acme])).toBe(1);
      });
  });

  test("keeps history from being changed by those who serve requests", async () => {
    for (const url of [database.appUrl, database.engineUrl])
      for (const statement of ["UPDATE event SET type = 'x'", "DELETE FROM event", "DELETE FROM event_head"])
        await expect(withClient(url, (client) => client.query(statement))).rejects.toMatchObject({
          code: "42501",
        });
  });
});

describe("the gate", () => {
  test("is closed to the web where only the engine or the owner has business", async () => {
    for (const call of [
      "gate.connections_with_open_work()",
      "gate.take_changes(1)",
      "gate.organization_by_slug('acme')",
      "gate.organizations_with_operator_servers()",
      "gate.all_organizations()",
    ])
      await expect(
        withClient(database.appUrl, (client) => client.query(`SELECT * FROM ${call}`)),
      ).rejects.toMatchObject({
        code: "42501",
      });
    const { rows } = await withClient(database.ownerUrl, (client) =>
      client.query("SELECT name FROM gate.organization_by_slug('acme')"),
    );
    expect(rows).toEqual([{ name: "Acme" }]);
  });

  test("keeps accounts, sessions and links from being read directly", async () => {
    for (const table of ["session", "password_link", "throttle"])
      await expect(
        withClient(database.appUrl, (client) => client.query(`SELECT * FROM ${table}`)),
      ).rejects.toMatchObject({ code: "42501" });
    await expect(
      withClient(database.appUrl, (client) => client.query(`SELECT password_hash FROM "user"`)),
    ).rejects.toMatchObject({ code: "42501" });
  });

  test("has functions of fixed search path that nobody else owns or may call", async () => {
    const { rows } = await withClient(database.adminUrl, (client) =>
      client.query(`SELECT proname AS name, prosecdef AS definer, pg_get_userbyid(proowner) AS owner,
          proconfig @> ARRAY['search_path=public, pg_temp'] AS fixed,
          has_function_privilege('public', oid, 'EXECUTE') AS open
        FROM pg_proc WHERE pronamespace = 'gate'::regnamespace`),
    );
    expect(rows.length).toBeGreaterThan(10);
    for (const row of rows)
      expect(row).toEqual({ name: row.name, definer: true, owner: "intray_gate", fixed: true, open: false });
  });
});

test("Prisma's models have the columns that the tables have", async () => {
  const { rows } = await withClient(database.adminUrl, (client) =>
    client.query(
      "SELECT table_name AS table, column_name AS column FROM information_schema.columns WHERE table_schema = 'public'",
    ),
  );
  const real = new Set(rows.map((row) => `${row.table}.${row.column}`));
  const models = Prisma.ModelName;
  const schema = await import("node:fs").then((fs) => fs.readFileSync("prisma/schema.prisma", "utf8"));
  for (const model of Object.keys(models)) {
    const body = new RegExp(`model ${model} \\{([^]*?)\\n\\}`).exec(schema)?.[1] ?? "";
    const table = /@@map\("(\w+)"\)/.exec(body)?.[1] ?? "";
    const columns = body
      .split("\n")
      .filter((line) => /^ {2}\w/.test(line))
      .map((line) => /@map\("(\w+)"\)/.exec(line)?.[1] ?? line.trim().split(/\s+/)[0]);
    expect(
      columns.filter((column) => !real.has(`${table}.${column}`)),
      table,
    ).toEqual([]);
    const ours = rows.filter((row) => row.table === table).map((row) => row.column);
    expect(
      ours.filter((column) => !columns.includes(column)),
      table,
    ).toEqual([]);
  }
});

/** Counts a table that the role may not read as empty. */
function deniedIsNone(error: { code?: string }) {
  if (error.code !== "42501") throw error;
  return { rows: [{ count: 0 }] };
}
