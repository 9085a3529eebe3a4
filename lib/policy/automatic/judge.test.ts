import { describe, expect, test } from "vitest";
import fc from "../../../test/random/seeded.ts";
import type { AskedRequest } from "../facts.ts";
import { automaticSchema } from "./automatic-schema.ts";
import { judgeAutomatic, type Similar } from "./judge.ts";

const asked = (args: Record<string, unknown> = {}): AskedRequest => ({
  server: { id: "1", name: "Finance ERP" },
  tool: "process_invoice",
  task: { label: "INV-1", arguments: args, createdAt: new Date("2026-11-24T10:00:00Z") },
  request: { message: "?", amount: null, currency: null, fields: ["value"], url: null, askedAgain: false },
  requester: { actor: { kind: "member", id: "a", name: "Ana" }, role: "operator", groups: [] },
  now: new Date("2026-11-24T10:30:00Z"),
});
const none: Similar = { accepted: 0, declined: 0, repeats: false };
const rule = (name: string, when: string, action = "accept") => ({ name, when, answer: { action } });
const judge = (rules: object[], args = {}, similar: Partial<Similar> = {}) => {
  const { rule, failed } = judgeAutomatic(
    automaticSchema.parse(rules),
    asked(args),
    { ...none, ...similar },
    ({ answer }) => answer.action === "decline",
  );
  return { rule: rule?.name ?? null, failed: failed.map((each) => each.rule) };
};

describe("which rule answers", () => {
  test.each<[string, object[], string | null]>([
    ["no rule", [], null],
    ["none that matches", [rule("A", "false")], null],
    ["the first that matches", [rule("A", "false"), rule("B", "true"), rule("C", "true")], "B"],
    ["the one that declines", [rule("Yes", "true"), rule("No", "true", "decline")], "No"],
    ["the first that declines", [rule("N", "true", "decline"), rule("O", "true", "decline")], "N"],
  ])("%s", (_name, rules, expected) => {
    expect(judge(rules)).toEqual({ rule: expected, failed: [] });
  });

  test.each<[string, Partial<Similar>, boolean]>([
    ["similar.accepted >= 5 && similar.declined == 0", { accepted: 5 }, true],
    ["similar.accepted >= 5 && similar.declined == 0", { accepted: 5, declined: 1 }, false],
    ["similar.accepted >= 5.0", { accepted: 4 }, false],
    ["!similar.repeats", { repeats: true }, false],
  ])("%s of %j", (when, similar, matches) => {
    expect(judge([rule("A", when)], {}, similar).rule).toBe(matches ? "A" : null);
  });
});

describe("a rule that can't be applied", () => {
  const broken = "task.arguments.none > 1.0";
  test("matches nothing, and others are asked", () => {
    expect(judge([rule("Broken", broken), rule("A", "true")])).toEqual({ rule: "A", failed: ["Broken"] });
  });

  test("and declines leaves the answer to people: it may have been a no", () => {
    const rules = [rule("A", "true"), rule("Broken", broken, "decline")];
    expect(judge(rules)).toEqual({ rule: null, failed: ["Broken"] });
    expect(judge([...rules, rule("No", "true", "decline")]).rule).toBe("No");
  });

  test("since it takes too many steps uses up those of the rules after it", () => {
    const many = { a: Array.from({ length: 2_000 }, () => 1) };
    const long = "task.arguments.a.all(x, task.arguments.a.all(y, x + y >= 0.0))";
    expect(judge([rule("Long", long), rule("A", "true")], many)).toEqual({
      rule: null,
      failed: ["Long", "A"],
    });
    expect(judge([rule("A", "true"), rule("Long", long, "decline")], many).rule).toBeNull();
  });
});

test("whatever the order: no rule accepts what another declines, or could not be asked whether it does", () => {
  const kinds = fc.constantFrom(
    ...["true", "false", "task.arguments.none"].flatMap((when) =>
      ["accept", "decline"].map((action) => ({ when, action })),
    ),
  );
  fc.assert(
    fc.property(fc.array(kinds, { maxLength: 8 }), (of) => {
      const rules = of.map(({ when, action }, at) => rule(`${at} ${action}`, when, action));
      const got = judge(rules).rule;
      const has = (when: string, action: string) => of.some((x) => x.when === when && x.action === action);
      if (has("true", "decline")) expect(got).toMatch(/decline$/);
      else if (has("task.arguments.none", "decline") || !has("true", "accept")) expect(got).toBeNull();
      else expect(got).toMatch(/accept$/);
    }),
  );
});
