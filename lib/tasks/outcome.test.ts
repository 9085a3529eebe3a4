import { expect, test } from "vitest";
import { outcomeOf } from "./outcome.ts";

test.each([
  {
    name: "a short last part after a colon",
    result: { content: [{ type: "text", text: "Invoice processing result: REJECTED" }], isError: false },
    expected: { outcome: "REJECTED", isError: false },
  },
  {
    name: "a status in structured content",
    result: { content: [], structuredContent: { status: "PAID" } },
    expected: { outcome: "PAID", isError: false },
  },
  {
    name: "a status in a text that is JSON",
    result: { content: [{ type: "text", text: '{\n  "id": 7,\n  "status": "PAID"\n}' }] },
    expected: { outcome: "PAID", isError: false },
  },
  {
    name: "the first fields of a text that is JSON",
    result: {
      content: [
        { type: "text", text: '{"invoice_total":12.5,"paid":true,"lines":[1],"payer":"ACME","x":1}' },
      ],
    },
    expected: { outcome: "Invoice total: 12.5 · Paid: yes · Payer: ACME", isError: false },
  },
  {
    name: "the words beside structured content",
    result: { content: [{ type: "text", text: "Two invoices are open" }], structuredContent: { open: 2 } },
    expected: { outcome: "Two invoices are open", isError: false },
  },
  {
    name: "the first fields of structured content",
    result: {
      content: [{ type: "text", text: '{"open":2}' }],
      structuredContent: { open: 2, note: "a".repeat(61) },
    },
    expected: { outcome: "Open: 2", isError: false },
  },
  {
    name: "the number of entries in a list",
    result: { content: [{ type: "text", text: '[{"id":1},{"id":2}]' }] },
    expected: { outcome: "2 entries", isError: false },
  },
  {
    name: "nothing of an object without short fields",
    result: { content: [{ type: "text", text: '{"lines":[]}' }] },
    expected: { outcome: null, isError: false },
  },
  {
    name: "a text in brackets that is no JSON",
    result: { content: [{ type: "text", text: "[done] 3 files" }] },
    expected: { outcome: "[done] 3 files", isError: false },
  },
  {
    name: "the first line of a text, cut",
    result: { content: [{ type: "text", text: `${"a".repeat(300)}\nmore` }], isError: true },
    expected: { outcome: `${"a".repeat(199)}…`, isError: true },
  },
  {
    name: "the count of what is no text",
    result: { content: [{ type: "image", data: "AAAA", mimeType: "image/png" }] },
    expected: { outcome: "1 image", isError: false },
  },
  {
    name: "each kind of what is no text",
    result: { content: [{ type: "image" }, { type: "image" }, { type: "audio" }], isError: true },
    expected: { outcome: "2 images, 1 recording", isError: true },
  },
  {
    name: "the name of a link",
    result: { content: [{ type: "resource_link", uri: "https://erp.example/r/7", name: "Report 7" }] },
    expected: { outcome: "Report 7", isError: false },
  },
  {
    name: "the address of what has no name, and how many there are",
    result: {
      content: [
        { type: "resource", resource: { uri: "file:///a.txt", text: "a" } },
        { type: "resource_link", uri: "file:///b.txt" },
      ],
    },
    expected: { outcome: "file:///a.txt, 1 more", isError: false },
  },
  {
    name: "nothing to read",
    result: { content: [{ type: "odd" }, "text", null] },
    expected: { outcome: null, isError: false },
  },
  { name: "no result at all", result: null, expected: { outcome: null, isError: false } },
])("the outcome is $name", ({ result, expected }) => {
  expect(outcomeOf(result)).toEqual(expected);
});
