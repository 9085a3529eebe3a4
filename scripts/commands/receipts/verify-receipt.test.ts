/** `receipt verify` and `receipt rotate-key`, as an operator and an auditor call them. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { NO_DATABASE, runHere, runProcess } from "../../../test/command-line.ts";
import { type VotingOrganization, votingOrganization } from "../../../test/voting.ts";
import { webForFile } from "../../../test/web.ts";

const web = webForFile();
let acme: VotingOrganization;
let folder: string;
let file: string;
let keys: string;
let request: { id: string };

beforeAll(async () => {
  acme = await votingOrganization(web, "acme");
  const ana = await acme.person("Ana", "owner");
  const asked = await acme.ask(await acme.task());
  await acme.decide(ana, asked);
  request = asked;
  folder = await mkdtemp(join(tmpdir(), "intray-receipts-"));
  [file, keys] = [join(folder, "receipt.jws"), join(folder, "jwks.json")];
  await writeFile(file, `${await receipt()}\n`);
  await writeFile(keys, JSON.stringify(await list()));
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

const list = async () => (await web.call("GET", "/.well-known/jwks.json")).body;
const receipt = async () => {
  const key = await web.key(acme.id, "viewer");
  return (await web.open("GET", `/api/v1/input-requests/${request.id}/receipt`, { key })).text();
};

/** Without any setting unless given: an auditor has no Intray. */
const intray = (args: string[], settings: Record<string, string> = NO_DATABASE) => runHere(settings, args);

test("a receipt is checked by a saved list of keys, without a database, and told in words", async () => {
  const { code, out, err } = await runProcess({}, ["receipt", "verify", file, "--keys", keys]);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(out).toMatch(/^OK: The signature of the key/);
  expect(out).toContain(`Id of the request: ${request.id}`);
  expect(out).toContain("Ana answered “accept”");
  expect(out).toContain("signed in with a password");
  expect(out).toContain("No answer was sent to the server.");
  expect(out).toMatch(/Not checked: .*events verify --org … --anchor \d+:[0-9a-f]{64}/);
});

test("one that was altered does not hold, and one without keys is not checked", async () => {
  const altered = join(folder, "altered.jws");
  const [head = "", body = "", signature = ""] = (await receipt()).split(".");
  const payload = Buffer.from(body, "base64url").toString().replace('"sent":"nothing"', '"sent":"taken"');
  await writeFile(altered, [head, Buffer.from(payload).toString("base64url"), signature].join("."));
  const wrong = await intray(["receipt", "verify", altered, "--keys", keys]);
  expect(wrong.code).toBe(1);
  expect(wrong.out).toBe(
    "FAILED: The signature is not valid: somebody altered the receipt, or another key signed it.\n",
  );
  expect(wrong.err).toContain("not a valid receipt");

  const none = await intray(["receipt", "verify", file]);
  expect(none).toMatchObject({ code: 1, out: "" });
  expect(none.err).toContain("Nothing was checked: there are no keys");
  expect(await intray(["receipt", "verify", join(folder, "none"), "--keys", keys])).toMatchObject({
    code: 1,
  });
  expect(await intray(["receipt", "verify", file, "--keys", keys, "--url", "https://x"])).toMatchObject({
    code: 2,
  });
});

test("the keys are those of the address that is named, by https or on this machine alone", async () => {
  const now = JSON.stringify(await list());
  const served: Server = createServer((asked, answer) => {
    if (asked.url === "/.well-known/jwks.json") answer.end(now);
    else answer.writeHead(404).end();
  });
  await new Promise<void>((resolve) => served.listen(0, "127.0.0.1", resolve));
  const { port } = served.address() as AddressInfo;
  const good = await intray(["receipt", "verify", file, "--url", `http://127.0.0.1:${port}/inbox`]);
  expect(good).toMatchObject({ code: 0, err: "" });
  await new Promise((resolve) => served.close(resolve));
  const gone = await intray(["receipt", "verify", file, "--url", `http://127.0.0.1:${port}`]);
  expect(gone.code).toBe(1);
  expect(gone.err).toContain("can't be reached");
  expect(await intray(["receipt", "verify", file, "--url", "http://intray.example"])).toMatchObject({
    code: 2,
  });
});

test("the operator replaces the key; a list of before does not know the new one", async () => {
  const INTRAY_KEYS = `k1:${Buffer.alloc(32, 1).toString("base64")}`;
  const rotated = await intray(["receipt", "rotate-key"], {
    DATABASE_URL: web.database.ownerUrl,
    INTRAY_KEYS,
  });
  expect(rotated).toMatchObject({ code: 0, err: "" });
  expect(await intray(["receipt", "verify", file, "--keys", keys])).toMatchObject({ code: 0 });
  const later = join(folder, "later.jws");
  await writeFile(later, await receipt());
  const unknown = await intray(["receipt", "verify", later, "--keys", keys]);
  expect(unknown.code).toBe(1);
  expect(unknown.out).toContain(`The key ${rotated.out.trim()}, which the receipt names, is not in the list`);
  await writeFile(keys, JSON.stringify(await list()));
  for (const each of [file, later])
    expect(await intray(["receipt", "verify", each, "--keys", keys])).toMatchObject({ code: 0 });
});
