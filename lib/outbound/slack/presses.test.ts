/** What members press in Slack: who may decide, what is decided once, and what leads to Intray instead. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Member, voteOf } from "../../../test/fixtures/channel-fixture.ts";
import { organizationsDue } from "../../../test/fixtures/notifications-fixture.ts";
import {
  answersOf,
  carryOut,
  labelsOf,
  press,
  pressOf,
  repliesOf,
  store,
  submissionOf,
  tell,
} from "../../../test/servers/slack/presses.ts";
import { type SlackServer, textsOf } from "../../../test/servers/slack/slack.ts";
import { createSlackFixture, type SlackFixture } from "../../../test/servers/slack/slack-fixture.ts";
import { uuidv7 } from "../../base/ids.ts";
import { LOST_PRESSES } from "../../engine/jobs/sending-jobs.ts";
import { claimRequest } from "../../requests/claims/claim-writes.ts";
import { askTest, unlinkFrom } from "../channel/account-writes.ts";
import { allowText, removeApp } from "../channel/app-writes.ts";
import { SLACK } from "../channel/platforms.ts";
import { readOwnSlack } from "./account-writes.ts";
import { readInteraction } from "./press-schema.ts";
import { tellLost } from "./press-writes.ts";

let fixture: SlackFixture;
let slack: SlackServer;
let ben: Member;
let ana: Member;

beforeAll(async () => {
  fixture = await createSlackFixture();
  ({ slack, ben, ana } = fixture);
});
afterAll(() => fixture?.close());
beforeEach(async () => {
  await fixture.reset();
  await fixture.within((tx) => allowText(SLACK, tx, ana, { showsText: true }));
  await fixture.link(ben, "U1");
});

const told = (more: Parameters<typeof tell>[1] = {}) => tell(fixture, more);
const pressed = (payload: object) => press(fixture, payload);
const answers = () => answersOf(fixture);
const replies = () => repliesOf(fixture);
const countBefore = async () => (await answers()).length;

const CHOICES = {
  kind: "supported" as const,
  fields: [
    {
      kind: "one_of" as const,
      name: "decision",
      title: "Decision",
      description: null,
      required: true,
      default: null,
      options: [
        { value: "approve", title: "Approve" },
        { value: "reject", title: "Reject" },
      ],
    },
  ],
};

describe("a member approves", () => {
  test("with one press, as themselves, and the message says so", async () => {
    const before = await countBefore();
    const { request, message } = await told();
    expect(labelsOf(message)).toEqual(["Confirm", "Decline…", "Open in Intray"]);
    expect(await pressed(pressOf(message, "Confirm"))).toBe("recorded");
    expect((await answers()).slice(before)).toMatchObject([
      { action: "accept", content: {}, answered_by: { kind: "member", id: ben.userId } },
    ]);
    const [event] = await fixture.sql(
      "SELECT data FROM event WHERE type = 'answer.recorded' AND input_request_id = $1",
      [request.id],
    );
    expect(event?.data).toMatchObject({ signedIn: { method: "slack" } });
    expect(slack.ephemerals).toEqual([]);
    await fixture.sendLater();
    expect(fixture.titles()).toEqual(["Confirmed by Benno"]);
    expect(labelsOf(slack.messages[0]!)).toEqual(["Open in Intray"]);
  });

  test("by a choice of the form, whose no asks for a reason first", async () => {
    const before = await countBefore();
    const first = await told({ form: CHOICES });
    expect(labelsOf(first.message)).toEqual(["Approve", "Reject", "Open in Intray"]);
    expect(await pressed(pressOf(first.message, "Approve"))).toBe("recorded");
    const second = await told({ form: CHOICES });
    expect(await pressed(pressOf(second.message, "Reject"))).toBe("asked");
    expect((await answers()).slice(before)).toHaveLength(1);
    expect(await pressed(submissionOf(fixture, "Too much"))).toBe("recorded");
    expect((await answers()).slice(before)).toMatchObject([
      { action: "accept", content: { decision: "approve" }, comment: null },
      { action: "accept", content: { decision: "reject" }, comment: "Too much" },
    ]);
  });

  test("by a choice that says that it answers, where its words may be those of another button", async () => {
    const before = await countBefore();
    const [field] = CHOICES.fields;
    const options = [
      { value: "Open in Intray", title: "Open in Intray" },
      { value: "Decline…", title: "Decline…" },
    ];
    const { message } = await told({ form: { ...CHOICES, fields: [{ ...field!, options }] } });
    expect(labelsOf(message)).toEqual(["Answer “Open in Intray”", "Answer “Decline…”", "Open in Intray"]);
    expect(await pressed(pressOf(message, "Answer “Open in Intray”"))).toBe("recorded");
    expect((await answers()).slice(before)).toMatchObject([{ content: { decision: "Open in Intray" } }]);
  });

  test("with a vote, which waits for others", async () => {
    const { message } = await told({ approval: voteOf() });
    expect(textsOf(message)).toContain("Finance: 0 of 2");
    const again = pressOf(message, "Confirm");
    expect(await pressed(pressOf(message, "Confirm"))).toBe("voted");
    await fixture.sendLater();
    expect(fixture.titles()).toEqual(["You approved"]);
    expect(textsOf(slack.messages[0]!)).toContain("Finance: 1 of 2");
    expect(await pressed(again)).toBe("in_intray");
  });
});

test("a decline opens a modal, with the press's own trigger, and has the reason", async () => {
  const before = await countBefore();
  const { message } = await told();
  const payload = pressOf(message, "Decline…");
  expect(await pressed(payload)).toBe("asked");
  expect(slack.views).toMatchObject([{ triggerId: payload.trigger_id, view: { type: "modal" } }]);
  expect(await pressed(submissionOf(fixture, "  Not ours "))).toBe("recorded");
  expect((await answers()).slice(before)).toMatchObject([{ action: "decline", comment: "Not ours" }]);
});

describe("a reason that the policy wants", () => {
  test("is asked for, and without it nothing is decided", async () => {
    const before = await countBefore();
    const { message } = await told({ approval: voteOf({ need: 1, requireReason: ["reject"] }) });
    expect(await pressed(pressOf(message, "Decline…"))).toBe("asked");
    expect(slack.views.at(-1)?.view.blocks.at(-1).optional).toBe(false);
    expect(await pressed(submissionOf(fixture, null))).toBe("reason_required");
    expect(replies()).toEqual(["U1: This stage requires a reason."]);
    expect(await answers()).toHaveLength(before);
  });
});

describe("a request is only opened in Intray", () => {
  test.each<[string, Parameters<SlackFixture["asked"]>[0]]>([
    ["that warns", { task: { tool: "delete_records" }, message: "Delete all records?" }],
    ["that asks for step-up", { approval: voteOf({ stepUp: true }) }],
    [
      "with a form to fill in",
      { form: { ...CHOICES, fields: [{ ...CHOICES.fields[0]!, required: false }] } },
    ],
    ["whose text is too long", { message: `Pay? ${"x".repeat(3_000)}` }],
    ["that hides text", { message: "Pay INV-100\u202e?" }],
    ["whose figures stand in another order", { message: "Pay 10 \u05d0 9000?" }],
    ["with such an argument", { task: { arguments: { note: "10 \u05d0 9000" } } }],
    ["with a name that reads as an argument", { task: { arguments: { "amount: 5, note": "x" } } }],
    ["with arguments that are not shown whole", { task: { arguments: { note: "y".repeat(400) } } }],
    ["whose figures stand in another order", { message: "Pay 10 \u05d0 of 2000?" }],
  ])("%s", async (_, more) => {
    const { message } = await told(more);
    expect(labelsOf(message)).toEqual(["Open in Intray"]);
  });

  test("where the organization does not allow its text", async () => {
    const { message } = await told();
    const payload = pressOf(message, "Confirm");
    await fixture.within((tx) => allowText(SLACK, tx, ana, { showsText: false }));
    expect(await pressed(payload)).toBe("in_intray");
    expect(replies()).toEqual(["U1: This can only be decided in Intray."]);
    await fixture.sendLater();
    expect(labelsOf(slack.messages[0]!)).toEqual(["Open in Intray"]);
  });

  test("that may be a duplicate, which it says of a yes", async () => {
    const before = await countBefore();
    const task = { label: "INV-7000" };
    const first = await told({ task });
    expect(await pressed(pressOf(first.message, "Confirm"))).toBe("recorded");
    const second = await told({ task });
    expect(await pressed(pressOf(second.message, "Confirm"))).toBe("in_intray");
    expect(replies()).toEqual([
      "U1: INV-7000 was already confirmed by Benno. Decide this one in Intray, if it is no duplicate.",
    ]);
    expect(await answers()).toHaveLength(before + 1);
    expect(await pressed(pressOf(second.message, "Decline…"))).toBe("asked");
  });

  test("by the member who asked for it, once nobody approves their own", async () => {
    const before = await countBefore();
    const { message } = await told({ task: { requester: ben.userId } });
    const payload = pressOf(message, "Confirm");
    await fixture.sql("UPDATE organization SET four_eyes = true");
    const outcome = await pressed(payload);
    await fixture.sql("UPDATE organization SET four_eyes = false");
    expect(outcome).toBe("in_intray");
    expect(await answers()).toHaveLength(before);
  });
});

test("a text that people decide on is shown whole, and never folded by Slack", async () => {
  const { message } = await told({ message: `Pay? ${"All of this. ".repeat(150)}` });
  expect(labelsOf(message)).toContain("Confirm");
  const sections = message.blocks.filter(({ type }: { type: string }) => type === "section");
  expect(sections.length).toBeGreaterThan(1);
  for (const section of sections) expect(section.expand).toBe(true);
});

test("an argument that is the message of a call's approval stands beside the others", async () => {
  const message = "Make this call?";
  const task = { state: "queued", arguments: { pretext: message, amount: 10 } };
  const asked = await told({ message, isGate: true, task });
  expect(textsOf(asked.message)).toContain(`pretext: “${message}”\namount: 10`);
});

describe("a press decides once", () => {
  test("pressed twice at once, and sent twice by Slack", async () => {
    const before = await countBefore();
    const { message } = await told();
    const [one, two] = [pressOf(message, "Confirm"), pressOf(message, "Confirm")];
    const ids = await Promise.all([store(fixture, one), store(fixture, two), store(fixture, one)]);
    const stored = ids.filter((id) => id !== null);
    expect(stored).toHaveLength(2);
    await Promise.all([...stored, ...stored].map((id) => carryOut(fixture, id)));
    expect(await answers()).toHaveLength(before + 1);
    const outcomes = await fixture.sql("SELECT outcome FROM slack_press ORDER BY outcome");
    expect(outcomes).toEqual([{ outcome: "already_answered" }, { outcome: "recorded" }]);
    expect(replies()).toEqual(["U1: Benno answered this already."]);
  });

  test("and not after it was decided elsewhere, which it says", async () => {
    const { request, message } = await told();
    await fixture.decide(request);
    expect(await pressed(pressOf(message, "Confirm"))).toBe("already_answered");
    expect(replies()).toEqual(["U1: Ana answered this already."]);
    await fixture.sendLater();
    expect(fixture.titles()).toEqual(["Declined by Ana"]);
  });

  test("and not on another question than the one that was shown", async () => {
    const before = await countBefore();
    const { request, message } = await told();
    await fixture.sql("UPDATE input_request SET message = 'Pay $9,000?', question_hash = $2 WHERE id = $1", [
      request.id,
      "0".repeat(64),
    ]);
    expect(await pressed(pressOf(message, "Confirm"))).toBe("question_changed");
    expect(replies()).toEqual(["U1: The question changed. Look at it again."]);
    await fixture.sendLater();
    expect(textsOf(slack.messages[0]!)).toContain("Pay $9,000?");
    expect(await answers()).toHaveLength(before);
  });

  test("and not while another member works on it", async () => {
    const { request, message } = await told();
    await fixture.within((tx) => claimRequest(tx, ana, request.id));
    expect(await pressed(pressOf(message, "Confirm"))).toBe("in_intray");
  });

  test("or is told to be pressed again, if the process that had it died", async () => {
    const before = await countBefore();
    const { message } = await told();
    const id = await store(fixture, pressOf(message, "Confirm"));
    const engine = { ...fixture.context, slackUrl: slack.url };
    expect(await tellLost(engine, fixture.organizationId)).toBe(false);
    expect(await organizationsDue(engine.database, LOST_PRESSES)).toEqual([]);
    await fixture.sql("UPDATE slack_press SET created_at = created_at - interval '1 minute'");
    expect(await organizationsDue(engine.database, LOST_PRESSES)).toEqual([fixture.organizationId]);
    expect(await tellLost(engine, fixture.organizationId)).toBe(true);
    expect(await tellLost(engine, fixture.organizationId)).toBe(false);
    expect(replies()).toEqual(["U1: Your press was not carried out. Press again."]);
    await carryOut(fixture, id ?? "");
    expect(await answers()).toHaveLength(before);
  });

  test("or ends with Slack, if that was removed before", async () => {
    const { message } = await told();
    await store(fixture, pressOf(message, "Confirm"));
    await fixture.within((tx) => removeApp(SLACK, tx, ana));
    await fixture.sql("UPDATE slack_press SET created_at = created_at - interval '1 minute'");
    const engine = { ...fixture.context, slackUrl: slack.url };
    expect(await tellLost(engine, fixture.organizationId)).toBe(true);
    expect(await tellLost(engine, fixture.organizationId)).toBe(false);
    expect(await fixture.sql("SELECT outcome, sealed_press FROM slack_press")).toEqual([
      { outcome: "lost", sealed_press: null },
    ]);
  });
});

describe("nothing is decided by", () => {
  test("somebody who has linked no account", async () => {
    const before = await countBefore();
    const { message } = await told();
    expect(await pressed(pressOf(message, "Confirm", "U9"))).toBe("not_linked");
    expect(replies()[0]).toMatch(/^U9: Link your Slack account first/);
    await fixture.within((tx) => unlinkFrom(SLACK, tx, ben));
    expect(await pressed(pressOf(message, "Confirm"))).toBe("not_linked");
    expect(await answers()).toHaveLength(before);
  });

  test("a member of another's message, as one that was forwarded to a channel", async () => {
    const before = await countBefore();
    const { message } = await told();
    await fixture.link(ana, "U2");
    expect(await pressed(pressOf(message, "Confirm", "U2"))).toBe("other_message");
    const forwarded = { ...message, channel: "C1", ts: "9.9" };
    expect(await pressed(pressOf(forwarded, "Confirm"))).toBe("other_message");
    expect(await answers()).toHaveLength(before);
  });

  test("a member who may only look, or is none any more", async () => {
    const before = await countBefore();
    const cleo = await fixture.member("approver", `Cleo${uuidv7()}`);
    await fixture.link(cleo, "U3");
    await fixture.asked({ assignee: cleo.userId });
    await fixture.sendLater();
    const message = slack.messages.find(({ channel }) => channel === "DU3")!;
    await fixture.sql("UPDATE membership SET role = 'viewer' WHERE user_id = $1", [cleo.userId]);
    const refused = await pressed(pressOf(message, "Confirm", "U3"));
    expect(refused).toBe("in_intray");
    await fixture.sql("DELETE FROM membership WHERE user_id = $1", [cleo.userId]);
    expect(await pressed(pressOf(message, "Confirm", "U3"))).toBe("not_linked");
    expect(await answers()).toHaveLength(before);
  });

  test("a member whom the sign-in provider that the organization requires has signed out", async () => {
    const before = await countBefore();
    const { message } = await told();
    await fixture.sql("INSERT INTO sign_in_policy (organization_id, providers) VALUES ($1, '{corp}')", [
      fixture.organizationId,
    ]);
    await fixture.sql("INSERT INTO provider_absence (user_id, provider) VALUES ($1, 'corp')", [ben.userId]);
    expect(await pressed(pressOf(message, "Confirm"))).toBe("signed_out");
    expect(replies()).toEqual(["U1: Sign in to Intray first: your organization requires it."]);
    expect(await answers()).toHaveLength(before);
    await fixture.sql("DELETE FROM provider_absence");
    await fixture.sql("DELETE FROM sign_in_policy");
    expect(await pressed(pressOf(message, "Confirm"))).toBe("recorded");
  });

  test("a content that no button had, though Slack signed it", async () => {
    const before = await countBefore();
    const { message } = await told();
    const payload = pressOf(message, "Confirm");
    const value = JSON.parse(payload.actions[0]?.value ?? "{}");
    payload.actions[0]!.value = JSON.stringify({ ...value, content: { arguments: { amount: 9 } } });
    expect(await pressed(payload)).toBe("in_intray");
    expect(await answers()).toHaveLength(before);
  });

  test("a payload of another kind, or the button that is a link", async () => {
    expect(readInteraction("no JSON")).toBeNull();
    expect(readInteraction(JSON.stringify({ type: "shortcut" }))).toBeNull();
    const { message } = await told();
    expect(await store(fixture, pressOf(message, "Open in Intray"))).toBeNull();
  });
});

test("a trigger that Slack no longer takes leaves the request open", async () => {
  const before = await countBefore();
  const { message } = await told();
  slack.faults.push({ method: "views.open", fault: { error: "expired_trigger_id" } });
  expect(await pressed(pressOf(message, "Decline…"))).toBe("asked");
  expect(await answers()).toHaveLength(before);
  expect(replies()).toEqual(["U1: Slack did not open the window. Press again, or decide in Intray."]);
  await fixture.within((tx) => askTest(SLACK, tx, ben.userId));
  expect((await fixture.within((tx) => readOwnSlack(tx, ben.userId))).account?.failure).toBeNull();
});
