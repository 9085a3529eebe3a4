/** Domains that an organization proves to be its own, by a real DNS server, and what they lead to. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { isVerifiedDomain } from "@/lib/people/organizations/domains/domain-reads.ts";
import { type DnsServer, startDns } from "@/test/servers/dns/dns-server.ts";
import { startWeb, type TestWeb } from "@/test/web.ts";

let web: TestWeb;
let dns: DnsServer;
let folder: string;
let admin: pg.Client;

beforeAll(async () => {
  dns = await startDns();
  folder = await mkdtemp(join(tmpdir(), "intray-domains-"));
  const file = join(folder, "sign-in.json");
  const corp = {
    id: "corp",
    name: "Corp SSO",
    issuer: "http://127.0.0.1:9",
    clientId: "i",
    clientSecret: "s",
  };
  await writeFile(file, JSON.stringify({ providers: [corp] }));
  web = await startWeb({ INTRAY_DNS_SERVERS: dns.address, INTRAY_SIGN_IN_FILE: file });
  admin = new pg.Client({ connectionString: web.database.adminUrl });
  await admin.connect();
});
afterAll(async () => {
  await admin.end();
  await web.stop();
  await dns.stop();
  await rm(folder, { recursive: true });
});

let made = 0;
let acme: string;
let cookie: string;
let domain: string;
beforeEach(async () => {
  acme = await web.organization(`acme-${++made}`);
  ({ cookie } = await web.member(acme, "Ada", "admin"));
  domain = `acme-${made}.example`;
  dns.silent = false;
});

const call = (method: "GET" | "POST" | "DELETE", path: string, body?: object, as = cookie) =>
  web.call(method, `/api/v1/organization/domains${path}`, { cookie: as, ...(body && { body }) });
const add = async (as = cookie) => (await call("POST", "", { domain }, as)).body;
const verify = (id: string, as = cookie) => call("POST", `/${id}/verify`, {}, as);

describe("a domain", () => {
  test("is verified once its record stands in DNS, among others and in pieces", async () => {
    const { id, record, verifiedAt } = await add();
    expect(record).toMatch(/^intray-domain-verification=[\w-]{32}$/);
    expect(verifiedAt).toBeNull();
    expect((await verify(id)).body.code).toBe("domain_not_proven");
    dns.texts.set(domain, ["v=spf1 -all", `${record}x`, record.toUpperCase()]);
    expect((await verify(id)).body.code).toBe("domain_not_proven");
    dns.texts.set(domain, ["x".repeat(600), record]);
    const verified = await verify(id);
    expect([verified.status, verified.body.verifiedAt]).toEqual([200, expect.any(String)]);
    const owns = (organizationId: string, name: string) =>
      web.db.withOrganization(organizationId, (tx) => isVerifiedDomain(tx, name));
    expect([await owns(acme, domain), await owns(acme, `sub.${domain}`)]).toEqual([true, false]);
    const { rows } = await admin.query(
      "SELECT type FROM event WHERE organization_id = $1 AND type LIKE 'organization.domain%' ORDER BY seq",
      [acme],
    );
    expect(rows.map(({ type }) => type)).toEqual([
      "organization.domain_added",
      "organization.domain_verified",
    ]);
    // It stays verified: nothing is asked again.
    dns.texts.delete(domain);
    expect((await verify(id)).status).toBe(200);
    expect((await call("DELETE", `/${id}`)).status).toBe(204);
    expect(await owns(acme, domain)).toBe(false);
  });

  test("of which DNS says nothing is not taken as unproven, nor waited for without end", async () => {
    const { id } = await add();
    dns.silent = true;
    const answer = await verify(id);
    expect([answer.status, answer.body.code]).toEqual([502, "dns_unavailable"]);
  });

  test("is one organization's, also where two verify it at once; another's record proves nothing", async () => {
    const other = await web.organization(`other-${made}`);
    const eve = await web.member(other, "Eve", "admin");
    const [mine, theirs] = [await add(), await add(eve.cookie)];
    expect(mine.record).not.toBe(theirs.record);
    dns.texts.set(domain, [mine.record]);
    expect((await verify(theirs.id, eve.cookie)).body.code).toBe("domain_not_proven");
    expect((await verify(mine.id, eve.cookie)).status).toBe(404);
    dns.texts.set(domain, [mine.record, theirs.record]);
    const codes = (await Promise.all([verify(mine.id), verify(theirs.id, eve.cookie)])).map(
      ({ status, body }) => (status === 200 ? "verified" : body.code),
    );
    expect(codes.sort()).toEqual(["domain_taken", "verified"]);
    const { rows } = await admin.query(
      "SELECT count(*)::integer AS n FROM organization_domain WHERE domain = $1 AND verified_at IS NOT NULL",
      [domain],
    );
    expect(rows[0].n).toBe(1);
  });

  test("is named by admins, as a domain, and once", async () => {
    const vic = await web.member(acme, "Vic", "viewer");
    expect((await call("POST", "", { domain }, vic.cookie)).status).toBe(403);
    for (const wrong of [
      "acme",
      "a b.example",
      "1.2.3.4",
      "-a.example",
      "http://a.example",
      "a..example",
      "",
    ])
      expect((await call("POST", "", { domain: wrong })).body.code, wrong).toBe("invalid_input");
    const [one, two] = [await add(), (await call("POST", "", { domain: ` ${domain.toUpperCase()} ` })).body];
    expect(two).toEqual(one);
    expect((await call("GET", "")).body.items).toEqual([one]);
  });
});

describe("the sign-in page", () => {
  const way = (email: string) => web.call("POST", "/api/sign-in/way", { body: { email } });
  const require = (organizationId: string) =>
    admin.query(`INSERT INTO sign_in_policy (organization_id, providers) VALUES ($1, '{corp}')`, [
      organizationId,
    ]);

  test("leads addresses of a verified domain to the provider, and says the same of every one of them", async () => {
    const { id, record } = await add();
    const nothing = { organizationId: null, providers: [] };
    expect((await way(`ada@${domain}`)).body).toEqual(nothing);
    dns.texts.set(domain, [record]);
    expect((await verify(id)).body.code).toBeUndefined();
    expect((await way(`ada@${domain}`)).body).toEqual(nothing);
    await require(acme);
    const led = { organizationId: acme, providers: [{ id: "corp", name: "Corp SSO" }] };
    const known = `ben@${domain}`;
    await admin.query(`INSERT INTO "user" (id, email, name) VALUES (gen_random_uuid(), $1, 'Ben')`, [known]);
    for (const email of [known, `nobody@${domain}`, `NOBODY@${domain.toUpperCase()}`])
      expect((await way(email)).body, email).toEqual(led);
    for (const email of [`ben@sub.${domain}`, `${domain}@elsewhere.example`])
      expect((await way(email)).body, email).toEqual(nothing);
    // No account is looked at, so that no time tells of one either.
    const { rows } = await admin.query("SELECT prosrc FROM pg_proc WHERE proname = 'providers_of_domain'");
    expect(rows[0].prosrc).not.toMatch(/"user"|membership|identity/);
  });

  test("leads nowhere for a domain whose organization asks for nothing", async () => {
    const { id, record } = await add();
    dns.texts.set(domain, [record]);
    expect((await verify(id)).body.code).toBeUndefined();
    expect((await way(`ada@${domain}`)).body.organizationId).toBeNull();
  });
});
