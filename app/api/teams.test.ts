/** Teams by the API: who sets it up, how a member links, that only Microsoft's own calls are taken, and what a press becomes. */
import JSZip from "jszip";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { withClient } from "@/scripts/database/roles.ts";
import { until } from "@/test/fixtures/organization-fixture.ts";
import { insertRequest, insertServer, insertTask } from "@/test/fixtures/rows.ts";
import { personOf, SECRETS, startTeams, type TeamsServer } from "@/test/servers/teams/teams.ts";
import { type Answer, ORIGIN, startWeb, type TestWeb } from "@/test/web.ts";

let web: TestWeb;
let teams: TeamsServer;
let acme: string;
let globex: string;
let ana: { userId: string; memberId: string; cookie: string };
let ben: { userId: string; memberId: string; cookie: string };

beforeAll(async () => {
  teams = await startTeams();
  web = await startWeb({ INTRAY_TEAMS_CLOUD: teams.url, INTRAY_ALLOW_HOSTS: teams.hostAndPort });
  acme = await web.organization("acme");
  globex = await web.organization("globex");
  ana = await web.member(acme, "Ana", "admin");
  ben = await web.member(acme, "Ben", "approver");
});
afterAll(async () => {
  await web?.stop();
  await teams?.close();
});
beforeEach(async () => {
  teams.clear();
  teams.signedIn = { tid: SECRETS.tenantId, oid: personOf(1), name: "Ben at Work" };
  for (const table of ["teams_press", "teams_app"]) await web.database.sql(`DELETE FROM ${table}`);
});

const PATH = "/api/v1/organization/teams";
const setUp = (cookie = ana.cookie, more: object = {}) =>
  web.call("PUT", PATH, { cookie, body: { ...SECRETS, ...more } });
const own = (method: "GET" | "POST" | "DELETE", cookie = ben.cookie, path = "") =>
  web.call(method, `/api/v1/me/teams${path}`, { cookie });
/** Begins to link, signs in at Microsoft, and comes back with a cookie. Returns where the browser is sent. */
async function link(cookie = ben.cookie, back = cookie): Promise<string> {
  const { body } = await own("POST", cookie);
  const { pathname, search } = new URL(await teams.authorize(body.url));
  const response = await web.open("GET", pathname + search, { cookie: back });
  expect(response.status).toBe(303);
  return response.headers.get("location") ?? "";
}

/** An activity of a person in their conversation with the bot. */
const activity = (more: object = {}) => ({
  type: "message",
  id: `f:${crypto.randomUUID()}`,
  channelId: "msteams",
  serviceUrl: `${teams.url}/teams`,
  from: { id: "29:1", aadObjectId: personOf(1) },
  conversation: { id: "a:1", conversationType: "personal" },
  recipient: { id: `28:${SECRETS.appId}` },
  channelData: { tenant: { id: SECRETS.tenantId } },
  ...more,
});
async function post(
  body: object,
  { authorization, organization = acme }: { authorization?: string; organization?: string } = {},
): Promise<Answer> {
  const headers = {
    authorization: authorization ?? (await teams.sign()),
    "content-type": "application/json",
  };
  return web.call("POST", `/api/v1/teams/${organization}/messages`, { body: JSON.stringify(body), headers });
}

test("an admin sets Teams up, chooses and removes; nobody else does, and no secret is told", async () => {
  for (const method of ["GET", "PUT", "PATCH", "DELETE"] as const)
    expect(
      (await web.call(method, PATH, { cookie: ben.cookie, body: method === "GET" ? undefined : {} })).status,
    ).toBe(403);
  const made = await setUp();
  expect([made.status, made.body]).toMatchObject([
    200,
    {
      app: { appId: SECRETS.appId, tenantId: SECRETS.tenantId, showsText: false },
      messagingEndpoint: `${ORIGIN}/api/v1/teams/${acme}/messages`,
      redirectUri: `${ORIGIN}/oauth/teams`,
    },
  ]);
  const changed = await web.call("PATCH", PATH, { cookie: ana.cookie, body: { showsText: true } });
  expect(changed.body.app.showsText).toBe(true);
  expect(JSON.stringify([made.body, changed.body])).not.toContain(SECRETS.clientSecret);
  const zip = await web.open("GET", `${PATH}/package`, { cookie: ana.cookie });
  expect(zip.headers.get("content-type")).toBe("application/zip");
  const { files } = await JSZip.loadAsync(await zip.arrayBuffer(), { checkCRC32: true });
  expect(Object.keys(files)).toEqual(["manifest.json", "color.png", "outline.png"]);
  const manifest = JSON.parse((await files["manifest.json"]?.async("text")) ?? "");
  expect(manifest.bots).toMatchObject([{ botId: SECRETS.appId, scopes: ["personal"] }]);
  for (const picture of Object.values(manifest.icons as Record<string, string>))
    expect((await files[picture]?.async("nodebuffer"))?.subarray(1, 4).toString()).toBe("PNG");
  expect((await web.call("DELETE", PATH, { cookie: ana.cookie })).status).toBe(204);
  const types = await web.database.sql("SELECT type FROM event WHERE type LIKE 'teams.%' ORDER BY seq");
  expect(types.map(({ type }) => type)).toEqual(["teams.set_up", "teams.updated", "teams.removed"]);
});

test("what is no id, or a secret that Microsoft refuses, is told at its field", async () => {
  const bad = await setUp(ana.cookie, { appId: "x", tenantId: "contoso" });
  expect([bad.status, bad.body.errors.map(({ field }: { field: string }) => field)]).toEqual([
    422,
    ["appId", "tenantId"],
  ]);
  const refused = await setUp(ana.cookie, { clientSecret: "another secret" });
  expect(refused).toMatchObject({
    status: 422,
    body: { code: "teams_refused", errors: [{ field: "clientSecret" }] },
  });
});

describe("a member's account is linked", () => {
  test("in their own browser, tested and unlinked", async () => {
    expect((await own("POST")).status).toBe(404);
    await setUp();
    expect(await link()).toBe(`${ORIGIN}/settings/channels?teams=linked`);
    expect((await own("GET")).body).toMatchObject({
      tenant: SECRETS.tenantId,
      account: { name: "Ben at Work" },
    });
    expect((await own("POST", ben.cookie, "/test")).status).toBe(202);
    expect((await own("DELETE")).status).toBe(204);
    expect((await own("DELETE")).status).toBe(404);
  });

  test("in no other browser, and not without a session", async () => {
    await setUp();
    expect(await link(ben.cookie, ana.cookie)).toContain("teams=refused");
    expect(await link(ben.cookie, await web.signIn(ben.userId))).toContain("teams=refused");
    expect(await link(ben.cookie, "")).toContain("teams=signed_out");
    expect((await own("GET")).body.account).toBeNull();
  });
});

describe("an activity", () => {
  beforeEach(async () => {
    await setUp();
  });
  const conversations = () => web.database.sql("SELECT oid, conversation FROM teams_conversation");

  test("of a person who writes to the bot says where they are reached, and is answered with how to link", async () => {
    expect((await post(activity())).status).toBe(200);
    expect(await conversations()).toEqual([{ oid: personOf(1), conversation: "a:1" }]);
    await until("it is answered", async () => teams.messages.length === 1);
    expect(teams.messages).toMatchObject([
      { conversation: "a:1", text: expect.stringContaining("/settings/channels") },
    ]);
    await post(activity({ type: "installationUpdate", action: "remove" }));
    expect(await conversations()).toEqual([]);
  });

  test.each<[string, object]>([
    ["in a group", { conversation: { id: "19:x", conversationType: "groupChat" } }],
    ["of nobody known", { from: { id: "29:1" } }],
    ["of another kind", { type: "typing" }],
  ])("%s is not kept", async (_, more) => {
    expect((await post(activity(more))).status).toBe(200);
    expect(await conversations()).toEqual([]);
  });

  test.each<[string, () => Promise<string>]>([
    ["of another issuer", () => teams.sign({ issuer: "https://sts.windows.net/x/" })],
    ["for another app", () => teams.sign({ audience: personOf(9) })],
    ["from another address", () => teams.sign({ serviceurl: "https://smba.evil.example/" })],
    ["without an address", () => teams.sign({ serviceurl: null })],
    ["that is over", () => teams.sign({ expires: -600 })],
    ["by a key of another channel", () => teams.sign({ key: "other" })],
    ["by a key of nobody's", () => teams.sign({ key: "unknown" })],
    ["that is none", async () => "Bearer x.y.z"],
    ["that is missing", async () => ""],
  ])("with a token %s is refused, and nothing is kept of it", async (_, forge) => {
    const answer = await post(activity(), { authorization: await forge() });
    expect([answer.status, answer.body.code]).toEqual([401, "unauthenticated"]);
    expect(await conversations()).toEqual([]);
  });

  test("of another tenant, or at another organization, is refused in the same words", async () => {
    const foreign = await post(activity({ channelData: { tenant: { id: personOf(7) } } }));
    const without = await post(activity(), { organization: globex });
    const unknown = await post(activity(), { organization: crypto.randomUUID() });
    expect([foreign.status, without.status, unknown.status]).toEqual([401, 401, 401]);
    expect(without.body.detail).toBe(unknown.body.detail);
    expect(await conversations()).toEqual([]);
  });
});

describe("a press", () => {
  let request: { id: string; questionHash: string };
  const messageId = "1700000000000001";

  beforeEach(async () => {
    await setUp();
    await web.call("PATCH", PATH, { cookie: ana.cookie, body: { showsText: true } });
    await link();
    const server = await insertServer(web.db, acme);
    request = await insertRequest(web.db, acme, await insertTask(web.db, acme, server), {
      message: "Pay INV-100?",
    });
    await web.database.sql(
      `INSERT INTO teams_conversation (organization_id, oid, conversation, service_url) VALUES ($1, $2, 'a:1', $3)`,
      [acme, personOf(1), `${teams.url}/teams`],
    );
    await web.database.sql(
      `INSERT INTO teams_message (organization_id, id, user_id, matter, is_request, activity_id, digest)
        VALUES ($1, gen_random_uuid(), $2, $3, true, $4, 'x')`,
      [acme, ben.userId, request.id, messageId],
    );
  });

  const pressValue = (kind: string, content: object | null) => ({
    ...{ request: request.id, questionHash: request.questionHash, kind, content },
  });
  const invoke = (name: string, value: object, more: object = {}) =>
    activity({ type: "invoke", name, value, replyToId: messageId, ...more });
  const confirmed = (more: object = {}) =>
    invoke(
      "adaptiveCard/action",
      { action: { type: "Action.Execute", verb: "press", data: { press: pressValue("accept", {}) } } },
      more,
    );
  const answers = () =>
    web.database.sql("SELECT action, comment, answered_by FROM answer WHERE input_request_id = $1", [
      request.id,
    ]);
  const outcomes = async () =>
    (await web.database.sql("SELECT outcome FROM teams_press ORDER BY id")).map(({ outcome }) => outcome);

  test("decides as the member, once, also when it comes twice at once", async () => {
    const body = confirmed();
    const both = await Promise.all([post(body), post(body)]);
    expect(both.map(({ status }) => status)).toEqual([200, 200]);
    expect(both[0]?.body).toMatchObject({
      statusCode: 200,
      type: "application/vnd.microsoft.activity.message",
    });
    expect(await answers()).toMatchObject([{ action: "accept", answered_by: { id: ben.userId } }]);
    expect(await outcomes()).toEqual(["recorded"]);
    const [event] = await web.database.sql(
      "SELECT data FROM event WHERE type = 'answer.recorded' AND input_request_id = $1",
      [request.id],
    );
    expect(event?.data).toMatchObject({ signedIn: { method: "teams" } });
  });

  test("that takes longer than Teams waits is answered before, and what became of it is told later", async () => {
    const late = await withClient(web.database.ownerUrl, async (client) => {
      await client.query("SELECT set_config('app.organization_id', $1, false)", [acme]);
      await client.query("BEGIN");
      await client.query("SELECT FROM input_request WHERE id = $1 FOR UPDATE", [request.id]);
      const { body } = await post(confirmed());
      await client.query("UPDATE input_request SET state = 'withdrawn', ended_at = now() WHERE id = $1", [
        request.id,
      ]);
      await client.query("COMMIT");
      return body;
    });
    expect(late.value).toContain("Intray is at it");
    await until("it is told", async () => teams.messages.length === 1);
    expect(teams.messages).toMatchObject([
      { conversation: "a:1", text: expect.stringMatching(/withdrawn|ended|open/i) },
    ]);
    expect(await answers()).toEqual([]);
  });

  test("that asks for a reason opens a window, which decides with it", async () => {
    const { body } = await post(invoke("task/fetch", { data: { press: pressValue("decline", null) } }));
    const { card } = body.task.value;
    expect([body.task.type, body.task.value.title]).toEqual(["continue", "Decline"]);
    const [submit] = card.content.actions;
    const sent = await post(invoke("task/submit", { data: { ...submit.data, reason: " Not ours " } }));
    expect(sent.body.task.type).toBe("message");
    expect(await answers()).toMatchObject([{ action: "decline", comment: "Not ours" }]);
    expect(await outcomes()).toEqual(["asked", "recorded"]);
  });

  test.each<[string, () => object, string]>([
    ["of somebody who has not linked", () => confirmed({ from: { aadObjectId: personOf(5) } }), "not_linked"],
    ["on a copy of the message", () => confirmed({ replyToId: "1700000000000009" }), "other_message"],
    [
      "in another conversation",
      () => confirmed({ conversation: { id: "a:2", conversationType: "personal" } }),
      "other_message",
    ],
  ])("%s decides nothing, and they are told", async (_, make, outcome) => {
    const { status, body } = await post(make());
    expect([status, await outcomes(), await answers()]).toEqual([200, [outcome], []]);
    expect(JSON.stringify(body)).toMatch(/Intray/);
  });

  test("on a question that changed decides nothing", async () => {
    const data = { press: { ...pressValue("accept", {}), questionHash: "another" } };
    await post(invoke("adaptiveCard/action", { action: { data } }));
    expect([await outcomes(), await answers()]).toEqual([["question_changed"], []]);
  });

  test("of a window of another conversation is none", async () => {
    const press = { ...pressValue("decline", null), channel: "a:2", ts: messageId };
    await post(invoke("task/submit", { data: { press, reason: "x" } }));
    expect([await outcomes(), await answers()]).toEqual([[], []]);
  });

  test("on a request of another organization decides nothing there", async () => {
    const server = await insertServer(web.db, globex);
    const foreign = await insertRequest(web.db, globex, await insertTask(web.db, globex, server));
    await web.database.sql("UPDATE teams_message SET matter = $1", [foreign.id]);
    const data = {
      press: { ...pressValue("accept", {}), request: foreign.id, questionHash: foreign.questionHash },
    };
    await post(invoke("adaptiveCard/action", { action: { data } }));
    expect(await outcomes()).toEqual(["not_found"]);
    expect(await web.database.sql("SELECT FROM answer WHERE input_request_id = $1", [foreign.id])).toEqual(
      [],
    );
  });

  test("by a suspended member decides nothing", async () => {
    await web.call("POST", `/api/v1/members/${ben.memberId}/suspend`, { cookie: ana.cookie });
    await post(confirmed());
    expect([await outcomes(), await answers()]).toEqual([["not_linked"], []]);
    await web.call("POST", `/api/v1/members/${ben.memberId}/reinstate`, { cookie: ana.cookie });
  });
});
