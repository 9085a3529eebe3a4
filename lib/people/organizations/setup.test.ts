import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { withClient } from "../../../scripts/database/roles.ts";
import { createTestDatabase, type TestDatabase } from "../../../test/setup/postgres.ts";
import { createDatabase, type Database } from "../../base/db/db.ts";
import { setUp } from "./setup.ts";

let folder: string;
let postgres: TestDatabase;
let web: Database;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "intray-servers-"));
  process.env.INTRAY_SERVERS_FILE = join(folder, "servers.json");
  await writeFile(
    process.env.INTRAY_SERVERS_FILE,
    JSON.stringify({
      mcpServers: {
        ledger: { command: "ledger", organizations: ["acme-gmbh"] },
        other: { command: "other", organizations: ["globex"] },
      },
    }),
  );
  postgres = await createTestDatabase();
  web = createDatabase(postgres.appUrl, { connections: 1 });
});
afterAll(async () => {
  await web.close();
  await postgres.drop();
  await rm(folder, { recursive: true });
});

test("the first owner takes no name that could be the app's own words", async () => {
  const person = { email: "ana@acme.example", password: "correct horse" };
  for (const name of ["Intray", "Ana · owner"])
    await expect(setUp(web, { organizationName: "Acme GmbH", name, ...person })).rejects.toMatchObject({
      code: "invalid_input",
      errors: [{ field: "name" }],
    });
});

test("the first organization has the operator's servers that name it", async () => {
  const person = { name: "Ana", email: "ana@acme.example", password: "correct horse" };
  expect(await setUp(web, { organizationName: "Acme GmbH", ...person })).toEqual({ slug: "acme-gmbh" });
  const { rows } = await withClient(postgres.adminUrl, (client) =>
    client.query(`SELECT s.operator_entry AS entry, count(c.id)::integer AS connections FROM server s
      JOIN connection c ON c.server_id = s.id GROUP BY 1`),
  );
  expect(rows).toEqual([{ entry: "ledger", connections: 1 }]);
});
