/**
 * Four eyes: the requester of a task cannot accept its questions, neither in person nor with their API key.
 */
import { beforeAll, describe, expect, test } from "vitest";
import type { Actor } from "@/lib/access/access-schema.ts";
import { storable } from "@/lib/base/db/db.ts";
import { insertRequest, insertServer, insertTask } from "@/test/fixtures/rows.ts";
import { webForFile } from "@/test/web.ts";

const web = webForFile();
let acme: string;
let server: { id: string; connectionId: string };
let ana: { userId: string; cookie: string };
let ben: { userId: string; cookie: string };
let owner: string;
let anasKey: { id: string; secret: string };
let bensKey: { id: string; secret: string };

beforeAll(async () => {
  acme = await web.organization("acme");
  server = await insertServer(web.db, acme);
  ana = await web.member(acme, "Ana", "admin");
  ben = await web.member(acme, "Ben", "admin");
  owner = await web.key(acme, "owner");
  const makeKey = async ({ cookie }: { cookie: string }) =>
    (await web.call("POST", "/api/v1/api-keys", { cookie, body: { name: "k", role: "operator" } })).body;
  anasKey = await makeKey(ana);
  bensKey = await makeKey(ben);
  await rule(true);
});

const rule = (fourEyes: boolean) =>
  web.call("PATCH", "/api/v1/organization", { key: owner, body: { fourEyes } });

/** A question of a task that `actor` started. */
async function askedBy(actor: Actor) {
  const requester = actor.kind === "member" ? { requester: actor.id ?? "" } : {};
  const taskId = await insertTask(web.db, acme, server, requester);
  await web.db.withOrganization(acme, (tx) =>
    tx.task.updateMany({
      where: { organizationId: acme, id: taskId },
      data: { requestedBy: storable(actor) },
    }),
  );
  return insertRequest(web.db, acme, taskId);
}

const answer = (
  who: { cookie?: string; key?: string },
  { id, questionHash }: { id: string; questionHash: string },
  action = "accept",
  holdMs = 0,
) =>
  web.call("POST", `/api/v1/input-requests/${id}/answer`, { ...who, body: { action, questionHash, holdMs } });

const undo = (who: { cookie?: string; key?: string }, { id }: { id: string }) =>
  web.call("POST", `/api/v1/input-requests/${id}/undo`, who);

const asMember = (who: { userId: string }): Actor => ({ kind: "member", id: who.userId, name: "x" });
const asKey = (key: { id: string }): Actor => ({ kind: "key", id: key.id, name: "x" });

describe("with four eyes", () => {
  test.each([
    ["themselves", () => ({ asked: asMember(ana), by: { cookie: ana.cookie } })],
    ["a key of theirs", () => ({ asked: asMember(ana), by: { key: anasKey.secret } })],
    ["themselves, by a key of theirs before", () => ({ asked: asKey(anasKey), by: { cookie: ana.cookie } })],
    ["the key that asked", () => ({ asked: asKey(anasKey), by: { key: anasKey.secret } })],
  ])("a request is not accepted by %s, but declined", async (_who, each) => {
    const { asked, by } = each();
    const request = await askedBy(asked);
    const refused = await answer(by, request);
    expect([refused.status, refused.body.code]).toEqual([403, "four_eyes"]);
    const seen = await web.call("GET", `/api/v1/input-requests/${request.id}`, by);
    expect(seen.body).toMatchObject({ state: "open", fourEyes: true, secondPerson: true, answer: null });
    expect((await answer(by, request, "decline")).status).toBe(202);
  });

  test.each([
    ["another person", () => ({ asked: asMember(ana), by: { cookie: ben.cookie } })],
    ["another person's key", () => ({ asked: asKey(anasKey), by: { key: bensKey.secret } })],
    ["a key of the command line", () => ({ asked: asMember(ana), by: { key: owner } })],
  ])("a request is accepted by %s", async (_who, each) => {
    const { asked, by } = each();
    const request = await askedBy(asked);
    const seen = await web.call("GET", `/api/v1/input-requests/${request.id}`, by);
    expect(seen.body).toMatchObject({ fourEyes: false, secondPerson: true });
    expect((await answer(by, request)).status).toBe(202);
  });

  test("a request is not claimed by who may not accept it, which would keep it from everybody", async () => {
    const request = await askedBy(asMember(ana));
    const claim = (who: { cookie: string }, body?: object) =>
      web.call("POST", `/api/v1/input-requests/${request.id}/claim`, {
        cookie: who.cookie,
        ...(body && { body }),
      });
    const refused = await claim(ana);
    expect([refused.status, refused.body.code]).toEqual([403, "four_eyes"]);
    const claimed = await claim(ben);
    expect(claimed.status).toBe(200);
    const takenOver = await claim(ana, { takeOver: claimed.body.claimedBy.at });
    expect([takenOver.status, takenOver.body.code]).toEqual([403, "four_eyes"]);
    const after = await web.call("GET", `/api/v1/input-requests/${request.id}`, { cookie: ana.cookie });
    expect(after.body.claimedBy).toMatchObject({ id: ben.userId });
  });

  test("who asked for the task does not take back what another has decided on it", async () => {
    const request = await askedBy(asMember(ana));
    expect((await answer({ cookie: ben.cookie }, request, "decline", 60_000)).status).toBe(202);
    for (const who of [{ cookie: ana.cookie }, { key: anasKey.secret }]) {
      const refused = await undo(who, request);
      expect([refused.status, refused.body.code]).toEqual([403, "four_eyes"]);
    }
    expect((await undo({ cookie: ben.cookie }, request)).body.state).toBe("open");
    // What one has decided oneself one takes back, whatever the rule.
    expect((await answer({ cookie: ana.cookie }, request, "decline", 60_000)).status).toBe(202);
    expect((await undo({ cookie: ana.cookie }, request)).body.state).toBe("open");
  });

  test("many at once are refused one by one", async () => {
    const [own, other] = [await askedBy(asMember(ana)), await askedBy(asMember(ben))];
    const items = [own, other].map(({ id, questionHash }) => ({ id, questionHash }));
    const body = { items, action: "accept" };
    const bulk = await web.call("POST", "/api/v1/input-requests/bulk-answer", { cookie: ana.cookie, body });
    expect(bulk.body.results).toMatchObject([
      { id: own.id, status: "refused", code: "four_eyes" },
      { id: other.id, status: "recorded" },
    ]);
  });
});

test("without four eyes everybody accepts; switching is an admin's, and is told once", async () => {
  const viewer = await web.key(acme, "operator");
  const body = { fourEyes: false };
  expect((await web.call("PATCH", "/api/v1/organization", { key: viewer, body })).status).toBe(403);
  const proposed = await web.call("PATCH", "/api/v1/organization", { cookie: ana.cookie, body });
  expect(proposed.body).toMatchObject({ fourEyes: true, fourEyesProposal: { mayAccept: false } });
  await rule(false);
  const accepted = await web.call("POST", "/api/v1/organization/four-eyes/accept", { cookie: ben.cookie });
  expect(accepted.body.fourEyes).toBe(false);
  expect((await answer({ cookie: ana.cookie }, await askedBy(asMember(ana)))).status).toBe(202);
  const events = await web.call("GET", "/api/v1/events?limit=200", { key: owner });
  const lines = events.body.items.filter(
    (line: { type: string }) => line.type === "organization.four_eyes_changed",
  );
  expect(lines.map((line: { data: object }) => line.data)).toEqual([
    expect.objectContaining({ fourEyes: false, proposedBy: "Ana" }),
    { fourEyes: true },
  ]);
});
