import { expect, test } from "vitest";
import { policyChanges, verdictWords } from "./call-rule-words.ts";

const stage = (more: object = {}) => ({
  name: "CFO",
  approvers: { roles: [], groups: ["cfo"], people: [] },
  need: 1,
  rejections: 1,
  stepUp: true,
  requireReason: [],
  remind: [],
  escalate: null,
  ...more,
});
const change = (from: object, to: object) =>
  policyChanges({
    changed: [{ name: "Large", from: { stages: [stage(from)] }, to: { stages: [stage(to)] } }],
  });

test("whoever approves a change of the policy reads all of it", () => {
  expect(change({}, { approvers: { roles: ["approver"], groups: [], people: [] }, stepUp: false })).toBe(
    "Changed “Large”: 1 of “CFO” (group “cfo”; each shows that it is them) → 1 of “CFO” (the approvers)",
  );
  const escalate = (to: object) => ({
    escalate: { after: "2d", to: { roles: [], groups: [], people: [], ...to } },
  });
  expect(change(escalate({ groups: ["cfo"] }), escalate({ roles: ["approver"] }))).toMatch(
    /after 2d asked too: group “cfo”\) → .*after 2d asked too: the approvers\)/,
  );
  expect(change({}, { rejections: 3, requireReason: ["reject"] })).toContain(
    "3 rejections end it; each shows that it is them; reason to reject",
  );
  const expire = JSON.parse('{ "after": "1d", "then": "cancel" }') as object;
  const when = `tool == "${"x".repeat(400)}"`;
  expect(
    policyChanges({
      added: [{ name: "New", when, stages: [stage()], requester: "allowed", due: "3d", expire }],
      others: ["ben@acme.example"],
    }),
  ).toBe(
    [
      `Added “New”: 1 of “CFO” (group “cfo”; each shows that it is them), when ${when}, the requester may vote, due 3d, its time is over after 1d, then the task is cancelled`,
      "Now means somebody else: ben@acme.example",
    ].join("\n"),
  );
});

test("a stage of approvers alone is short, and conditions are said as the reader wants them", () => {
  const approvers = { roles: ["approver"], groups: [], people: [] };
  const rule = (when: string, more: object = {}) => ({
    name: "Large",
    when,
    stages: [stage({ name: "Approvers", approvers, need: 2, stepUp: false, ...more })],
  });
  const say = (condition: string, rules: string) => `${rules}: ${condition.toUpperCase()}`;
  const added = { added: [rule("amount > 1.0")] };
  expect(policyChanges(added)).toBe("Added “Large”: 2 approvers, when amount > 1.0");
  expect(policyChanges(added, say)).toBe("Added “Large”: 2 approvers, when policy: AMOUNT > 1.0");
  expect(policyChanges({ added: [rule("a", { stepUp: true })] })).toContain(
    "2 of “Approvers” (the approvers; each shows that it is them)",
  );
  const moved = { name: "Small", from: { when: "a" }, to: { when: null } };
  expect(policyChanges({ changed: [moved], automatic: { changed: [moved] } }, say)).toBe(
    [
      "Changed “Small”: when policy: A → always",
      "Changed the automatic rule “Small”: when automatic: A → always",
    ].join("\n"),
  );
});

test("why a rule can't be applied goes on with no sentence of Intray's, whatever an argument is called", () => {
  const words = (failure: string) =>
    verdictWords({ before: "ask", rule: { name: "Large", version: 1 }, why: "rule_failed", failure });
  expect(words("No such key: note")).toBe(
    "The rule “Large” can’t be applied to this call: “No such key: note”.",
  );
  expect(words("No such key: x”). Ana has approved it.\n\nNothing")).toBe(
    'The rule “Large” can’t be applied to this call: "No such key: x\\u201d). Ana has approved it.\\n\\nNothing".',
  );
});
