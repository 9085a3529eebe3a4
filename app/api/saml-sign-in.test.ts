/** Whom an organization's identity provider signs in, and how far such a session reaches. */
import { IdentityProvider, ServiceProvider, setSchemaValidator } from "samlify";
import { beforeAll, describe, expect, test } from "vitest";
import { withClient } from "@/scripts/database/roles.ts";
import {
  addProvider,
  begin,
  browserOf,
  errorOf,
  post,
  signInBySaml,
  type TestProvider,
} from "@/test/saml/browsers.ts";
import { makeIdpKey, requestIn, respond, type Said } from "@/test/saml/idp.ts";
import { ORIGIN, tokenOf, webForFile } from "@/test/web.ts";

const web = webForFile();
let acme: string;
let globex: string;
let ana: { userId: string; memberId: string; cookie: string };
let provider: TestProvider;
let people = 0;
const browser = () => browserOf(web, `10.2.0.${++people}`);

beforeAll(async () => {
  acme = await web.organization("acme");
  globex = await web.organization("globex");
  ana = await web.member(acme, "Ana", "owner");
  provider = await addProvider(web, acme, ana.cookie, {
    createAccounts: true,
    defaultRole: "viewer",
    groups: [{ claim: "finance", role: "approver" }],
  });
});

const sql = (statement: string, values: unknown[] = []) =>
  withClient(web.database.adminUrl, async (client) => (await client.query(statement, values)).rows);
const me = async (cookie: string) => (await web.call("GET", "/api/v1/me", { cookie })).body;
const set = (body: object) =>
  web.call("PATCH", `/api/v1/saml-providers/${provider.id}`, { cookie: ana.cookie, body });

describe("an organization's provider", () => {
  test("gives no account away that exists, whatever address it asserts", async () => {
    // The hostile owner of Acme asserts Globex's CFO, who has never heard of Acme.
    const cfo = await web.member(globex, "Cfo", "owner");
    const email = `cfo-${globex}@test.example`;
    const eve = browser();
    expect(errorOf(await signInBySaml(web, eve, provider, { nameId: email, attributes: { email } }))).toBe(
      "saml_account_exists",
    );
    expect((await web.call("GET", "/api/v1/me", { cookie: eve.cookie() })).status).toBe(401);
    // Nor one of its own members, whom it might otherwise answer for.
    const ben = `ben-${acme}@test.example`;
    await web.member(acme, "Ben", "approver");
    expect(
      errorOf(await signInBySaml(web, browser(), provider, { nameId: ben, attributes: { email: ben } })),
    ).toBe("saml_account_exists");
    expect(await sql("SELECT 1 FROM identity WHERE user_id = $1", [cfo.userId])).toEqual([]);
    expect(await sql("SELECT 1 FROM session WHERE user_id = $1 AND method = 'saml'", [cfo.userId])).toEqual(
      [],
    );
  });

  test("names people within its own issuer: another organization's provider means somebody else by the same name", async () => {
    const gus = await web.member(globex, "Gus", "owner");
    const theirs = await addProvider(web, globex, gus.cookie, {
      createAccounts: true,
      defaultRole: "viewer",
    });
    const [one, other] = [browser(), browser()];
    await signInBySaml(web, one, provider, { nameId: "007", attributes: { email: "seven@acme.example" } });
    await signInBySaml(web, other, theirs, { nameId: "007", attributes: { email: "seven@globex.example" } });
    const [ours, they] = [await me(one.cookie()), await me(other.cookie())];
    expect([ours.organization.slug, they.organization.slug]).toEqual(["acme", "globex"]);
    expect(ours.user.id).not.toBe(they.user.id);
  });

  test("makes accounts by its rules, which follow the groups, and brings back nobody who was suspended", async () => {
    const finance = {
      nameId: "f-1",
      attributes: { email: "fin@acme.example", displayName: "Fin", groups: ["x", "finance"] },
    };
    const fin = browser();
    await signInBySaml(web, fin, provider, finance);
    const { user, role } = await me(fin.cookie());
    expect([user.name, role]).toEqual(["Fin", "approver"]);
    // Out of the group: what everybody is.
    const again = browser();
    await signInBySaml(web, again, provider, {
      ...finance,
      attributes: { email: "other@acme.example", groups: [] },
    });
    expect(await me(again.cookie())).toMatchObject({ user: { id: user.id }, role: "viewer" });
    const [member] = await sql(
      "SELECT id, role FROM membership WHERE organization_id = $1 AND user_id = $2",
      [acme, user.id],
    );
    await sql(
      `WITH gone AS (DELETE FROM membership WHERE id = $2 RETURNING *)
       INSERT INTO suspended_member (organization_id, id, user_id, role, single_keys, tour_seen, density, joined_at, suspended_by, cause)
       SELECT $1, id, user_id, role, single_keys, tour_seen, density, created_at, '{}', 'admin' FROM gone`,
      [acme, member.id],
    );
    expect(errorOf(await signInBySaml(web, browser(), provider, finance))).toBe("saml_suspended");
    expect((await web.call("GET", "/api/v1/me", { cookie: again.cookie() })).status).toBe(401);
  });

  test("lets in who was invited where it makes no accounts, and nobody else", async () => {
    await set({ createAccounts: false });
    const email = "invited@acme.example";
    const said = { nameId: "i-1", attributes: { mail: email } };
    expect(errorOf(await signInBySaml(web, browser(), provider, said))).toBe("saml_no_account");
    await web.call("POST", "/api/v1/invitations", { cookie: ana.cookie, body: { email, role: "operator" } });
    const invited = browser();
    expect(errorOf(await signInBySaml(web, invited, provider, said))).toBeNull();
    expect(await me(invited.cookie())).toMatchObject({ user: { email }, role: "operator" });
    expect(errorOf(await signInBySaml(web, browser(), provider, { nameId: "no address" }))).toBe(
      "saml_no_email",
    );
    await set({ createAccounts: true });
  });

  test("that is removed takes its sessions and its names of people along, at once", async () => {
    const other = await addProvider(web, acme, ana.cookie, {
      name: "Old",
      createAccounts: true,
      defaultRole: "viewer",
    });
    const olga = browser();
    await signInBySaml(web, olga, other, { nameId: "o-1", attributes: { email: "olga@acme.example" } });
    expect((await web.call("GET", "/api/v1/me", { cookie: olga.cookie() })).status).toBe(200);
    const remove = () => web.call("DELETE", `/api/v1/saml-providers/${other.id}`, { cookie: ana.cookie });
    // Whoever signs in by it could not even take the rule back.
    await sql(
      "UPDATE session SET method = 'oidc', provider = 'corp', provider_subject = 'ana' WHERE user_id = $1",
      [ana.userId],
    );
    await sql("INSERT INTO sign_in_policy (organization_id, providers) VALUES ($1, $2)", [
      acme,
      ["corp", `saml:${other.id}`],
    ]);
    expect(await remove()).toMatchObject({ status: 409, body: { code: "would_lock_out" } });
    expect((await web.call("GET", "/api/v1/me", { cookie: olga.cookie() })).status).toBe(200);
    await sql("DELETE FROM sign_in_policy WHERE organization_id = $1", [acme]);
    expect((await remove()).status).toBe(204);
    expect((await web.call("GET", "/api/v1/me", { cookie: olga.cookie() })).status).toBe(401);
    expect(await sql("SELECT 1 FROM identity WHERE issuer = $1", [`saml:${other.id}`])).toEqual([]);
  });
});

describe("a person who links the account", () => {
  /** Somebody of both organizations, who links the account to Acme's provider. */
  async function linked(name: string, subject: string) {
    const person = await web.member(globex, name, "owner");
    await sql(
      "INSERT INTO membership (organization_id, id, user_id, role) VALUES ($1, gen_random_uuid(), $2, 'approver')",
      [acme, person.userId],
    );
    await web.call("PUT", "/api/v1/me/organization", {
      cookie: person.cookie,
      body: { organizationId: acme },
    });
    const own = browserOf(web, `10.2.1.${++people}`);
    const started = await web.call("POST", "/api/v1/me/saml-links", {
      cookie: person.cookie,
      body: { samlProviderId: provider.id },
    });
    const inResponseTo = requestIn(started.body.url).id;
    const next = await post(
      web,
      provider,
      respond({ ...provider.said, inResponseTo, nameId: subject }, provider.key),
    );
    const saml = /intray\.saml=[^;]+/.exec(started.headers.get("set-cookie") ?? "")?.[0];
    const finish = (cookie: string) => web.open("GET", next.replace(ORIGIN, ""), { cookie });
    return { ...person, own, finish, saml };
  }

  test("does so by their own means and in their own browser, and then reaches that organization alone", async () => {
    const cara = await linked("Cara", "cara");
    // Somebody else's session ends nothing of it.
    expect((await cara.finish(ana.cookie)).headers.get("location")).toContain("error=saml_other_browser");
    expect((await cara.finish(`${cara.saml}; ${cara.cookie}`)).headers.get("location")).toBe(
      `${ORIGIN}/settings/security?saml=linked`,
    );
    const atWork = browser();
    expect(errorOf(await signInBySaml(web, atWork, provider, { nameId: "cara" }))).toBeNull();
    const cookie = atWork.cookie();
    expect(await me(cookie)).toMatchObject({ user: { id: cara.userId }, organization: { slug: "acme" } });

    // The other organization, of which she is an owner, is out of reach; it is not even named.
    const call = (method: "GET" | "POST" | "PUT" | "DELETE", path: string, body?: unknown) =>
      web.call(method, path, { cookie, ...(body !== undefined && { body }) });
    expect(
      (await call("GET", "/api/v1/organizations")).body.items.map(({ slug }: { slug: string }) => slug),
    ).toEqual(["acme"]);
    expect((await call("PUT", "/api/v1/me/organization", { organizationId: globex })).status).toBe(404);
    expect((await me(cookie)).organization.slug).toBe("acme");
    // Nor does the session reach the account: no passkey, no password, no other session, no notices.
    const refused: ["GET" | "POST" | "DELETE", string, unknown?][] = [
      ["GET", "/api/v1/me/security"],
      ["GET", "/api/v1/me/security-events"],
      ["GET", "/api/v1/me/sessions"],
      ["DELETE", "/api/v1/me/sessions"],
      ["POST", "/api/v1/me/passkeys/options", {}],
      ["POST", "/api/v1/me/second-factor", {}],
      ["POST", "/api/v1/me/password", { current: "x", password: "a long new pass phrase" }],
      ["GET", "/api/v1/me/saml-links"],
    ];
    for (const [method, path, body] of refused)
      expect([path, (await call(method, path, body)).body.code]).toEqual([path, "organization_session"]);
    expect(
      (await call("GET", "/api/v1/notices")).body.items.filter(
        ({ kind }: { kind: string }) => kind === "account",
      ),
    ).toEqual([]);

    // An invitation of a third organization is accepted by nobody but her.
    const third = await web.organization("third");
    const tom = await web.member(third, "Tom", "owner");
    const email = `cara-${globex}@test.example`;
    const invited = await web.call("POST", "/api/v1/invitations", {
      cookie: tom.cookie,
      body: { email, role: "viewer" },
    });
    const token = tokenOf(invited.body.url);
    expect((await call("POST", "/api/join", { token })).status).toBe(401);

    // Once she is no member there any more, the session leads nowhere, and not to her other organization.
    const [member] = await sql("SELECT id FROM membership WHERE organization_id = $1 AND user_id = $2", [
      acme,
      cara.userId,
    ]);
    await web.call("DELETE", `/api/v1/members/${member.id}`, { cookie: ana.cookie });
    expect((await call("GET", "/api/v1/me")).status).toBe(401);
    // The rule for everybody lets her in again, as what everybody is.
    const back = browser();
    await signInBySaml(web, back, provider, { nameId: "cara" });
    expect(await me(back.cookie())).toMatchObject({ user: { id: cara.userId }, role: "viewer" });
  });

  test("stays inside for processes of before and for whoever writes to the row", async () => {
    const dora = await linked("Dora", "dora");
    await dora.finish(`${dora.saml}; ${dora.cookie}`);
    await signInBySaml(web, browser(), provider, { nameId: "dora" });
    const row =
      "SELECT only_organization, chosen_organization, revoked_at, provider FROM session WHERE user_id = $1 AND method = 'saml'";
    const [before] = await sql(row, [dora.userId]);
    expect(before).toMatchObject({ only_organization: acme, chosen_organization: acme, revoked_at: null });
    await sql(
      "UPDATE session SET only_organization = NULL, provider = NULL, provider_subject = NULL WHERE user_id = $1 AND method = 'saml'",
      [dora.userId],
    ).catch(() => undefined);
    await sql("UPDATE session SET only_organization = $2 WHERE user_id = $1 AND method = 'saml'", [
      dora.userId,
      globex,
    ]);
    expect((await sql(row, [dora.userId]))[0]).toMatchObject({
      only_organization: acme,
      provider: `saml:${provider.id}`,
    });
    await sql("UPDATE session SET chosen_organization = $2 WHERE user_id = $1 AND method = 'saml'", [
      dora.userId,
      globex,
    ]);
    expect((await sql(row, [dora.userId]))[0]).toMatchObject({
      chosen_organization: acme,
      revoked_at: expect.any(Date),
    });
    await expect(
      sql(
        "INSERT INTO session (secret_hash, user_id, expires_at, method, provider, provider_subject) VALUES ('\\x01', $1, now() + interval '1 hour', 'saml', 'saml:00000000-0000-0000-0000-000000000000', 'x')",
        [dora.userId],
      ),
    ).rejects.toThrow(/session_confined/);
    // The sign-in is in Acme's history, and not in Globex's.
    const lines = await sql(
      "SELECT organization_id FROM event WHERE type = 'session.opened' AND data::text LIKE '%saml%' AND actor_id = $1",
      [dora.userId],
    );
    expect(lines.map((line) => line.organization_id)).toEqual([acme]);
  });

  test("takes the link back, and its sessions end", async () => {
    const dana = await linked("Dana", "dana");
    await dana.finish(`${dana.saml}; ${dana.cookie}`);
    const atWork = browser();
    await signInBySaml(web, atWork, provider, { nameId: "dana" });
    const links = await web.call("GET", "/api/v1/me/saml-links", { cookie: dana.cookie });
    expect(links.body.items.find(({ id }: { id: string }) => id === provider.id)).toMatchObject({
      linked: true,
    });
    expect(
      (await web.call("DELETE", `/api/v1/me/saml-links/${provider.id}`, { cookie: dana.cookie })).status,
    ).toBe(204);
    expect((await web.call("GET", "/api/v1/me", { cookie: atWork.cookie() })).status).toBe(401);
    // A name that is another account's already is not taken from it.
    await linked("Dirk", "007").then(async ({ finish, saml, cookie }) =>
      expect((await finish(`${saml}; ${cookie}`)).headers.get("location")).toBe(
        `${ORIGIN}/settings/security?saml=saml_linked_to_other`,
      ),
    );
  });
});

test("a test sign-in opens no session, and shows the owner what came, or what was wrong", async () => {
  const run = async (said: Partial<Said>) => {
    const started = await web.call("POST", `/api/v1/saml-providers/${provider.id}/test`, {
      cookie: ana.cookie,
    });
    const saml = /intray\.saml=[^;]+/.exec(started.headers.get("set-cookie") ?? "")?.[0];
    const inResponseTo = requestIn(started.body.url).id;
    const next = await post(
      web,
      provider,
      respond({ ...provider.said, inResponseTo, ...said }, provider.key),
    );
    if (next.includes("/finish"))
      await web.open("GET", next.replace(ORIGIN, ""), { cookie: `${saml}; ${ana.cookie}` });
    else expect(next).toBe(`${ORIGIN}/settings/saml?tested=${provider.id}`);
    return (await web.call("GET", `/api/v1/saml-providers/${provider.id}`, { cookie: ana.cookie })).body.test;
  };
  const before = await sql("SELECT count(*) FROM session");
  expect(
    await run({ nameId: "t-1", attributes: { email: "T@acme.example", groups: "finance" } }),
  ).toMatchObject({
    failure: null,
    report: { subject: "t-1", email: "t@acme.example", groups: ["finance"], role: "approver" },
  });
  expect(await run({ audience: "https://other.example" })).toMatchObject({
    failure: "saml_audience",
    report: null,
  });
  expect(await sql("SELECT count(*) FROM session")).toEqual(before);
});

test("a browser that is signed in is asked anew who it is, and then has just shown it", async () => {
  const eve = browser();
  await signInBySaml(web, eve, provider, {
    nameId: "step",
    attributes: { email: "step@acme.example" },
    authenticated: -60,
  });
  const fresh = async () => (await web.call("GET", "/api/v1/me/step-up", { cookie: eve.cookie() })).body;
  expect(await fresh()).toEqual({ fresh: false, ways: ["provider"] });
  const started = await eve.send(`/api/auth/saml/${provider.id}/start`);
  expect(requestIn(started.headers.get("location") ?? "").forced).toBe(true);
  await signInBySaml(web, eve, provider, { nameId: "step" });
  expect((await fresh()).fresh).toBe(true);
});

test("samlify, an identity provider of another make, signs in by our metadata and its own", async () => {
  setSchemaValidator({ validate: async () => "taken" });
  const key = await makeIdpKey();
  const settings = {
    entityID: "https://samlify.example/metadata",
    signingCert: key.certificate,
    privateKey: key.privateKey,
    isAssertionEncrypted: false,
    wantAuthnRequestsSigned: true,
    singleSignOnService: [
      {
        Binding: "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect",
        Location: "https://samlify.example/sso",
      },
    ],
    loginResponseTemplate: {
      context: TEMPLATE,
      attributes: [
        {
          name: "email",
          valueTag: "Email",
          nameFormat: "urn:oasis:names:tc:SAML:2.0:attrname-format:basic",
          valueXsiType: "xs:string",
        },
      ],
    },
  };
  const idp = IdentityProvider(settings);
  const made = await web.call("POST", "/api/v1/saml-providers", {
    cookie: ana.cookie,
    body: {
      name: "Samlify",
      metadata: idp.getMetadata(),
      createAccounts: true,
      defaultRole: "viewer",
      signRequests: true,
    },
  });
  expect(made.status).toBe(201);
  const sp = ServiceProvider({
    metadata: await (await web.open("GET", made.body.own.metadataUrl.replace(ORIGIN, ""))).text(),
    authnRequestsSigned: true,
  });
  const eve = browser();
  const started = await eve.send(`/api/auth/saml/${made.body.id}/start?callbackUrl=/tasks`);
  const url = new URL(started.headers.get("location") ?? "");
  const query = Object.fromEntries(url.searchParams);
  // samlify checks the signature of our request.
  const octetString = url.search.slice(1).replace(/&Signature=.*$/, "");
  const { extract } = await idp.parseLoginRequest(sp, "redirect", { query, octetString });
  const now = new Date();
  const soon = new Date(now.getTime() + 300_000).toISOString();
  const { context } = await idp.createLoginResponse(sp, { extract }, "post", {}, (template: string) => ({
    id: "_r1",
    context: template.replace(
      /\{(\w+)\}/g,
      (_all, name: string) =>
        ({
          ID: "_r1",
          AssertionID: "_a1",
          Destination: made.body.own.acsUrl,
          Audience: made.body.own.entityId,
          SubjectRecipient: made.body.own.acsUrl,
          Issuer: settings.entityID,
          IssueInstant: now.toISOString(),
          StatusCode: "urn:oasis:names:tc:SAML:2.0:status:Success",
          ConditionsNotBefore: now.toISOString(),
          ConditionsNotOnOrAfter: soon,
          SubjectConfirmationDataNotOnOrAfter: soon,
          NameIDFormat: "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent",
          NameID: "samlify-1",
          InResponseTo: extract.request?.id,
          attrEmail: "sam@acme.example",
        })[name] ?? "",
    ),
  }));
  const stop = await eve.go(
    await post(web, { id: made.body.id } as TestProvider, Buffer.from(context, "base64").toString()),
  );
  expect(stop.url).toBe(`${ORIGIN}/tasks`);
  expect(await me(eve.cookie())).toMatchObject({
    user: { email: "sam@acme.example" },
    organization: { slug: "acme" },
  });
});

const TEMPLATE = `<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="{ID}" Version="2.0" IssueInstant="{IssueInstant}" Destination="{Destination}" InResponseTo="{InResponseTo}"><saml:Issuer>{Issuer}</saml:Issuer><samlp:Status><samlp:StatusCode Value="{StatusCode}"/></samlp:Status><saml:Assertion ID="{AssertionID}" Version="2.0" IssueInstant="{IssueInstant}"><saml:Issuer>{Issuer}</saml:Issuer><saml:Subject><saml:NameID Format="{NameIDFormat}">{NameID}</saml:NameID><saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer"><saml:SubjectConfirmationData NotOnOrAfter="{SubjectConfirmationDataNotOnOrAfter}" Recipient="{SubjectRecipient}" InResponseTo="{InResponseTo}"/></saml:SubjectConfirmation></saml:Subject><saml:Conditions NotBefore="{ConditionsNotBefore}" NotOnOrAfter="{ConditionsNotOnOrAfter}"><saml:AudienceRestriction><saml:Audience>{Audience}</saml:Audience></saml:AudienceRestriction></saml:Conditions><saml:AuthnStatement AuthnInstant="{IssueInstant}" SessionIndex="s1"><saml:AuthnContext><saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:Password</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement>{AttributeStatement}<saml:AttributeStatement><saml:Attribute Name="email"><saml:AttributeValue>{attrEmail}</saml:AttributeValue></saml:Attribute></saml:AttributeStatement></saml:Assertion></samlp:Response>`;

describe("the settings", () => {
  test("are an owner's with a fresh factor, an admin reads them, and history names each change", async () => {
    const adam = await web.member(acme, "Adam", "admin");
    const vera = await web.member(acme, "Vera", "operator");
    const path = `/api/v1/saml-providers/${provider.id}`;
    expect((await web.call("GET", path, { cookie: adam.cookie })).status).toBe(200);
    expect(
      (await web.call("PATCH", path, { cookie: adam.cookie, body: { idpInitiated: true } })).status,
    ).toBe(403);
    expect((await web.call("GET", path, { cookie: vera.cookie })).status).toBe(403);
    await sql("UPDATE session SET factor_at = now() - interval '1 hour' WHERE user_id = $1", [ana.userId]);
    expect((await set({ idpInitiated: true })).body.code).toBe("step_up_required");
    await sql("UPDATE session SET factor_at = 'infinity' WHERE user_id = $1", [ana.userId]);
    const shown = JSON.stringify(
      (await web.call("GET", "/api/v1/saml-providers", { cookie: ana.cookie })).body,
    );
    expect(shown).not.toMatch(/PRIVATE KEY|sealed/i);
    await set({ name: "Acme SSO" });
    const { body } = await web.call("GET", "/api/v1/events?type=saml_provider.updated", {
      cookie: ana.cookie,
    });
    expect(body.items[0]).toMatchObject({ type: "saml_provider.updated", data: { name: "Acme SSO" } });
  });

  test("take metadata without document types, of one provider, by https, and of the same provider", async () => {
    const key = await makeIdpKey();
    const metadata = (entityId: string, location = "https://idp.example/sso", before = "") =>
      `${before}<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="${entityId}"><!-- ours --><IDPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol"><KeyDescriptor use="signing"><KeyInfo xmlns="http://www.w3.org/2000/09/xmldsig#"><X509Data><X509Certificate>${key.certificate.replace(/-----[A-Z ]+-----|\s/g, "")}</X509Certificate></X509Data></KeyInfo></KeyDescriptor><SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" Location="${location}"/></IDPSSODescriptor></EntityDescriptor>`;
    const codeOf = async (body: object) => (await set(body)).body.code;
    expect(await codeOf({ metadata: metadata("https://other.example") })).toBe("other_idp");
    expect(
      await codeOf({
        metadata: metadata(
          provider.said.entityId,
          "https://idp.example/sso",
          "<!DOCTYPE x [<!ENTITY a 'b'>]>",
        ),
      }),
    ).toBe("invalid_metadata");
    for (const location of [
      "http://idp.example/sso",
      "javascript:alert(1)",
      "https://10.0.0.1/sso",
      "https://169.254.169.254/",
    ])
      expect(await codeOf({ metadata: metadata(provider.said.entityId, location) })).toBe(
        "address_not_allowed",
      );
    expect(await codeOf({ metadataUrl: "https://127.0.0.1/metadata" })).toBe("address_not_allowed");
    expect(
      await codeOf({ certificates: "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----" }),
    ).toBe("invalid_input");
    const before = (await web.call("GET", `/api/v1/saml-providers/${provider.id}`, { cookie: ana.cookie }))
      .body;
    const { body } = await set({ metadata: metadata(provider.said.entityId) });
    expect(body.certificates.map(({ pem }: { pem: string }) => pem.trim())).toEqual([key.certificate.trim()]);
    await set({ certificates: before.certificates[0].pem });
  });

  test("show an organization's buttons on the sign-in page, and tell nobody which organizations there are", async () => {
    const { samlProvidersFor } = await import("@/lib/web/auth/sign-in/sign-in.ts");
    expect((await samlProvidersFor("acme")).map(({ name }) => name)).toContain("Acme SSO");
    expect(await samlProvidersFor("third")).toEqual([]);
    expect(await samlProvidersFor("nobody-has-this")).toEqual([]);
    expect(await samlProvidersFor("x'; --")).toEqual([]);
    await begin(browser(), provider);
  });
});
