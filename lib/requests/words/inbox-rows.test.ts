import { describe, expect, test } from "vitest";
import { formatsOf } from "../../text/formats/formats.ts";
import { groupName, groupRequests, requestTitle } from "./inbox-rows.ts";

describe("a row's title", () => {
  const facts = {
    label: "INV-100",
    party: "ACME Corp",
    amount: { value: 1000, currency: "$" },
    origin: "server" as const,
    gate: null,
  };
  const message = "Approve invoice INV-100?\nIt is due tomorrow.";
  test.each([
    ["all facts", {}, "INV-100 · ACME Corp · $1,000.00"],
    [
      "a question in somebody's own words",
      { label: "Release 7", origin: "intray" as const, message: "Deploy on Friday?" },
      "Release 7 · Deploy on Friday? · $1,000.00",
    ],
    [
      "an approval in front of a call",
      { origin: "intray" as const, gate: { rule: null } },
      "INV-100 · ACME Corp · $1,000.00",
    ],
    ["no amount", { amount: null }, "INV-100 · ACME Corp"],
    ["no party", { party: null }, "INV-100 · $1,000.00"],
    ["no label", { label: null }, "ACME Corp · $1,000.00"],
    [
      "a label alone, which does not say what is asked",
      { party: null, amount: null },
      "Approve invoice INV-100?",
    ],
    [
      "a label alone that the message lacks",
      { label: "PR-87", party: null, amount: null },
      "PR-87 · Approve invoice INV-100?",
    ],
    ["an amount alone", { label: null, party: null }, "Approve invoice INV-100?"],
    ["nothing", { label: null, party: null, amount: null }, "Approve invoice INV-100?"],
    ["a label that would be read as an amount", { label: "Bill · 5.00 EUR" }, "ACME Corp · $1,000.00"],
    [
      "nothing but such a label",
      { label: "5.00 EUR", party: null, amount: null },
      "Approve invoice INV-100?",
    ],
    [
      "text that would turn the line around",
      { label: "INV\u202e001" },
      "INV\ufffd001 · ACME Corp · $1,000.00",
    ],
  ])("is made of %s", (_, changes, expected) => {
    expect(requestTitle({ message, ...facts, ...changes }, formatsOf("en-GB"))).toBe(expected);
  });
});

describe("groups", () => {
  const now = Date.parse("2026-03-01T12:00:00Z");
  const left = (hours: number | null) =>
    hours === null ? null : new Date(now + hours * 3_600_000).toISOString();
  const row = (id: string, tool: string, server: string, hours: number | null) => ({
    id,
    tool,
    server: { id: `${server}-id`, name: server },
    expiresAt: left(hours),
  });
  const rows = [
    row("a", "pay", "Finance", null),
    row("b", "deploy", "Build", 200),
    row("c", "pay", "Bank", 0.5),
    row("d", "deploy", "Build", 30),
    row("e", "pay", "Finance", -1),
    row("f", "merge", "CRM", 23),
  ];
  test.each([
    ["", "a b c d e f", null],
    ["tool", "b d f a c e", "deploy deploy merge pay pay pay"],
    ["server", "c b d f a e", "Bank Build Build CRM Finance Finance"],
  ] as const)("by “%s” keep the order within", (grouping, ids, names) => {
    const grouped = groupRequests(rows, grouping, now);
    expect(grouped.map(({ id }) => id).join(" ")).toBe(ids);
    if (grouping !== "") expect(grouped.map((each) => groupName(each, grouping, now)).join(" ")).toBe(names);
  });

  test("by time left begin with the most urgent", () => {
    const grouped = groupRequests(rows, "due", now);
    expect(grouped.map((each) => [each.id, groupName(each, "due", now)])).toEqual([
      ["c", "Less than an hour left"],
      ["e", "Less than an hour left"],
      ["f", "Less than a day left"],
      ["d", "Less than a week left"],
      ["b", "More than a week left"],
      ["a", "No time limit"],
    ]);
  });

  test("of two servers of one name stay apart", () => {
    const twins = ["1", "2", "1"].map((id) => ({ ...rows[0]!, server: { id, name: "Finance" } }));
    expect(groupRequests(twins, "server", now).map(({ server }) => server.id)).toEqual(["1", "1", "2"]);
  });
});
