import { expect, test } from "vitest";
import { createAgentFixture } from "../../fixtures/agents/agent-fixture.ts";
import { until } from "../../fixtures/organization-fixture.ts";
import { callUntilAnswered } from "./client.ts";
import type { Note } from "./notes.ts";
import type { CallPlan } from "./plan.ts";

test("a client that goes on with its stream hangs up as often as planned, and gets its result once people may answer", async (context) => {
  const fixture = await createAgentFixture(context);
  // Hangs up once while its stream is open; the stream that it goes on with ends before anybody has answered.
  const { secret } = await fixture.agent({ holdMs: 2_500 });
  const plan: CallPlan = {
    at: 0,
    agents: ["coder"],
    startAtMs: 0,
    tool: "process_invoice",
    arguments: { note: "patient in the end" },
    era: "2025-11-25",
    style: "held",
    client: "run",
    comesBack: "resume",
    tellsProgress: true,
    hangUpsMs: [1_800, 1_000],
    hasStranger: false,
  };
  const notes: Note["what"][] = [];
  let isPatient = false;
  const over = new AbortController();
  context.onTestFinished(() => over.abort());
  const called = callUntilAnswered({
    url: fixture.endpoint.url,
    secret,
    tool: "erp__approve",
    plan,
    note: ({ what }) => notes.push(what),
    onPatient: () => {
      isPatient = true;
    },
    stranger: null,
    signal: over.signal,
  });
  called.catch(() => {}); // of a test that has failed
  await until("the client hangs up no more", async () => isPatient);
  expect(notes.filter((what) => what === "hung up")).toHaveLength(2);
  const [task] = await fixture.tasks();
  await fixture.approve(task?.id ?? "");
  await called;
  expect(notes.at(-1)).toBe("result");
  expect(await fixture.tasks()).toHaveLength(1);
});
