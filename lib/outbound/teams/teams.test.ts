/** Messages to a local Teams: whom it tells of what, in one message each. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { APP, type Member, voteOf } from "../../../test/fixtures/channel-fixture.ts";
import { organizationsDue } from "../../../test/fixtures/notifications-fixture.ts";
import { textsOf } from "../../../test/servers/teams/cards.ts";
import { personOf, SECRETS, type TeamsServer } from "../../../test/servers/teams/teams.ts";
import {
  conversationOf,
  createTeamsFixture,
  type TeamsFixture,
} from "../../../test/servers/teams/teams-fixture.ts";
import { uuidv7 } from "../../base/ids.ts";
import { NOTICES } from "../../engine/jobs/notice-jobs.ts";
import { LOST_PRESSES } from "../../engine/jobs/sending-jobs.ts";
import { recordDecision } from "../../requests/answers/answer-writes.ts";
import { askTest, unlinkFrom } from "../channel/account-writes.ts";
import { allowText, removeApp } from "../channel/app-writes.ts";
import { TEAMS } from "../channel/platforms.ts";
import { carryOutPress, storePress } from "../channel/press-writes.ts";
import { readOwnTeams } from "./account-writes.ts";
import { checkTeams, readTeams } from "./app-writes.ts";
import { tellLostInTeams } from "./press-writes.ts";

let fixture: TeamsFixture;
let teams: TeamsServer;
let ben: Member;
let ana: Member;

beforeAll(async () => {
  fixture = await createTeamsFixture();
  ({ teams, ben, ana } = fixture);
});
afterAll(() => fixture?.close());
beforeEach(() => fixture.reset());

const own = (member: Member = ben) => fixture.within((tx) => readOwnTeams(tx, member.userId));
const called = (met: string) => teams.calls.filter((call) => call.met === met);
const app = async () => (await fixture.within((tx) => readTeams(tx, APP))).app;

describe("setting up", () => {
  test("asks Microsoft whether the secret is the app's, and keeps it sealed", async () => {
    expect(await app()).toMatchObject({ appId: SECRETS.appId, showsText: false, members: 0, revoked: null });
    const row = JSON.stringify(await fixture.sql("SELECT * FROM teams_app"));
    expect(row).not.toContain(SECRETS.clientSecret);
    for (const { token } of teams.calls) if (token) expect(row).not.toContain(token);
  });

  test("says what Microsoft says of a wrong secret, and that it is away", async () => {
    await expect(checkTeams(fixture.means(), { ...SECRETS, clientSecret: "another" })).rejects.toMatchObject({
      code: "teams_refused",
      detail: "Microsoft does not accept this: invalid_client.",
    });
    teams.faults.push({ met: "token", fault: { status: 503 } });
    await expect(checkTeams(fixture.means(), SECRETS)).rejects.toMatchObject({ code: "server_unavailable" });
  });

  test("of another app unlinks everybody, and a new secret nobody", async () => {
    await fixture.link(ben, 1);
    await fixture.setUp();
    expect((await own()).account).not.toBeNull();
    await fixture.sql("UPDATE teams_app SET app_id = '00000000-0000-4000-8000-000000000000'");
    await fixture.setUp();
    expect((await own()).account).toBeNull();
  });

  test("is undone with all linked accounts", async () => {
    await fixture.link(ben, 1);
    await fixture.within((tx) => removeApp(TEAMS, tx, ana));
    expect(await own()).toEqual({ tenant: null, account: null });
  });
});

describe("an account is linked", () => {
  test("by the member's own sign-in at Microsoft, in the session that began it", async () => {
    expect(await fixture.link(ben, 1)).toBeNull();
    expect((await own()).account).toMatchObject({ name: "Benno at Work", hasApp: false, failure: null });
  });

  test.each([
    ["another session", () => fixture.link(ben, 1, { sessionId: uuidv7() }), "refused"],
    ["another member", () => fixture.link(ben, 1, { as: ana }), "refused"],
    [
      "another tenant",
      () => fixture.link(ben, 1, { tenantId: "66666666-7777-4888-9999-111111111111" }),
      "other_tenant",
    ],
  ])("not from %s", async (_, attempt, why) => {
    expect(await attempt()).toBe(why);
    expect(await fixture.sql("SELECT FROM teams_account")).toEqual([]);
  });

  test("to one member", async () => {
    await fixture.link(ben, 1);
    expect(await fixture.link(ana, 1)).toBe("taken");
  });
});

describe("a message", () => {
  beforeEach(async () => {
    await fixture.link(ben, 1);
    await fixture.add(1);
  });

  test("is one for a request, and says how it ended", async () => {
    const request = await fixture.asked({ message: "Pay INV-100?" });
    await fixture.sendLater();
    expect(teams.messages).toMatchObject([{ conversation: conversationOf(1), edits: 0 }]);
    expect(textsOf(teams.messages[0]!)).toEqual([
      "A request waits for an answer",
      expect.stringContaining(" on "),
      "Open in Intray",
    ]);
    expect(JSON.stringify(teams.messages)).not.toContain("INV-100");
    await fixture.decide(request);
    await fixture.sendLater();
    expect(fixture.titles()).toEqual(["Declined by Ana"]);
    expect(teams.messages).toMatchObject([{ edits: 1 }]);
  });

  test("has the text of the question where the organization allows it, with no Markdown and no date of others", async () => {
    await fixture.within((tx) => allowText(TEAMS, tx, ana, { showsText: true }));
    await fixture.asked({ message: "Pay [here](https://evil.example)\n{{DATE(2026-01-01T00:00:00Z)}}" });
    await fixture.sendLater();
    const [message] = teams.messages;
    expect(textsOf(message!)).toEqual(
      expect.arrayContaining(["Pay [here](https://evil.example)", "{ {DATE(2026-01-01T00:00:00Z)}}"]),
    );
    // What is not shown as it is, is decided in Intray.
    expect(textsOf(message!).at(-2)).not.toBe("Confirm");
    await fixture.within((tx) => allowText(TEAMS, tx, ana, { showsText: false }));
    await fixture.sendLater();
    expect(JSON.stringify(teams.messages)).not.toContain("evil.example");
  });

  test("moves with a vote", async () => {
    const request = await fixture.asked({ approval: voteOf() });
    await fixture.sendLater();
    expect(textsOf(teams.messages[0]!)).toContain("Finance: 0 of 2");
    const input = { action: "accept" as const, questionHash: request.questionHash, content: {}, holdMs: 0 };
    await fixture.within((tx) => recordDecision(tx, ana, request.id, input));
    await fixture.run(NOTICES);
    await fixture.sendLater();
    expect(textsOf(teams.messages[0]!)).toContain("Finance: 1 of 2");
    expect(teams.messages).toHaveLength(1);
  });

  test("of two engines at once is posted once", async () => {
    await fixture.asked();
    await fixture.later();
    await Promise.all([fixture.send(), fixture.send()]);
    expect(called("post")).toHaveLength(1);
    expect(await fixture.sql("SELECT FROM teams_message")).toHaveLength(1);
  });

  test("that was deleted is posted once more while it waits, and then no more", async () => {
    const request = await fixture.asked({ approval: voteOf() });
    await fixture.sendLater();
    teams.remove(teams.messages[0]!.id);
    await fixture.within((tx) => allowText(TEAMS, tx, ana, { showsText: true }));
    await fixture.sendLater();
    expect(teams.messages).toHaveLength(1);
    teams.remove(teams.messages[0]!.id);
    await fixture.decide(request);
    await fixture.sendLater();
    expect(teams.messages).toEqual([]);
    expect(called("post")).toHaveLength(2);
  });
});

describe("when Teams", () => {
  beforeEach(async () => {
    await fixture.link(ben, 1);
    await fixture.add(1);
  });

  test("asks for a pause, no process calls it before the pause is over", async () => {
    await fixture.link(ana, 2);
    await fixture.add(2);
    teams.faults.push({ met: "post", fault: { status: 429, retryAfter: 90 } });
    await fixture.asked();
    await fixture.later();
    await Promise.all([fixture.send(), fixture.send()]);
    const before = called("post").length;
    expect(before).toBeLessThanOrEqual(2);
    expect((await app())?.pausedUntil).not.toBeNull();
    await fixture.sendLater(1);
    expect(called("post")).toHaveLength(before);
    await fixture.sendLater(2);
    expect(teams.messages.map(({ conversation }) => conversation).sort()).toEqual([
      conversationOf(1),
      conversationOf(2),
    ]);
  });

  test("fails, it is asked again with growing pauses, and its error is shown", async () => {
    teams.faults.push({
      met: "post",
      fault: { status: 403, code: "ConversationBlockedByUser" },
      always: true,
    });
    await fixture.asked();
    await fixture.sendLater();
    expect((await own()).account?.failure?.error).toBe("You blocked Intray in Teams.");
    expect((await app())?.failing).toMatchObject({ members: 1 });
    const once = called("post").length;
    await fixture.send();
    expect(called("post")).toHaveLength(once);
    teams.faults.length = 0;
    await fixture.sendLater(60);
    expect(teams.messages).toHaveLength(1);
    expect((await own()).account?.failure).toBeNull();
  });

  test("loses the answer to a message, it is posted once more, and not where its matter is over", async () => {
    teams.faults.push({ met: "post", fault: { lose: true } });
    const first = await fixture.asked();
    await fixture.sendLater();
    expect((await own()).account?.failure?.error).toBe("Teams can’t be reached.");
    await fixture.sendLater(60);
    expect(teams.messages).toHaveLength(2);
    await fixture.decide(first);
    await fixture.sendLater();
    expect(fixture.titles()).toEqual(["A request waits for an answer", "Declined by Ana"]);
    teams.faults.push({ met: "post", fault: { status: 502, done: true } });
    const second = await fixture.asked();
    await fixture.sendLater();
    await fixture.decide(second);
    await fixture.sendLater(60);
    expect(called("post")).toHaveLength(3);
  });

  test("takes a token no more, another one is asked for", async () => {
    teams.forgetTokens();
    await fixture.asked();
    await fixture.sendLater();
    expect(teams.messages).toHaveLength(1);
    expect((await app())?.revoked).toBeNull();
  });

  test("and Microsoft take the secret no more, nothing is sent until it is replaced, and admins are told", async () => {
    teams.forgetTokens();
    teams.faults.push({ met: "token", fault: { status: 401, code: "invalid_client" }, always: true });
    await fixture.asked();
    await fixture.sendLater();
    await fixture.run(NOTICES);
    expect((await app())?.revoked).toMatchObject({ because: "invalid_client" });
    expect(await fixture.sql("SELECT user_id FROM notice WHERE cause = 'teams.revoked'")).toEqual([
      { user_id: ana.userId },
    ]);
    const calls = teams.calls.length;
    await fixture.sendLater(60);
    expect(teams.calls).toHaveLength(calls);
    teams.faults.length = 0;
    await fixture.setUp();
    await fixture.sendLater();
    expect(teams.messages).toHaveLength(1);
  });

  test("says another address than Microsoft's, the token does not go there", async () => {
    await fixture.sql("UPDATE teams_conversation SET service_url = 'https://smba.evil.example/teams'");
    await fixture.asked();
    await fixture.sendLater();
    expect(called("post")).toEqual([]);
    expect((await own()).account?.failure?.error).toBe("Teams can’t be reached.");
  });
});

test("without the app in Teams nothing is sent, and the member is told why; once added, what waits is", async () => {
  await fixture.link(ben, 1);
  await fixture.asked();
  await fixture.sendLater();
  expect((await own()).account).toMatchObject({ hasApp: false, failure: { error: expect.any(String) } });
  await fixture.add(1);
  await fixture.send();
  expect(teams.messages).toHaveLength(1);
  expect((await own()).account).toMatchObject({ hasApp: true, failure: null });
});

test("a test says that it was delivered", async () => {
  await fixture.link(ben, 1);
  await fixture.add(1);
  await fixture.within((tx) => askTest(TEAMS, tx, ben.userId));
  await fixture.send();
  expect(fixture.titles()).toEqual(["Test: Intray reaches you here"]);
  expect((await own()).account).toMatchObject({ test: { deliveredAt: expect.any(String) } });
  await fixture.within((tx) => unlinkFrom(TEAMS, tx, ben));
  expect((await own()).account).toBeNull();
});

test("a press that was lost with its process is told to be pressed again, once, and decides nothing", async () => {
  await fixture.link(ben, 1);
  await fixture.add(1);
  const request = await fixture.asked();
  await fixture.sendLater();
  const place = { channel: conversationOf(1), ts: teams.messages[0]!.id };
  const { id, questionHash } = request;
  const asked = {
    request: id,
    questionHash,
    kind: "accept" as const,
    content: {},
    reason: null,
    typed: null,
  };
  const from = { person: personOf(1), ownId: "f:1" };
  const pressId = await fixture.within((tx) =>
    storePress(TEAMS, tx, fixture.seal, from, { ...asked, ...place }),
  );
  const engine = { ...fixture.context, cloud: fixture.means().cloud };
  expect(await tellLostInTeams(engine, fixture.organizationId)).toBe(false);
  await fixture.sql("UPDATE teams_press SET created_at = created_at - interval '1 minute'");
  expect(await organizationsDue(engine.database, LOST_PRESSES)).toEqual([fixture.organizationId]);
  expect(await tellLostInTeams(engine, fixture.organizationId)).toBe(true);
  expect(await tellLostInTeams(engine, fixture.organizationId)).toBe(false);
  expect(teams.messages.map(({ text }) => text)).toEqual([
    null,
    "Your press was not carried out. Press again.",
  ]);
  expect(await carryOutPress(TEAMS, fixture, fixture.organizationId, pressId ?? "")).toBeNull();
  expect(await fixture.sql("SELECT FROM answer WHERE input_request_id = $1", [id])).toEqual([]);
});
