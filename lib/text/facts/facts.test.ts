import { describe, expect, test } from "vitest";
import { formatsOf } from "../formats/formats.ts";
import * as facts from "./facts.ts";
import { levelsOf, nodesIn } from "./facts.ts";
import { judgeFigures } from "./figure-warnings.ts";

const EN = formatsOf("en-GB");
const describeFacts = (values: Record<string, unknown>, message = "") =>
  facts.describeFacts(values, EN, message);

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

test("a list whose items could be read as two, as none or as no text is shown as sent", () => {
  const shown = [
    ["/tmp/a", "/"],
    ["/tmp/a, /"],
    ["a", ""],
    ["null"],
    [null],
    ["true", "b"],
    [true],
    [1, 2.5],
  ];
  expect(
    shown
      .map((paths) => describeFacts({ paths })[0])
      .map((block) => block?.kind === "fields" && block.fields[0]?.cell),
  ).toEqual(
    ["/tmp/a, /", '["/tmp/a, /"]', '["a",""]', '["null"]', "null", '["true","b"]', "true", "1, 2.5"].map(
      (text) => ({
        kind: "text",
        text,
      }),
    ),
  );
});

test("a list of objects becomes a table with figures at the right and their sum", () => {
  const [fields, table] = describeFacts(invoice, "Pay $300.50?");
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

test("objects are groups under their names, also the only one, which may name what is done", () => {
  const customer = { kind: "text", text: "ACME Corp" };
  expect(describeFacts({ invoice: { customer: "ACME Corp" } })).toEqual([
    { kind: "fields", label: "Invoice", fields: [{ label: "Customer", cell: customer }] },
  ]);
  expect(describeFacts({ dry_run_only: { revoke: { users: [{ name: "ben" }] } } })).toMatchObject([
    { kind: "table", label: "Dry run only · Revoke · Users" },
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

test.each<[string, Record<string, unknown>, string, number | null]>([
  ["lines that add up to a total", { lines: [{ amount: 1 }, { amount: 2 }], total: 3 }, "", 3],
  ["lines that don't", { lines: [{ amount: 1 }, { amount: 2 }], total: 4 }, "", 3],
  ["lines without a total", { lines: [{ amount: 1 }, { amount: 2 }] }, "Pay?", null],
  ["quotes to choose from", { quotes: [{ price: 80 }, { price: 90 }, { price: 75 }] }, "Which one?", null],
  ["quotes and a budget", { supplier_quotes: [{ price: 80 }, { price: 90 }] }, "Up to $100.00?", null],
  ["quotes that are all taken", { quotes: [{ price: 80 }, { price: 90 }] }, "Order both for $170.00?", 170],
])("%s: a sum is shown only where it is compared", (_, values, message, sum) => {
  const [table] = describeFacts(values, message).filter((block) => block.kind === "table");
  expect(table?.sum?.value ?? null).toBe(sum);
  // No alternative is told to be wrong.
  if (!("total" in values)) expect(judgeFigures(values, message, EN).differences).toEqual([]);
});

/** The check of the first sum, in words. */
const sumCheck = (values: Record<string, unknown>, message = "") =>
  describeFacts(values, message).flatMap((block) =>
    block.kind === "table" && block.sum?.check ? [block.sum.check.words] : [],
  )[0];

const lines = [
  { name: "A", amount: 100 },
  { name: "B", amount: 200.5 },
];

describe("a sum is held against the total beside it, else against the message", () => {
  test.each([
    ["the message states it", { lines }, "Pay $300.50?", "Matches message"],
    ["the message states another", { lines }, "Pay $310.50?", "Message says $310.50"],
    ["in another currency", { lines, currency: "EUR" }, "Pay $300.50?", "Message says $300.50"],
    ["the message states none", { lines }, "Pay?", undefined],
    ["the total is it", { lines, total: 300.5 }, "", "Matches total"],
    ["the total is another", { lines, total: "310.50" }, "Pay $310.50?", "Total says 310.50"],
    ["tax and discount lie between", { lines, tax: 10, discount: 0.5, total: 310 }, "", "Matches total"],
    [
      "a tax is no rate of 800 %",
      { lines: [{ amount: 1000 }], tax: 8, total: 9000 },
      "",
      "Total says 9,000.00",
    ],
    ["a fee is no rate", { lines: [{ amount: 1000 }], shipping: 8, total: 1080 }, "", "Total says 1,080.00"],
    ["a rate lies between", { lines: [{ amount: 1000 }], vat: 20, total: 1200 }, "", "Matches total"],
    ["a rate as a fraction", { lines: [{ amount: 1000 }], tax: 0.2, total: 1200 }, "", "Matches total"],
    [
      "a rate that is named so",
      { lines: [{ amount: 1000 }], discount_percent: 50, total: 500 },
      "",
      "Matches total",
    ],
    [
      "a rate and its tax",
      { lines: [{ amount: 1000 }], tax_rate: 20, tax_amount: 200, total: 1200 },
      "",
      "Matches total",
    ],
    [
      "a rate that is named so is no amount",
      { lines: [{ amount: 1000 }], tax_rate: 20, total: 1020 },
      "",
      "Total says 1,020.00",
    ],
    ...[
      { tax: 90, total: 1900 },
      { tax: 0.9, total: 1900 },
      { vat: 80, total: 1800 },
      { discount: 90, total: 100 },
    ].map((values): [string, Record<string, unknown>, string, string] => [
      `a tax or discount of ${Object.values(values)[0]} is no rate`,
      { lines: [{ amount: 1000 }], ...values },
      "",
      `Total says ${EN.money(values.total)}`,
    ]),
    [
      "a tax that is nearly what is missing is an amount",
      { lines: [{ amount: 104 }], tax: 20, total: 124.8 },
      "",
      "Total says 124.80",
    ],
    ...[
      "tax_id",
      "vat_number",
      "delivery_number",
      "shipping_zone",
      "tip_count",
      "tax_year",
      "credit_note",
    ].map((name): [string, Record<string, unknown>, string, string] => [
      `${name} is no amount`,
      { lines: [{ amount: 1000 }], [name]: "8000", total: name.startsWith("credit") ? -7000 : 9000 },
      "",
      `Total says ${EN.money(name.startsWith("credit") ? -7000 : 9000)}`,
    ]),
    ...["tax_amount", "shippingCost", "fees", "vat_eur", "delivery charge", "tax1"].map(
      (name): [string, Record<string, unknown>, string, string] => [
        `${name} is one`,
        { lines: [{ amount: 1000 }], [name]: "8000", total: 9000 },
        "",
        "Matches total",
      ],
    ),
    [
      "amounts are texts",
      { lines: [{ amount: "1,000.00" }, { amount: "-1.50" }] },
      "Pay $998.50",
      "Matches message",
    ],
    ["amounts are cents", { lines: [{ amount_cents: "10050" }], total: 100.5 }, "", "Matches total"],
    ["a credit note", { lines: [{ amount: -5 }] }, "Refund of $5.00", "Matches message"],
    [
      "one of two tables may count",
      { lines, fees: [{ name: "C", amount: 1 }] },
      "Pay $300.50?",
      "Matches message",
    ],
    ["of two tables neither is blamed", { lines, fees: [{ name: "C", amount: 1 }] }, "Pay $5?", undefined],
  ])("%s", (_what, values, message, words) => {
    expect(sumCheck(values, message)).toBe(words);
  });
});

test("a total without lines is held against the message", () => {
  const [fields] = describeFacts({ total: 1100, currency: "USD" }, "Approve $1000.00?");
  expect(fields).toMatchObject({
    fields: [
      { cell: { text: "1,100.00", sent: "1100", currency: "USD", check: { ok: false } } },
      { label: "Currency" },
    ],
  });
});

test.each([
  "Pay EUR 9,000.00 to Mallory instead of the EUR 5.00 to ACME.",
  "Pay 5.00 EUR now and 9.000 EUR later",
  "Pay 5.00 EUR now and EUR 3 million later",
])("an amount beside a larger one in “%s” has no tick", (message) => {
  const [fields] = describeFacts({ total: 5, currency: "EUR" }, message);
  if (fields?.kind !== "fields") throw new Error("no fields");
  expect(fields.fields[0]?.cell).not.toHaveProperty("check");
  expect(judgeFigures({ total: 5, currency: "EUR" }, message, EN).differences).toEqual([]);
});

test.each<[Record<string, unknown>, string, object]>([
  [{ total: "12.500" }, "Pay 12.500 EUR?", { kind: "text", text: "12.500" }],
  [{ total: 12.5 }, "Pay 12.500 EUR?", { kind: "number", text: "12.50", sent: "12.5" }],
  [{ total: 500 }, "Pay 12 500,00 EUR?", { check: { ok: false, words: "Message says 12,500.00 EUR" } }],
  [{ total: 12_500 }, "Pay 12 500,00 EUR?", { check: { ok: true } }],
  [{ total: 3 }, "Pay EUR 3 million?", { kind: "number", text: "3.00", sent: "3" }],
  [{ total_price: 119 }, "Pay $119.00?", { check: { ok: true } }],
  [{ total_sek: 119 }, "Pay SEK 119.00?", { currency: "SEK", check: { ok: true } }],
])("%o asked as “%s” has no tick that it does not deserve", (values, message, cell) => {
  const [fields] = describeFacts(values, message);
  expect(fields).toMatchObject({ fields: [{ cell }] });
  if (!("check" in cell) && fields?.kind === "fields")
    expect(fields.fields[0]?.cell).not.toHaveProperty("check");
});

test("the price of the whole stands against its lines", () => {
  expect(sumCheck({ lines: [{ amount: 60 }, { amount: 40 }], total_price: 5000 }, "Pay $100.00?")).toBe(
    "Total says 5,000.00",
  );
});

test("a line whose quantity times price is not its amount is marked; the price for one is not summed", () => {
  const [table] = describeFacts(
    {
      items: [
        { name: "A", quantity: 2, unit_price: 50, amount: 100 },
        { name: "B", quantity: 3, unit_price: 9.99, amount: 39.97 },
      ],
    },
    "Pay $139.97?",
  );
  expect(table).toMatchObject({
    columns: [{ key: "name" }, { key: "quantity" }, { key: "unit_price" }, { key: "amount" }],
    sum: { columnKey: "amount", value: 139.97 },
  });
  if (table?.kind !== "table") throw new Error("no table");
  expect(table.rows.map((row) => row[3])).toEqual([
    { kind: "number", text: "100.00", sent: "100" },
    { kind: "number", text: "39.97", check: { ok: false, words: "3 × 9.99 is 29.97" } },
  ]);
});

test("cents stand as they were sent", () => {
  expect(describeFacts({ amount_cents: "100000" })).toEqual([
    {
      kind: "fields",
      fields: [{ label: "Amount cents", cell: { kind: "number", text: "100,000", sent: "100000" } }],
    },
  ]);
});

test("a date that no calendar has stands as it was sent", () => {
  expect(describeFacts({ due_date: "2026-02-30" })).toMatchObject([
    { fields: [{ cell: { kind: "text", text: "2026-02-30" } }] },
  ]);
});

test("what is empty is a dash, what is due says so, and lists of many kinds of things stay JSON", () => {
  const blocks = describeFacts({
    options: {},
    due_date: "2026-01-01",
    validUntil: "2026-01-01",
    issued: "2026-01-01",
    things: [{ a: 1 }, Object.fromEntries("bcdefghijklmn".split("").map((key) => [key, 1]))],
  });
  expect(blocks).toMatchObject([
    {
      kind: "fields",
      fields: [
        { cell: { kind: "empty" } },
        { cell: { past: "overdue" } },
        { cell: { past: "ago" } },
        { cell: { kind: "date" } },
      ],
    },
    { kind: "json", label: "Things" },
  ]);
});

test("of more values than anybody reads the rest stands as it was sent, and figures are checked in bounded time", () => {
  const groups = Object.fromEntries(Array.from({ length: 60_000 }, (_, at) => [`g${at}`, { total: 1 }]));
  const before = process.threadCpuUsage();
  const blocks = describeFacts(groups, "EUR 2, ".repeat(9_000));
  const { user, system } = process.threadCpuUsage(before);
  expect((user + system) / 1_000).toBeLessThan(1_000);
  expect(blocks).toHaveLength(501);
  expect(blocks[0]).toMatchObject({
    fields: [{ cell: { check: { ok: false, words: "Message says 2.00 EUR" } } }],
  });
  expect(blocks.at(-1)).toMatchObject({ kind: "json", label: "59500 more values" });
});

test("figures beside any number of tables are read once", () => {
  const tables = Object.fromEntries(Array.from({ length: 245 }, (_, at) => [`t${at}`, [{ amount: 0.1 }]]));
  const fees = Object.fromEntries(
    Array.from({ length: 225 }, (_, at) => [`amountTaxFee${"aB".repeat(80)}${at}`, "$1,234,567.00"]),
  );
  const before = process.threadCpuUsage();
  const blocks = describeFacts({ ...tables, ...fees, total: "$1,234,567.00" });
  const { user, system } = process.threadCpuUsage(before);
  expect((user + system) / 1_000).toBeLessThan(500);
  expect(blocks.filter(({ kind }) => kind === "table")).toHaveLength(245);
});

test("many tables have no more rows together than one", () => {
  const rows = Array.from({ length: 499 }, () => ({ qty: "2", unit_price: "$3.00", amount: "$7.00" }));
  const blocks = describeFacts(Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`t${at}`, rows])));
  const tables = blocks.filter((block) => block.kind === "table");
  expect(tables.map((table) => [table.rows.length, table.left])).toEqual(tables.map(() => [25, 474]));
  expect(tables).toHaveLength(20);
});

test("hidden characters count where they are drawn: of a long table in its first rows", () => {
  const lines = Array.from({ length: 10_000 }, (_, line) => ({
    line,
    text: `Line ${line}\u202e`,
    amount: 1.5,
  }));
  expect(describeFacts({ lines })).toMatchObject([{ kind: "table", left: 9_500 }, { kind: "json" }]);
});

test("a short table leaves a long one its rows", () => {
  const lines = (count: number) => Array.from({ length: count }, (_, at) => ({ name: `N${at}`, amount: 1 }));
  const rowsOf = (values: Record<string, unknown>) =>
    describeFacts(values).flatMap((block) => (block.kind === "table" ? [block.rows.length] : []));
  expect(rowsOf({ lines: lines(300), fees: lines(1) })).toEqual([300, 1]);
  expect(rowsOf({ lines: lines(700), fees: lines(100) })).toEqual([400, 100]);
  expect(rowsOf({ lines: lines(700) })).toEqual([500]);
});

test("of JSON no more is drawn than anybody reads", () => {
  const grid = Array.from({ length: 100 }, () => Array.from({ length: 100 }, () => 1));
  const blocks = describeFacts(Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`t${at}`, grid])));
  expect(blocks).toMatchObject([{ kind: "json", label: "50 more values" }]);
  // One of them is drawn by its lines.
  expect(nodesIn(grid)).toBe(10_100);
  expect(nodesIn(grid, 1)).toBe(100);
});

test("JSON is open to the level that a page can show", () => {
  const grid = Array.from({ length: 10 }, () => Array.from({ length: 10 }, () => [1]));
  expect([9, 10, 109, 110, 209, 210, 5_000].map((most) => levelsOf(grid, most))).toEqual([
    1, 1, 1, 2, 2, 3, 3,
  ]);
  const deep = Array.from({ length: 1_000 }).reduce<object>((inner) => ({ inner }), {});
  expect(levelsOf(deep, 5_000)).toBe(30);
  expect(levelsOf("text", 5_000)).toBe(1);
});

test.each([
  ["15,00", "15,00"],
  ["1.000,00", "1.000,00"],
  ["1'234", "1'234"],
  ["1,234.50", "1,234.50"],
  ["1234.5", "1,234.50"],
])("an amount written %s is shown as %s: programs read others in more ways than one", (amount, text) => {
  expect(describeFacts({ amount })).toMatchObject([{ fields: [{ cell: { kind: "number", text } }] }]);
});

test.each([
  { payment_id: 4812 },
  { cost_center: "1,000" },
  { balance_account: "123'456" },
  { tax_id: "1 000 000" },
])("%j is no amount", (values) => {
  const [[, value] = []] = Object.entries(values);
  expect(describeFacts(values)).toMatchObject([{ fields: [{ cell: { text: String(value) } }] }]);
});

test("a sign of several currencies is shown as sent", () => {
  expect(describeFacts({ price: "¥1,000" })).toMatchObject([
    { fields: [{ cell: { text: "1,000.00", currency: "¥" } }] },
  ]);
});

test("names that would read alike stand as they were sent", () => {
  const labels = (values: Record<string, unknown>) =>
    describeFacts(values).flatMap((block) =>
      block.kind === "fields"
        ? block.fields.map(({ label }) => label)
        : block.kind === "table"
          ? block.columns.map(({ label }) => label)
          : [],
    );
  expect(labels({ payee_: "ACME", payee: "EVIL", note: "x" })).toEqual(['"payee_"', '"payee"', "Note"]);
  expect(labels({ "payee ": 1, payee: 2, "caf\u00e9": 3, "cafe\u0301": 4 })).toEqual([
    '"payee "',
    '"payee"',
    '"caf\\u00e9"',
    '"cafe\\u0301"',
  ]);
  expect(labels({ lines: [{ to: "ACME", To: "EVIL" }] })).toEqual(['"to"', '"To"']);
  // A sign before a name may take away what the name gives.
  expect(labels({ "-admin": true, viewer: true, ".x": 1 })).toEqual(['"-admin"', "Viewer", '".x"']);
  expect(labels({ "role:-admin": true, "a=-1": 1, "scope.-read": 1, "due-date": 1 })).toEqual([
    '"role:-admin"',
    '"a=-1"',
    '"scope.-read"',
    "Due date",
  ]);
  expect(describeFacts({ "-admin": { user: "bob" } })).toMatchObject([{ label: '"-admin"' }]);
  expect(describeFacts({ payee: { a: 1 }, Payee: { a: 2 } })).toMatchObject([
    { label: '"payee"' },
    { label: '"Payee"' },
  ]);
});

test("the lines that a table leaves out stand below it, as sent", () => {
  const lines = Array.from({ length: 502 }, (_, at) => ({ to: `A${at}`, pay: at }));
  const [table, rest] = describeFacts({ lines });
  expect(table).toMatchObject({ kind: "table", left: 2 });
  expect(rest).toEqual({ kind: "json", label: "Lines: 2 more lines", value: lines.slice(500) });
});

test("a column may be called as what every object has, and be missing in a line", () => {
  const [table] = describeFacts({ lines: [{ constructor: "x", amount: 1 }, { amount: 2 }] }, "Pay $3?");
  expect(table).toMatchObject({
    columns: [{ label: "Constructor", numeric: false }, { label: "Amount" }],
    rows: [
      [{ kind: "text", text: "x" }, {}],
      [{ kind: "empty" }, {}],
    ],
    sum: { value: 3 },
  });
});

test("a sum in the smallest unit is compared by the units of its currency", () => {
  const sumOf = (currency: string, message: string) =>
    describeFacts({ lines: [{ amount_minor: 5_000_000 }], currency }, message).flatMap((block) =>
      block.kind === "table" ? [block.sum?.check?.ok] : [],
    );
  expect(sumOf("JPY", "Pay JPY 50000")).toEqual([false]);
  expect(sumOf("JPY", "Pay JPY 5000000")).toEqual([true]);
  expect(sumOf("EUR", "Pay EUR 50000")).toEqual([true]);
  expect(sumOf("KWD", "Pay KWD 5000")).toEqual([true]);
});

test("a sum goes by what its rows say of their currency", () => {
  const tableOf = (values: Record<string, unknown>, message: string) => {
    const block = describeFacts(values, message).find(({ kind }) => kind === "table");
    if (block?.kind !== "table") throw new Error("no table");
    return [block.sum?.check?.words ?? block.sum, ...block.columns.map(({ label }) => label)];
  };
  const euros = [{ amount: "€5" }, { amount: "€5" }];
  expect(tableOf({ lines: euros }, "Pay $10.00")).toEqual(["Message says $10.00", "Amount"]);
  expect(tableOf({ lines: euros }, "Pay €10.00")).toEqual(["Matches message", "Amount"]);
  expect(tableOf({ lines: [{ amount: "€5" }, { amount: "$5" }] }, "Pay $10.00")).toEqual([null, "Amount"]);
  const ofKuwait = { currency: "JPY", lines: [{ amount: 9000, currency: "KWD" }] };
  expect(tableOf(ofKuwait, "Pay JPY 9,000")).toEqual(["Message says 9,000.00 JPY", "Currency", "Amount"]);
  expect(tableOf({ ...ofKuwait, total: 9000 }, "")).toEqual([
    "Total is in another currency",
    "Currency",
    "Amount",
  ]);
});

test("a long name, or many in each other, stands once: in front of JSON", () => {
  const groups = Object.fromEntries(Array.from({ length: 400 }, (_, at) => [`g${at}`, { a: 1 }]));
  const blocks = describeFacts({ ["a".repeat(45_000)]: groups });
  expect(blocks.map(({ kind }) => kind)).toEqual(["json"]);
  expect(JSON.stringify(blocks).length).toBeLessThan(60_000);
  const nested = Array.from({ length: 30 }).reduce<object>((inner) => ({ ["n".repeat(60)]: inner }), groups);
  expect(JSON.stringify(describeFacts(nested as Record<string, unknown>)).length).toBeLessThan(20_000);
  expect(describeFacts({ revoke: { a: 1 } })).toMatchObject([{ kind: "fields", label: "Revoke" }]);
});

test("control characters count as hidden: of many the text stands as JSON", () => {
  const table = Array.from({ length: 15 }, () => ({ a: "\r\u0001&".repeat(20) }));
  const many = Object.fromEntries(Array.from({ length: 10 }, (_, at) => [`t${at}`, table]));
  expect(describeFacts(many).filter(({ kind }) => kind === "table").length).toBeLessThan(3);
});

test("an amount is shown with all its decimals, however small", () => {
  expect(describeFacts({ amount: 4e-7, other: 1 })).toMatchObject([
    { fields: [{ cell: { text: "0.0000004" } }, {}] },
  ]);
});

test("of lists, tables and hidden characters beyond what a page can hold the rest stands as sent", () => {
  const kindsOf = (values: Record<string, unknown>) => {
    const blocks = describeFacts(values);
    return [blocks.filter(({ kind }) => kind === "table").length, blocks.at(-1)?.kind];
  };
  const listOf = (rows: number, row: object) => Array.from({ length: rows }, () => row);
  const many = (count: number, value: unknown) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`t${at}`, value]));
  const wide = Object.fromEntries("abcdefghij".split("").map((name) => [name, 1]));
  // The first row may have fewer columns than the others.
  const tables = many(480, [{ a: 1 }, ...listOf(14, wide)]);
  expect(kindsOf(tables)).toEqual([20, "json"]);
  expect(kindsOf({ group: tables, other: 1 })).toEqual([0, "json"]);
  expect(kindsOf(many(5, listOf(4_000, { amount: 1 })))).toEqual([2, "json"]);
  expect(kindsOf(many(280, listOf(15, { a: "\u200b&".repeat(40) })))).toEqual([1, "json"]);
});

test("names and lists that are longer than anybody reads cost a moment of the processor", () => {
  const before = process.threadCpuUsage();
  describeFacts({ ["aB_".repeat(340_000)]: 1, note: "x" });
  describeFacts({ lines: Array.from({ length: 50_000 }, () => ({ amount: "$1,234.00" })) });
  const { user, system } = process.threadCpuUsage(before);
  expect((user + system) / 1_000).toBeLessThan(1_000);
});
