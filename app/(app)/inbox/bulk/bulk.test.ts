import { describe, expect, test } from "vitest";
import type { Field, Form } from "@/lib/mcp/forms/form.ts";
import type { InputRequestSummary } from "@/lib/requests/request-schema.ts";
import { alikeTo, bulkOffer, secondLook } from "./bulk-actions.ts";
import {
  afterUndo,
  type BulkOutcome,
  byAttention,
  followed,
  isOver,
  outcomeWords,
  recordedIn,
  summaryOf,
} from "./bulk-outcome.ts";

const field = (more: object) =>
  ({ name: "value", title: "Decision", description: null, required: true, default: null, ...more }) as Field;
const formOf = (...fields: Field[]): Form => ({ kind: "supported", fields }) as Form;
const decision = (...titles: string[]) =>
  formOf(field({ kind: "one_of", options: titles.map((title) => ({ value: title, title })) }));
const APPROVAL = decision("approve", "reject");
const CONFIRM = formOf(field({ kind: "boolean", name: "confirm" }));
const KEEP = formOf(field({ kind: "boolean", name: "keep_file" }));
const TEXT = formOf(field({ kind: "text" }));
const HIDDEN = { kind: "unsupported", reason: "A secret" } as unknown as Form;

const ONE = {
  id: "a",
  state: "open",
  alike: "same",
  message: "Pay?",
  label: null,
  party: null,
  amount: null,
  mode: "form",
  server: { id: "erp", name: "ERP" },
  tool: "pay",
  warnings: [],
  actions: ["accept", "decline"],
  approval: null,
  requestedBy: { kind: "member", id: "ola", name: "Ola" },
  claimedBy: null,
  task: { cancelRequestedAt: null },
  fourEyes: false,
  urlOwner: null,
} as unknown as InputRequestSummary;
function two(more: object = {}, other: object = more): InputRequestSummary[] {
  return [
    { ...ONE, ...more },
    { ...ONE, message: "Pay that?", ...other, id: "b" },
  ];
}
const destroys = { warnings: ["destructive"], message: "Delete 14 files?" };

const ME = { user: { id: "ben", name: "Ben", email: "" } };

interface Offered {
  buttons: string[];
  keys: (string | null)[];
  /** Why nothing is offered. */
  why?: RegExp;
  /** Why something is off. */
  notes?: RegExp;
}

describe("what one press does to the selected requests", () => {
  const NOTHING: Offered = { buttons: [], keys: [null, null, null] };
  test.each<[string, InputRequestSummary[], Form | null, Offered]>([
    [
      "yes and no",
      two(),
      APPROVAL,
      { buttons: ["A Approve", "R Reject", "Decline"], keys: ["Approve", "Reject", "Decline"] },
    ],
    [
      "a form is filled in once",
      two(),
      TEXT,
      { buttons: ["A Answer", "Decline"], keys: ["Answer", null, "Decline"] },
    ],
    ["no fields", two(), formOf(), { buttons: ["A Confirm", "Decline"], keys: ["Confirm", null, "Decline"] }],
    ["a form that can't be shown", two(), HIDDEN, { buttons: ["Decline"], keys: [null, null, "Decline"] }],
    ["while the form is loading", two(), null, { buttons: ["Decline"], keys: [null, null, "Decline"] }],
    [
      "choices that are neither a yes nor a no have no keys",
      two(),
      decision("Low", "Middle", "High"),
      { buttons: ["Low", "Middle", "High", "Decline"], keys: [null, null, "Decline"] },
    ],
    [
      "R is no second yes, wherever the no stands",
      two(),
      decision("approve", "approve_all", "reject"),
      {
        buttons: ["A Approve", "Approve_all", "R Reject", "Decline"],
        keys: ["Approve", "Reject", "Decline"],
      },
    ],
    [
      "where one takes no decline",
      two({}, { actions: ["accept"] }),
      APPROVAL,
      {
        buttons: ["A Approve", "R Reject", "Decline (off)"],
        keys: ["Approve", "Reject", null],
        notes: /^1 of these can’t be declined\. Choose one of their answers\.$/,
      },
    ],
    [
      "where none takes a decline",
      two({ actions: ["accept"] }),
      APPROVAL,
      { buttons: ["A Approve", "R Reject"], keys: ["Approve", "Reject", null], notes: /^$/ },
    ],
    [
      "different answers",
      two({}, { alike: "other" }),
      APPROVAL,
      {
        ...NOTHING,
        buttons: ["Decline (off)"],
        why: /different answers\. Answer or decline them one by one\.$/,
      },
    ],
    [
      "different tools",
      two({}, { tool: "grant_admin" }),
      APPROVAL,
      { ...NOTHING, buttons: ["Decline (off)"], why: /different tools/ },
    ],
    [
      "two that read the same: only a decline",
      two({}, { message: ONE.message }),
      APPROVAL,
      { buttons: ["Decline"], keys: [null, null, "Decline"], notes: /read the same/ },
    ],
    [
      "different servers",
      two({}, { server: { id: "crm", name: "CRM" } }),
      APPROVAL,
      { ...NOTHING, buttons: ["Decline (off)"], why: /different servers/ },
    ],
    [
      "a site",
      two({ mode: "url" }),
      APPROVAL,
      { ...NOTHING, buttons: ["Decline (off)"], why: /opens a site/ },
    ],
    ["no selection", [], null, { ...NOTHING, buttons: [], why: /^Select requests first/ }],
    [
      "one that another has claimed",
      two({}, { claimedBy: { id: "ana", name: "Ana" } }),
      APPROVAL,
      { ...NOTHING, buttons: ["Decline (off)"], why: /^You can’t answer 1 of these \(Claimed by Ana\)/ },
    ],
    [
      "one that a second person has to accept",
      two({}, { fourEyes: true }),
      APPROVAL,
      {
        buttons: ["Decline"],
        keys: [null, null, "Decline"],
        notes: /^You can’t accept 1 of these \(Needs a second person\)/,
      },
    ],
    [
      "a deletion: only the no, and its key stays R",
      two(destroys, { ...destroys, message: "Delete 15 files?" }),
      CONFIRM,
      { buttons: ["R No", "Decline"], keys: [null, "No", "Decline"] },
    ],
    [
      "one that is irreversible among others",
      two({}, destroys),
      CONFIRM,
      { buttons: ["Decline"], keys: [null, null, "Decline"] },
    ],
    [
      "a no that destroys, and a yes that no list knows",
      two(destroys),
      KEEP,
      { buttons: ["Decline"], keys: [null, null, "Decline"] },
    ],
  ])("%s", (_, selected, form, { buttons, keys, why, notes = /(?:)/ }) => {
    const offer = bulkOffer(selected, form, ME);
    const shown = offer.actions.map(({ action, key }) => [key, action.label].filter(Boolean).join(" "));
    const decline = { on: ["Decline"], off: ["Decline (off)"] };
    expect([...shown, ...(offer.decline ? decline[offer.decline] : [])]).toEqual(buttons);
    expect(offer.notes.join(" ")).toMatch(why ?? notes);
    expect((["a", "r", "d"] as const).map((key) => offer.onKey(key)?.label ?? null)).toEqual(keys);
    if (why) expect(offer.reason).toMatch(why);
    else expect(offer.reason).toBeNull();
  });

  test("the content of a choice is sent, and only an affirmative first one is emphasised", () => {
    const said = (form: Form) =>
      bulkOffer(two(), form, ME).actions.map(({ action }) => [action.content, action.lead]);
    expect(said(APPROVAL)).toEqual([
      [{ value: "approve" }, true],
      [{ value: "reject" }, false],
    ]);
    expect(said(decision("Low", "High")).map(([, lead]) => lead)).toEqual([false, false]);
    expect(said(TEXT)).toEqual([[undefined, true]]);
  });
});

test("all alike are those that are open, there, and take the same answer; as many as one call takes", () => {
  const row = (id: string, more?: object, gone = false) => ({
    request: { ...ONE, id, ...more } as InputRequestSummary,
    gone,
  });
  const rows = [
    row("a"),
    row("b", { alike: "other" }),
    row("c", {}, true),
    row("d", { state: "answered" }),
    row("e"),
  ];
  expect(alikeTo(ONE, rows)).toEqual(["a", "e"]);
  expect(alikeTo(undefined, rows)).toEqual([]);
  const many = Array.from({ length: 250 }, (_, at) => row(`r${at}`));
  expect(alikeTo(ONE, many)).toHaveLength(200);
});

describe("marked requests want a tick or a comment", () => {
  const marked = two({ warnings: ["sum_differs"] }, {});
  const nothing = { seen: false, comment: "" };
  test.each([
    ["before they are accepted", false, marked, nothing, { marked: 1, missing: true }],
    ["a tick", false, marked, { seen: true, comment: "" }, { marked: 1, missing: false }],
    ["a comment", false, marked, { seen: false, comment: "As agreed" }, { marked: 1, missing: false }],
    ["spaces are no comment", false, marked, { seen: false, comment: "  " }, { marked: 1, missing: true }],
    ["not for a no", true, marked, nothing, { marked: 0, missing: false }],
    ["not where none is marked", false, two(), nothing, { marked: 0, missing: false }],
  ])("%s", (_, harmless, requests, given, expected) => {
    expect(secondLook({ harmless }, requests, given)).toEqual(expected);
  });
});

describe("results", () => {
  const refused = { id: "x", status: "refused", code: "already_answered", detail: "Too late." } as const;
  const by = { id: "cleo", name: "Cleo" };
  test.each<[string, BulkOutcome, { words: string; beaten: boolean }]>([
    ["recorded", { id: "x", status: "recorded" }, { words: "Recorded", beaten: false }],
    [
      "a vote",
      { id: "x", status: "voted" },
      { words: "Your vote is recorded; others have to agree too", beaten: false },
    ],
    ["undone", { id: "x", status: "undone" }, { words: "Undone", beaten: false }],
    [
      "sent before the undo",
      { id: "x", status: "kept", detail: "On its way." },
      { words: "Recorded, too late to undo: On its way.", beaten: false },
    ],
    ["refused", refused, { words: "Not recorded: Too late.", beaten: false }],
    ["another was faster", { ...refused, by }, { words: "Not recorded: Cleo answered first", beaten: true }],
    [
      "an API key was faster",
      { ...refused, by: { kind: "key", id: "k", name: "Ben" } },
      { words: "Not recorded: The API key Ben answered first", beaten: true },
    ],
    [
      "no database",
      { ...refused, code: "database_unavailable" },
      { words: "Unknown: Too late.", beaten: false },
    ],
  ])("%s", (_, result, expected) => {
    expect(outcomeWords(result)).toEqual(expected);
  });

  const all: BulkOutcome[] = [
    { id: "a", status: "recorded" },
    { id: "b", status: "voted" },
    { id: "c", status: "undone" },
    { id: "d", status: "kept", detail: "" },
    { ...refused, id: "e" },
    { id: "f", status: "recorded" },
  ];
  test("are summed up, and what needs attention comes first", () => {
    expect(summaryOf(all, "ERP")).toBe(
      "3 recorded · 1 voted on, wait for others · 1 undone, nothing was sent · 1 not recorded",
    );
    expect(summaryOf([refused], "ERP")).toBe("1 not recorded");
    expect(byAttention(all).map(({ id }) => id)).toEqual(["e", "d", "c", "b", "a", "f"]);
  });

  test("each recorded answer is followed until the server accepted it, or never will", () => {
    const at = (stages: Record<string, "held" | "sending" | "accepted" | "failed" | "undone">) =>
      followed(all, (id) => stages[id] ?? null);
    const said = (results: BulkOutcome[]) => results.map(({ id, status }) => `${id} ${status}`).join(", ");
    expect(recordedIn(all)).toEqual(["a", "d", "f"]);
    expect(said(at({}))).toBe("a recorded, b voted, c undone, d kept, e refused, f recorded");
    // A vote is no answer yet: the stage of its request is not its own.
    const sending = at({ a: "held", b: "undone", d: "sending", e: "accepted", f: "sending" });
    expect(said(sending)).toBe("a recorded, b voted, c undone, d sending, e refused, f sending");
    expect(isOver(sending)).toBe(false);
    expect(summaryOf(sending, "ERP")).toBe(
      "2 being sent to ERP · 1 recorded · 1 voted on, wait for others · 1 undone, nothing was sent · 1 not recorded",
    );
    const ended = at({ a: "accepted", d: "accepted", f: "failed" });
    expect(isOver(ended)).toBe(true);
    expect(summaryOf(ended, "ERP")).toMatch(/^2 accepted by ERP · 1 not delivered to ERP · /);
    expect(byAttention(ended)[0]).toEqual({ id: "f", status: "failed" });
    expect(outcomeWords({ id: "f", status: "failed" }).words).toBe("Recorded, but not delivered");
    // Another tab took it back.
    expect(said(at({ a: "undone", d: "accepted", f: "accepted" }))).toMatch(/^a undone, /);
  });

  test("an undo changes what it reached, and says what it came too late for", () => {
    const undone = afterUndo(all, [
      { id: "a", status: "undone" },
      { id: "f", status: "refused", code: "already_sent", detail: "On its way." },
    ] as Parameters<typeof afterUndo>[1]);
    expect(undone.map(({ id, status }) => `${id} ${status}`)).toEqual([
      "a undone",
      "b voted",
      "c undone",
      "d kept",
      "e refused",
      "f kept",
    ]);
    expect(undone.at(-1)).toMatchObject({ detail: "On its way." });
  });
});
