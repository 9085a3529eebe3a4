import { describe, expect, test } from "vitest";
import { busiestTurn, MOST_HELD_MS } from "../../test/guards/busiest-turn.ts";
import fc from "../../test/random/seeded.ts";
import { calendarSchema } from "./calendar/calendar-schema.ts";
import type { AskedRequest } from "./facts.ts";
import { type ApprovalStage, judgePolicy } from "./judge.ts";
import { policyInputSchema } from "./policy-schema.ts";

const [ana, ben, cleo] = ["a", "b", "c"].map((end) => `00000000-0000-7000-8000-00000000000${end}`) as [
  string,
  string,
  string,
];
const board = "00000000-0000-7000-8000-0000000000b0";
const people = { "ana@x": ana, "ben@x": ben, "cleo@x": cleo };

const asked = (
  args: Record<string, unknown> = {},
  more: Partial<AskedRequest["request"]> = {},
): AskedRequest => ({
  server: { id: "1", name: "Finance ERP" },
  tool: "process_invoice",
  task: { label: "INV-1", arguments: args, createdAt: new Date("2026-11-24T10:00:00Z") },
  request: {
    message: "Approve?",
    amount: null,
    currency: null,
    fields: ["value"],
    url: null,
    askedAgain: false,
    ...more,
  },
  requester: { actor: { kind: "member", id: ana, name: "Ana" }, role: "operator", groups: ["cfo"] },
  now: new Date("2026-11-24T10:30:00Z"),
});

const judge = (rules: object[], request = asked()) => {
  const policy = policyInputSchema.parse({ groups: { finance: ["ben@x", "cleo@x"] }, rules });
  return judgePolicy({ version: 7, policy, people, groups: { Board: board } }, request);
};
const stage = (more: object = {}) => ({ name: "Finance", approvers: { groups: ["finance"] }, ...more });
const rule = (name: string, when: string | null, ...stages: object[]) => ({
  name,
  when,
  stages: stages.length > 0 ? stages : [stage()],
});

/** Whether a stage asks the same people all that another one asks. */
const asksAll = (one: ApprovalStage, other: ApprovalStage) =>
  JSON.stringify([one.roles, one.people, one.groups]) ===
    JSON.stringify([other.roles, other.people, other.groups]) &&
  one.need >= other.need &&
  one.rejections <= other.rejections &&
  (one.stepUp || !other.stepUp) &&
  other.requireReason.every((each) => one.requireReason.includes(each));

describe("a condition", () => {
  test.each<[string, Record<string, unknown>, Partial<AskedRequest["request"]>, boolean]>([
    ['server.name == "Finance ERP" && tool == "process_invoice"', {}, {}, true],
    ["request.amount >= 5000.0", { amount: 5000 }, {}, true],
    ["request.amount >= 5000.0", { amount: "4,999.00" }, {}, false],
    // The larger one of the card's and the call's: neither hides the other.
    ["request.amount >= 5000.0", { amount: 10, hidden: { total: 9000 } }, { amount: 10 }, true],
    ["request.amount >= 5000.0", { amount: 10 }, { amount: 9000 }, true],
    ["request.amount == null", {}, {}, true],
    ['request.currency == "EUR"', {}, { currency: "EUR" }, true],
    // The card shows no amount beside the larger payment.
    ['currency == "USD" && amount > 100.0', { total: 5, payment: 9000, currency: "USD" }, {}, true],
    ['"value" in request.fields', {}, {}, true],
    ["request.url == null && !request.askedAgain", {}, {}, true],
    ['requester.role == "operator" && "cfo" in requester.groups', {}, {}, true],
    ['requester.kind == "member" && agent == null', {}, {}, true],
    ['task.label.startsWith("INV") && task.requester == "Ana"', {}, {}, true],
    ["now - task.createdAt < duration('1h')", {}, {}, true],
    ["task.arguments.force == true", { force: true }, {}, true],
  ])("%s with %j is %s", (when, args, request, matches) => {
    const approval = judge([rule("R", when)], asked(args, request));
    expect(approval?.failed ?? []).toEqual([]);
    expect(approval !== null).toBe(matches);
  });
});

test("the first rule that matches decides, without a rule anybody", () => {
  expect(judge([])).toBeNull();
  expect(judge([rule("No", "false")])).toBeNull();
  const approval = judge([rule("No", "false"), rule("First", null), rule("Second", null)]);
  expect(approval).toMatchObject({
    rule: "First",
    version: 7,
    requester: "excluded",
    dueAt: null,
    failed: [],
    stages: [{ name: "Finance", people: [ben, cleo], roles: [], need: 1, rejections: 1 }],
    open: { stage: 0, people: [ben, cleo], voted: [] },
  });
});

test("a group that is none of the policy's stays a group, for stages as for who is asked later", () => {
  const approvers = { groups: ["Board", "finance"] };
  const asksLater = stage({ name: "Later", escalate: { after: "2d", to: { groups: ["Board"] } } });
  const approval = judge([rule("R", null, stage({ approvers }), asksLater)]);
  const groups = [{ id: board, name: "Board" }];
  expect(approval).toMatchObject({
    stages: [
      { people: [ben, cleo], groups },
      { people: [ben, cleo], groups: [], escalations: [{ people: [], groups }] },
    ],
    open: { people: [ben, cleo], groups: [board] },
  });
  // A process of before has stored no group of this name: nobody is asked in its place.
  expect(judge([rule("R", null, stage({ approvers: { groups: ["constructor"] } }))])?.stages).toMatchObject([
    { roles: [], people: [], groups: [] },
  ]);
});

test("due counts from when the request is asked; without working calendars all time is working time", () => {
  expect(judge([{ ...rule("R", null), due: "3d" }])?.dueAt).toBe("2026-11-27T10:30:00.000Z");
  expect(judge([{ ...rule("R", null), due: "90m!" }])?.dueAt).toBe("2026-11-24T12:00:00.000Z");
});

test("due counts in the working calendar, where there is one", () => {
  const policy = policyInputSchema.parse({
    rules: [{ ...rule("R", null), stages: [stage({ approvers: { roles: ["owner"] } })], due: "2d" }],
  });
  const hours = [{ from: "09:00", to: "17:00" }];
  // The request is asked on a Tuesday, and nobody works on Wednesdays.
  const days = { tue: hours, thu: hours, fri: hours };
  const calendar = calendarSchema.parse({ zone: "UTC", days });
  const inForce = { version: 7, policy, people, groups: {} };
  expect(judgePolicy({ ...inForce, calendar }, asked())?.dueAt).toBe("2026-11-27T10:30:00.000Z");
  expect(judgePolicy(inForce, asked())?.dueAt).toBe("2026-11-26T10:30:00.000Z");
});

describe("times", () => {
  /** As text: no object may have a `then`. */
  const expire = (after: string, outcome: string) =>
    JSON.parse(`{ "expire": { "after": "${after}", "then": "${outcome}" } }`) as object;
  const escalate = (after: string) => ({ after, to: { people: ["ana@x"] } });

  test("are kept with the request, whose people are those of when the policy was saved", () => {
    const timed = rule("R", null, stage({ remind: ["4h"], escalate: escalate("2d") }));
    expect(judge([{ ...timed, due: "3d", ...expire("30d", "cancel") }])).toMatchObject({
      askedAt: "2026-11-24T10:30:00.000Z",
      due: ["3d"],
      expire: { after: "30d", cancels: true, rule: "R" },
      lapsedAt: null,
      stages: [
        {
          remind: ["4h"],
          escalations: [{ after: "2d", roles: [], people: [ana] }],
          reminded: [],
          escalated: [],
        },
      ],
      open: { since: "2026-11-24T10:30:00.000Z", reminded: false },
    });
  });

  test("of two rules are those of both, but for the end: a rule that can't be applied has not said it", () => {
    const failing = {
      ...rule("Odd", "task.arguments.limit > 3.0", stage({ remind: ["4h"], escalate: escalate("2d") })),
      ...expire("1d", "cancel"),
    };
    const strict = {
      ...rule("Strict", null, stage({ remind: ["4h", "1d"], escalate: escalate("3d") })),
      ...expire("30d", "leave"),
    };
    expect(judge([failing, strict])).toMatchObject({
      rule: "Odd",
      rules: ["Odd", "Strict"],
      expire: { after: "30d", cancels: false, rule: "Strict" },
      stages: [
        { name: "Finance", remind: ["4h"], escalations: [{ after: "2d" }] },
        { name: "Finance (Strict)", remind: ["4h", "1d"], escalations: [{ after: "3d" }] },
      ],
    });
    expect(judge([failing])).toMatchObject({ failed: [{ rule: "Odd" }], expire: null });
  });
});

describe("a rule that can't be applied", () => {
  const odd = (name: string, ...stages: object[]) => rule(name, "task.arguments.limit > 3.0", ...stages);

  test("counts as one that matches", () => {
    expect(judge([odd("Odd")])).toMatchObject({
      rule: "Odd",
      failed: [{ rule: "Odd" }],
      stages: [{ name: "Finance" }],
    });
    const unreadable = rule("Amount", "request.amount > 1.0");
    expect(judge([unreadable], asked({ amount: "9k" }))).toMatchObject({
      failed: [{ rule: "Amount", why: expect.stringContaining("amount") }],
    });
  });

  test("takes nobody away whom the next rule wants: its stages come first, the other's after them", () => {
    const lax = odd("Lax", stage({ name: "Anyone", approvers: { roles: ["approver"] } }));
    const strict = rule(
      "Strict",
      null,
      stage({ need: 2 }),
      stage({ name: "CFO", approvers: { people: ["ana@x"] } }),
    );
    expect(judge([lax, strict])?.stages.map(({ name, need }) => [name, need])).toEqual([
      ["Anyone", 1],
      ["Finance", 2],
      ["CFO", 1],
    ]);
    // A rule that does not match adds nothing.
    expect(judge([lax, rule("No", "false"), strict])?.stages).toHaveLength(3);
    expect(judge([lax, rule("No", "false")])?.stages).toHaveLength(1);
  });

  test("opens no stage of the next one to those whom it would have asked later", () => {
    const lax = odd("Lax", stage({ escalate: { after: "1m", to: { roles: ["approver"] } } }));
    const stages = judge([lax, rule("Strict", null, stage())])?.stages;
    expect(stages?.map(({ name, escalations }) => [name, escalations.length])).toEqual([
      ["Finance", 1],
      ["Finance (Strict)", 0],
    ]);
  });

  test("and the next one, of the same people, are one stage that asks what both ask", () => {
    const strict = rule(
      "Strict",
      null,
      stage({ name: "Two", need: 2, stepUp: true, requireReason: ["reject"] }),
    );
    const approval = judge([odd("Odd", stage({ rejections: 1 })), { ...strict, requester: "allowed" }]);
    expect(approval?.stages).toMatchObject([
      { name: "Finance", need: 2, rejections: 1, stepUp: true, requireReason: ["reject"] },
    ]);
    expect(approval?.requester).toBe("excluded");
  });

  test("takes no stage of one rule into another of the same: each keeps its place among its own", () => {
    const prepared = [
      stage({ name: "Prepare" }),
      stage({ name: "CFO", approvers: { people: ["ana@x"] } }),
      stage({ name: "Release", need: 2 }),
    ];
    const all = rule("All", null, ...prepared);
    const needsOf = (...rules: object[]) => judge(rules)?.stages.map(({ name, need }) => [name, need]);
    expect(needsOf(odd("Amounts", stage({ name: "Look" })), all)).toEqual([
      ["Look", 1],
      ["CFO", 1],
      ["Release", 2],
    ]);
    // What comes before a stage in its rule comes before it here too.
    expect(needsOf(odd("CFO", stage({ name: "Board", approvers: { people: ["ana@x"] } })), all)).toEqual([
      ["Prepare", 1],
      ["Board", 1],
      ["Release", 2],
    ]);
    const thrice = [1, 2, 3].map((need) => stage({ name: `${need}`, need }));
    expect(needsOf(odd("Thrice", ...thrice), all)).toEqual([
      ["1", 1],
      ["CFO", 1],
      ["2", 2],
      ["3", 3],
    ]);
  });

  test("leaves of random rules each with all its stages, in their order", () => {
    const stages = fc.array(
      fc.record({
        approvers: fc.constantFrom({ roles: ["approver"] }, { people: ["ana@x"] }, { groups: ["Board"] }),
        need: fc.integer({ min: 1, max: 3 }),
        rejections: fc.integer({ min: 1, max: 3 }),
        stepUp: fc.boolean(),
        requireReason: fc.subarray(["approve", "reject"]),
      }),
      { minLength: 1, maxLength: 5 },
    );
    fc.assert(
      fc.property(fc.array(stages, { minLength: 1, maxLength: 4 }), fc.boolean(), (all, fails) => {
        const rules = all.map((each, at) => {
          const named = each.map((one, number) => ({ ...one, name: `${at}.${number}` }));
          const isLast = at === all.length - 1;
          return isLast && !fails ? rule(`R${at}`, null, ...named) : odd(`R${at}`, ...named);
        });
        const sum = judge(rules)!.stages;
        for (const each of rules) {
          const own = judge([{ ...each, when: null }])!.stages;
          let from = 0;
          for (const wanted of own) {
            const at = sum.findIndex((other, place) => place >= from && asksAll(other, wanted));
            expect(at, `${wanted.name} of ${sum.map(({ name }) => name)}`).toBeGreaterThanOrEqual(0);
            from = at + 1;
          }
        }
        expect(sum.length).toBeLessThanOrEqual(all.flat().length);
      }),
    );
  });

  test("keeps a stage of a group apart from one of those who are asked without it", () => {
    const grouped = rule("Group", null, stage({ approvers: { groups: ["finance", "Board"] } }));
    expect(judge([odd("Odd"), grouped])?.stages.map(({ groups }) => groups.length)).toEqual([0, 1]);
    const twice = judge([
      odd("Odd", stage({ approvers: { groups: ["Board"] } })),
      rule("G", null, stage({ approvers: { groups: ["Board"] }, need: 2 })),
    ]);
    expect(twice?.stages).toMatchObject([{ need: 2, groups: [{ id: board }] }]);
  });

  test("keeps two stages of one name apart", () => {
    const other = rule("Other", null, stage({ approvers: { people: ["ana@x"] } }));
    expect(judge([odd("Odd"), other])?.stages.map(({ name }) => name)).toEqual([
      "Finance",
      "Finance (Other)",
    ]);
  });

  test("be it for its steps, which all rules share", () => {
    const list = Array.from({ length: 400 }, (_, at) => at);
    const endless = rule("Endless", "task.arguments.l.all(a, task.arguments.l.all(b, a + b >= 0.0))");
    const approval = judge(
      [endless, rule("Cheap", "tool == 'x'", stage({ name: "Cheap", approvers: { roles: ["owner"] } }))],
      asked({ l: list }),
    );
    expect(approval?.failed.map((each) => each.rule)).toEqual(["Endless", "Cheap"]);
    expect(approval?.stages).toHaveLength(2);
  });
});

test("a request under as many stages as a policy may have, of whose rules none can be applied, holds nobody up", async () => {
  const everybody = Array.from({ length: 50 }, (_, n) => `p${n}@x`);
  const ids = Object.fromEntries(everybody.map((address, n) => [address, `${ana.slice(0, -3)}${100 + n}`]));
  const rules = Array.from({ length: 10 }, (_, n) => ({
    name: `rule ${n}`,
    when: "arguments.nothing > 1.0",
    stages: Array.from({ length: 10 }, (_, at) => ({
      name: `stage ${at}`,
      approvers: { groups: ["all"] },
      escalate: { after: `${1 + n * 10 + at}h`, to: { roles: ["owner"] } },
    })),
  }));
  const policy = policyInputSchema.parse({ groups: { all: everybody }, rules });
  let judged: ReturnType<typeof judgePolicy> = null;
  const heldMs = await busiestTurn(async () => {
    judged = judgePolicy({ version: 7, policy, people: ids, groups: {} }, asked());
    return judged?.stages.length;
  });
  expect(judged!.stages).toHaveLength(100);
  expect(heldMs).toBeLessThan(MOST_HELD_MS / 5);
});
