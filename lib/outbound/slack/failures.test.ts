/** What happens when Slack fails, asks for a pause, loses an answer or takes the token no more. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startEngineProcess } from "../../../test/engine-process.ts";
import { APP, type Member } from "../../../test/fixtures/channel-fixture.ts";
import { until } from "../../../test/fixtures/organization-fixture.ts";
import type { SlackServer } from "../../../test/servers/slack/slack.ts";
import { createSlackFixture, type SlackFixture } from "../../../test/servers/slack/slack-fixture.ts";
import { NOTICES } from "../../engine/jobs/notice-jobs.ts";
import { askTest, unlinkFrom } from "../channel/account-writes.ts";
import { SLACK } from "../channel/platforms.ts";
import { readOwnSlack } from "./account-writes.ts";
import { readSlack } from "./app-writes.ts";

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

  test.each(["internal_error", "service_unavailable"])(
    "answers %s, it may have done it: nothing is posted twice, and what was decided is told",
    async (error) => {
      slack.faults.push({ method: "chat.postMessage", fault: { error, done: true } });
      const request = await fixture.asked();
      await fixture.sendLater();
      await fixture.sendLater(60);
      expect(fixture.titles()).toEqual(["A request waits for an answer"]);
      slack.faults.push({ method: "chat.update", fault: { error } });
      await fixture.decide(request);
      await fixture.sendLater();
      await fixture.sendLater(60);
      expect(fixture.titles()).toEqual(["Declined by Ana"]);
    },
  );

  test("answers ratelimited without a time, no process calls it for a minute", async () => {
    slack.faults.push({ method: "chat.postMessage", fault: { error: "ratelimited" } });
    await fixture.asked();
    await fixture.sendLater();
    expect((await fixture.within((tx) => readSlack(tx, APP))).app?.pausedUntil).not.toBeNull();
    expect((await own()).account?.failure).toBeNull();
    await fixture.sendLater(2);
    expect(slack.messages).toHaveLength(1);
  });

  test("takes the earlier token no more, the one that replaced it meanwhile stays in force", async () => {
    const meanwhile = () => fixture.setUp();
    slack.faults.push({ method: "chat.postMessage", fault: { error: "token_revoked", meanwhile } });
    await fixture.asked();
    await fixture.sendLater();
    expect((await fixture.within((tx) => readSlack(tx, APP))).app?.revoked).toBeNull();
    await fixture.sendLater();
    expect(slack.messages).toHaveLength(1);
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
  await fixture.within((tx) => askTest(SLACK, tx, ben.userId));
  await fixture.send();
  expect((await own()).account).toMatchObject({
    test: { deliveredAt: null },
    failure: { error: "Slack answered messages_tab_disabled." },
  });
  await fixture.within((tx) => askTest(SLACK, tx, ben.userId));
  await fixture.send();
  expect(fixture.titles()).toEqual(["Test: Intray reaches you here"]);
  expect((await own()).account).toMatchObject({ test: { deliveredAt: expect.any(String) }, failure: null });
  await fixture.within((tx) => unlinkFrom(SLACK, tx, ben));
  await expect(fixture.within((tx) => askTest(SLACK, tx, ben.userId))).rejects.toMatchObject({
    code: "not_found",
  });
});
