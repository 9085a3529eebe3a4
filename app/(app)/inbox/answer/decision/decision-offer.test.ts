import { describe, expect, test } from "vitest";
import type { Fold } from "@/components/text/folds.tsx";
import type { Permission } from "@/lib/access/permissions.ts";
import type { Field, Form } from "@/lib/mcp/forms/form.ts";
import { type Choice, type Decision, decisionOf, decisionOn } from "@/lib/requests/answers/form-buttons.ts";
import type { InputRequestDetail } from "@/lib/requests/request-schema.ts";
import {
  asksWhy,
  contentToSend,
  decisionButtons,
  decisionOffer,
  declinePlace,
  formReadsFirst,
  guardOf,
  isSame,
  keyPress,
  needsRoom,
  readFirstWords,
  readsFirst,
  standOffer,
} from "./decision-offer.ts";

const CLAIM = { at: "2026-01-01T00:00:00Z", until: "2026-01-01T00:15:00Z" };
const ben = { id: "ben", name: "Ben", ...CLAIM };
const ana = { id: "ana", name: "Ana", ...CLAIM };

const field = (more: Partial<Field>) =>
  ({ name: "value", title: "Decision", description: null, required: true, default: null, ...more }) as Field;
const formOf = (...fields: Field[]): Form => ({ kind: "supported", fields }) as Form;
const options = (...titles: string[]) =>
  field({ kind: "one_of", options: titles.map((title) => ({ value: title, title })) } as Partial<Field>);

const APPROVAL = formOf(options("reject", "approve"));
const FOUR = formOf(options("North", "East", "South", "West"));
const TEXT = formOf(field({ kind: "text" } as Partial<Field>));
const NOTHING = formOf();
const HIDDEN = { kind: "unsupported", reason: "A secret" } as unknown as Form;

const REQUEST = {
  state: "open",
  fields: APPROVAL,
  mode: "form",
  actions: ["accept", "decline", "cancel"],
  warnings: [],
  previous: null,
  rewordedAt: null,
  origin: "server",
  gate: null,
  tool: "process_invoice",
  editable: false,
  approval: null,
  requestedBy: { kind: "member", id: "ola", name: "Ola" },
  claimedBy: null,
  assignedTo: null,
  urlOwner: null,
  fourEyes: false,
  task: { cancelRequestedAt: null },
} as unknown as InputRequestDetail;
const changed = { previous: {} } as Partial<InputRequestDetail>;

interface Situation {
  request?: Partial<InputRequestDetail>;
  is?: "viewer" | "viewing";
  trouble?: Parameters<typeof decisionOffer>[0]["trouble"];
  blocked?: boolean;
  agreed?: boolean;
  seen?: { change: boolean; figures: boolean };
  explained?: boolean;
  cautious?: boolean;
}

function offerIn({ request: more = {}, is, ...situation }: Situation) {
  const request = { ...REQUEST, ...more };
  return decisionOffer({
    question: request,
    request,
    me: {
      user: { id: "ben", name: "Ben", email: "" },
      view: is === "viewing" ? { until: "", leftMs: 0 } : null,
      may: (_: Permission) => is !== "viewer",
    },
    trouble: null,
    blocked: false,
    agreed: false,
    seen: { change: false, figures: false },
    explained: false,
    cautious: false,
    ...situation,
  });
}

describe("answers beside yes and no", () => {
  const own = { origin: "intray", editable: true } as Partial<InputRequestDetail>;
  test.each<[string, Situation, { revises: boolean; edits: boolean }]>([
    ["are no answers to a server", {}, { revises: false, edits: false }],
    ["are both offered for a call", { request: own }, { revises: true, edits: true }],
    [
      "a question has no call to change",
      { request: { ...own, editable: false } },
      { revises: true, edits: false },
    ],
    [
      "a second person has to approve",
      { request: { ...own, fourEyes: true } },
      { revises: true, edits: false },
    ],
    [
      "figures are looked at first",
      { request: { ...own, warnings: ["sum_differs"] } },
      { revises: true, edits: false },
    ],
    ["another's claim", { request: { ...own, claimedBy: ana } }, { revises: false, edits: false }],
    ["no network", { trouble: "offline", request: own }, { revises: false, edits: false }],
    ["a viewer", { is: "viewer", request: own }, { revises: false, edits: false }],
  ])("%s", (_, situation, expected) => {
    const { revises, edits } = offerIn(situation);
    expect({ revises, edits }).toEqual(expected);
  });
});

describe("approving for a while", () => {
  const call = {
    ...{ origin: "intray", editable: true, gate: { rule: null } },
    requestedBy: { kind: "agent", id: "1", name: "Claude" },
  } as Partial<InputRequestDetail>;
  const member = { kind: "member", id: "ola", name: "Ola" } as const;
  const approval = { stages: [] } as unknown as InputRequestDetail["approval"];
  const me = (isAdmin: boolean) => ({ may: (_: Permission) => isAdmin });
  test.each<[string, Partial<InputRequestDetail>, boolean, ReturnType<typeof standOffer>]>([
    ["a call of an agent", {}, false, "yes"],
    ["a call of a member", { requestedBy: member }, false, "no"],
    ["a question of an agent", { gate: null }, false, "no"],
    ["a call that is decided already", { editable: false }, false, "no"],
    ["a call for which the policy has a rule", { approval }, false, "policy"],
    ["a call of a member for which the policy has a rule", { approval, requestedBy: member }, false, "no"],
    ["a call that may destroy something", { standingNeedsAdmin: true }, false, "no"],
    ["a call that may destroy something, by an admin", { standingNeedsAdmin: true }, true, "yes"],
  ])("%s", (_, more, isAdmin, expected) => {
    expect(standOffer({ ...REQUEST, ...call, ...more }, me(isAdmin))).toBe(expected);
  });
});

describe("what keeps a person from deciding", () => {
  test.each<[string, Situation, { accept: RegExp | null; any: RegExp | null }]>([
    ["nothing", {}, { accept: null, any: null }],
    ["no network", { trouble: "offline" }, { accept: /^You’re offline/, any: /^You’re offline/ }],
    ["a session that ended", { trouble: "signed_out" }, { accept: /signed out/, any: /signed out/ }],
    ["a database that is away", { trouble: "database" }, { accept: /unreachable/, any: /unreachable/ }],
    ["only the stream is away", { trouble: "not_live" }, { accept: null, any: null }],
    [
      "no network comes before a claim",
      { trouble: "offline", request: { claimedBy: ana } },
      { accept: /offline/, any: /offline/ },
    ],
    ["a viewer", { is: "viewer" }, { accept: /^Viewers can’t/, any: /^Viewers can’t/ }],
    ["viewing as a member", { is: "viewing" }, { accept: /read only/, any: /read only/ }],
    [
      "another's claim",
      { request: { claimedBy: ana } },
      { accept: /^Ana has claimed/, any: /^Ana has claimed/ },
    ],
    ["one's own claim", { request: { claimedBy: ben } }, { accept: null, any: null }],
    ["a question that changed meanwhile", { blocked: true }, { accept: /has changed/, any: /has changed/ }],
    [
      "a question that keeps changing",
      { request: { rewordedAt: CLAIM.at } },
      { accept: /keeps changing/, any: /keeps changing/ },
    ],
    [
      "a question that keeps changing, ticked",
      { request: { rewordedAt: CLAIM.at }, agreed: true },
      { accept: null, any: null },
    ],
    [
      "a second person, who may decline",
      { request: { fourEyes: true } },
      { accept: /Somebody else has to accept/, any: null },
    ],
    [
      "a site of another's connection",
      { request: { mode: "url", urlOwner: ana } },
      { accept: /^Only Ana may open/, any: null },
    ],
  ])("%s", (_, situation, { accept, any }) => {
    const { anyReason, acceptReason } = offerIn(situation);
    for (const [said, expected] of [
      [acceptReason, accept],
      [anyReason, any],
    ] as const)
      if (expected) expect(said).toMatch(expected);
      else expect(said).toBeNull();
  });
});

describe("what has to be seen before accepting", () => {
  test.each<[string, Situation, RegExp | null]>([
    ["a plain question", {}, null],
    ["what changed", { request: changed }, /what changed/],
    ["what changed, ticked", { request: changed, seen: { change: true, figures: false } }, null],
    ["a comment is no tick for what changed", { request: changed, explained: true }, /what changed/],
    ["figures", { request: { warnings: ["sum_differs"] } }, /or write a comment/],
    ["figures, ticked", { request: { warnings: ["overdue"] }, seen: { change: false, figures: true } }, null],
    ["figures, explained", { request: { warnings: ["currency_differs"] }, explained: true }, null],
    ["what is irreversible is held instead", { request: { warnings: ["destructive"] } }, null],
    [
      "both: what changed comes first",
      { request: { ...changed, warnings: ["sum_differs"] }, explained: true },
      /what changed/,
    ],
    [
      "a question that keeps changing has its own tick",
      { request: { ...changed, rewordedAt: CLAIM.at } },
      null,
    ],
  ])("%s", (_, situation, expected) => {
    const { unseen } = offerIn(situation);
    if (expected) expect(unseen).toMatch(expected);
    else expect(unseen).toBeNull();
  });
});

describe("what is folded away is opened before a press decides", () => {
  const message: Fold = { what: "message", count: 3_000 };
  const fields: Fold = { what: "fields", count: 6 };
  const choicesOf = (...fields: Field[]) =>
    (decisionOf(formOf(...fields)) as Extract<Decision, { kind: "choices" }>).choices;
  const [approve, reject] = choicesOf(options("reject", "approve"));
  const [confirm, no] = choicesOf(field({ kind: "boolean", name: "confirm" } as Partial<Field>));
  const [north] = choicesOf(options("North", "East", "South", "West"));
  const [renamed] = choicesOf(
    field({ kind: "one_of", options: [{ value: "wire_now", title: "Reject" }] } as Partial<Field>),
  );
  test.each<[string, Fold[], Choice | null, boolean]>([
    ["nothing is folded", [], approve!, false],
    ["nothing is folded, without choices", [], null, false],
    ["a yes", [message], approve!, true],
    ["a confirmation", [fields], confirm!, true],
    ["a question without choices", [message, fields], null, true],
    ["one of several", [message], north!, true],
    ["a no", [message], reject!, false],
    ["a no to a yes-or-no question", [fields], no!, false],
    ["what is called a no and sends something else", [message], renamed!, true],
  ])("%s", (_, unopened, choice, expected) => {
    expect(readsFirst(unopened, { harmless: ["reject", false] }, choice)).toBe(expected);
  });

  test.each<[string, Fold[], Record<string, unknown>, boolean]>([
    ["a form where nothing is folded", [], { value: "approve" }, false],
    ["a form that says yes", [fields], { value: "approve", reason: "as agreed" }, true],
    ["a form that says no", [fields], { value: "reject", reason: "too expensive" }, false],
  ])("%s", (_, unopened, content, expected) => {
    const rejection = { label: "Reject", content: { value: "reject" }, reasonField: "reason" };
    expect(formReadsFirst(unopened, { rejection }, content)).toBe(expected);
  });

  test.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    ["a no, without what was filled in", { value: "reject", amount: 10 }, { value: "reject" }],
    [
      "a no with its reason",
      { value: "reject", reason: "Twice", amount: 10 },
      { value: "reject", reason: "Twice" },
    ],
    ["what a person changed", { value: "reject", amount: 9 }, { value: "reject", amount: 9 }],
    ["a yes", { value: "approve", amount: 10 }, { value: "approve", amount: 10 }],
  ])("a form sends %s", (_, filledIn, expected) => {
    const amount = field({ name: "amount", kind: "number", required: false, default: 10 } as Partial<Field>);
    const fields = formOf(options("approve", "reject"), amount);
    const rejection = { label: "Reject", content: { value: "reject" }, reasonField: "reason" };
    expect(contentToSend({ fields, rejection }, filledIn)).toEqual(expected);
  });

  test.each<[string, Fold[], string]>([
    ["the message", [message], "the rest of the message"],
    ["fields and lines", [{ what: "lines", count: 5 }, fields], "6 more fields and 5 more lines"],
    [
      "several of a kind are one",
      [{ what: "lines", count: 5 }, { what: "text", count: 900 }, { what: "lines", count: 2 }, message],
      "the rest of the message, 7 more lines and a long text",
    ],
    ["one", [{ what: "values", count: 1 }], "1 more value"],
    ["a document", [{ what: "documents", count: 1 }], "a document"],
    ["hidden places", [{ what: "hidden", count: 2 }], "what is said about 2 hidden places"],
    [
      "several texts",
      [
        { what: "text", count: 900 },
        { what: "text", count: 700 },
      ],
      "2 long texts",
    ],
  ])("is said of %s", (_, unopened, words) => {
    expect(readFirstWords(unopened)).toBe(
      `You have not seen all of the request yet: ${words}. Read this, then press again to decide.`,
    );
  });
});

describe("a no asks why where a reason is required", () => {
  const stage = (state: string, ...requireReason: string[]) => ({ state, requireReason });
  const approval = (...stages: object[]) => ({ stages }) as unknown as InputRequestDetail["approval"];
  const NO = { value: "reject" };
  test.each<[string, InputRequestDetail["approval"], Record<string, unknown> | undefined, string, boolean]>([
    ["nobody requires one", approval(stage("open")), NO, "", false],
    ["no policy", null, NO, "", false],
    ["required to reject", approval(stage("open", "reject")), NO, "", true],
    ["a blank is no reason", approval(stage("open", "reject")), NO, " ", true],
    ["it is written already", approval(stage("open", "reject")), NO, "Twice", false],
    ["required in another stage", approval(stage("open"), stage("waiting", "reject")), NO, "", false],
    ["of a yes", approval(stage("open", "reject")), { value: "approve" }, "", false],
    ["without content", approval(stage("open", "reject")), undefined, "", false],
  ])("%s", (_, its, content, comment, expected) => {
    const rejection = { label: "Reject", content: NO, reasonField: null };
    expect(asksWhy({ approval: its, rejection }, content, comment)).toBe(expected);
  });
});

describe("which keys act", () => {
  test.each<[string, Situation, { declines: boolean; claim: string | null; snoozes: boolean }]>([
    ["an open request", {}, { declines: true, claim: "claim", snoozes: true }],
    [
      "one's own claim is released",
      { request: { claimedBy: ben } },
      { declines: true, claim: "release", snoozes: true },
    ],
    ["another's claim", { request: { claimedBy: ana } }, { declines: false, claim: null, snoozes: true }],
    ["no network", { trouble: "offline" }, { declines: false, claim: null, snoozes: false }],
    ["a viewer", { is: "viewer" }, { declines: false, claim: null, snoozes: false }],
    [
      "a decided request",
      { request: { state: "answered" } },
      { declines: false, claim: null, snoozes: false },
    ],
    [
      "a question that takes no decline",
      { request: { actions: ["accept"] } },
      { declines: false, claim: "claim", snoozes: true },
    ],
    ["a second person", { request: { fourEyes: true } }, { declines: true, claim: null, snoozes: true }],
    [
      "a question that changed meanwhile",
      { blocked: true },
      { declines: false, claim: "claim", snoozes: true },
    ],
  ])("%s", (_, situation, expected) => {
    const { declines, claim, snoozes } = offerIn(situation);
    expect({ declines, claim, snoozes }).toEqual(expected);
  });

  test.each<[string, Situation, [a: boolean, r: boolean]]>([
    ["two choices: A and R decide", {}, [false, false]],
    ["two choices, where a slip may be: A leads, R decides", { cautious: true }, [true, false]],
    ["four choices: both lead", { request: { fields: FOUR } }, [true, true]],
    [
      "two choices without a yes: A leads",
      { request: { fields: formOf(options("Monday", "Friday")) } },
      [true, false],
    ],
    ["a form: both lead", { request: { fields: TEXT } }, [true, true]],
    ["no fields: A decides", { request: { fields: NOTHING } }, [false, false]],
    ["a site: A leads", { request: { mode: "url", fields: NOTHING } }, [true, false]],
  ])("%s", (_, situation, [affirmative, other]) => {
    expect(offerIn(situation).onlyFocus).toEqual({ affirmative, other });
  });

  test.each([
    [
      "a button that is off leads to its tick",
      { off: true, inView: true, onlyFocus: false },
      "lead to the tick",
    ],
    [
      "also when the question is out of view",
      { off: true, inView: false, onlyFocus: false },
      "lead to the tick",
    ],
    ["a question out of view is shown", { off: false, inView: false, onlyFocus: false }, "show the question"],
    [
      "a form that lacks something leads to the field",
      { off: false, inView: true, isMissing: true, onlyFocus: true },
      "lead to the field",
    ],
    [
      "a form out of view is shown before",
      { off: false, inView: false, isMissing: true, onlyFocus: true },
      "show the question",
    ],
    ["one of many choices is reached", { off: false, inView: true, onlyFocus: true }, "focus"],
    ["a plain choice is pressed", { off: false, inView: true, onlyFocus: false }, "press"],
  ])("%s", (_, situation, expected) => {
    expect(keyPress(situation)).toBe(expected);
  });
});

describe("the claim of another", () => {
  test.each<[string, Situation, boolean]>([
    ["is told", { request: { claimedBy: ana } }, true],
    ["is not told to its holder", { request: { claimedBy: ben } }, false],
    ["is not told to viewers", { request: { claimedBy: ana }, is: "viewer" }, false],
    ["gives way to the network's trouble", { request: { claimedBy: ana }, trouble: "offline" }, false],
  ])("%s", (_, situation, expected) => {
    expect(offerIn(situation).tellsClaim).toBe(expected);
  });
});

describe("the fields", () => {
  test.each<[string, Situation, boolean]>([
    ["stay on without a network: what is typed is kept", { trouble: "offline" }, false],
    ["stay on while the question keeps changing", { request: { rewordedAt: CLAIM.at } }, false],
    ["are off in another's claim", { request: { claimedBy: ana } }, true],
    ["are off where a second person is needed", { request: { fourEyes: true } }, true],
  ])("%s", (_, situation, expected) => {
    expect(offerIn(situation).fieldsOff).toBe(expected);
  });
});

describe("the buttons", () => {
  const said = (more: Partial<InputRequestDetail>) => {
    const request = { ...REQUEST, ...more };
    return decisionButtons(request, decisionOn(request)).map(
      ({ label, shortcut, primary, content, sendsForm, opensFirst }) =>
        [
          `${shortcut} ${label}`,
          primary && "primary",
          sendsForm && "sends the form",
          opensFirst && "after the site",
          content && JSON.stringify(content),
        ]
          .filter(Boolean)
          .join(", "),
    );
  };
  test.each<[string, Partial<InputRequestDetail>, string[]]>([
    [
      "yes and no, the yes first",
      {},
      ['A Approve, primary, {"value":"approve"}', 'R Reject, {"value":"reject"}'],
    ],
    [
      "four choices, none emphasised",
      { fields: FOUR },
      [
        '1 North, {"value":"North"}',
        '2 East, {"value":"East"}',
        '3 South, {"value":"South"}',
        '4 West, {"value":"West"}',
      ],
    ],
    [
      "a yes, a no and something else",
      { fields: formOf(options("later", "reject", "approve")) },
      [
        'A Approve, primary, {"value":"approve"}',
        '2 Later, {"value":"later"}',
        'R Reject, {"value":"reject"}',
      ],
    ],
    [
      "two choices without a yes",
      { fields: formOf(options("Monday", "Friday")) },
      ['1 Monday, {"value":"Monday"}', '2 Friday, {"value":"Friday"}'],
    ],
    ["no fields", { fields: NOTHING }, ["A Confirm, primary, {}"]],
    [
      "an approval before a call",
      { fields: NOTHING, origin: "intray", gate: {} as InputRequestDetail["gate"] },
      ["A Approve, primary, {}"],
    ],
    ["a form", { fields: TEXT }, ["A Send answer, primary, sends the form"]],
    [
      "two choices that both say yes, where R is neither",
      { fields: formOf(options("Allow once", "Allow always")) },
      ['A Allow once, primary, {"value":"Allow once"}', '2 Allow always, {"value":"Allow always"}'],
    ],
    [
      "a form of an approval",
      {
        fields: formOf(field({ kind: "text", title: "Cost center" } as Partial<Field>)),
        origin: "intray",
        tool: "request_approval",
      },
      ["A Approve and send, primary, sends the form"],
    ],
    [
      "a form of an approval whose choices would be buttons elsewhere",
      { fields: APPROVAL, origin: "intray", tool: "request_approval" },
      ["A Approve and send, primary, sends the form"],
    ],
    ["a site", { mode: "url", fields: NOTHING }, ["A Continue the task, primary, after the site"]],
    ["a form that can't be shown", { fields: HIDDEN }, []],
  ])("of %s", (_, more, expected) => {
    expect(said(more)).toEqual(expected);
  });

  test.each<[string, Form, boolean]>([
    ["two short ones stand beside the rest", APPROVAL, false],
    ["four need the whole line", FOUR, true],
    ["a long one needs the whole line", formOf(options("The programming language", "No")), true],
    ["the button of a form does not", TEXT, false],
  ])("%s", (_, form, expected) => {
    expect(needsRoom(decisionOf(form))).toBe(expected);
  });

  test.each<[string, Form, string[], string | null]>([
    ["of a choice is in the menu", APPROVAL, ["accept", "decline"], "menu"],
    ["of a form is in the bar", TEXT, ["accept", "decline"], "bar"],
    ["of a form that can't be shown is in the bar", HIDDEN, ["decline"], "bar"],
    ["is nowhere where the server takes none", TEXT, ["accept"], null],
  ])("declining %s", (_, form, actions, expected) => {
    expect(declinePlace({ actions } as InputRequestDetail, decisionOf(form))).toBe(expected);
  });
});

describe("a guarded button", () => {
  const choicesOf = (...fields: Field[]) =>
    (decisionOf(formOf(...fields)) as Extract<Decision, { kind: "choices" }>).choices;
  const [yes, no] = choicesOf(field({ kind: "boolean", name: "confirm" } as Partial<Field>));
  test.each([
    ["that destroys is held", ["destructive"], [false], yes!, "hold"],
    ["that says no to it is one press", ["destructive"], [false], no!, "none"],
    ["whose no destroys is held", ["destructive"], [], no!, "hold"],
    ["of a form that destroys is held", ["destructive"], [], null, "hold"],
    ["of figures that differ waits for a look", ["sum_differs"], [false], yes!, "look"],
    ["that says no to figures is one press", ["sum_differs"], [false], no!, "none"],
    ["of a question that changed waits for a look", [], [false], yes!, "look"],
  ] as const)("%s", (_, warnings, harmless, choice, expected) => {
    expect(guardOf({ warnings: [...warnings], harmless: [...harmless] }, choice)).toBe(expected);
  });
});

test.each([
  ["the same content", { action: "accept", content: { a: 1 } }, true],
  ["other content", { action: "accept", content: { a: 2 } }, false],
  ["another action", { action: "decline" }, false],
] as const)("an answer is given again with %s", (_, other, expected) => {
  expect(isSame({ action: "accept", content: { a: 1 } }, other)).toBe(expected);
});
