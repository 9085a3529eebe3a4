import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { uuidv7 } from "../../lib/base/ids.ts";
import { databaseForFile } from "../for-file.ts";
import { picture } from "./digest.ts";

const database = databaseForFile();
let client: pg.Client;
const [acme, globex] = [uuidv7(), uuidv7()];

beforeAll(async () => {
  client = new pg.Client({ connectionString: database.adminUrl });
  await client.connect();
  for (const id of [acme, globex])
    await client.query("INSERT INTO organization (id, slug, name) VALUES ($1::uuid, $1::text, 'N')", [id]);
});
afterAll(async () => {
  await client.end();
});

test("a picture is the same until a value changes, and then another in that table alone", async () => {
  const before = await picture(client, acme);
  expect(await picture(client, acme)).toEqual(before);
  await client.query("UPDATE organization SET name = 'M' WHERE id = $1", [acme]);
  const { organization, ...rest } = await picture(client, acme);
  expect(organization).not.toBe(before.organization);
  expect({ ...rest, organization: before.organization }).toEqual(before);
});

test("it shows what is an organization's, or all there is", async () => {
  const [one, all] = [await picture(client, acme), await picture(client)];
  await client.query("UPDATE organization SET name = 'O' WHERE id = $1", [globex]);
  expect(await picture(client, acme)).toEqual(one);
  expect(await picture(client)).not.toEqual(all);
});
