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
