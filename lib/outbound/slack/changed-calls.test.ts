/** Calls of agents that members change in Slack before they approve them. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { voteOf } from "../../../test/fixtures/channel-fixture.ts";
import {
  answersOf,
  labelsOf,
  press,
  pressOf,
  repliesOf,
  submissionOf,
  tell,
} from "../../../test/servers/slack/presses.ts";
import { createSlackFixture, type SlackFixture } from "../../../test/servers/slack/slack-fixture.ts";
import { NOTICES } from "../../engine/jobs/notice-jobs.ts";
import { recordDecision } from "../../requests/answers/answer-writes.ts";
import { allowText } from "../channel/app-writes.ts";
import { SLACK } from "../channel/platforms.ts";

let fixture: SlackFixture;

beforeAll(async () => {
  fixture = await createSlackFixture();
});
afterAll(() => fixture?.close());
beforeEach(async () => {
  await fixture.reset();
  await fixture.within((tx) => allowText(SLACK, tx, fixture.ana, { showsText: true }));
  await fixture.link(fixture.ben, "U1");
});

describe("a call of an agent", () => {
  /** An approval in front of a call, as the engine asks for it. */
  async function gated(approval?: object) {
    const inputSchema = {
      type: "object",
      properties: { amount: { type: "number", maximum: 50 }, party: { type: "string" } },
    };
    const unsaid = { title: null, description: null, annotations: null };
    const tools = [
      {
        name: "process_invoice",
        inputSchema,
        ...unsaid,
        taskSupport: "optional",
        honoursIdempotencyKey: false,
      },
    ];
    await fixture.sql("UPDATE server SET tools = $2, tools_checked_at = now() WHERE id = $1", [
      fixture.finance.id,
      JSON.stringify(tools),
    ]);
    const args = { amount: 10, party: "ACME", urgent: false, due: "2026-12-01" };
    return tell(fixture, {
      message: "Make this call?",
      isGate: true,
      ...(approval && { approval }),
      task: { state: "queued", arguments: args },
    });
  }
  const typed = (amount: string) => ({
    "argument amount": { value: { type: "number_input", value: amount } },
    "argument urgent": { value: { type: "static_select", selected_option: { value: "true" } } },
    "argument due": { value: { type: "datepicker", selected_date: "2026-12-24" } },
  });

  test("is approved with changes, each of the type that it had", async () => {
    const before = (await answersOf(fixture)).length;
    const { message } = await gated();
    expect(labelsOf(message)).toContain("Approve with changes…");
    expect(await press(fixture, pressOf(message, "Approve with changes…"))).toBe("asked");
    const inputs = fixture.slack.views.at(-1)?.view.blocks.slice(1);
    expect(inputs.map(({ element }: { element: { type: string } }) => element.type)).toEqual([
      "number_input",
      "plain_text_input",
      "static_select",
      "datepicker",
    ]);
    expect(await press(fixture, submissionOf(fixture, null, typed("20")))).toBe("recorded");
    const args = { amount: 20, party: "ACME", urgent: true, due: "2026-12-24" };
    expect((await answersOf(fixture)).slice(before)).toMatchObject([
      { action: "accept", content: { arguments: args } },
    ]);
  });

  test("that somebody else has approved with changes is decided in Intray", async () => {
    const cora = await fixture.member("approver", "Cora");
    const { request } = await gated(voteOf());
    const content = { arguments: { amount: 20, party: "ACME", urgent: false, due: "2026-12-01" } };
    const changed = { action: "accept", questionHash: request.questionHash, content } as const;
    await fixture.within((tx) => recordDecision(tx, cora, request.id, changed));
    await fixture.run(NOTICES);
    await fixture.sendLater();
    expect(labelsOf(fixture.slack.messages.at(-1)!)).toEqual(["Open in Intray"]);
  });

  test("whose approval needs a reason is changed in Intray", async () => {
    const { message } = await gated(voteOf({ need: 1, requireReason: ["approve"] }));
    expect(labelsOf(message)).toEqual(["Approve", "Decline…", "Ask to revise…", "Open in Intray"]);
  });

  test.each([
    ["that the tool does not take", "60", "invalid_arguments"],
    ["that is not exact", "9007199254740993", "invalid_content"],
    ["that is no number", "ten", "invalid_content"],
  ])("is not approved with a number %s", async (_, amount, outcome) => {
    const before = (await answersOf(fixture)).length;
    const { message } = await gated();
    await press(fixture, pressOf(message, "Approve with changes…"));
    expect(await press(fixture, submissionOf(fixture, null, typed(amount)))).toBe(outcome);
    expect(repliesOf(fixture)).toHaveLength(1);
    expect(await answersOf(fixture)).toHaveLength(before);
  });
});
