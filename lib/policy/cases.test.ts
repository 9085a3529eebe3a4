import { describe, expect, test } from "vitest";
import { failedCases, failureWords } from "./cases.ts";
import { policyInputSchema } from "./policy-schema.ts";

const rules = [
  {
    name: "Large",
    when: 'server.name == "ERP" && request.amount != null && request.amount >= 5000.0',
    stages: [
      { name: "Finance", approvers: { groups: ["finance"] } },
      { name: "CFO", approvers: { people: ["ana@x"] } },
    ],
  },
  {
    name: "Late",
    when: "now.getHours() >= 18",
    stages: [{ name: "Night", approvers: { roles: ["owner"] } }],
  },
  {
    name: "Finance asks",
    when: '"finance" in requester.groups && requester.role == "approver"',
    stages: [{ name: "Owners", approvers: { roles: ["owner"] } }],
  },
  {
    name: "Odd",
    when: "task.arguments.odd > 3.0",
    stages: [{ name: "Odd", approvers: { roles: ["owner"] } }],
  },
];
const run = (request: object, expected: object, more: object[] = rules) =>
  failedCases(
    policyInputSchema.parse({
      groups: { finance: ["Ben@x"] },
      rules: more,
      tests: [{ name: "It", request, expect: expected }],
    }),
  );

describe("a test of a policy", () => {
  test.each<[string, object, object]>([
    ["an amount", { server: "ERP", amount: 5000 }, { rule: "Large", stages: ["Finance", "CFO"] }],
    ["the amount of the arguments", { server: "ERP", arguments: { total: 6000 } }, { rule: "Large" }],
    ["stages that nobody asks about", { server: "ERP", amount: 5000 }, { rule: "Large" }],
    ["a time", { now: "2026-01-05T19:00:00+00:00" }, { rule: "Late" }],
    [
      "somebody in a group, by their address",
      { requester: { address: "BEN@x", role: "approver" } },
      { rule: "Finance asks" },
    ],
    ["no rule", { arguments: { odd: 1 } }, { rule: null, stages: [] }],
  ])("passes for %s", async (_name, request, expected) => {
    expect(await run(request, expected)).toEqual([]);
  });

  test.each<[string, object, object, string]>([
    ["another rule", { server: "ERP", amount: 9000 }, { rule: "Late" }, "Expected “Late”, got “Large”"],
    ["none", { arguments: { odd: 1 } }, { rule: "Large" }, "Expected “Large”, got no rule"],
    [
      "other stages",
      { server: "ERP", amount: 9000 },
      { rule: "Large", stages: ["CFO", "Finance"] },
      "Expected the stages “CFO”, “Finance”, got “Finance”, “CFO”",
    ],
    [
      "a rule that could not be applied",
      {},
      { rule: null },
      "Expected no rule, got “Odd”. Could not be applied: “Odd”",
    ],
  ])("fails with %s", async (_name, request, expected, words) => {
    const failures = await run(request, expected);
    expect(failures).toMatchObject([{ at: 0, name: "It", expected }]);
    expect(failures.map(failureWords)).toEqual([words]);
  });

  test("says which of several fails, by its number if it has no name", async () => {
    const tests = [{ rule: null }, { rule: "No" }].map((expected) => ({ request: {}, expect: expected }));
    expect(await failedCases(policyInputSchema.parse({ rules: [], tests }))).toMatchObject([
      { at: 1, name: null },
    ]);
    expect(await failedCases(policyInputSchema.parse({ rules }))).toEqual([]);
  });
});
