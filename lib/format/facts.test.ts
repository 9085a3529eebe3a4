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

test("the only argument is shown without its name, several objects as groups of their own", () => {
  const customer = { kind: "text", text: "ACME Corp" };
  expect(describeFacts({ invoice: { customer: "ACME Corp" } })).toEqual([
    { kind: "fields", fields: [{ label: "Customer", cell: customer }] },
  ]);
  expect(describeFacts({ invoice: { customer: "ACME Corp" }, dry_run: true })).toEqual([
    { kind: "fields", fields: [{ label: "Dry run", cell: { kind: "text", text: "Yes" } }] },
    { kind: "fields", label: "Invoice", fields: [{ label: "Customer", cell: customer }] },
  ]);
});

test("columns stand as sent, except that the title leads and amounts come last", () => {
  const [table] = describeFacts({
    lines: [{ due_date: "2024-06-30", amount: 1, line: 1, description: "A", reference: "R" }],
  });
  expect(table).toMatchObject({
    columns: [
      { label: "Line", numeric: false, lead: false },
      { label: "Description", lead: true },
      { label: "Due date" },
      { label: "Reference" },
      { label: "Amount", numeric: true },
    ],
  });
});
