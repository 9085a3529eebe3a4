import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ConfigurationError } from "../../../base/env.ts";
import { ownPath } from "./destination.ts";
import { readSettings } from "./providers.ts";

const SECRET = "s3cret-of-the-client";
const provider = {
  id: "acme",
  name: "Acme",
  issuer: "https://login.example",
  clientId: "x",
  clientSecret: SECRET,
};
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "intray-sign-in-"));
});
afterAll(() => rm(folder, { recursive: true }));

const nothing = {
  signInFile: undefined,
  oidcIssuer: undefined,
  oidcClientId: undefined,
  oidcClientSecret: undefined,
  oidcTrustedDomains: [],
  allowHosts: [] as string[],
};

async function reading(content: unknown, more: Partial<typeof nothing> = {}) {
  const signInFile = join(folder, "sign-in.json");
  await writeFile(signInFile, typeof content === "string" ? content : JSON.stringify(content));
  return () => readSettings({ ...nothing, ...more, signInFile } as never);
}

test("without a file and without OIDC_* there are passwords alone", () => {
  expect(readSettings(nothing)).toEqual({ passwords: true, providers: [] });
});

test("OIDC_* make one provider, which links verified addresses; half of them stops the start", () => {
  const three = { oidcIssuer: "https://login.example/", oidcClientId: "x", oidcClientSecret: SECRET };
  const { providers } = readSettings({ ...nothing, ...three } as never);
  expect(providers).toMatchObject([
    { id: "oidc", issuer: "https://login.example/", linkByEmail: true, trustedDomains: [] },
  ]);
  const trusting = readSettings({ ...nothing, ...three, oidcTrustedDomains: ["Acme.example"] } as never);
  expect(trusting.providers).toMatchObject([{ allowedDomains: [], trustedDomains: ["acme.example"] }]);
  expect(() => readSettings({ ...nothing, oidcIssuer: "https://login.example" } as never)).toThrow(
    "belong together",
  );
});

test("a file lists more, and is careful where it says nothing", async () => {
  const { providers, passwords } = (await reading({ providers: [provider] }))();
  expect(passwords).toBe(true);
  expect(providers[0]).toMatchObject({
    linkByEmail: false,
    createAccounts: false,
    allowedDomains: [],
    trustedDomains: [],
    groupsClaim: "groups",
    groups: [],
  });
  const domains = (await reading({ providers: [{ ...provider, allowedDomains: ["acme.example"] }] }))();
  expect(domains.providers[0]?.trustedDomains).toEqual(["acme.example"]);
});

describe("a wrong file stops the start with a sentence that names no secret", () => {
  test.each<[string, unknown, RegExp]>([
    ["no JSON", `{"providers": [{"clientSecret": "${SECRET}" `, /INTRAY_SIGN_IN_FILE: is not JSON/],
    [
      "a word that we do not know",
      { providers: [{ ...provider, linkByMail: true }] },
      /providers\.0.*linkByMail/,
    ],
    [
      "a role that there is not",
      { providers: [{ ...provider, groups: [{ claim: "a", organization: "acme", role: "boss" }] }] },
      /groups\.0\.role/,
    ],
    ["an id of our own", { providers: [{ ...provider, id: "password" }] }, /name of Intray's own/],
    ["an id that is no part of an address", { providers: [{ ...provider, id: "a/b" }] }, /providers\.0\.id/],
    ["the same id twice", { providers: [provider, provider] }, /same id/],
    [
      "an issuer without https",
      { providers: [{ ...provider, issuer: "http://login.example" }] },
      /must be https/,
    ],
    [
      "the metadata service",
      { providers: [{ ...provider, issuer: "https://169.254.169.254" }] },
      /no address to talk to/,
    ],
    ["no way in at all", { passwords: false, providers: [] }, /must be a provider/],
  ])("%s", async (_what, content, sentence) => {
    const read = await reading(content);
    expect(read).toThrow(ConfigurationError);
    expect(read).toThrow(sentence);
    expect(read).not.toThrow(SECRET);
  });

  test("a file that is not there", () => {
    expect(() => readSettings({ ...nothing, signInFile: join(folder, "none.json") } as never)).toThrow(
      "ENOENT",
    );
  });
});

test("http is for this machine, and for hosts that the operator allowed", async () => {
  for (const [issuer, allowHosts] of [
    ["http://127.0.0.1:8080", []],
    ["http://localhost:8080/realms/a", []],
    ["http://keycloak:8080", ["keycloak:8080"]],
    ["http://keycloak:8080", ["keycloak"]],
  ] as const)
    expect(
      (await reading({ providers: [{ ...provider, issuer }] }, { allowHosts: [...allowHosts] }))().providers,
    ).toHaveLength(1);
});

test.each([
  ["/tasks?state=open", "/tasks?state=open"],
  ["https://intray.example/join?token=a", "/join?token=a"],
  ["https://intray.example.evil.example/", "/"],
  ["https://evil.example/tasks", "/"],
  ["//evil.example", "/"],
  ["/\\evil.example", "/"],
  ["/.//evil.example", "/evil.example"],
  ["/\t/evil.example", "/"],
  ["javascript:alert(1)", "/"],
  ["tasks", "/"],
  [undefined, "/"],
  [["/a", "/b"], "/"],
])("signing in leads from %s to %s", (given, path) => {
  expect(ownPath(given, "https://intray.example")).toBe(path);
});
