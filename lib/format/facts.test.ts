import { expect, test } from "vitest";
import { describeFacts } from "./facts.ts";

const invoice = {
  invoice_id: "INV-100",
  customer: "ACME Corp",
  lines: [
    { description: "Widget A", amount: 100, due_date: "2024-06-30T00:00:00Z" },
    { description: "Widget B", amount: 200.5, due_date: "2027-02-28T00:00:00Z" },
  ],
};

test("plain arguments become labelled fields", () => {
  expect(
    describeFacts({ invoice_id: "INV-100", build: 4812, dry_run: false, tags: ["a", "b"], note: null }),
  ).toEqual([
    {
      kind: "fields",
      fields: [
        { label: "Invoice ID", cell: { kind: "text", text: "INV-100" } },
        { label: "Build", cell: { kind: "number", text: "4812" } },
        { label: "Dry run", cell: { kind: "text", text: "No" } },
        { label: "Tags", cell: { kind: "text", text: "a, b" } },
        { label: "Note", cell: { kind: "empty" } },
      ],
    },
  ]);
});

test("a list of objects becomes a table with figures at the right and their sum", () => {
  const [fields, table] = describeFacts(invoice);
  expect(fields?.kind).toBe("fields");
  expect(table).toMatchObject({
    kind: "table",
    label: "Lines",
    columns: [{ label: "Description" }, { label: "Due date" }, { label: "Amount", numeric: true }],
    sum: { label: "Sum of 2 lines", columnKey: "amount", value: 300.5 },
  });
});

test("an object one level down is read like the top, deeper ones stay JSON", () => {
  const blocks = describeFacts({ invoice, options: { retry: { times: 2 } } });
  expect(blocks.map((block) => block.kind)).toEqual(["fields", "table", "json"]);
});

test("a table of two money columns has no sum: it is not known which one counts", () => {
  const [table] = describeFacts({ lines: [{ name: "A", amount: 1, tax: 2 }] });
  expect(table).toMatchObject({ kind: "table", sum: null });
});
