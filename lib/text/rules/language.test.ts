import { describe, expect, test } from "vitest";
import { Budget } from "./budget.ts";
import { createLanguage, MOST_CHARACTERS, RuleFailure } from "./language.ts";

const language = createLanguage({
  server: { id: "string", name: "string" },
  arguments: "map",
  agent: "dyn",
  amount: "dyn",
  now: "google.protobuf.Timestamp",
});

const facts = (args: Record<string, unknown> = {}) => ({
  server: { id: "1", name: "Finance ERP" },
  arguments: args,
  agent: null,
  amount: null,
  now: new Date("2026-11-24T10:30:00Z"),
});

function judge(text: string, args: Record<string, unknown> = {}): boolean | string {
  const read = language.read(text);
  if ("problem" in read) throw new Error(`${text}: ${read.problem.message}`);
  try {
    return read.condition.holds(facts(args), new Budget());
  } catch (error) {
    if (error instanceof RuleFailure) return error.message;
    throw error;
  }
}

function problem(text: string): { message: string; at: number | null } {
  const read = language.read(text);
  if ("condition" in read) throw new Error(`${text} was read`);
  return read.problem;
}

describe("an expression", () => {
  test.each<[string, Record<string, unknown>, boolean]>([
    ['server.name == "Finance ERP"', {}, true],
    ["arguments.amount >= 5000.0", { amount: 5000 }, true],
    ["arguments.amount >= 5000", { amount: 4999.99 }, false],
    ["arguments.count == 3", { count: 3 }, true],
    ['arguments.to in ["a@b.example", "c@d.example"]', { to: "c@d.example" }, true],
    ["has(arguments.force) && arguments.force", {}, false],
    ["has(arguments.force) && arguments.force", { force: true }, true],
    ["arguments.lines.exists(line, line.price > 100.0)", { lines: [{ price: 5 }, { price: 500 }] }, true],
    ["arguments.lines.all(line, line.price > 100.0)", { lines: [{ price: 5 }, { price: 500 }] }, false],
    ["arguments.lines.filter(line, line.price > 100.0).size() == 1", { lines: [{ price: 500 }] }, true],
    ['arguments.path.startsWith("/etc/") || arguments.path.contains("..")', { path: "/a/../b" }, true],
    ['agent != null && agent.name == "Claude"', {}, false],
    ["amount != null && amount > 10.0", {}, false],
    ['now.getHours("Europe/Berlin") == 11', {}, true],
    ['now > timestamp("2026-11-24T00:00:00Z") && now.getDayOfWeek() == 2', {}, true],
    ['now - timestamp("2026-11-24T00:00:00Z") < duration("11h")', {}, true],
  ])("%s of %o is %s", (text, args, expected) => {
    expect(judge(text, args)).toBe(expected);
  });

  test.each([
    ["amount > 10.0", /no such overload: null > double/],
    ["arguments.force", /No such key: force/],
    ["!arguments.force && arguments.amount > 1.0", /No such key/],
    ["arguments.amount", /neither true nor false/],
    ["arguments.list[3] == 1", /No such key|index/],
    ["arguments.constructor == null", /No such key: constructor/],
    ["arguments.toString == null", /No such key: toString/],
    ['now.getHours("Nowhere/Else") == 1', /Nowhere/],
    ["10 / arguments.list.size() == 1 || 1 / 0 == 1", /division by zero/],
  ])("has no value in %s", (text, why) => {
    expect(judge(text, { amount: 5, list: [1] })).toMatch(why);
  });

  test.each([
    ["", /Unexpected token/],
    ["server.nam == 'x'", /Unknown name `server.nam`; did you mean `server.name`\?/],
    ["requester.role == 'admin'", /^Unknown name `requester.role`$/],
    ["server.name", /true or false, and is of the type string/],
    ["server.name == 5", /no such overload: string == int/],
    ["server == 'x'", /^server is no value by itself\. Write one of .*server\.name/],
    ["1 +", /Unexpected token/],
    ["arguments.a.matches('^(a+)+$')", /no function matches\(\)/],
    ["cel.bind(x, 'a', x + x == 'aa')", /no function bind\(\)/],
    ["'a,b'.split(',').size() == 2", /no function split\(\)/],
    ["b'{}'.json() == {}", /no function json\(\)/],
    ["process.exit(1) == 1", /no function exit\(\)/],
    [`server.name == '${"x".repeat(MOST_CHARACTERS)}'`, /At most 2000 characters/],
    [`${"!".repeat(600)}true`, /maxAstNodes/],
    [`${"(".repeat(100)}true${")".repeat(100)}`, /maxDepth/],
    [`1 in [${"1,".repeat(300)}1]`, /maxListElements/],
  ])("is refused as it is written: %.60s", (text, why) => {
    expect(problem(text).message).toMatch(why);
  });

  test.each([
    ["server.name == 'x' and amount > 5.0", "Use && instead of and", 19],
    ["amount > 5.0 AND server.name == 'x'", "Use && instead of AND", 13],
    ["server.name == 'this and that' or amount > 5.0", "Use || instead of or", 31],
    ["arguments.lines.exists(line, line.price > 5.0 or line.free)", "Use || instead of or", 46],
    ["not arguments.force", "Use ! instead of not", 0],
    ["not (amount > 5.0)", "Use ! instead of not", 0],
    ["amount > 5.0 &&\n  not   arguments.force", "Use ! instead of not", 18],
    ["amount > 5.0 and amount < 9.0 and not arguments.force", "Use && instead of and", 13],
  ])("names the operator for a word: %s", (text, message, at) => {
    expect(problem(text)).toEqual({ message, at });
  });

  test.each(["arguments.and == 1", "arguments.a.exists(or, or == 1)", "server.name == 'and'"])(
    "may have the word as a name or a text: %s",
    (text) => {
      expect("condition" in language.read(text)).toBe(true);
    },
  );

  test("blames no word that is far from where it is wrong", () => {
    expect(problem("arguments.a.exists(or, or == 1) && nobody == 1").message).toBe("Unknown name `nobody`");
  });

  test("says where it is wrong", () => {
    expect(problem("server.name == 'x' && server.nam == 'y'").at).toBe(22);
  });
});

/** Grown input: a bounded judgement takes about as long for a value ten times as large, which has no value any more. */
describe("an evaluation ends", () => {
  const many = (n: number) => Array.from({ length: n }, (_, at) => at);
  const nested = (depth: number) => {
    let value: unknown = 1;
    for (let at = 0; at < depth; at++) value = [value];
    return value;
  };
  test.each<[string, string, Record<string, unknown>]>([
    [
      "loops over a list within themselves",
      "arguments.a.all(x, arguments.a.all(y, arguments.a.all(z, x + y + z >= 0.0)))",
      { a: many(1_000) },
    ],
    ["loops over written lists", `${"[1,1,1,1,1,1,1,1,1,1].all(x, ".repeat(12)}true${")".repeat(12)}`, {}],
    [
      "whose errors are swallowed",
      "arguments.a.exists(x, arguments.a.exists(y, x / y > arguments.none)) || true",
      { a: many(2_000) },
    ],
    [
      "a text looked for in a text",
      "arguments.a.contains(arguments.b)",
      { a: "a".repeat(500_000), b: `${"a".repeat(250_000)}b` },
    ],
    [
      "lists that are compared again and again",
      "arguments.a.all(x, arguments.a == arguments.b)",
      { a: many(5_000), b: many(5_000) },
    ],
    ["membership again and again", "arguments.a.all(x, x in arguments.a)", { a: many(5_000) }],
    ["lists that grow", "arguments.a.map(x, arguments.a + arguments.a).size() > 0", { a: many(5_000) }],
    [
      "texts that grow",
      `arguments.a.map(x, ${"arguments.t + ".repeat(20)}arguments.t).size() > 0`,
      { a: many(500), t: "x".repeat(10_000) },
    ],
    [
      "objects of many names",
      "arguments.a.all(x, arguments.o.all(k, k != ''))",
      { a: many(1_000), o: Object.fromEntries(many(100_000).map((at) => [`k${at}`, 1])) },
    ],
    ["a duration of many digits", "duration(arguments.d) > duration('1h')", { d: "1".repeat(20_000) }],
    ["times in zones", "arguments.a.all(x, now.getHours('Europe/Berlin') == 11)", { a: many(1_000) }],
    [
      "sizes of long texts",
      "arguments.a.all(x, arguments.t.size() > 0)",
      { a: many(5_000), t: "x".repeat(1_000_000) },
    ],
  ])("%s", (_, text, args) => {
    expect(judge(text, args)).toBe("It takes too many steps.");
  });

  test("of values that are nested deeply", () => {
    expect(judge("arguments.a == arguments.b", { a: nested(50_000), b: nested(50_000) })).toMatch(
      /deeply|steps/,
    );
    expect(judge("arguments.a == [1]", { a: nested(3) })).toBe(false);
  });

  test("and one judgement shares its steps among its expressions", () => {
    const read = language.read("arguments.a.all(x, x >= 0.0)");
    if ("problem" in read) throw new Error(read.problem.message);
    const budget = new Budget();
    const large = facts({ a: many(10_000) });
    expect(read.condition.holds(large, budget)).toBe(true);
    expect(() => {
      for (let at = 0; at < 10; at++) read.condition.holds(large, budget);
    }).toThrow(RuleFailure);
  });

  test("and an invoice of five hundred lines is judged", () => {
    const lines = many(500).map((at) => ({ sku: `A-${at}`, quantity: 2, price: at / 10, note: "as agreed" }));
    expect(judge("arguments.lines.exists(line, line.price * line.quantity > 99.0)", { lines })).toBe(true);
  });
});

test("an expression is evaluated for one caller after the other", () => {
  expect(judge("arguments.a.exists(x, x == 2)", { a: [1, 2] })).toBe(true);
  expect(judge("arguments.a.exists(x, x == 2)", { a: [1] })).toBe(false);
  expect(judge("arguments.a.exists(x, x == 2)", { a: "text" })).toMatch(/comprehension/);
  expect(judge("arguments.a.exists(x, x == 2)", { a: [2] })).toBe(true);
});
