import { describe, expect, test } from "vitest";
import type { Field, Form } from "../mcp/forms/form.ts";
import {
  decidedWord,
  decisionOf,
  destructionOf,
  isDestructive,
  mayDestroy,
  rejectionOf,
} from "./decision.ts";

const base = { title: "Decision", description: null, required: true };
const form = (...fields: Field[]): Form => ({ kind: "supported", fields });
const oneOf = (...options: string[]): Field => ({
  ...base,
  name: "decision",
  kind: "one_of",
  options: options.map((value) => ({ value, title: value })),
  default: null,
});

describe("how a form is decided", () => {
  test("one required choice: a button each, the affirmative one first", () => {
    expect(decisionOf(form(oneOf("reject", "approve")))).toMatchObject({
      kind: "choices",
      choices: [
        { label: "Approve", content: { decision: "approve" }, affirmative: true },
        { label: "Reject", content: { decision: "reject" }, affirmative: false },
      ],
    });
  });
  test("one yes or no: two buttons under its question", () => {
    const field: Field = { ...base, name: "go", title: "Go on?", kind: "boolean", default: true };
    expect(decisionOf(form(field))).toMatchObject({
      question: "Go on?",
      choices: [{ label: "Yes" }, { label: "No", content: { go: false } }],
    });
  });
  test("no fields: confirm only", () => {
    expect(decisionOf(form())).toEqual({ kind: "confirm" });
  });
  test("many options or several fields: a form", () => {
    expect(decisionOf(form(oneOf("a", "b", "c", "d", "e"))).kind).toBe("form");
    expect(decisionOf(form(oneOf("a", "b"), oneOf("c", "d"))).kind).toBe("form");
  });
  test("an optional choice is a form: leaving it out is an answer too", () => {
    expect(decisionOf(form({ ...oneOf("a", "b"), required: false })).kind).toBe("form");
  });
  test("a secret is never asked for", () => {
    expect(decisionOf({ kind: "secret", reason: "asks for a password", field: "p" })).toEqual({
      kind: "none",
      reason: "asks for a password",
    });
  });
});

describe("how a form itself says no", () => {
  const text = (name: string, required = false): Field => ({
    ...base,
    name,
    title: name,
    required,
    kind: "text",
    format: null,
    minLength: null,
    maxLength: null,
    default: null,
  });
  const approved: Field = { ...base, name: "approved", kind: "boolean", default: null };

  test.each([
    ["a choice", form(oneOf("approve", "reject")), { decision: "reject" }, null],
    ["a choice with a reason", form(oneOf("yes", "no"), text("reason", true)), { decision: "no" }, "reason"],
    ["a yes or no with a note", form(approved, text("internal_note")), { approved: false }, "internal_note"],
  ])("%s", (_, shape, content, reasonField) => {
    expect(rejectionOf(shape)).toMatchObject({ content, reasonField });
  });
  test.each([
    ["more has to be filled in", form(oneOf("approve", "reject"), text("cost_center", true))],
    ["no option is a no", form(oneOf("now", "later"))],
    ["a yes or no of another kind", form({ ...approved, name: "urgent" })],
    ["nothing to choose", form(text("reason"))],
    ["a secret", { kind: "secret", reason: "asks for a password", field: "p" } as Form],
  ])("not where %s", (_, shape) => {
    expect(rejectionOf(shape)).toBeNull();
  });
});

test.each([
  ["accept", { decision: "approve" }, "Approved"],
  ["accept", { decision: "reject" }, "Rejected"],
  ["accept", { approved: true }, "Approved"],
  ["accept", { approved: false }, "Rejected"],
  ["accept", {}, "Confirmed"],
  ["accept", { a: "x", b: 1 }, "Answered"],
  ["decline", null, "Declined"],
])("%s %o is said as %s", (action, content, word) => {
  expect(decidedWord(action, content)).toBe(word);
});

test("a tool's own word on destruction counts, else its name", () => {
  expect(isDestructive(null, "confirm_delete")).toBe(true);
  expect(isDestructive(null, "deleteFile")).toBe(true);
  expect(isDestructive(false, "confirm_delete")).toBe(false);
  expect(isDestructive(null, "undeleted_items")).toBe(false);
});

describe("what is destroyed is said by the tool and by the question", () => {
  const go: Field = { ...base, name: "go", title: "Go on?", kind: "boolean", default: null };
  test.each<[string, boolean | null, string, string, Form, string | null]>([
    ["hint and message", true, "clean_up", "Delete 14 files for good?", form(go), "delete"],
    ["hint and an inflected word", true, "clean_up", "Start the deletion of 14 files?", form(go), "delete"],
    ["hint and a field's title", true, "run", "Go?", form({ ...go, title: "Wipe the disk" }), "wipe"],
    ["hint and a field's name", true, "run", "Go?", form({ ...go, name: "confirmPurge" }), "purge"],
    ["hint and an option", true, "run", "What now?", form(oneOf("drop the table", "keep it")), "drop"],
    ["hint and the tool's name", true, "revoke_access", "Shall Dana lose access?", form(go), "revoke"],
    ["a name without a hint", null, "delete_file", "Go on?", form(go), "delete"],
    ["a hint alone: a routine payment", true, "process_invoice", "Invoice INV-1 of ACME?", form(go), null],
    ["a question alone", null, "ask", "Delete 14 files?", form(go), null],
    ["a tool that denies it", false, "delete_file", "Delete 14 files?", form(go), null],
    ["part of another word", true, "run", "Terminal 3 is undeleted: pay for it?", form(go), null],
  ])("%s", (_, destructive, tool, message, form, word) => {
    expect(destructionOf({ destructive, tool, message, form })).toBe(word);
  });
});

test.each<[string, Record<string, unknown>, boolean]>([
  ["Confirm", { confirm: true }, true],
  ["No", { confirm: false }, false],
  ["Yes", { keep_the_file: true }, false],
  ["No", { keep_the_file: false }, true],
  ["Delete now", { how: "now" }, true],
  ["Archive", { how: "archive" }, true],
  ["Reject", { value: "reject" }, false],
  ["Keep it", { how: "keep" }, false],
  ["Do not delete", { how: "no_op" }, false],
])("a destructive question's %s %o may destroy: %s", (label, content, destroys) => {
  expect(mayDestroy({ label, content })).toBe(destroys);
});
