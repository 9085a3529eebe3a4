/** Responses that no honest identity provider makes, at the real handlers: none opens a session. */
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
import {
  assertionXml,
  type IdpKey,
  makeIdpKey,
  newId,
  respond,
  respondEncrypted,
  responseXml,
  type Said,
  sign,
} from "@/test/saml/idp.ts";
import { ORIGIN, webForFile } from "@/test/web.ts";

const web = webForFile();
let acme: TestProvider;
let globex: TestProvider;
let owner: { userId: string; cookie: string };
let gus: typeof owner;
let ownCertificate: string;
let stranger: IdpKey;
let people = 0;
const browser = () => browserOf(web, `10.1.0.${++people}`);

beforeAll(async () => {
  stranger = await makeIdpKey();
  const settings = { createAccounts: true, defaultRole: "viewer" };
  const acmeId = await web.organization("acme");
  const globexId = await web.organization("globex");
  owner = await web.member(acmeId, "Ana", "owner");
  gus = await web.member(globexId, "Gus", "owner");
  acme = await addProvider(web, acmeId, owner.cookie, settings);
  globex = await addProvider(web, globexId, gus.cookie, settings);
  const { body } = await web.call("GET", `/api/v1/saml-providers/${acme.id}`, { cookie: owner.cookie });
  ownCertificate = body.own.certificate;
});

const email = { email: "eve@acme.example" };
let tries = 0;
const sessions = () =>
  withClient(web.database.adminUrl, async (client) =>
    Number((await client.query("SELECT count(*) FROM session WHERE method = 'saml'")).rows[0].count),
  );

/** Posts what `make` makes of an honest answer to a request of this browser, and follows it. Returns the code. */
async function attempt(make: (said: Said) => string | Promise<string>): Promise<string | null> {
  const eve = browser();
  const before = await sessions();
  const inResponseTo = await begin(eve, acme);
  // A person of its own each time: an address belongs to one name.
  const attributes = { email: `eve@acme${++tries}.example` };
  const xml = await make({ ...acme.said, inResponseTo, nameId: `u-${tries}`, attributes });
  const stop = await eve.go(await post(web, acme, xml));
  const opened = (await sessions()) - before;
  const { status } = await web.call("GET", "/api/v1/me", { cookie: eve.cookie() });
  expect([opened, status]).toEqual(errorOf(stop.url) === null ? [1, 200] : [0, 401]);
  return errorOf(stop.url);
}

const honest = (said: Said) => respond(said, acme.key);

test("an honest response opens one session, whose columns say what the provider said", async () => {
  const eve = browser();
  const landed = await signInBySaml(
    web,
    eve,
    acme,
    { nameId: "honest", attributes: email, sessionIndex: "idx-9" },
    "/tasks?state=open",
  );
  expect(landed.href).toBe(`${ORIGIN}/tasks?state=open`);
  const { body } = await web.call("GET", "/api/v1/me", { cookie: eve.cookie() });
  expect([body.user.email, body.organization.slug, body.role]).toEqual([
    "eve@acme.example",
    "acme",
    "viewer",
  ]);
  const [row] = await withClient(
    web.database.adminUrl,
    async (client) =>
      (
        await client.query(
          "SELECT provider, provider_subject, provider_session, acr, only_organization, authenticated_at FROM session WHERE provider_session = 'idx-9'",
        )
      ).rows,
  );
  expect(row).toMatchObject({
    provider: `saml:${acme.id}`,
    provider_subject: "honest",
    only_organization: acme.organizationId,
    acr: "urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport",
  });
  expect(Date.now() - row.authenticated_at.getTime()).toBeLessThan(10 * 60_000);
  // With a signature around the whole response as well.
  expect(await attempt((said) => sign(honest(said), "Response", acme.key))).toBeNull();
});

describe("a signature", () => {
  test("is demanded of the assertion, by a key of this provider, with an algorithm that is not broken", async () => {
    const unsigned = (said: Said) => responseXml(said, assertionXml(said));
    expect(await attempt(unsigned)).toBe("saml_signature");
    expect(await attempt((said) => sign(unsigned(said), "Response", acme.key))).toBe("saml_signature");
    expect(await attempt((said) => respond(said, stranger))).toBe("saml_signature");
    for (const algorithms of [
      { signature: "http://www.w3.org/2000/09/xmldsig#rsa-sha1" },
      { digest: "http://www.w3.org/2000/09/xmldsig#sha1" },
    ])
      expect(
        await attempt((said) =>
          responseXml(said, sign(assertionXml(said), "Assertion", acme.key, algorithms)),
        ),
      ).toBe("saml_algorithm");
    // One that fits its own word alone: a changed name, and a changed attribute.
    expect(await attempt((said) => honest({ ...said, nameId: "eve" }).replace(">eve<", ">ana<"))).toBe(
      "saml_signature",
    );
    expect(await attempt((said) => honest(said).replace("eve@acme", "ana@acme"))).toBe("saml_signature");
    expect(
      await attempt((said) => honest(said).replace(/<ds:SignatureValue>[^<]+/, "<ds:SignatureValue>AAAA")),
    ).toBe("saml_signature");
  });

  const forged = (said: Said) => assertionXml({ ...said, nameId: "ana", assertionId: newId() });
  const signed = (said: Said) => sign(assertionXml(said), "Assertion", acme.key);
  const signatureIn = (xml: string) => /<ds:Signature.*<\/ds:Signature>/s.exec(xml)?.[0] ?? "";
  const bare = (xml: string) => xml.replace(signatureIn(xml), "");
  /** A signed response, as XSW 1 and 2 want it. */
  const whole = (said: Said) => sign(responseXml(said, assertionXml(said)), "Response", acme.key);
  const ofWhole = (xml: string) => signatureIn(xml);
  const into = (xml: string, what: string) => xml.replace(/<\/saml:Assertion>$/, `${what}</saml:Assertion>`);
  const withSignature = (assertion: string, signature: string) =>
    assertion.replace("</saml:Issuer>", `</saml:Issuer>${signature}`);
  const object = (signature: string, what: string) =>
    signature.replace("</ds:Signature>", `<ds:Object>${what}</ds:Object></ds:Signature>`);

  const WRAPPED: Record<string, (said: Said) => string> = {
    "1: the signed response inside the forged one's signature": (said) => {
      const original = whole(said);
      const evil = responseXml(said, forged(said));
      return evil.replace("<samlp:Status>", `${object(ofWhole(original), bare(original))}<samlp:Status>`);
    },
    "2: the signed response beside the signature of the forged one": (said) => {
      const original = whole(said);
      return responseXml(said, `${ofWhole(original)}${bare(original)}${forged(said)}`);
    },
    "3: the forged assertion before the signed one": (said) => responseXml(said, forged(said) + signed(said)),
    "4: the signed assertion inside the forged one": (said) =>
      responseXml(said, into(forged(said), signed(said))),
    "5: the forged assertion has the signature, the signed one follows": (said) => {
      const original = signed(said);
      return responseXml(said, withSignature(forged(said), signatureIn(original)) + bare(original));
    },
    "6: the signed assertion inside the signature of the forged one": (said) => {
      const original = signed(said);
      const signature = signatureIn(original).replace(
        "</ds:SignedInfo>",
        `</ds:SignedInfo>${bare(original)}`,
      );
      return responseXml(said, withSignature(forged(said), signature));
    },
    "7: the forged assertion in an extension": (said) =>
      responseXml(said, `<samlp:Extensions>${forged(said)}</samlp:Extensions>${signed(said)}`),
    "8: the signed assertion in an object of the forged one's signature": (said) => {
      const original = signed(said);
      return responseXml(said, withSignature(forged(said), object(signatureIn(original), bare(original))));
    },
    "the same id twice": (said) => {
      const assertionId = newId();
      const evil = assertionXml({ ...said, nameId: "ana", assertionId });
      return responseXml(said, evil + sign(assertionXml({ ...said, assertionId }), "Assertion", acme.key));
    },
    "another element of that name from another namespace": (said) =>
      responseXml(said, `<x:Assertion xmlns:x="urn:x" ID="${newId()}"/>${signed(said)}`),
    "two signatures": (said) => {
      const original = signed(said);
      return responseXml(said, original.replace("</saml:Issuer>", `</saml:Issuer>${signatureIn(original)}`));
    },
    "a reference to everything": (said) => responseXml(said, signed(said).replace(/URI="#[^"]+"/, 'URI=""')),
  };
  test.each(Object.entries(WRAPPED))(
    "does not vouch for what is wrapped around it: XSW %s",
    async (_name, make) => {
      expect(await attempt(make)).toMatch(/^saml_(malformed|signature)$/);
    },
  );

  test("is of an element whose id is a name, and no expression", async () => {
    for (const assertionId of ["_a' or '1'='1", "_a'] | //*[@ID='_b", "_a\u00a0b", "1a", "a:b"])
      expect(await attempt((said) => honest({ ...said, assertionId })), assertionId).toBe("saml_malformed");
    expect(await attempt((said) => honest({ ...said, assertionId: "id.Äb-1_2" }))).toBeNull();
  });

  test("does not cover comments in a name, which are refused with every other declaration", async () => {
    const cut = (said: Said) =>
      honest({ ...said, nameId: "ana@acme.example.evil" }).replace(
        "ana@acme.example.evil",
        "ana@acme.example<!-- -->.evil",
      );
    expect(await attempt(cut)).toBe("saml_malformed");
    const cdata = (said: Said) => honest({ ...said, nameId: "ana" }).replace(">ana<", "><![CDATA[ana]]><");
    expect(await attempt(cdata)).toBe("saml_malformed");
    const pi = (said: Said) => honest({ ...said, nameId: "ana" }).replace(">ana<", ">a<?x?>na<");
    expect(await attempt(pi)).toBe("saml_malformed");
  });
});

describe("a document", () => {
  test("with a document type, entities, too many elements, too deep or too large is not read", async () => {
    const doctype = '<!DOCTYPE r [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>';
    const external = '<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]>';
    for (const make of [
      (said: Said) => doctype + honest({ ...said, nameId: "u-1" }).replace(">u-1<", ">&b;<"),
      (said: Said) => external + honest({ ...said, nameId: "u-1" }).replace(">u-1<", ">&x;<"),
      (said: Said) => honest({ ...said, nameId: "u-1" }).replace(">u-1<", ">&x;<"),
      (said: Said) => responseXml(said, "<a/>".repeat(1_500)),
      (said: Said) => responseXml(said, "<a>".repeat(3_000) + "</a>".repeat(3_000)),
      (said: Said) => responseXml(said, `<a b="${"x".repeat(400_000)}"/>`),
      () => "<samlp:Response",
      () => "",
      () => "\u0000",
    ])
      expect(await attempt(make)).toBe("saml_malformed");
  });

  test("has room for twice three hundred groups", async () => {
    const groups = Array.from({ length: 600 }, (_, n) => `group ${n}`);
    expect(await attempt((said) => honest({ ...said, attributes: { ...said.attributes, groups } }))).toBe(
      null,
    );
  });

  test("that is no form, or has two responses, or more than a MiB, is not read", async () => {
    const send = async (body: string, type = "application/x-www-form-urlencoded") => {
      const answer = await web.open("POST", `/api/auth/saml/${acme.id}/acs`, {
        headers: { "content-type": type },
        body,
      });
      return errorOf(answer.headers.get("location") ?? "");
    };
    for (const body of [
      "",
      "SAMLResponse=",
      "SAMLResponse=%25%25",
      "SAMLResponse=AAAA&SAMLResponse=AAAA",
      `SAMLResponse=${"A".repeat(1_100_000)}`,
    ])
      expect(await send(body)).toBe("saml_malformed");
    expect(await send("{}", "application/json")).toBe("saml_malformed");
  });
});

describe("an assertion", () => {
  const wrong: [string, Partial<Said>, string][] = [
    ["expired", { notOnOrAfter: -3 }, "expired"],
    ["made long ago", { issued: -30, notBefore: -30 }, "expired"],
    ["not yet valid", { notBefore: 4 }, "not_yet_valid"],
    ["made in the future", { issued: 4 }, "not_yet_valid"],
    ["authenticated in the future", { authenticated: 4 }, "not_yet_valid"],
    ["for another audience", { audience: "https://other.example/metadata" }, "audience"],
    ["for another recipient", { recipient: "https://other.example/acs" }, "recipient"],
    ["in a response for another destination", { destination: "https://other.example/acs" }, "destination"],
    ["by another issuer", { entityId: "https://other.example" }, "issuer"],
    ["without an authentication", { authenticated: null }, "no_authentication"],
    ["of a session that is over", { sessionEnds: -1 }, "session_over"],
    ["without a name", { nameIdXml: "" }, "no_subject"],
    ["with an empty name", { nameIdXml: "<saml:NameID> </saml:NameID>" }, "no_subject"],
    [
      "with two names",
      { nameIdXml: "<saml:NameID>a</saml:NameID><saml:NameID>b</saml:NameID>" },
      "no_subject",
    ],
    ["with a name with elements in it", { nameIdXml: "<saml:NameID>a<b/>c</saml:NameID>" }, "malformed"],
    [
      "with a name for one time",
      { nameIdFormat: "urn:oasis:names:tc:SAML:2.0:nameid-format:transient" },
      "transient_subject",
    ],
    [
      "of a request that nobody made",
      { inResponseTo: "_0123456789abcdef0123456789abcdef01234567" },
      "not_started",
    ],
    ["of no request", { inResponseTo: null }, "provider_started"],
    ["of a refusal", { status: "Responder" }, "declined"],
  ];
  test.each(wrong)("%s is refused", async (_name, said, fault) => {
    expect(await attempt((given) => honest({ ...given, ...said }))).toBe(`saml_${fault}`);
  });

  test("a clock that is a minute away is taken, and a response that names no destination", async () => {
    expect(
      await attempt((said) => honest({ ...said, notBefore: 1, issued: 1, destination: null })),
    ).toBeNull();
    expect(await attempt((said) => honest({ ...said, notOnOrAfter: -0.5 }))).toBeNull();
  });

  test("of one organization's provider is nothing at another's address", async () => {
    const eve = browser();
    const inResponseTo = await begin(eve, acme);
    const said = { ...globex.said, inResponseTo };
    // Signed by Globex's key, in Acme's name and for Acme; and Globex's own, brought to Acme.
    for (const xml of [respond({ ...acme.said, inResponseTo }, globex.key), respond(said, globex.key)])
      expect(errorOf(await post(web, acme, xml))).toMatch(/^saml_(signature|issuer|destination)$/);
    // An answer to Acme's request at Globex's address, made by Globex.
    expect(errorOf(await post(web, globex, respond(said, globex.key)))).toBe("saml_not_started");
  });

  test("opens one session, however often and at whatever once it comes", async () => {
    const eve = browser();
    const before = await sessions();
    const inResponseTo = await begin(eve, acme);
    const xml = respond(
      { ...acme.said, inResponseTo, nameId: "once", attributes: { email: "once@acme.example" } },
      acme.key,
    );
    const answers = await Promise.all(Array.from({ length: 4 }, () => post(web, acme, xml)));
    const tickets = answers.filter((answer) => errorOf(answer) === null);
    expect(tickets).toHaveLength(1);
    expect(answers.filter((answer) => errorOf(answer) === "saml_used")).toHaveLength(3);
    const finished = await Promise.all(Array.from({ length: 4 }, () => eve.send(tickets[0]!)));
    const landed = finished.map((answer) => errorOf(answer.headers.get("location") ?? ""));
    expect(landed.filter((code) => code === null)).toHaveLength(1);
    expect((await sessions()) - before).toBe(1);
    expect(errorOf(await post(web, acme, xml))).toBe("saml_used");
    const rows = await withClient(
      web.database.adminUrl,
      async (client) =>
        (
          await client.query(
            "SELECT claims, taken_at FROM saml_response WHERE provider_id = $1 AND taken_at IS NULL",
            [acme.id],
          )
        ).rows,
    );
    // What was fetched is kept no more.
    expect(rows.every(({ claims }) => claims !== null)).toBe(true);
  });

  test("ends in the browser that began, and nowhere else", async () => {
    const [victim, eve] = [browser(), browser()];
    const before = await sessions();
    const next = await post(
      web,
      acme,
      respond({ ...acme.said, inResponseTo: await begin(eve, acme), attributes: email }, acme.key),
    );
    // Eve sends the victim the address: the victim is not signed in as Eve.
    expect(errorOf((await victim.go(next)).url)).toBe("saml_other_browser");
    await begin(victim, acme);
    expect(errorOf((await victim.go(next)).url)).toBe("saml_other_browser");
    expect(await sessions()).toBe(before);
    const cookies = eve.cookies().filter(({ name }) => name === "intray.saml");
    expect(cookies.map(({ attributes }) => attributes)).toEqual([
      expect.stringMatching(/HttpOnly; SameSite=Lax/),
    ]);
  });

  test("that nobody asked for is taken where the owner allows it, once, and leads to a page of Intray alone", async () => {
    const unasked = (assertionId: string) =>
      respond(
        {
          ...acme.said,
          inResponseTo: null,
          assertionId,
          nameId: "unasked",
          attributes: { email: "unasked@acme.example" },
        },
        acme.key,
      );
    const path = `/api/v1/saml-providers/${acme.id}`;
    await web.call("PATCH", path, { cookie: owner.cookie, body: { idpInitiated: true } });
    for (const relay of [
      "https://evil.example/",
      "//evil.example",
      "/.//evil.example",
      "javascript:alert(1)",
      "/\\evil.example",
    ]) {
      const eve = browser();
      const body = { SAMLResponse: Buffer.from(unasked(newId())).toString("base64"), RelayState: relay };
      const stop = await eve.go(`/api/auth/saml/${acme.id}/acs`, body);
      expect(new URL(stop.url).origin).toBe(ORIGIN);
      expect((await web.call("GET", "/api/v1/me", { cookie: eve.cookie() })).status).toBe(200);
    }
    const again = unasked(newId());
    expect(errorOf(await post(web, acme, again, { RelayState: "/tasks" }))).toBeNull();
    expect(errorOf(await post(web, acme, again))).toBe("saml_used");
    await web.call("PATCH", path, { cookie: owner.cookie, body: { idpInitiated: false } });
    expect(errorOf(await post(web, acme, unasked(newId())))).toBe("saml_provider_started");
  });

  test("may be encrypted for Intray, is judged as any other, and not with broken algorithms", async () => {
    const encrypted = (said: Said, key: IdpKey, more = {}) =>
      respondEncrypted(said, key, ownCertificate, more);
    expect(await attempt((said) => encrypted(said, acme.key))).toBeNull();
    expect(
      await attempt((said) =>
        encrypted(said, acme.key, { content: "http://www.w3.org/2001/04/xmlenc#aes256-cbc" }),
      ),
    ).toBeNull();
    expect(await attempt((said) => encrypted(said, stranger))).toBe("saml_signature");
    expect(await attempt((said) => respondEncrypted(said, acme.key, stranger.certificate))).toBe(
      "saml_undecryptable",
    );
    for (const more of [
      { content: "http://www.w3.org/2001/04/xmlenc#tripledes-cbc" },
      { wrap: "http://www.w3.org/2001/04/xmlenc#rsa-1_5" },
    ])
      expect(await attempt((said) => encrypted(said, acme.key, more))).toBe("saml_algorithm");
  });
});

test("the session ends with the provider's", async () => {
  const eve = browser();
  await signInBySaml(web, eve, acme, {
    nameId: "short",
    attributes: { email: "short@acme.example" },
    sessionEnds: 30,
  });
  const [row] = await withClient(
    web.database.adminUrl,
    async (client) =>
      (
        await client.query(
          "SELECT expires_at - now() < interval '31 minutes' AS short FROM session WHERE provider_subject = 'short'",
        )
      ).rows,
  );
  expect(row).toEqual({ short: true });
});

test("no page gets text of the provider or of an error", async () => {
  const answer = await web.open("POST", `/api/auth/saml/${acme.id}/acs`, {
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({
      SAMLResponse: Buffer.from("<secret>text</secret>").toString("base64"),
    }).toString(),
  });
  expect(answer.headers.get("location")).toBe(`${ORIGIN}/sign-in?error=saml_malformed&callbackUrl=%2F`);
  expect(await answer.text()).toBe("");
  for (const id of ["nonsense", "00000000-0000-7000-8000-000000000000"]) {
    const start = await web.open("GET", `/api/auth/saml/${id}/start?callbackUrl=https://evil.example/`);
    expect(start.headers.get("location")).toBe(`${ORIGIN}/sign-in?error=saml_not_started&callbackUrl=%2F`);
  }
});

test("an organization is told once of each reason that its provider was not believed for, and no other organization is", async () => {
  const another = await makeIdpKey();
  await withClient(web.database.adminUrl, (client) => client.query("DELETE FROM throttle"));
  const told = async (cookie: string) => {
    const { body } = await web.call("GET", "/api/v1/events?type=saml_provider.sign_in_refused", { cookie });
    return body.items.map(({ data }: { data: Record<string, unknown> }) => data);
  };
  const before = await told(owner.cookie);
  for (const _ of ["first", "second"])
    expect(await attempt((said) => respond(said, another))).toBe("saml_signature");
  const after = await told(owner.cookie);
  expect(after.length - before.length).toBe(1);
  expect(after).toContainEqual(
    expect.objectContaining({ samlProviderId: acme.id, reason: "saml_signature" }),
  );
  expect(await told(gus.cookie)).toEqual([]);
  // Who presses "back" tells nobody anything of the provider.
  const eve = browser();
  await eve.go(
    await post(web, acme, await respond({ ...acme.said, inResponseTo: newId(), nameId: "x" }, acme.key)),
  );
  expect(await told(owner.cookie)).toEqual(after);
});
