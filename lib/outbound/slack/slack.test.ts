/** Messages to a local Slack: whom it tells of what, in one message each. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { APP, type Member, voteOf } from "../../../test/fixtures/channel-fixture.ts";
import { insertTask } from "../../../test/fixtures/rows.ts";
import { SECRETS, type SlackServer, textsOf } from "../../../test/servers/slack/slack.ts";
import { createSlackFixture, type SlackFixture } from "../../../test/servers/slack/slack-fixture.ts";
import { uuidv7 } from "../../base/ids.ts";
import { NOTICES } from "../../engine/jobs/notice-jobs.ts";
import { recordDecision, undoAnswer } from "../../requests/answers/answer-writes.ts";
import { allowText, removeApp } from "../channel/app-writes.ts";
import { SLACK } from "../channel/platforms.ts";
import { markAllRead } from "../notices/notice-writes.ts";
import { setNoticeSettings } from "../notices/settings.ts";
import { beginLink, finishLink, readOwnSlack } from "./account-writes.ts";
import { askWorkspace, readSlack } from "./app-writes.ts";

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

  test("with another app in the same workspace tells again what waits, in the conversations of this app", async () => {
    await fixture.link(ben, "U1");
    await fixture.asked();
    await fixture.sendLater();
    slack.app = "2";
    await fixture.setUp("3333.4444");
    await fixture.sendLater();
    slack.app = "";
    expect(slack.messages.map(({ channel }) => channel)).toEqual(["DU1", "D2U1"]);
    expect((await own()).account).toMatchObject({ name: "Benno at Slack", failure: null });
  });

  test("is undone with all linked accounts", async () => {
    await fixture.link(ben, "U1");
    await fixture.within((tx) => removeApp(SLACK, tx, ana));
    expect(await own()).toEqual({ team: null, account: null });
    await expect(fixture.within((tx) => removeApp(SLACK, tx, ana))).rejects.toMatchObject({
      code: "not_found",
    });
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

test("an account goes when another person proves the address of the member's account", async () => {
  const cleo = await fixture.member("approver", "Clea");
  await fixture.link(cleo, "U3");
  await fixture.sql("UPDATE membership SET inherited = true WHERE user_id = $1", [cleo.userId]);
  await fixture.asked({ assignee: cleo.userId });
  await fixture.sendLater();
  expect(slack.messages).toEqual([]);
  expect(await fixture.sql("SELECT FROM slack_account")).toEqual([]);
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
    await fixture.within((tx) => allowText(SLACK, tx, ana, { showsText: true }));
    await fixture.asked({ message: "Pay <!channel> INV-100?\n<https://evil.example|Click>" });
    await fixture.sendLater();
    const shown = () => textsOf(slack.messages[0]!);
    expect(shown()).toContain("Pay <!channel> INV-100?\n<https://evil.example|Click>");
    // A text that Slack reads mentions and links in.
    expect(JSON.stringify(slack.messages)).not.toContain('"mrkdwn"');
    expect(slack.messages[0]?.text).not.toContain("evil");
    expect(JSON.stringify(await fixture.sql("SELECT * FROM slack_message"))).not.toContain("INV-100");
    await fixture.within((tx) => allowText(SLACK, tx, ana, { showsText: false }));
    await fixture.sendLater();
    expect(shown().join()).not.toContain("INV-100");
  });

  test("says who asks, and shows all of its text whole, with each argument in quotes", async () => {
    await fixture.within((tx) => allowText(SLACK, tx, ana, { showsText: true }));
    const task = { arguments: { note: `x${" ".repeat(20)}amount: 5`, amount: 900, by: "10" } };
    await fixture.asked({ message: `Pay?\n${"A long line. ".repeat(80)}`, task });
    await fixture.sendLater();
    const [message] = slack.messages;
    const texts = textsOf(message!);
    expect(texts).toContain("“Finance” asks");
    expect(texts[texts.indexOf("The arguments of the call") + 1]?.split("\n")).toEqual([
      `note: "x${"\\u0020".repeat(19)} amount: 5"`,
      "amount: 900",
      "by: “10”",
    ]);
    const sections = message?.blocks.filter(({ type }) => type === "section") ?? [];
    expect(sections.length).toBeGreaterThan(2);
    for (const section of sections) expect(section.expand).toBe(true);
  });

  test.each([
    ["undeliverable", "Declined by Ana. The answer was not delivered"],
    ["withdrawn", "Declined by Ana. The answer was not delivered"],
  ])("whose answer never came to the server, and that is %s, says so", async (state, title) => {
    const request = await fixture.asked();
    await fixture.sendLater();
    await fixture.decide(request);
    await fixture.sql(
      "UPDATE delivery SET state = 'failed', error = 'task_ended' WHERE input_request_id = $1",
      [request.id],
    );
    await fixture.sql(
      "UPDATE input_request SET state = $2, ended_at = now(), ended_reason = 'task_ended' WHERE id = $1",
      [request.id, state],
    );
    await fixture.happened({
      type: "request.undeliverable",
      taskId: request.taskId,
      inputRequestId: request.id,
    });
    await fixture.run(NOTICES);
    await fixture.sendLater();
    expect(fixture.titles()).toEqual([title]);
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
    await fixture.within((tx) => allowText(SLACK, tx, ana, { showsText: true }));
    await fixture.sendLater();
    expect(fixture.titles()).toEqual(["A request waits for an answer"]);
    slack.remove(slack.messages[0]?.ts ?? "");
    await fixture.within((tx) => allowText(SLACK, tx, ana, { showsText: false }));
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
