import { expect, test } from "vitest";
import { policyInputSchema } from "./policy-schema.ts";
import { withoutDefaults } from "./without-defaults.ts";

const written = {
  version: 1,
  groups: { finance: ["ben@acme.example"] },
  rules: [
    { name: "All", stages: [{ name: "One", approvers: { roles: ["approver"] } }] },
    {
      name: "Large",
      when: "request.amount != null",
      stages: [
        {
          name: "Finance",
          approvers: { groups: ["finance"] },
          need: 2,
          rejections: 2,
          stepUp: true,
          requireReason: ["reject"],
          remind: ["4h"],
          escalate: { after: "2d", to: { people: ["ana@acme.example"] } },
        },
      ],
      requester: "allowed",
      due: "3d",
      expire: JSON.parse('{ "after": "30d", "then": "cancel" }'),
    },
  ],
  automatic: [
    { name: "Small", when: "true", answer: { action: "accept", content: { value: "approve" } }, dailyCap: 5 },
    { name: "Never", when: "true", answer: { action: "decline" }, mode: "shadow", sample: 0 },
  ],
  tests: [{ request: { amount: null, arguments: { a: [] } }, expect: { rule: null } }],
};

test("what has its default is left out, and nothing else", () => {
  expect(withoutDefaults(policyInputSchema.parse(written))).toEqual(written);
});

test("what is left out means the same", () => {
  const full = policyInputSchema.parse({
    groups: {},
    rules: [
      {
        name: "All",
        when: " ",
        stages: [
          {
            name: "One",
            approvers: { roles: ["owner"], groups: [], people: [] },
            need: 1,
            rejections: 1,
            stepUp: false,
            requireReason: [],
            remind: [],
            escalate: null,
          },
        ],
        requester: "excluded",
        due: null,
        expire: null,
      },
    ],
  });
  const shown = withoutDefaults(full);
  expect(shown).toEqual({
    version: 1,
    rules: [{ name: "All", stages: [{ name: "One", approvers: { roles: ["owner"] } }] }],
  });
  expect(policyInputSchema.parse(shown)).toEqual(full);
  expect(withoutDefaults(policyInputSchema.parse({}))).toEqual({ version: 1, rules: [] });
});
