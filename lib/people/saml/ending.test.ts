/** SAML certificates that end soon are told to owners, once. */
import { X509Certificate } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { organizationsDue } from "../../../test/fixtures/notifications-fixture.ts";
import { webForFile } from "../../../test/web.ts";
import { createDatabase, type Database } from "../../base/db/db.ts";
import { uuidv7 } from "../../base/ids.ts";
import { ENDING_CERTIFICATES } from "../../engine/jobs/notice-jobs.ts";
import { makeOwnCertificate } from "./certificate.ts";

const web = webForFile();
let engine: Database;
beforeAll(async () => {
  engine = createDatabase(web.database.engineUrl, { connections: 2 });
});
afterAll(async () => {
  await engine.close();
});

const DAY_MS = 24 * 3600_000;
const sql = (text: string, values: unknown[] = []) => web.database.sql(text, values);

/** A certificate that ends so many days from now. */
async function ending(days: number): Promise<string> {
  const { certificate } = await makeOwnCertificate(new Date());
  const livesMs = Date.parse(new X509Certificate(certificate).validTo) - Date.now();
  return (await makeOwnCertificate(new Date(Date.now() - livesMs + days * DAY_MS))).certificate;
}

test("who owns the organization is told of either certificate, once, until there is a new one", async () => {
  const [acme, globex] = [await web.organization("acme"), await web.organization("globex")];
  const olga = await web.member(acme, "Olga", "owner");
  const ada = await web.member(acme, "Ada", "admin");
  const gus = await web.member(globex, "Gus", "owner");
  const insert = async (organizationId: string, theirs: string[], ours: string) =>
    sql(
      `INSERT INTO saml_provider (organization_id, id, name, entity_id, sso_url, certificates, certificate, sealed_key)
        VALUES ($1, $2, $3, $4, 'https://idp.example/sso', $5, $6, 'sealed')`,
      [organizationId, uuidv7(), `IdP ${uuidv7()}`, `https://idp.example/${uuidv7()}`, theirs, ours],
    );
  const [soon, later] = [await ending(29), await ending(31)];
  await insert(acme, [soon], later);
  await insert(acme, [later], soon);
  // Changes over to another of its own: nothing ends.
  await insert(acme, [soon, later], later);
  await insert(globex, [later], later);
  const told = async ({ cookie }: { cookie: string }) =>
    (await web.call("GET", "/api/v1/notices", { cookie })).body.items.filter(
      ({ cause }: { cause: string }) => cause === "saml_provider.certificate_ends",
    ).length;
  const look = async () => {
    for (const organizationId of await organizationsDue(engine, ENDING_CERTIFICATES))
      await ENDING_CERTIFICATES.run({ database: engine } as never, organizationId);
  };
  await look();
  await look();
  expect([await told(olga), await told(ada), await told(gus)]).toEqual([2, 0, 0]);
  const made = await sql("SELECT FROM notice WHERE organization_id = $1", [acme]);
  expect(made).toHaveLength(2);
  await sql("UPDATE saml_provider SET certificates = $1, certificate = $2", [[later], later]);
  await look();
  expect(await told(olga)).toBe(0);
});
