/** The published schema accepts and refuses what saving does, as far as a schema can see it. */
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { expect, test } from "vitest";
import { z } from "zod";
import { policyJsonSchema } from "./json-schema.ts";
import { policyInputSchema } from "./policy-schema.ts";

const ajv = new Ajv2020({ strict: false });
addFormats.default(ajv);
const accepts = ajv.compile(policyJsonSchema());

const stage = (more: object = {}) => ({ name: "Finance", approvers: { roles: ["approver"] }, ...more });
const rule = (more: object = {}) => ({ name: "All", stages: [stage()], ...more });

test.each<[string, unknown, boolean]>([
  ["nothing", {}, true],
  ["a rule", { version: 1, groups: { a: ["x@y.example"] }, rules: [rule()] }, true],
  [
    "all of it",
    {
      rules: [
        rule({
          when: "true",
          requester: "allowed",
          due: "3d!",
          stages: [stage({ need: 2, stepUp: true, requireReason: ["reject"] })],
        }),
      ],
    },
    true,
  ],
  [
    "a test",
    { tests: [{ request: { amount: 1, now: "2026-01-05T12:00:00Z" }, expect: { rule: null } }] },
    true,
  ],
  [
    "an automatic rule",
    {
      automatic: [
        { name: "Small", when: "true", answer: { action: "accept", content: { ok: true } }, mode: "live" },
      ],
    },
    true,
  ],
  [
    "an automatic rule without a condition",
    { automatic: [{ name: "All", answer: { action: "accept" } }] },
    false,
  ],
  [
    "an automatic rule that cancels",
    { automatic: [{ name: "All", when: "true", answer: { action: "cancel" } }] },
    false,
  ],
  ["an unknown property", { anything: [] }, false],
  ["an unknown property of a stage", { rules: [rule({ stages: [stage({ anything: 1 })] })] }, false],
  ["another version", { version: 2 }, false],
  ["no stage", { rules: [rule({ stages: [] })] }, false],
  ["a viewer's role", { rules: [rule({ stages: [stage({ approvers: { roles: ["viewer"] } })] })] }, false],
  ["a due time without a unit", { rules: [rule({ due: "3" })] }, false],
  ["a test without what it expects", { tests: [{ request: {} }] }, false],
  [
    "too many tests",
    { tests: Array.from({ length: 51 }, () => ({ request: {}, expect: { rule: null } })) },
    false,
  ],
])("%s", (_name, policy, isValid) => {
  expect([accepts(policy), policyInputSchema.safeParse(policy).success]).toEqual([isValid, isValid]);
});

test("names every property that saving knows, and `$schema` besides", () => {
  const { properties, additionalProperties } = policyJsonSchema();
  const known = Object.keys(z.toJSONSchema(policyInputSchema, { io: "input" }).properties ?? {});
  expect(Object.keys(properties as object).sort()).toEqual(["$schema", ...known].sort());
  expect(additionalProperties).toBe(false);
  expect(accepts({ $schema: "https://intray.example/policy.schema.json" })).toBe(true);
});
