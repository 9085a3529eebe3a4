import { describe, expect, test } from "vitest";
import type { Draft, InputRequestDetail } from "@/lib/requests/request-schema.ts";
import type { Refused } from "./decided.ts";
import { draftOf, namedDecision, votedWords } from "./decided.ts";
import { deliveryToast } from "./delivery-toast.ts";
import {
  isExplained,
  keptDraft,
  restoredFrom,
  takesOver,
  triesAgain,
  typedAfter,
  typedDraft,
  withRefused,
} from "./draft-state.ts";

describe("the toast of a decision", () => {
  const ASKED = {
    origin: "server",
    gate: null,
    tool: "pay",
    server: { id: "erp", name: "Finance ERP" },
    requestedBy: { kind: "member", id: "ola", name: "Ola" },
    answer: { action: "accept" },
    task: { fetchedAt: null },
    delivery: {},
  } as unknown as InputRequestDetail;
  const own = { origin: "intray" } as const;
  const agents = {
    ...own,
    requestedBy: { kind: "agent", id: "c", name: "Claude" },
  } as Partial<InputRequestDetail>;
  const gate = { ...own, gate: {} } as Partial<InputRequestDetail>;
  const accepted = { delivery: { acceptedAt: "2026-11-21T12:00:00Z" } } as Partial<InputRequestDetail>;
  const line = (words: string) => ({ kind: "line", words });
  const failed = (words: string) => ({ kind: "failed", words });
  test.each([
    [
      "held",
      "held",
      {},
      null,
      { kind: "held", after: "The answer is sent to Finance ERP", coming: "sending in" },
    ],
    [
      "held, to a person",
      "held",
      own,
      null,
      { kind: "held", after: "The answer is final", coming: "final in" },
    ],
    [
      "held, before a call",
      "held",
      gate,
      null,
      { kind: "held", after: "The call is decided", coming: "takes effect in" },
    ],
    ["on its way", "sending", {}, null, line("Approved INV-1 · recorded, sending to Finance ERP")],
    ["on its way to a person", "sending", own, null, line("Approved INV-1 · recorded")],
    ["accepted", "accepted", accepted, null, line("Approved INV-1 · accepted by Finance ERP")],
    ["the reply was lost", "accepted", {}, null, line("Approved INV-1 · the task moved on")],
    [
      "recorded for a person",
      "accepted",
      own,
      null,
      line("Approved INV-1 · recorded; Ola sees it on the task’s page"),
    ],
    [
      "recorded for an agent",
      "accepted",
      agents,
      null,
      line("Approved INV-1 · recorded; the agent “Claude” gets it when it asks"),
    ],
    [
      "fetched by an agent",
      "accepted",
      { ...agents, task: { fetchedAt: "2026-11-21T12:00:00Z" } } as Partial<InputRequestDetail>,
      null,
      line("Approved INV-1 · fetched by the agent “Claude”"),
    ],
    ["before a call, decided", "accepted", gate, null, line("Approved INV-1 · the call goes ahead")],
    ["failed", "failed", {}, "nothing", failed("Approved INV-1, but the answer did not reach Finance ERP.")],
    [
      "failed without a delivery",
      "failed",
      {},
      null,
      failed("Approved INV-1, but the answer did not reach Finance ERP."),
    ],
    [
      "failed, perhaps after it arrived",
      "failed",
      {},
      "unknown",
      failed(
        "Approved INV-1, but the question has ended, and it is not known whether Finance ERP used the answer.",
      ),
    ],
    ["undone: the undo tells it", "undone", {}, null, null],
  ] as const)("%s", (_, stage, more, reach, expected) => {
    expect(deliveryToast({ ...ASKED, ...more }, stage, "Approved INV-1", reach)).toEqual(expected);
  });

  test.each([
    ["a plain word", "Approved", "Approved INV-1"],
    ["a choice in quotes", "Answered “The snake”", "Answered “The snake” · INV-1"],
  ])("says what was decided: %s", (_, words, expected) => {
    expect(namedDecision(words, "INV-1")).toBe(expected);
  });

  test.each([
    [true, "You agreed: INV-1. Waiting for CFO."],
    [false, "You rejected: INV-1. Waiting for CFO."],
  ])("of a vote names whom it waits for (agrees: %s)", (agrees, expected) => {
    const stages = [
      { name: "Finance", state: "done" },
      { name: "CFO", state: "open" },
    ];
    const approval = { mine: { agrees }, stages } as unknown as InputRequestDetail["approval"];
    expect(votedWords(approval, "INV-1")).toBe(expected);
  });
});

describe("what an undo restores", () => {
  const field = (more: object) => ({
    ...{ name: "value", title: "", description: null, required: true, default: null },
    ...more,
  });
  const question = (...fields: object[]) =>
    ({ fields: { kind: "supported", fields } }) as unknown as Pick<InputRequestDetail, "fields">;
  const form = question(field({ kind: "text", name: "cost_center" }), field({ kind: "text", name: "note" }));
  const choice = question(field({ kind: "boolean", name: "approve" }));
  const filled = { cost_center: "CC-7", note: "" };
  test.each([
    ["the fields of a form", form, { content: { cost_center: "CC-7" } }, { content: filled }],
    [
      "its comment too",
      form,
      { content: { cost_center: "CC-7" }, comment: "As agreed" },
      { content: filled, comment: "As agreed" },
    ],
    ["nothing of a form that was declined", form, {}, null],
    ["not the choice of one press", choice, { content: { approve: true } }, null],
    [
      "the comment of one press",
      choice,
      { content: { approve: true }, comment: "Why" },
      { content: {}, comment: "Why" },
    ],
  ])("%s", (_, asked, decided, expected) => {
    expect(draftOf({ origin: "server", gate: null, tool: "pay", ...asked }, decided)).toEqual(expected);
  });
});

describe("a request whose decision was refused comes back", () => {
  const draft = (note: string, savedAt: string): Draft => ({ content: { note }, comment: null, savedAt });
  const typed = draft("typed", "2026-11-21T12:01:00Z");
  const earlier = draft("saved", "2026-11-21T12:00:00Z");
  const later = draft("elsewhere", "2026-11-21T12:02:00Z");
  test.each([
    ["with what was typed", null, "q1", typed, typed],
    ["with what was typed after the last save", earlier, "q1", typed, typed],
    ["with a newer draft of another tab", later, "q1", typed, later],
    ["without what was typed for another wording", null, "q2", typed, null],
    ["with the saved draft where nothing was typed", earlier, "q1", null, earlier],
  ])("%s", (_, saved, questionHash, refused, expected) => {
    const refusal = { questionHash, draft: refused } as Refused;
    expect(withRefused({ questionHash: "q1", draft: saved }, refusal).draft).toEqual(expected);
  });

  test("as it is where none was refused", () => {
    expect(withRefused({ questionHash: "q1", draft: earlier }, undefined).draft).toBe(earlier);
  });
});

describe("a draft", () => {
  const at = "2026-11-21T12:00:00Z";
  const later = "2026-11-21T12:01:00Z";
  const draft: Draft = { content: { note: "x" }, comment: null, savedAt: later };

  test("is told as restored, then as saving", () => {
    expect(restoredFrom(null)).toEqual({ kind: "none" });
    expect(restoredFrom(draft)).toEqual({ kind: "restored", at: later });
    expect(typedAfter({ kind: "restored", at })).toEqual({ kind: "saving" });
    expect(typedAfter({ kind: "failed" })).toEqual({ kind: "failed" });
  });

  test.each([
    ["no answer", null, true],
    ["an answer of the server's trouble", 500, true],
    ["a session that ended", 401, true],
    ["too many calls", 429, true],
    ["a database that is away", 503, true],
    ["a request that is over", 409, false],
    ["a request that is not there", 404, false],
    ["a draft that is refused", 422, false],
    ["a person who may not", 403, false],
  ])("after %s (%s) is tried again: %s", (_, status, expected) => {
    expect(triesAgain(status)).toBe(expected);
  });

  test("is kept as the server keeps it: without an empty comment, or not at all", () => {
    expect(keptDraft({ content: { note: "x" }, comment: "" }, later)).toEqual(draft);
    expect(keptDraft({ content: {}, comment: "" }, null)).toBeNull();
  });

  test("is what was typed, or nothing", () => {
    expect(typedDraft({ content: { note: "x" }, comment: "" })).toMatchObject({
      content: { note: "x" },
      comment: null,
    });
    expect(typedDraft({ content: {}, comment: "Why" })).toMatchObject({ content: {}, comment: "Why" });
    expect(typedDraft({ content: {}, comment: " " })).toBeNull();
  });

  test.each([
    ["that is newer", draft, { savedAt: at, unsaved: false }, true],
    ["that is the one shown here", draft, { savedAt: later, unsaved: false }, false],
    ["that is older", { ...draft, savedAt: at }, { savedAt: later, unsaved: false }, false],
    ["while something here is unsaved", draft, { savedAt: at, unsaved: true }, false],
    ["that is none", null, { savedAt: "", unsaved: false }, false],
  ])("of another tab %s takes over: %s", (_, newest, here, expected) => {
    expect(takesOver(newest, here)).toBe(expected);
  });

  test.each([
    ["written here", "As agreed", "", true],
    ["restored from another day", "As agreed", "As agreed", false],
    ["restored and changed", "As agreed by phone", "As agreed", true],
    ["of spaces", "  ", "", false],
  ])("a comment %s explains what was seen: %s", (_, comment, restored, expected) => {
    expect(isExplained(comment, restored)).toBe(expected);
  });
});
