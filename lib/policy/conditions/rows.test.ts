import { describe, expect, test } from "vitest";
import fc from "../../../test/random/seeded.ts";
import { Budget } from "../../text/rules/budget.ts";
import { type Language, RuleFailure } from "../../text/rules/language.ts";
import { automaticFactsOf, automaticLanguage } from "../automatic/judge.ts";
import { callLanguage, factsOf as factsOfCall } from "../call-rules/facts.ts";
import { type AskedRequest, factsOf, policyLanguage } from "../facts.ts";
import { celOf, fieldsOf, kindOf, problemOfRow, type Row, type Rows, SHAPES } from "./rows.ts";
import { rowsIn } from "./rows-from-cel.ts";
import { RULES, type Rules } from "./vocabulary.ts";

const LANGUAGES: Record<Rules, Pick<Language, "read">> = {
  call: callLanguage,
  policy: policyLanguage,
  automatic: automaticLanguage,
};

interface Request {
  server: string;
  tool: string;
  args: Record<string, unknown>;
  currency: string | null;
  isAgent: boolean;
  role: "operator" | "admin";
  groups: string[];
  now: Date;
}

/** Whether a condition holds of a request, and null if it can't be applied. */
function holds(text: string, rules: Rules, request: Request): boolean | null {
  const read = LANGUAGES[rules].read(text);
  if ("problem" in read) throw new Error(`${text}: ${read.problem.message}`);
  try {
    return read.condition.holds(factsFor(rules, request), new Budget());
  } catch (error) {
    if (error instanceof RuleFailure) return null;
    throw error;
  }
}

function factsFor(rules: Rules, { server, tool, args, currency, isAgent, role, groups, now }: Request) {
  const actor = isAgent
    ? ({ kind: "agent", id: "a1", name: "Claude" } as const)
    : ({ kind: "member", id: "u1", name: "Ola" } as const);
  const its = { id: "s1", name: server };
  if (rules === "call")
    return factsOfCall({
      server: its,
      tool: { name: tool, title: null, annotations: { readOnlyHint: true } } as never,
      arguments: args,
      requester: { actor, role },
      now,
    });
  const asked: AskedRequest = {
    server: its,
    tool,
    task: { label: "INV-1", arguments: args, createdAt: now },
    request: { message: "Pay?", amount: null, currency, fields: [], url: null, askedAgain: false },
    requester: { actor, role, groups },
    now,
  };
  return rules === "policy"
    ? factsOf(asked)
    : automaticFactsOf(asked, { accepted: 5, declined: 1, repeats: false });
}

const NAMES = ["amount", "invoice", "id", "x-y", "in", "two words", "_a1"];
const VALUES = ["", "pay", "a&&b", '"||"', "it's", "\\", "Finance ERP", "EUR", "4711", "ü😀", "true", "a b"];

const text = fc.oneof(fc.constantFrom(...VALUES), fc.string({ unit: "grapheme", maxLength: 8 }));
const number = fc.oneof(
  fc.integer({ min: -1_000_000, max: 1_000_000 }),
  fc.double({ min: -1e6, max: 1e6, noNaN: true }).map((it) => Math.round(it * 100) / 100),
);
const clock = fc
  .tuple(fc.integer({ min: 0, max: 23 }), fc.constantFrom(0, 0, 30, 59))
  .map(([hours, minutes]) => `${String(hours).padStart(2, "0")}:${String(minutes).padStart(2, "0")}`);

/** A row of the fields of these rules, filled in as the screen would. */
const rowOf = (rules: Rules): fc.Arbitrary<Row> =>
  fc
    .constantFrom(...fieldsOf(rules))
    .chain((field) => fc.tuple(fc.constant(field), fc.constantFrom(...Object.keys(SHAPES[kindOf(field)!]))))
    .chain(([field, operator]) => {
      const shape = SHAPES[kindOf(field)!][operator]!;
      const value = shape.includes("$number")
        ? number.map((it) => String(it === 0 ? 0 : it))
        : shape.includes("$whole")
          ? fc.nat(100).map(String)
          : shape.includes("$texts")
            ? fc.array(text, { minLength: 1, maxLength: 3 }).map((items) =>
                items
                  .map((item) => item.replaceAll(",", "").trim())
                  .filter((item) => item !== "")
                  .join(", "),
              )
            : text;
      return fc.record({
        field: fc.constant(field),
        operator: fc.constant(operator),
        ...(kindOf(field) === "argument" && {
          path: fc
            .array(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 3 })
            .map((its) => its.join(".")),
        }),
        ...(kindOf(field) === "time"
          ? { value: clock, until: clock, zone: fc.constantFrom("UTC", "Europe/Berlin") }
          : shape.includes("$text") || shape.includes("$number") || shape.includes("$whole")
            ? { value }
            : {}),
      }) as fc.Arbitrary<Row>;
    })
    .filter((row) => problemOfRow(row) === null);

const rowsOf = (rules: Rules): fc.Arbitrary<Rows> =>
  fc
    .record({
      join: fc.constantFrom("all" as const, "any" as const),
      rows: fc.array(rowOf(rules), { minLength: 0, maxLength: 5 }),
    })
    .map((its) => (its.rows.length < 2 ? { ...its, join: "all" as const } : its));

const request: fc.Arbitrary<Request> = fc.record({
  server: fc.constantFrom("Finance ERP", "pay"),
  tool: fc.constantFrom("pay", "read", "a&&b"),
  args: fc.dictionary(
    fc.constantFrom(...NAMES),
    fc.oneof(number, text, fc.boolean(), fc.constant(null), fc.dictionary(fc.constantFrom(...NAMES), number)),
  ),
  currency: fc.constantFrom(null, "EUR"),
  isAgent: fc.boolean(),
  role: fc.constantFrom("operator" as const, "admin" as const),
  groups: fc.subarray(["pay", "EUR"]),
  now: fc.date({ min: new Date("2026-01-01"), max: new Date("2026-12-31"), noInvalidDate: true }),
});

describe.each(RULES)("rows of %s rules", (rules) => {
  test("are read back from the CEL that they say", () => {
    fc.assert(
      fc.property(rowsOf(rules), (rows) => {
        expect(rowsIn(celOf(rows), rules)).toEqual(rows);
      }),
      { numRuns: 1_000 },
    );
  });

  test("say CEL that the rules can read", () => {
    fc.assert(
      fc.property(rowsOf(rules), (rows) => {
        if (rows.rows.length > 0) expect(LANGUAGES[rules].read(celOf(rows))).toHaveProperty("condition");
      }),
      { numRuns: 300 },
    );
  });

  test("say together what they say one by one", () => {
    fc.assert(
      fc.property(rowsOf(rules), request, ({ join, rows }, its) => {
        fc.pre(rows.length > 0);
        const each = rows.map((row) => holds(celOf({ join: "all", rows: [row] }), rules, its));
        const decides = join === "any";
        // As CEL does: a condition that fails counts for nothing beside one that decides.
        const expected = each.includes(decides) ? decides : each.includes(null) ? null : !decides;
        expect(holds(celOf({ join, rows }), rules, its)).toBe(expected);
      }),
      { numRuns: 500 },
    );
  });
});

const WRITTEN: [string, Row][] = [
  ["amount != null && amount >= 5000.0", { field: "amount", operator: "atLeast", value: "5000" }],
  ["amount == null", { field: "amount", operator: "notThere" }],
  ['currency in ["EUR", "USD"]', { field: "currency", operator: "oneOf", value: "EUR, USD" }],
  ['tool.name.startsWith("delete_")', { field: "tool.name", operator: "startsWith", value: "delete_" }],
  ['server.id != "s1"', { field: "server.id", operator: "isNot", value: "s1" }],
  ['!("cfo" in requester.groups)', { field: "requester.groups", operator: "hasNot", value: "cfo" }],
  ['agent != null && agent.id == "a1"', { field: "agent", operator: "is", value: "a1" }],
  [
    'has(arguments.invoice) && "due-in" in arguments.invoice && double(arguments.invoice["due-in"]) < 30.0',
    { field: "arguments", path: "invoice.due-in", operator: "lessThan", value: "30" },
  ],
  [
    'now.getHours("UTC") < 9 || now.getHours("UTC") >= 17',
    { field: "now", operator: "notBetween", value: "09:00", until: "17:00", zone: "UTC" },
  ],
  [
    'now.getHours("UTC") * 60 + now.getMinutes("UTC") >= 510 && now.getHours("UTC") * 60 + now.getMinutes("UTC") < 1020',
    { field: "now", operator: "between", value: "08:30", until: "17:00", zone: "UTC" },
  ],
];

test.each(WRITTEN)("%s", (cel, row) => {
  const rows: Rows = { join: "all", rows: [row] };
  expect(celOf(rows)).toBe(cel);
  expect(rowsIn(cel, "policy")).toEqual(rows);
});

describe("a person's CEL", () => {
  const large = { field: "amount", operator: "atLeast", value: "5000" };
  const pay = { field: "tool.name", operator: "is", value: "pay" };
  test.each<[string, Rows]>([
    // Older names, whole numbers, other quotes, blanks and parentheses say the same.
    ["request.amount != null && request.amount >= 5000", { join: "all", rows: [large] }],
    ["tool == 'pay'", { join: "all", rows: [pay] }],
    ['tool.name=="pay"\n  && (amount != null&&amount >= 5000.00)', { join: "all", rows: [pay, large] }],
    ['amount != null && amount >= 5000 || tool == "pay"', { join: "any", rows: [large, pay] }],
    [
      'has(task.arguments.x) && string(task.arguments.x) == "1"',
      { join: "all", rows: [{ field: "arguments", path: "x", operator: "is", value: "1" }] },
    ],
  ])("%s is shown as rows", (cel, rows) => {
    expect(rowsIn(cel, "policy")).toEqual(rows);
  });

  test.each([
    // It also holds, by failing, where there is no amount.
    "amount >= 5000.0",
    "amount != null && request.url == null",
    'tool == "a" && (tool == "b" || tool == "c")',
    'tool == "a" || tool == "b" && tool == "c"',
    'tool == "a" && now.getHours("UTC") < 9 || now.getHours("UTC") >= 17',
    "arguments.lines.exists(line, line.price > 5.0)",
    'tool == "a" // why',
    'tool.name in ["a,b"]',
    'tool == r"a"',
    "amount != null && amount >= 1e3",
    "tool ==",
    "true",
  ])("%s stays CEL", (cel) => {
    expect(rowsIn(cel, "policy")).toBeNull();
  });

  test("is read by the names that its rules know", () => {
    expect(rowsIn("tool.readOnly", "call")?.rows).toEqual([{ field: "tool.readOnly", operator: "yes" }]);
    expect(rowsIn("tool.readOnly", "policy")).toBeNull();
    expect(rowsIn("tool == 'pay'", "call")).toBeNull();
  });

  test("that is shown as rows means the same when rows say it", () => {
    const blanks = fc.constantFrom(" ", "", "\n", "  ");
    fc.assert(
      fc.property(rowsOf("policy"), request, blanks, ({ join, rows }, its, blank) => {
        fc.pre(rows.length > 0);
        const older = celOf({ join, rows })
          .replaceAll(/"(?:\\.|[^"\\])*"|\bamount\b| == /g, (word) =>
            word === "amount" ? "request.amount" : word === " == " ? `${blank}==${blank}` : word,
          )
          .replaceAll("has(request.amount", "has(amount");
        const read = rowsIn(older, "policy");
        if (read !== null) expect(holds(celOf(read), "policy", its)).toBe(holds(older, "policy", its));
      }),
      { numRuns: 300 },
    );
  });
});

test.each<[Row, string | null]>([
  [{ field: "amount", operator: "atLeast", value: "" }, "Use a number such as 5000"],
  [{ field: "amount", operator: "atLeast", value: "5,000" }, "Use a number such as 5000"],
  [{ field: "amount", operator: "there" }, null],
  [
    { field: "arguments", operator: "is", path: "a..b", value: "x" },
    "Name the argument, such as invoice.total",
  ],
  [{ field: "tool.name", operator: "is", value: "" }, "Required"],
  [{ field: "tool.name", operator: "oneOf", value: " , " }, "Required"],
  [{ field: "tool.name", operator: "is", value: "pay " }, "Remove the blank at the beginning or the end"],
  [{ field: "tool.name", operator: "is", value: "a\nb" }, "Use one line of text"],
  [{ field: "now", operator: "between", value: "9", until: "17:00", zone: "UTC" }, "Use times such as 09:00"],
  [
    { field: "now", operator: "between", value: "22:00", until: "06:00", zone: "UTC" },
    "Begin before it ends. For a night, choose “is not between”",
  ],
  [{ field: "now", operator: "between", value: "09:00", until: "17:00" }, "Choose a time zone"],
  [{ field: "nothing", operator: "is" }, "Choose a field"],
])("%o: %s", (row, problem) => {
  expect(problemOfRow(row)).toBe(problem);
});
