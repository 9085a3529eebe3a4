/** Receipts: what they say of a request, who may have them, and what is taken for one. */
import { generateKeyPairSync, randomBytes } from "node:crypto";
import { CompactSign, decodeProtectedHeader } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createDatabase, type Database } from "@/lib/base/db/db.ts";
import { countByKey, reseal } from "@/lib/base/key-rotation/reseal.ts";
import { createSeal } from "@/lib/base/seal.ts";
import { appendEvents } from "@/lib/history/events/event-writes.ts";
import { canonicalJson } from "@/lib/mcp/forms/jcs.ts";
import { COMMAND_LINE } from "@/lib/people/organizations/organization-writes.ts";
import { contentDigest } from "@/lib/requests/answers/answer-content.ts";
import { withdrawOpenRequests } from "@/lib/requests/capture/close-request.ts";
import type { Receipt } from "@/lib/requests/receipts/receipt-schema.ts";
import { rotateReceiptKey } from "@/lib/requests/receipts/receipt-writes.ts";
import { verifyReceipt } from "@/lib/requests/receipts/verify.ts";
import { wordsOf } from "@/lib/requests/receipts/words.ts";
import { votingForFile, votingOrganization } from "@/test/voting.ts";
import { webForFile } from "@/test/web.ts";

const web = webForFile();
const { acme, ana, ben, vic, asker } = votingForFile(web, "acme", {
  ana: "owner",
  ben: "approver",
  vic: "viewer",
  asker: ["Ola", "operator"],
});

type Who = { cookie: string } | { key: string };
const get = (who: Who, { id }: { id: string }) =>
  web.open("GET", `/api/v1/input-requests/${id}/receipt`, who);
const receiptOf = async (who: Who, request: { id: string }) => {
  const response = await get(who, request);
  expect(response.status).toBe(200);
  return response.text();
};
const keys = async () => (await web.call("GET", "/.well-known/jwks.json")).body;
const read = async (request: { id: string }, who: Who = vic) => {
  const verdict = await verifyReceipt(await receiptOf(who, request), await keys());
  expect(verdict).toMatchObject({ holds: true });
  return verdict.receipt!;
};
const withRule = () =>
  acme.policy({
    groups: { finance: [ben.email], cfo: [ana.email] },
    rules: [
      {
        name: "Large invoices",
        stages: [
          { name: "Finance", approvers: { groups: ["finance"] } },
          { name: "CFO", approvers: { groups: ["cfo"] } },
        ],
      },
    ],
  });
const withoutRule = () => acme.policy({ rules: [] });
const asked = async () => acme.ask(await acme.task());
const types = (receipt: { history: { type: string }[] }) => receipt.history.map(({ type }) => type);
const told = (receipt: Receipt) => wordsOf(receipt).join("\n");
const CONTENT = { decision: "approve" };

describe("a receipt", () => {
  test("says what was shown, who voted how and signed in by what, by which rule, and where that stands in the chain", async () => {
    const version = await withRule();
    const request = await asked();
    await acme.decide(ben, request);
    await acme.decide({ key: await acme.keyOf(ana, "owner") }, request, { holdMs: 60_000 });
    const response = await get(vic, request);
    expect([...response.headers].filter(([name]) => /^content-/.test(name))).toEqual(
      expect.arrayContaining([
        ["content-type", "application/jose"],
        ["content-disposition", `attachment; filename="receipt-${request.id}.jws"`],
      ]),
    );
    const receipt = await read(request);
    const digest = contentDigest("accept", CONTENT);
    expect(receipt).toMatchObject({
      issuer: "http://localhost:3000",
      organization: { id: acme.id, name: "acme" },
      request: { id: request.id, state: "answered", questionHash: request.questionHash, endedAt: null },
      policy: { rule: "Large invoices", version, stages: [{ name: "Finance", need: 1 }, { name: "CFO" }] },
      votes: [
        {
          stage: "Finance",
          person: ben.userId,
          by: { kind: "member", name: "Ben" },
          agrees: true,
          questionHash: request.questionHash,
          contentDigest: digest,
          signedIn: { method: "password", provider: null },
          ended: null,
        },
        { stage: "CFO", person: ana.userId, by: { kind: "key" }, signedIn: { method: "key", amr: [] } },
      ],
      answers: [
        {
          action: "accept",
          contentDigest: digest,
          signedIn: { method: "key" },
          withdrawnAt: null,
          delivery: { state: "held", reached: "nothing", attempts: 0, sentAt: null },
        },
      ],
      sent: "nothing",
      historyLeftOut: 0,
    });
    expect(types(receipt)).toEqual(["request.opened", "vote.recorded", "vote.recorded", "answer.recorded"]);
    const lines = await acme.sql(
      "SELECT seq::integer, encode(hash, 'hex') AS hash FROM event WHERE input_request_id = $1 ORDER BY seq",
      [request.id],
    );
    expect(receipt.history.map(({ seq, hash }) => ({ seq, hash }))).toEqual(lines);
  });

  test("says in which stage a vote was cast, also once the request was judged again", async () => {
    await withRule();
    const request = await asked();
    await acme.decide(ben, request);
    const only = { name: "Board", approvers: { people: [ana.email] } };
    await acme.policy({ rules: [{ name: "Another", stages: [only] }] });
    const path = `/api/v1/input-requests/${request.id}/judge-again`;
    expect((await web.call("POST", path, { cookie: ana.cookie })).body.approval.rule).toBe("Another");
    expect(await read(request)).toMatchObject({
      policy: { rule: "Another" },
      votes: [{ stage: "Finance", by: { name: "Ben" }, ended: { as: "judged_again" } }],
    });
  });

  test("says for whom a delegate voted", async () => {
    await withRule();
    const request = await asked();
    const cleo = await acme.person("Cleo", "approver");
    const body = {
      from: new Date().toISOString(),
      until: new Date(Date.now() + 3_600_000).toISOString(),
      delegateUserId: cleo.userId,
    };
    expect((await web.call("PUT", "/api/v1/me/away", { cookie: ben.cookie, body })).status).toBe(200);
    expect((await acme.decide(cleo, request)).status).toBe(202);
    await web.call("DELETE", "/api/v1/me/away", { cookie: ben.cookie });
    const receipt = await read(request);
    expect(receipt.votes).toMatchObject([
      { person: ben.userId, by: { name: "Cleo" }, onBehalfOf: { name: "Ben" }, agrees: true },
    ]);
    expect(told(receipt)).toContain("Cleo for Ben agreed in the stage Finance");
  });

  test("has what the provider or Intray saw of the sign-in", async () => {
    await withoutRule();
    const request = await asked();
    await acme.sql(
      `UPDATE session SET amr = '{pwd,otp}', factor_at = '2026-11-20T10:00:00Z' WHERE user_id = $1`,
      [ben.userId],
    );
    await acme.decide(ben, request);
    expect((await read(request)).answers).toMatchObject([
      { signedIn: { amr: ["pwd", "otp"], factorAt: "2026-11-20T10:00:00.000Z" } },
    ]);
  });

  test("is the same text as long as nothing happens, and tells no content", async () => {
    await withoutRule();
    const request = await acme.ask(await acme.task({ arguments: { note: "canary-argument" } }), {
      message: "canary-message",
    });
    await acme.decide(ben, request, { comment: "canary-comment", holdMs: 60_000 });
    const first = await receiptOf(ben, request);
    expect(await receiptOf(ana, request)).toBe(first);
    const payload = Buffer.from(first.split(".")[1]!, "base64url").toString();
    expect(payload).toBe(canonicalJson(JSON.parse(payload)));
    expect(payload).not.toMatch(/canary|"approve"/);
    await web.call("POST", `/api/v1/input-requests/${request.id}/undo`, ben);
    expect(await receiptOf(ben, request)).not.toBe(first);
  });

  test("of an answer that was undone says that it was taken back and not sent", async () => {
    await withRule();
    const request = await asked();
    await acme.decide(ben, request);
    await acme.decide(ana, request, { holdMs: 60_000 });
    await web.call("POST", `/api/v1/input-requests/${request.id}/undo`, ana);
    const receipt = await read(request);
    expect(receipt).toMatchObject({
      request: { state: "open" },
      votes: [
        { by: { name: "Ben" }, ended: null },
        { by: { name: "Ana" }, ended: { as: "taken_back" } },
      ],
      answers: [{ withdrawnAt: expect.any(String), delivery: { state: "undone", reached: "nothing" } }],
      sent: "nothing",
    });
    expect(types(receipt).at(-1)).toBe("answer.undone");
    expect(told(receipt)).toMatch(
      /Ana agreed in the stage CFO at .* This vote no longer counts since .*: the voter took it back\.\n.*It was taken back at .*\n {2}The request is still open\. No answer counts\.\n {2}No answer was sent/,
    );
  });

  test("of a decline says so, and of a withdrawal that there is no answer", async () => {
    await withoutRule();
    const [declined, withdrawn] = [await asked(), await asked()];
    await acme.decide(ben, declined, { action: "decline", content: undefined });
    expect(await read(declined)).toMatchObject({
      policy: null,
      votes: [],
      answers: [{ action: "decline", contentDigest: contentDigest("decline", null) }],
    });
    const { taskId } = (await read(withdrawn)).request;
    await web.db.withOrganization(acme.id, async (tx) => {
      const lines = await withdrawOpenRequests(tx, taskId, "task_cancelled", COMMAND_LINE);
      await appendEvents(tx, lines);
    });
    const receipt = await read(withdrawn);
    expect(receipt).toMatchObject({
      request: { state: "withdrawn", endedReason: "task_cancelled", endedAt: expect.any(String) },
      answers: [],
      sent: "nothing",
    });
    expect(types(receipt)).toEqual(["request.opened", "request.withdrawn"]);
    expect(told(receipt)).toMatch(
      /: the question was withdrawn \(the task was cancelled\)\. No answer counts\.\n {2}No answer was sent/,
    );
  });

  test("of a delivery without a reply says that nobody knows, and of one with a reply that the server has it", async () => {
    await withoutRule();
    const request = await asked();
    await acme.decide(ben, request);
    const put = (set: string) =>
      acme.sql(`UPDATE delivery SET ${set} WHERE input_request_id = $1`, [request.id]);
    await put("state = 'sending', attempts = 1, sent_at = now(), rung = 'update', epoch = 1");
    expect(await read(request)).toMatchObject({
      answers: [{ delivery: { state: "sending", reached: "unknown", acceptedAt: null } }],
      sent: "unknown",
    });
    expect(told(await read(request))).toContain("No reply says whether the server has it");
    await put("state = 'accepted', accepted_at = now()");
    expect(await read(request)).toMatchObject({
      answers: [{ delivery: { reached: "taken", acceptedAt: expect.any(String), confirmedAt: null } }],
      sent: "taken",
    });
  });

  test("stays good when the details of its lines are deleted, which a later one lacks", async () => {
    await withoutRule();
    const request = await asked();
    await acme.decide(ben, request);
    const first = await receiptOf(ben, request);
    await acme.sql("UPDATE event SET data = NULL WHERE input_request_id = $1", [request.id]);
    expect(await verifyReceipt(first, await keys())).toMatchObject({
      holds: true,
      receipt: { answers: [{ contentDigest: contentDigest("accept", CONTENT) }] },
    });
    expect((await read(request)).answers).toMatchObject([{ contentDigest: null, signedIn: null }]);
  });

  test("has keyed digests where the organization seals content, and still how people had signed in", async () => {
    const other = await votingOrganization(web, "sealing");
    const bea = await other.person("Bea", "owner");
    const turned = await web.call("PUT", "/api/v1/organization/content-sealing", {
      cookie: bea.cookie,
      body: { sealed: true },
    });
    expect(turned.status).toBeLessThan(300);
    const request = await other.ask(await other.task());
    expect((await other.decide(bea, request)).status).toBe(202);
    const receipt = await read(request, bea);
    expect(receipt.answers).toMatchObject([
      { signedIn: { method: "password" }, contentDigest: expect.any(String) },
    ]);
    expect(receipt.answers[0]!.contentDigest).not.toBe(contentDigest("accept", CONTENT));
  });
});

test("is of a request that is asked under a policy with tests, as under one without", async () => {
  const rule = { name: "All", stages: [{ name: "Finance", approvers: { people: [ben.email] } }] };
  await acme.policy({ rules: [rule], tests: [{ request: {}, expect: { rule: "All" } }] });
  expect((await read(await asked())).policy).toMatchObject({ rule: "All" });
});

test("obeys no name on a terminal", async () => {
  await withoutRule();
  const receipt = await read(await asked());
  const renamed = { ...receipt, organization: { ...receipt.organization, name: "\u001b[2JAcme\n" } };
  expect(told(renamed)).toContain("organization \ufffd[2JAcme\ufffd (");
});

describe("is had", () => {
  test("by whoever sees the request, and by nobody of another organization", async () => {
    await withoutRule();
    const open = await asked();
    expect((await get(vic, open)).status).toBe(200);
    expect((await get({ key: await acme.keyOf(ana, "viewer") }, open)).status).toBe(200);
    expect((await web.open("GET", `/api/v1/input-requests/${open.id}/receipt`)).status).toBe(401);
    const hers = await acme.ask(await acme.task({ visibility: "private", requester: asker.userId }));
    expect((await get(asker, hers)).status).toBe(200);
    expect((await get(vic, hers)).status).toBe(404);

    const globex = await votingOrganization(web, "globex");
    const gil = await globex.person("Gil", "owner");
    expect((await get(gil, open)).status).toBe(404);
    expect((await read(open)).organization.id).toBe(acme.id);
  });
});

describe("is not taken for one", () => {
  const swap = (text: string, at: number, change: (part: string) => string) =>
    text
      .split(".")
      .map((part, index) => (index === at ? change(part) : part))
      .join(".");
  const edited = (part: string, change: (value: Record<string, unknown>) => object) =>
    Buffer.from(JSON.stringify(change(JSON.parse(Buffer.from(part, "base64url").toString())))).toString(
      "base64url",
    );
  const refused = async (text: string, words: RegExp, list?: unknown) => {
    const verdict = await verifyReceipt(text, list ?? (await keys()));
    expect(verdict).toMatchObject({ holds: false, receipt: null });
    expect(verdict.findings.map((finding) => finding.words).join()).toMatch(words);
  };
  const good = async () => {
    await withoutRule();
    const request = await asked();
    await acme.decide(ben, request);
    return receiptOf(ben, request);
  };

  test("what was altered", async () => {
    const text = await good();
    await refused(
      swap(text, 1, (part) => edited(part, (receipt) => ({ ...receipt, sent: "taken" }))),
      /signature is not valid/,
    );
    await refused(
      swap(text, 2, () => randomBytes(64).toString("base64url")),
      /signature is not valid/,
    );
    await refused("nonsense", /not a receipt/);
    await refused("", /not a receipt/);
  });

  test("what another key, a key of another kind, or none signed", async () => {
    const text = await good();
    const header = decodeProtectedHeader(text) as { alg: string; kid: string; typ: string };
    const payload = Buffer.from(text.split(".")[1]!, "base64url");
    const { privateKey } = generateKeyPairSync("ed25519");
    await refused(
      await new CompactSign(payload).setProtectedHeader(header).sign(privateKey),
      /signature is not valid/,
    );
    await refused(
      swap(
        swap(text, 0, (part) => edited(part, (head) => ({ ...head, alg: "none" }))),
        2,
        () => "",
      ),
      /signed with “none”/,
    );
    // The public key, which everybody has, as the secret of an HMAC.
    const { x } = (await keys()).keys.find(({ kid }: { kid: string }) => kid === header.kid);
    await refused(
      await new CompactSign(payload)
        .setProtectedHeader({ ...header, alg: "HS256" })
        .sign(Buffer.from(x, "base64url")),
      /signed with “HS256”/,
    );
    await refused(
      swap(text, 0, (part) => edited(part, (head) => ({ ...head, typ: "JWT" }))),
      /signed as “JWT”/,
    );
    await refused(text, /not in the list/, { keys: [] });
    await refused(text, /not in the list/, "no list");
    await refused(
      swap(text, 0, (part) => edited(part, (head) => ({ ...head, kid: "other" }))),
      /not in the list/,
    );
  });

  test("one whose lines do not follow, though it is signed", async () => {
    const text = await good();
    const header = decodeProtectedHeader(text) as { alg: string; kid: string; typ: string };
    const { publicKey, privateKey } = generateKeyPairSync("ed25519");
    const list = {
      keys: [{ ...(await keys()).keys[0], kid: header.kid, x: publicKey.export({ format: "jwk" }).x }],
    };
    const signed = async (change: (lines: Record<string, unknown>[]) => object[]) => {
      const receipt = JSON.parse(Buffer.from(text.split(".")[1]!, "base64url").toString());
      const altered = { ...receipt, history: change(receipt.history) };
      const jws = await new CompactSign(Buffer.from(canonicalJson(altered)))
        .setProtectedHeader(header)
        .sign(privateKey);
      return verifyReceipt(jws, list);
    };
    expect((await signed((lines) => lines)).holds).toBe(true);
    expect((await signed((lines) => [...lines].reverse())).holds).toBe(false);
    for (const member of ["digest", "hash", "previousHash"])
      expect(
        (await signed((lines) => [{ ...lines[0], [member]: "0".repeat(64) }, ...lines.slice(1)])).holds,
      ).toBe(false);
    const other = (lines: Record<string, unknown>[]) => [
      { ...lines[0], type: "delivery.sending" },
      ...lines.slice(1),
    ];
    expect((await signed(other)).holds).toBe(false);
  });
});

describe("its keys", () => {
  const KEY = `k1:${Buffer.alloc(32, 1).toString("base64")}`;
  const old = { kid: "k1", key: Buffer.from(KEY.slice(3), "base64") };
  let owner: Database;
  beforeAll(() => {
    owner = createDatabase(web.database.ownerUrl, { connections: 2 });
  });
  afterAll(() => owner.close());
  const rows = () =>
    acme.sql("SELECT kid, sealed_private_key AS sealed, retired_at FROM receipt_key ORDER BY made_at");

  test("are one, also when two make the first at once, and the list tells no private half", async () => {
    await acme.sql("DELETE FROM receipt_key");
    expect(await keys()).toEqual({ keys: [] });
    await withoutRule();
    const request = await asked();
    const texts = await Promise.all([1, 2, 3, 4].map(() => receiptOf(vic, request)));
    expect(new Set(texts).size).toBe(1);
    expect(await rows()).toHaveLength(1);
    const { keys: list } = await keys();
    expect(list).toEqual([
      {
        kty: "OKP",
        crv: "Ed25519",
        x: expect.any(String),
        kid: (await rows())[0].kid,
        use: "sig",
        alg: "EdDSA",
      },
    ]);
  });

  test("are replaced: the old one still checks what it signed, and its private half is gone", async () => {
    await withoutRule();
    const request = await asked();
    const before = await receiptOf(vic, request);
    const [made, second] = await Promise.all([
      rotateReceiptKey(owner, createSeal([old])),
      rotateReceiptKey(owner, createSeal([old])),
    ]);
    const after = await receiptOf(vic, request);
    expect([made, second]).toContain(decodeProtectedHeader(after).kid);
    const list = await keys();
    for (const text of [before, after]) expect((await verifyReceipt(text, list)).holds).toBe(true);
    const kept = await rows();
    expect(kept.filter(({ sealed }) => sealed !== null)).toHaveLength(1);
    expect(kept.filter(({ retired_at }) => retired_at === null)).toHaveLength(1);
    expect(list.keys).toHaveLength(kept.length);
  });

  test("are sealed again with all other secrets", async () => {
    const fresh = { kid: "k2", key: randomBytes(32) };
    await reseal(owner, createSeal([fresh, old]));
    expect([...(await countByKey(owner)).keys()]).not.toContain("k1");
    const [current] = (await rows()).filter(({ sealed }) => sealed !== null);
    const place = {
      organizationId: "user",
      table: "receipt_key",
      row: current.kid,
      column: "sealed_private_key",
    };
    expect(createSeal([fresh]).open(place, current.sealed)).toContain("PRIVATE KEY");
    await reseal(owner, createSeal([old, fresh]));
  });
});
