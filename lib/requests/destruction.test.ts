import { describe, expect, test } from "vitest";
import type { Field, Form } from "../mcp/forms/form.ts";
import { destructionOf } from "./destruction.ts";

const base = { title: "Decision", description: null, required: true };
const form = (...fields: Field[]): Form => ({ kind: "supported", fields });
const oneOf = (...options: string[]): Field => ({
  ...base,
  name: "decision",
  kind: "one_of",
  options: options.map((value) => ({ value, title: value })),
  default: null,
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
    ["a name in one word", null, "deleteFile", "Go on?", form(go), "delete"],
    ["a name without a hint", null, "delete_file", "Go on?", form(go), "delete"],
    ["a hint alone: a routine payment", true, "process_invoice", "Invoice INV-1 of ACME?", form(go), null],
    ["a word with a hidden letter", true, "run", "De\u200blete 14 files?", form(go), "delete"],
    ["part of a name", null, "undeleted_items", "Delete 14 files?", form(go), null],
    ["a question alone", null, "ask", "Delete 14 files?", form(go), null],
    ["a tool that denies it", false, "delete_file", "Delete 14 files?", form(go), null],
    ["part of another word", true, "run", "Terminal 3 is undeleted: pay for it?", form(go), null],
  ])("%s", (_, destructive, tool, message, form, word) => {
    expect(destructionOf({ destructive, tool, message, form })).toBe(word);
  });
});

test.each([
  ["drops", "drop"],
  ["dropped", "drop"],
  ["Destruction", "destroy"],
  ["destroying", "destroy"],
  ["erasure", "erase"],
  ["truncated", "truncate"],
  ["termination", "terminate"],
  ["revocation", "revoke"],
  ["revoking", "revoke"],
  ["removal", "remove"],
  ["wiped", "wipe"],
  ["Dropbox", null],
  ["terminal", null],
])("%s names %s", (word, verb) => {
  expect(destructionOf({ destructive: true, tool: "run", message: `${word} it`, form: form() })).toBe(verb);
});
