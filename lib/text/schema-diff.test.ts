import { expect, test } from "vitest";
import { diffFields } from "./schema-diff.ts";

const form = (properties: Record<string, unknown>, more = {}) => ({ type: "object", properties, ...more });
const value = { type: "string", title: "Decision", enum: ["approve", "reject"] };

test.each([
  ["the same", form({ value }), form({ value }), []],
  [
    "a new field",
    form({ value }),
    form({ value, cost_center: { type: "string" } }),
    ["New field: cost_center"],
  ],
  ["a field that is gone", form({ value }), form({}), ["Field gone: Decision"]],
  [
    "other choices",
    form({ value }),
    form({ value: { ...value, enum: ["approve"] } }),
    ["Changed field: Decision (other choices)"],
  ],
  [
    "what must be filled in",
    form({ value }),
    form({ value }, { required: ["value"] }),
    ["The answer form changed."],
  ],
  ["no form before", null, form({ value }), ["New field: Decision"]],
  ["nonsense", "x", 5, ["The answer form changed."]],
])("the difference of %s", (_what, before, after, lines) => {
  expect(diffFields(before, after)).toEqual(lines);
});
