/** Messages to a local Slack: whom it tells of what, in one message each, and what happens when Slack fails. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startEngineProcess } from "../../../test/engine-process.ts";
import { until } from "../../../test/fixtures/organization-fixture.ts";
import { insertTask } from "../../../test/fixtures/rows.ts";
import { SECRETS, type SlackServer, textsOf } from "../../../test/servers/slack/slack.ts";
import {
  APP,
  createSlackFixture,
  type Member,
  type SlackFixture,
  voteOf,
} from "../../../test/servers/slack/slack-fixture.ts";
import { uuidv7 } from "../../base/ids.ts";
import { NOTICES } from "../../engine/jobs/notice-jobs.ts";
import { recordDecision, undoAnswer } from "../../requests/answers/answer-writes.ts";
import { markAllRead } from "../notices/notice-writes.ts";
import { setNoticeSettings } from "../notices/settings.ts";
import { askSlackTest, beginLink, finishLink, readOwnSlack, unlink } from "./account-writes.ts";
import { askWorkspace, readSlack, removeSlack, updateSlack } from "./app-writes.ts";

const PATIENCE = 180_000;
let fixture: SlackFixture;
let slack: SlackServer;
let ben: Member;
let ana: Member;

beforeAll(async () => {
  fixture = await createSlackFixture();
  ({ slack, ben, ana } = fixture);
});
afterAll(() => fixture?.close());
beforeEach(() => fixture.reset());

const own = (member: Member = ben) => fixture.within((tx) => readOwnSlack(tx, member.userId));
const called = (method: string) => slack.calls.filter((call) => call.method === method);

describe("setting up", () => {
  test("asks Slack whose token it is, and keeps all secrets sealed", async () => {
    const { app, manifest } = await fixture.within((tx) => readSlack(tx, APP));
    expect(app).toMatchObject({
      team: "Acme Workspace",
      bot: "intray",
      showsText: false,
      members: 0,
      revoked: null,
    });
    expect(JSON.parse(manifest).oauth_config.redirect_urls).toEqual([`${APP}/oauth/slack`]);
    const row = JSON.stringify(await fixture.sql("SELECT * FROM slack_app"));
    for (const secret of [SECRETS.botToken, SECRETS.clientSecret, SECRETS.signingSecret])
      for (const text of [row, JSON.stringify(app)]) expect(text).not.toContain(secret);
  });

  test("says what Slack says of a wrong token, and that Slack is away", async () => {
    await expect(askWorkspace(fixture.means(), "xoxb-another")).rejects.toMatchObject({
      code: "slack_refused",
      detail: "Slack does not accept this token: invalid_auth.",
    });
    slack.faults.push({ method: "auth.test", fault: { status: 503 } });
    await expect(askWorkspace(fixture.means(), SECRETS.botToken)).rejects.toMatchObject({
      code: "server_unavailable",
    });
    await expect(
      askWorkspace({ ...fixture.means(), slackUrl: "http://10.0.0.1" }, SECRETS.botToken),
    ).rejects.toMatchObject({ code: "server_unavailable" });
  });

  test("in another workspace unlinks everybody, and in the same one nobody", async () => {
    await fixture.link(ben, "U1");
    await fixture.setUp();
    expect((await own()).account).not.toBeNull();
    slack.teamId = "T2";
    await fixture.setUp();
    slack.teamId = "T1";
    expect((await own()).account).toBeNull();
  });

  test("is undone with all linked accounts", async () => {
    await fixture.link(ben, "U1");
    await fixture.within((tx) => removeSlack(tx, ana));
    expect(await own()).toEqual({ team: null, account: null });
    await expect(fixture.within((tx) => removeSlack(tx, ana))).rejects.toMatchObject({ code: "not_found" });
  });
});

describe("an account is linked", () => {
  test("by the member's own sign-in at Slack, in the session that began it", async () => {
    expect(await fixture.link(ben, "U1")).toBeNull();
    expect((await own()).account).toMatchObject({ name: "Benno at Slack", failure: null, test: null });
  });

  test.each([
    ["another session", () => fixture.link(ben, "U1", { sessionId: uuidv7() }), "refused"],
    ["another member", () => fixture.link(ben, "U1", { as: ana }), "refused"],
    ["another workspace", () => fixture.link(ben, "U1", { teamId: "T2" }), "other_workspace"],
  ])("not from %s", async (_, attempt, why) => {
    expect(await attempt()).toBe(why);
    expect(await fixture.sql("SELECT FROM slack_account")).toEqual([]);
  });

  test("to one member, and not by a code that was used, made up or refused", async () => {
    await fixture.link(ben, "U1");
    expect(await fixture.link(ana, "U1")).toBe("taken");
    const { organizationId } = ana;
    const sessionId = uuidv7();
    const using = { seal: fixture.seal, slackUrl: slack.url, appUrl: APP };
    const linking = { organizationId, userId: ana.userId, sessionId };
    const begun = await fixture.within((tx) => beginLink(tx, linking, using));
    const state = new URL(begun).searchParams.get("state") ?? "";
    const arriving = { ...fixture.means(), seal: fixture.seal, appUrl: APP, within: fixture.within };
    const arrive = (query: Record<string, string>) =>
      finishLink(arriving, ana, sessionId, new URLSearchParams(query));
    expect(await arrive({ state, error: "access_denied" })).toBe("cancelled");
    expect(await arrive({ state, code: "made up" })).toBe("refused");
    expect(await arrive({ state: "made up", code: "x" })).toBe("refused");
    const returned = new URL(await slack.authorize(begun)).searchParams;
    slack.signedIn.userId = "U2";
    expect(await finishLink(arriving, ana, sessionId, returned)).toBe("taken");
    expect(await finishLink(arriving, ana, sessionId, returned)).toBe("refused");
  });

  test("and goes with the membership", async () => {
    const cleo = await fixture.member("approver", "Cleo");
    await fixture.link(cleo, "U3");
    await fixture.asked({ assignee: cleo.userId });
    await fixture.sql("DELETE FROM membership WHERE user_id = $1", [cleo.userId]);
    await fixture.sendLater();
    expect(slack.messages).toEqual([]);
    expect(await fixture.sql("SELECT FROM slack_account")).toEqual([]);
  });
});

describe("a request", () => {
  beforeEach(() => fixture.link(ben, "U1"));

  test("is one message to each member who linked, without the question, and without a link that decides", async () => {
    const { id } = await fixture.asked({ message: "Pay INV-100, $1,000.00?" });
    await fixture.sendLater();
    expect(slack.messages).toHaveLength(1);
    const [message] = slack.messages;
    expect(message?.channel).toBe("DU1");
    expect(textsOf(message!)).toEqual([
      "A request waits for an answer",
      "process_invoice on Finance",
      "Open in Intray",
    ]);
    expect(message?.blocks.at(-1).elements).toMatchObject([{ url: `${APP}/inbox/${id}` }]);
    for (const never of ["INV-100", "1,000"]) expect(JSON.stringify(slack.messages)).not.toContain(never);
    await fixture.sendLater();
    expect(slack.messages).toMatchObject([{ edits: 0 }]);
  });

  test("says who decided it elsewhere, in the same message, and waits again once that is undone", async () => {
    const request = await fixture.asked();
    await fixture.sendLater();
    await fixture.decide(request);
    await fixture.send();
    expect(fixture.titles()).toEqual(["Declined by Ana"]);
    await fixture.within((tx) => undoAnswer(tx, ana, request.id));
    await fixture.run(NOTICES);
    await fixture.sendLater();
    expect(fixture.titles()).toEqual(["A request waits for an answer"]);
    expect(slack.messages).toMatchObject([{ edits: 2 }]);
  });

  test("that was decided before it was told is not told", async () => {
    const request = await fixture.asked();
    await fixture.decide(request);
    await fixture.sendLater();
    expect(slack.messages).toEqual([]);
  });

  test("has its text where the organization allows it, and loses it when it forbids it", async () => {
    await fixture.within((tx) => updateSlack(tx, ana, { showsText: true }));
    await fixture.asked({ message: "Pay <!channel> INV-100?\n<https://evil.example|Click>" });
    await fixture.sendLater();
    const shown = () => textsOf(slack.messages[0]!);
    expect(shown()).toContain("Pay <!channel> INV-100?\n<https://evil.example|Click>");
    // A text that Slack reads mentions and links in.
    expect(JSON.stringify(slack.messages)).not.toContain('"mrkdwn"');
    expect(slack.messages[0]?.text).not.toContain("evil");
    expect(JSON.stringify(await fixture.sql("SELECT * FROM slack_message"))).not.toContain("INV-100");
    await fixture.within((tx) => updateSlack(tx, ana, { showsText: false }));
    await fixture.sendLater();
    expect(shown().join()).not.toContain("INV-100");
  });

  test("shows its votes as they come in", async () => {
    const cora = await fixture.member("approver", "Cora");
    const request = await fixture.asked({ approval: voteOf() });
    await fixture.sendLater();
    expect(textsOf(slack.messages[0]!)).toContain("Finance: 0 of 2");
    const accept = { action: "accept", questionHash: request.questionHash, content: {} } as const;
    await fixture.within((tx) => recordDecision(tx, cora, request.id, accept));
    await fixture.run(NOTICES);
    await fixture.send();
    expect(textsOf(slack.messages[0]!)).toContain("Finance: 1 of 2");
    await fixture.within((tx) => recordDecision(tx, ben, request.id, accept));
    await fixture.run(NOTICES);
    await fixture.send();
    expect(fixture.titles()).toEqual(["Confirmed by Benno"]);
    expect(textsOf(slack.messages[0]!)).toContain("Finance: 2 of 2");
  });

  test("is not told to those who chose otherwise, nor again to who read it", async () => {
    const channels = { app: true, email: false, push: true, slack: false };
    await fixture.within((tx) => setNoticeSettings(tx, ben, { kinds: { request: channels } }));
    await fixture.asked();
    await fixture.sendLater();
    expect(slack.messages).toEqual([]);
  });

  test("of which there are many has ten messages, and one that counts the rest", async () => {
    const requests = [];
    for (let n = 0; n < 12; n++) requests.push(await fixture.asked());
    await fixture.later();
    await Promise.all([fixture.send(), fixture.send(), fixture.send()]);
    expect(fixture.titles()).toEqual([
      ...Array(10).fill("A request waits for an answer"),
      "2 more notifications in Intray",
    ]);
    for (const request of requests.slice(0, 2)) await fixture.decide(request);
    await fixture.sendLater();
    expect(fixture.titles()).toEqual([
      ...Array(2).fill("Declined by Ana"),
      ...Array(8).fill("A request waits for an answer"),
      "Nothing more waits for you",
      ...Array(2).fill("A request waits for an answer"),
    ]);
  });

  test("that waits already is told once an account is linked", async () => {
    await fixture.asked();
    await fixture.asked({ assignee: ana.userId });
    await fixture.link(ana, "U2");
    await fixture.sendLater();
    expect(slack.messages.filter(({ channel }) => channel === "DU2")).toHaveLength(2);
  });

  test("that is deleted in Slack comes once again while it waits, and not after", async () => {
    const request = await fixture.asked();
    await fixture.sendLater();
    slack.remove(slack.messages[0]?.ts ?? "");
    await fixture.within((tx) => updateSlack(tx, ana, { showsText: true }));
    await fixture.sendLater();
    expect(fixture.titles()).toEqual(["A request waits for an answer"]);
    slack.remove(slack.messages[0]?.ts ?? "");
    await fixture.within((tx) => updateSlack(tx, ana, { showsText: false }));
    await fixture.sendLater();
    await fixture.decide(request);
    await fixture.sendLater();
    expect(slack.messages).toEqual([]);
    expect((await own()).account?.failure).toBeNull();
  });
});

test("tasks that fail together are counted, and one alone is told", async () => {
  await fixture.link(ben, "U1");
  const fail = async () => {
    const more = { state: "failed", requester: ben.userId };
    const taskId = await insertTask(fixture.database, fixture.organizationId, fixture.finance, more);
    await fixture.happened({ type: "task.failed", taskId });
  };
  await fail();
  await fixture.run(NOTICES);
  await fixture.sendLater();
  expect(fixture.titles()).toEqual(["A task failed"]);
  for (let n = 0; n < 5; n++) await fail();
  await fixture.run(NOTICES);
  await fixture.sendLater();
  expect(fixture.titles()).toEqual(["A task failed", "5 more notifications in Intray"]);
  await fixture.within((tx) => markAllRead(tx, ben));
  await fixture.sendLater();
  expect(fixture.titles()).toEqual(["A task failed", "Nothing more waits for you"]);
  for (let n = 0; n < 5; n++) await fail();
  await fixture.run(NOTICES);
  await fixture.sendLater();
  expect(fixture.titles()).toEqual(["A task failed", "5 more notifications in Intray"]);
});

describe("when Slack", () => {
  beforeEach(() => fixture.link(ben, "U1"));

  test("asks for a pause, no process calls it before the pause is over", async () => {
    await fixture.link(ana, "U2");
    slack.faults.push({ method: "chat.postMessage", fault: { retryAfter: 90 } });
    await fixture.asked();
    await fixture.later();
    await Promise.all([fixture.send(), fixture.send()]);
    const before = called("chat.postMessage").length;
    expect(before).toBeLessThanOrEqual(2);
    expect((await fixture.within((tx) => readSlack(tx, APP))).app?.pausedUntil).not.toBeNull();
    await fixture.sendLater(1);
    expect(called("chat.postMessage")).toHaveLength(before);
    await fixture.sendLater(2);
    expect(slack.messages.map(({ channel }) => channel).sort()).toEqual(["DU1", "DU2"]);
  });

  test("fails, it is asked again with growing pauses for a day, and its error is shown", async () => {
    slack.faults.push({ method: "chat.postMessage", fault: { error: "channel_not_found" }, always: true });
    await fixture.asked();
    await fixture.sendLater();
    expect((await own()).account?.failure?.error).toBe("Slack answered channel_not_found.");
    expect((await fixture.within((tx) => readSlack(tx, APP))).app?.failing).toMatchObject({ members: 1 });
    const once = called("chat.postMessage").length;
    await fixture.send();
    expect(called("chat.postMessage")).toHaveLength(once);
    await fixture.sql("UPDATE slack_account SET failing_since = now() - interval '25 hours'");
    await fixture.sendLater(60);
    const given = called("chat.postMessage").length;
    await fixture.sendLater(24 * 60);
    expect(called("chat.postMessage")).toHaveLength(given);
    slack.faults.length = 0;
    await fixture.asked();
    await fixture.sendLater(60);
    expect(slack.messages).toHaveLength(2);
    expect((await own()).account?.failure).toBeNull();
  });

  test("loses the answer to a message that it posted, the message is found, and not posted twice", async () => {
    slack.faults.push({ method: "chat.postMessage", fault: { lose: true } });
    const request = await fixture.asked();
    await fixture.sendLater();
    expect((await own()).account?.failure?.error).toBe("Slack can’t be reached.");
    await fixture.decide(request);
    await fixture.sendLater(60);
    expect(fixture.titles()).toEqual(["Declined by Ana"]);
    expect(called("chat.postMessage")).toHaveLength(1);
  });

  test.each(["invalid_auth", "account_inactive", "token_revoked"])(
    "answers %s, nothing more is sent, and admins are told",
    async (error) => {
      slack.faults.push({ method: "chat.postMessage", fault: { error }, always: true });
      await fixture.asked();
      await fixture.sendLater();
      await fixture.run(NOTICES);
      expect((await fixture.within((tx) => readSlack(tx, APP))).app?.revoked).toMatchObject({
        because: error,
      });
      expect(await fixture.sql("SELECT user_id FROM notice WHERE cause = 'slack.revoked'")).toEqual([
        { user_id: ana.userId },
      ]);
      expect((await own()).team).toBeNull();
      const calls = slack.calls.length;
      await fixture.sendLater(60);
      expect(slack.calls).toHaveLength(calls);
      slack.faults.length = 0;
      await fixture.setUp();
      await fixture.run(NOTICES);
      await fixture.sendLater();
      expect(slack.messages).toHaveLength(1);
      expect(
        await fixture.sql("SELECT FROM notice WHERE cause = 'slack.revoked' AND withdrawn_at IS NULL"),
      ).toEqual([]);
    },
  );

  test("has a message when the engine dies, the next engine finds it", { timeout: PATIENCE }, async () => {
    await fixture.asked();
    await fixture.later();
    slack.faults.push({ method: "chat.postMessage", fault: { hold: true } });
    const engine = await startEngineProcess({ ...fixture.engineEnvironment, INTRAY_SLACK_URL: slack.url });
    await until("Slack has the message", async () => slack.messages.length === 1, PATIENCE);
    await engine.kill();
    await fixture.sendLater(60);
    await fixture.sendLater(60);
    expect(slack.messages).toHaveLength(1);
    expect(called("chat.postMessage")).toHaveLength(1);
    expect(await fixture.sql("SELECT ts IS NOT NULL AS known FROM slack_message")).toEqual([{ known: true }]);
  });
});

test("a test says that it was delivered, and why it was not", async () => {
  await fixture.link(ben, "U1");
  slack.faults.push({ method: "chat.postMessage", fault: { error: "messages_tab_disabled" } });
  await fixture.within((tx) => askSlackTest(tx, ben.userId));
  await fixture.send();
  expect((await own()).account).toMatchObject({
    test: { deliveredAt: null },
    failure: { error: "Slack answered messages_tab_disabled." },
  });
  await fixture.within((tx) => askSlackTest(tx, ben.userId));
  await fixture.send();
  expect(fixture.titles()).toEqual(["Test: Intray reaches you here"]);
  expect((await own()).account).toMatchObject({ test: { deliveredAt: expect.any(String) }, failure: null });
  await fixture.within((tx) => unlink(tx, ben));
  await expect(fixture.within((tx) => askSlackTest(tx, ben.userId))).rejects.toMatchObject({
    code: "not_found",
  });
});
