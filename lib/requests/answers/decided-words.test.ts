import { expect, test } from "vitest";
import { type DecidedField, decidedWords } from "./decided-words.ts";

const yesNo = (name: string, title: string): DecidedField => ({ name, title, kind: "boolean" });
const oneOf = (title: string, options: Record<string, string>): DecidedField => ({
  name: "decision",
  title,
  kind: "one_of",
  options: Object.entries(options).map(([value, title]) => ({ value, title })),
});

test.each<[string, Record<string, unknown> | null, DecidedField | null, string]>([
  ["accept", { decision: "approve" }, null, "Approved"],
  ["accept", { decision: "reject" }, oneOf("Decision", { reject: "Reject" }), "Rejected"],
  [
    "accept",
    { decision: "approve" },
    oneOf("Decision", {
      approve: "Reject the payment of invoice INV-100 by ACME Ltd (sends “approve”)",
    }),
    "Answered “Reject the payment of invoice INV-100… (sends “approve”)”",
  ],
  ["accept", { approved: true }, yesNo("approved", "Approved"), "Approved"],
  ["accept", { approved: false }, null, "Rejected"],
  ["accept", { confirm: true }, null, "Confirmed"],
  ["accept", { confirm: false }, yesNo("confirm", "Confirm"), "Not confirmed"],
  ["accept", { confirm: false }, yesNo("confirm", "Delete the file"), "Answered “Delete the file: No”"],
  ["accept", { confirm: false }, yesNo("confirm", "Keep the records?"), "Answered “Keep the records? No”"],
  [
    "accept",
    { approved: true },
    yesNo("approved", "Leave the payment blocked"),
    "Answered “Leave the payment blocked: Yes”",
  ],
  ["accept", { approve: true }, yesNo("approve", "Approve the payment?"), "Approved"],
  [
    "accept",
    { reject: true },
    yesNo("reject", "Approve the payment?"),
    "Answered “Approve the payment? Yes”",
  ],
  [
    "accept",
    { decision: "approve" },
    oneOf("Reject the payment?", { approve: "Approve" }),
    "Answered “Reject the payment? Approve”",
  ],
  ["accept", { allow: false }, null, "Denied"],
  ["accept", { accept: false }, null, "Refused"],
  ["accept", {}, null, "Confirmed"],
  ["accept", {}, oneOf("Decision", { reject: "Reject" }), "Answered"],
  ["decline", null, null, "Declined"],
  ["cancel", null, null, "Cancelled"],
  [
    "accept",
    { keep_the_file: true },
    yesNo("keep_the_file", "Keep the file"),
    "Answered “Keep the file: Yes”",
  ],
  ["accept", { keep_the_file: false }, yesNo("keep_the_file", "Keep it?"), "Answered “Keep it? No”"],
  ["accept", { keep_the_file: false }, null, "Answered “Keep the file: No”"],
  ["accept", { decision: "delete" }, oneOf("Decision", { delete: "Delete" }), "Answered “Delete”"],
  ["accept", { decision: "a" }, oneOf("What now", { a: "archive it" }), "Answered “What now: Archive it”"],
  [
    "accept",
    { stars: 2 },
    { name: "stars", title: "Stars", kind: "one_of", options: [{ value: 2, title: "2 of 5" }] },
    "Answered “Stars: 2 of 5 (sends “2”)”",
  ],
  [
    "accept",
    { amount: -1000 },
    { name: "amount", title: "Amount", kind: "one_of", options: [{ value: -1000, title: "1000" }] },
    "Answered “Amount: 1000 (sends “-1000”)”",
  ],
  ["accept", { decision: "pay" }, oneOf("Decision", { pay: "Refuse" }), "Answered “Refuse (sends “pay”)”"],
  ["accept", { amount: 2 }, { name: "amount", title: "Amount", kind: "number" }, "Answered"],
  ["accept", { amount: 2 }, null, "Answered"],
  ["accept", { decision: "archive" }, null, "Answered “Archive”"],
  [
    "accept",
    { decision: "approve" },
    oneOf("Decision", { approve: "Approve half" }),
    "Answered “Approve half (sends “approve”)”",
  ],
  ["accept", { status: "approval_denied" }, null, "Answered “Status: Approval_denied”"],
  ["accept", { approval_denied: true }, null, "Answered “Approval denied: Yes”"],
  ["accept", { approved_by: "x" }, null, "Answered “Approved by: X”"],
  ["accept", { constructor: true }, null, "Answered “Constructor: Yes”"],
  [
    "accept",
    { decision: "a" },
    oneOf("Now", { a: "no\u202e\nyes" }),
    "Answered “Now: No\ufffd yes (sends “a”)”",
  ],
  ["accept", { note: "as agreed" }, { name: "note", title: "Note", kind: "text" }, "Answered"],
  ["accept", { a: "x", b: 1 }, null, "Answered"],
])("%s %o of %o is said as %s", (action, content, field, words) => {
  expect(decidedWords(action, content, field)).toBe(words);
});

test("a yes without content to an approval approves", () => {
  expect(decidedWords("accept", {}, null, true)).toBe("Approved");
  expect(decidedWords("accept", null, null, true)).toBe("Approved");
  expect(decidedWords("accept", { note: "x", b: 1 }, null, true)).toBe("Answered");
  expect(decidedWords("decline", null, null, true)).toBe("Declined");
  // Lists leave long arguments out. A form may have a field of this name.
  for (const args of [{ amount: 400 }, null])
    expect(decidedWords("accept", { arguments: args }, null, true)).toBe("Approved with changes");
  const field = { name: "arguments", title: "Arguments", kind: "text" as const };
  expect(decidedWords("accept", { arguments: "x" }, field, true)).toBe("Answered");
  expect(decidedWords("accept", { arguments: { amount: 400 } })).toBe("Answered");
});
