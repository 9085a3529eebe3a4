/** What a decision counts as, and what is told of the counts. */
import { describe, expect, test } from "vitest";
import { type Calendar, calendarSchema } from "../../policy/calendar/calendar-schema.ts";
import { classOf } from "./durations.ts";
import { type RuleCount, ruleCountsOf, ruleFiguresOf } from "./rules.ts";

const HOUR = 3_600_000;
/** A Monday. */
const ASKED = Date.parse("2026-11-23T08:00:00Z");
const at = (hours: number) => new Date(ASKED + hours * HOUR);
const office: Calendar = calendarSchema.parse({
  zone: "UTC",
  days: Object.fromEntries(
    ["mon", "tue", "wed", "thu", "fri"].map((day) => [day, [{ from: "09:00", to: "17:00" }]]),
  ),
});
const line = (votes: [string, number][], more: object = {}) => ({
  approval: {
    ...{ rule: "Large", askedAt: at(0).toISOString(), dueAt: null, stages: ["Finance", "CFO"] },
    ...more,
  },
  votes: votes.map(([stage, hours]) => ({ stage, agrees: true, at: at(hours).toISOString() })),
});
const countsOf = (hours: number, data: unknown, calendar: Calendar | null = null) =>
  ruleCountsOf({ at: at(hours), data, openedAt: null }, calendar);
/** As hours, of the classes that these have. */
const lasted = (counts: RuleCount[], stage: string, prefix: "clock" | "work", hours: number) =>
  counts.filter((each) => each.stage === stage && each.measure === `${prefix}:${classOf(hours * HOUR)}`)
    .length;

describe("a decision", () => {
  test("counts how long it took, and how long each stage was open", () => {
    const counts = countsOf(
      50,
      line([
        ["Finance", 2],
        ["Finance", 26],
        ["CFO", 50],
      ]),
    );
    expect(lasted(counts, "", "clock", 50)).toBe(1);
    expect(lasted(counts, "", "work", 50)).toBe(1);
    expect(lasted(counts, "0 Finance", "clock", 26)).toBe(1);
    expect(lasted(counts, "1 CFO", "clock", 24)).toBe(1);
    expect(counts).toHaveLength(6);
  });

  test("in working time: a night and a weekend are none", () => {
    // From Monday 08:00 to Tuesday 10:00: 8 hours and one; from Friday 16:00 to Monday 10:00: one and one.
    expect(lasted(countsOf(26, line([["Finance", 26]]), office), "", "work", 9)).toBe(1);
    const friday = line([["Finance", 170]], { askedAt: at(104).toISOString() });
    expect(lasted(countsOf(170, friday, office), "", "work", 2)).toBe(1);
    expect(lasted(countsOf(170, friday, office), "", "clock", 66)).toBe(1);
  });

  test("is of one stage when that rejects it", () => {
    const counts = countsOf(3, line([["Finance", 3]]));
    expect(counts.filter(({ stage }) => stage === "1 CFO")).toEqual([]);
    expect(lasted(counts, "0 Finance", "clock", 3)).toBe(1);
  });

  test("keeps the order of the stages, though a vote of a later one is older", () => {
    const counts = countsOf(
      9,
      line([
        ["CFO", 4],
        ["Finance", 9],
      ]),
    );
    expect(lasted(counts, "0 Finance", "clock", 9)).toBe(1);
    expect(lasted(counts, "1 CFO", "clock", 0)).toBe(1);
  });

  test.each<[string, number, string[]]>([
    ["before it was due", 3, ["due", "within"]],
    ["at that moment", 4, ["due", "within"]],
    ["after it", 5, ["due"]],
  ])("%s", (_name, hours, expected) => {
    const counts = countsOf(hours, line([["Finance", hours]], { dueAt: at(4).toISOString() }));
    expect(counts.map(({ measure }) => measure).filter((measure) => !measure.includes(":"))).toEqual(
      expected,
    );
  });

  test("without a rule, or without its details, counts as nothing", () => {
    for (const data of [{}, null, undefined, { rule: "Large" }, line([], { stages: "Finance" })])
      expect(countsOf(1, data)).toEqual([]);
  });
});

test("figures are told by rule, that with the most decisions first, and with what is overdue", () => {
  const counts = [
    ...[3, 3, 5].flatMap((hours) =>
      countsOf(hours, line([["Finance", hours]], { dueAt: at(4).toISOString() })),
    ),
    ...countsOf(1, line([["Finance", 1]], { rule: "Small" })),
    // Before, the CFO was first.
    { rule: "Large", stage: "0 CFO", measure: "clock:9" as const },
    { rule: "Large", stage: "1 Finance", measure: "clock:40" as const },
    { rule: "Large", stage: "1 CFO", measure: "clock:9" as const },
  ];
  // Added up, as the database does.
  const rows = [...new Set(counts.map((count) => JSON.stringify(count)))].map((text) => ({
    ...(JSON.parse(text) as RuleCount),
    amount: counts.filter((count) => JSON.stringify(count) === text).length,
  }));
  // What was undone is no decision.
  const undone = countsOf(1, line([["Finance", 1]], { rule: "Undone" })).map((count) => ({
    ...count,
    amount: 0,
  }));
  const figures = ruleFiguresOf([...rows, ...undone], [{ rule: "Late alone", count: 2 }]);
  expect(figures.map(({ rule, count, due, within, overdue }) => [rule, count, due, within, overdue])).toEqual(
    [
      ["Large", 3, 3, 2, 0],
      ["Small", 1, 0, 0, 0],
      ["Late alone", 0, 0, 0, 2],
    ],
  );
  const [large] = figures;
  expect(large!.clockMs! / HOUR).toBeGreaterThan(2.4);
  expect(large!.clockMs! / HOUR).toBeLessThan(3.7);
  expect(large!.stages.map(({ stage, count }) => [stage, count])).toEqual([
    ["Finance", 4],
    ["CFO", 2],
  ]);
  expect(figures[2]!.clockMs).toBeNull();
});

test("the figures of thousands of rules look at each row a few times", () => {
  let looks = 0;
  const rows = Array.from({ length: 20_000 }, (_, at) => ({
    get rule() {
      looks++;
      return `rule ${at % 2_000}`;
    },
    stage: at % 20_000 < 10_000 ? "" : "0 Finance",
    measure: "clock:9",
    amount: 1,
  }));
  expect(ruleFiguresOf(rows, [])).toHaveLength(100);
  expect(looks).toBeLessThan(200_000);
});
