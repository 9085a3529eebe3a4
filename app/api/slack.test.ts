/** Slack by the API: who sets it up, how a member links, and that only Slack's own calls are taken. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { until } from "@/test/fixtures/organization-fixture.ts";
import { insertRequest, insertServer, insertTask } from "@/test/fixtures/rows.ts";
import { SECRETS, type SlackServer, signed, startSlack } from "@/test/servers/slack/slack.ts";
import { type Answer, ORIGIN, startWeb, type TestWeb } from "@/test/web.ts";

let web: TestWeb;
let slack: SlackServer;
let acme: string;
let globex: string;
let ana: { userId: string; memberId: string; cookie: string };
let ben: { userId: string; memberId: string; cookie: string };

beforeAll(async () => {
  slack = await startSlack();
  web = await startWeb({ INTRAY_SLACK_URL: slack.url, INTRAY_ALLOW_HOSTS: slack.hostAndPort });
  acme = await web.organization("acme");
  globex = await web.organization("globex");
  ana = await web.member(acme, "Ana", "admin");
  ben = await web.member(acme, "Ben", "approver");
});
afterAll(async () => {
  await web?.stop();
  await slack?.close();
});
beforeEach(async () => {
  slack.clear();
  for (const table of ["slack_press", "slack_app"]) await web.database.sql(`DELETE FROM ${table}`);
});

const PATH = "/api/v1/organization/slack";
const setUp = (cookie = ana.cookie, more: object = {}) =>
  web.call("PUT", PATH, { cookie, body: { ...SECRETS, ...more } });
const own = (method: "GET" | "POST" | "DELETE", cookie = ben.cookie, path = "") =>
  web.call(method, `/api/v1/me/slack${path}`, { cookie });
/** Begins to link, signs in at Slack, and comes back with a cookie. Returns where the browser is sent. */
async function link(cookie = ben.cookie, back = cookie): Promise<string> {
  const { body } = await own("POST", cookie);
  const { pathname, search } = new URL(await slack.authorize(body.url));
  const response = await web.open("GET", pathname + search, { cookie: back });
  expect(response.status).toBe(303);
  return response.headers.get("location") ?? "";
}
const linked = async () => (await own("GET")).body.account !== null;

test("an admin sets Slack up, sees the workspace, chooses and removes; nobody else does, and no secret is told", async () => {
  for (const method of ["GET", "PUT", "PATCH", "DELETE"] as const)
    expect(
      (await web.call(method, PATH, { cookie: ben.cookie, body: method === "GET" ? undefined : {} })).status,
    ).toBe(403);
  const made = await setUp();
  expect([made.status, made.body.app]).toMatchObject([200, { team: "Acme Workspace", showsText: false }]);
  expect(JSON.parse(made.body.manifest).settings.interactivity.request_url).toBe(
    `${ORIGIN}/api/v1/slack/${acme}/interactions`,
  );
  const changed = await web.call("PATCH", PATH, { cookie: ana.cookie, body: { showsText: true } });
  expect(changed.body.app.showsText).toBe(true);
  for (const secret of [SECRETS.botToken, SECRETS.clientSecret, SECRETS.signingSecret])
    expect(JSON.stringify([made.body, changed.body])).not.toContain(secret);
  expect((await web.call("DELETE", PATH, { cookie: ana.cookie })).status).toBe(204);
  expect((await web.call("GET", PATH, { cookie: ana.cookie })).body.app).toBeNull();
  const types = await web.database.sql("SELECT type FROM event WHERE type LIKE 'slack.%' ORDER BY seq");
  expect(types.map(({ type }) => type)).toEqual(["slack.set_up", "slack.updated", "slack.removed"]);
});

test("what is no secret of Slack's, or one that Slack refuses, is told at its field", async () => {
  const bad = await setUp(ana.cookie, { botToken: "xoxp-1", clientId: "x" });
  expect([bad.status, bad.body.errors.map(({ field }: { field: string }) => field)]).toEqual([
    422,
    ["botToken", "clientId"],
  ]);
  const refused = await setUp(ana.cookie, { botToken: "xoxb-another-token" });
  expect(refused).toMatchObject({
    status: 422,
    body: { code: "slack_refused", errors: [{ field: "botToken" }] },
  });
  slack.faults.push({ method: "auth.test", fault: { status: 500 } });
  expect((await setUp()).body.code).toBe("server_unavailable");
});

describe("a member's account is linked", () => {
  test("in their own browser, tested and unlinked", async () => {
    expect((await own("POST")).status).toBe(404);
    await setUp();
    expect(await link()).toBe(`${ORIGIN}/settings/channels?slack=linked`);
    expect((await own("GET")).body).toMatchObject({
      team: "Acme Workspace",
      account: { name: "Ben at Slack" },
    });
    expect((await own("POST", ben.cookie, "/test")).status).toBe(202);
    expect((await own("DELETE")).status).toBe(204);
    expect((await own("DELETE")).status).toBe(404);
  });

  test("only by somebody who has lately shown that it is them", async () => {
    await setUp();
    const shown = (at: string) =>
      web.database.sql(`UPDATE session SET factor_at = ${at} WHERE user_id = $1`, [ben.userId]);
    await shown("now() - interval '6 minutes'");
    const { status, body } = await own("POST");
    await shown("'infinity'");
    expect([status, body.code]).toEqual([403, "step_up_required"]);
  });

  test("in no other browser, and not without a session", async () => {
    await setUp();
    expect(await link(ben.cookie, ana.cookie)).toContain("slack=refused");
    expect(await link(ben.cookie, await web.signIn(ben.userId))).toContain("slack=refused");
    expect(await link(ben.cookie, "")).toContain("slack=signed_out");
    expect(await linked()).toBe(false);
  });
});

describe("a press", () => {
  let request: { id: string; questionHash: string };
  const ts = "1700000000.000001";

  beforeEach(async () => {
    await setUp();
    await web.call("PATCH", PATH, { cookie: ana.cookie, body: { showsText: true } });
    await link();
    const server = await insertServer(web.db, acme);
    request = await insertRequest(web.db, acme, await insertTask(web.db, acme, server), {
      message: "Pay INV-100?",
    });
    await web.database.sql("UPDATE slack_account SET channel = 'D1'");
    await web.database.sql(
      `INSERT INTO slack_message (organization_id, id, user_id, matter, is_request, ts, digest)
        VALUES ($1, gen_random_uuid(), $2, $3, true, $4, 'x')`,
      [acme, ben.userId, request.id, ts],
    );
  });

  let triggers = 0;
  function bodyOf(more: object = {}): string {
    const value = { request: request.id, questionHash: request.questionHash, kind: "accept", content: {} };
    const payload = {
      type: "block_actions",
      trigger_id: `t${++triggers}`,
      team: { id: "T1" },
      user: { id: "U1" },
      container: { type: "message", message_ts: ts, channel_id: "D1" },
      actions: [{ action_id: "accept-0", value: JSON.stringify(value) }],
      ...more,
    };
    return new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
  }
  const post = (body: string, headers = signed(body), organization = acme): Promise<Answer> =>
    web.call("POST", `/api/v1/slack/${organization}/interactions`, { body, headers });
  const answers = () =>
    web.database.sql("SELECT action, answered_by FROM answer WHERE input_request_id = $1", [request.id]);
  const presses = async () => (await web.database.sql("SELECT FROM slack_press")).length;

  test("that Slack signed is stored before its answer, and decides as the member", async () => {
    const body = bodyOf();
    const { status, body: said } = await post(body);
    expect([status, said, await presses()]).toEqual([200, null, 1]);
    const given = await until("it is decided", async () => {
      const rows = await answers();
      return rows.length > 0 && rows;
    });
    expect(given).toMatchObject([{ action: "accept", answered_by: { id: ben.userId } }]);
    // The same call again, as a copy of it would be.
    expect((await post(body)).status).toBe(200);
    expect([await presses(), (await answers()).length]).toEqual([1, 1]);
  });

  test.each<[string, (body: string) => [string, Record<string, string>]]>([
    ["by another secret", (body) => [body, signed(body, { secret: "f".repeat(32) })]],
    ["six minutes ago", (body) => [body, signed(body, { at: Date.now() - 6 * 60_000 })]],
    ["in six minutes", (body) => [body, signed(body, { at: Date.now() + 6 * 60_000 })]],
    ["over another body", (body) => [`${body}&x=1`, signed(body)]],
    ["with no signature", (body) => [body, { "content-type": "application/x-www-form-urlencoded" }]],
    [
      "with half of one",
      (body) => {
        const headers = signed(body);
        return [body, { ...headers, "x-slack-signature": headers["x-slack-signature"]?.slice(0, 20) ?? "" }];
      },
    ],
    [
      "with another time than it names",
      (body) => {
        const headers = signed(body);
        return [body, { ...headers, "x-slack-request-timestamp": String(Math.floor(Date.now() / 1000) - 1) }];
      },
    ],
  ])("signed %s is refused, and nothing is kept of it", async (_, forge) => {
    const [body, headers] = forge(bodyOf());
    const answer = await post(body, headers);
    expect([answer.status, answer.body.code, await presses()]).toEqual([401, "unauthenticated", 0]);
  });

  test("of another workspace, or at another organization, is refused in the same words", async () => {
    const foreign = bodyOf({ team: { id: "T2" } });
    expect((await post(foreign)).status).toBe(401);
    const body = bodyOf();
    const [without, unknown] = [
      await post(body, signed(body), globex),
      await post(body, signed(body), crypto.randomUUID()),
    ];
    expect([without.status, unknown.status]).toEqual([401, 401]);
    expect(without.body.detail).toBe(unknown.body.detail);
    expect(await presses()).toBe(0);
  });

  test("that is larger than any of Slack's is refused", async () => {
    const body = bodyOf({ more: "x".repeat(600 * 1024) });
    expect((await post(body)).status).toBe(413);
  });

  test("of something else than a button of Intray's gets an answer, and is not kept", async () => {
    for (const more of [{ type: "shortcut" }, { actions: [{ action_id: "open" }] }])
      expect((await post(bodyOf(more))).status).toBe(200);
    expect(await presses()).toBe(0);
  });

  test("on a request of another organization decides nothing there", async () => {
    const server = await insertServer(web.db, globex);
    const foreign = await insertRequest(web.db, globex, await insertTask(web.db, globex, server));
    await web.database.sql("UPDATE slack_message SET matter = $1", [foreign.id]);
    const value = JSON.stringify({
      request: foreign.id,
      questionHash: foreign.questionHash,
      kind: "accept",
      content: {},
    });
    await post(bodyOf({ actions: [{ action_id: "accept-0", value }] }));
    await until("it is refused", async () => {
      const rows = await web.database.sql("SELECT outcome FROM slack_press WHERE done_at IS NOT NULL");
      return rows[0]?.outcome === "not_found";
    });
    expect(await web.database.sql("SELECT FROM answer WHERE input_request_id = $1", [foreign.id])).toEqual(
      [],
    );
  });

  test("by a suspended member decides nothing", async () => {
    await web.call("POST", `/api/v1/members/${ben.memberId}/suspend`, { cookie: ana.cookie });
    await post(bodyOf());
    await until("it is refused", async () => {
      const rows = await web.database.sql("SELECT outcome FROM slack_press WHERE done_at IS NOT NULL");
      return rows[0]?.outcome === "not_linked";
    });
    expect(await answers()).toEqual([]);
    await web.call("POST", `/api/v1/members/${ben.memberId}/reinstate`, { cookie: ana.cookie });
  });
});
