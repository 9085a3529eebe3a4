import { expect, test } from "vitest";
import { choicesOf } from "./leaf-input.tsx";

test.each([
  [
    "called the opposite of what they send",
    [
      { const: "live", title: "Dry run" },
      { const: "dry_run", title: "Live" },
    ],
    ["Dry run (sends “live”)", "Live (sends “dry_run”)"],
  ],
  [
    "that look the same",
    [
      { const: "a", title: "Reject" },
      { const: "b", title: "Reject" },
    ],
    ["Reject (sends “a”)", "Reject (sends “b”)"],
  ],
  ["called what they send", [{ const: "net_30", title: "Net 30" }, { const: "cash" }], ["Net 30", "cash"]],
])("choices %s", (_, oneOf, labels) => {
  expect(choicesOf({ oneOf })?.map(({ label }) => label)).toEqual(labels);
});

test.each([
  [
    "called another figure",
    {
      oneOf: [
        { const: -1000, title: "1000" },
        { const: 1.234, title: "1,234" },
      ],
    },
    ["1000 (sends “-1000”)", "1,234 (sends “1.234”)"],
  ],
  ["of an enum", { enum: ["live", "dry_run", 3] }, ["live", "dry_run", "3"]],
  [
    "of an enum that look the same",
    { enum: ["pay", "pay\u200b"] },
    ['pay (sends "pay")', 'pay\ufffd (sends "pay\\u200b")'],
  ],
  ["of an enum with another type", { enum: [1, "1"] }, ["1 (sends 1)", '1 (sends "1")']],
  ["that is the only one", { const: "pay\u202e" }, ["pay\ufffd (sends “pay\ufffd”)"]],
  [
    "of yes and no, whatever they are called",
    { type: "boolean", oneOf: [{ const: true, title: "No" }] },
    ["Yes", "No"],
  ],
])("a choice %s", (_, schema, labels) => {
  expect(choicesOf(schema)?.map(({ label }) => label)).toEqual(labels);
});
