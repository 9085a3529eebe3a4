import { describe, expect, test } from "vitest";
import type { Field, Form } from "../mcp/forms/form.ts";
import { destructionOf, isHarmless, noMayAct, questionIn } from "./destruction.ts";

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

describe("one press decides only what clearly does nothing", () => {
  const harmless: [string, Record<string, unknown>][] = [
    ["No", { confirm: false }],
    ["Reject", { approve: false }],
    ["Yes", { keep_the_file: true }],
    ["Yes", { abort: true }],
    ["Reject", { value: "reject" }],
    ["Reject invoice", { decision: "reject" }],
    ["Nein", { decision: "no" }],
    ["Keep it", { how: "keep" }],
    ["Not now", { how: "later" }],
    ["Do not delete", { how: "no_op" }],
    ["Don’t delete", { how: "no_op" }],
    ["Never delete it", { how: "no_op" }],
    ["Cancel", { how: "cancel" }],
    ["Stop", { how: "stop" }],
    ["Skip this", { how: "skip" }],
    ["Leave it as is", { how: "leave" }],
    ["No", { approved: false }],
    ["No", { delete_records: false }],
    ["No", { confirmDeletion: false }],
    ["Deny", { allow: false }],
    ["No", { go_ahead: false }],
    ["No", { approve_payment: false }],
    ["Reject", { invoice_decision: "reject" }],
    ["Keep the file", { file: "keep" }],
    ["Later", { action: "later" }],
  ];
  const harmful: [string, Record<string, unknown>][] = [
    // A code may stand for anything.
    ["Keep the file", { how: "a" }],
    ["No thanks", { how: "c" }],
    ["Do not proceed", { how: "x1" }],
    ["Confirm", { confirm: true }],
    ["No", { keep_the_file: false }],
    ["No", { keep: false }],
    ["No", { hold_payment: false }],
    ["No", { skip_backup: false }],
    ["No", { delete_or_keep: false }],
    ["Yes", { cancel_subscription: true }],
    ["Yes", { stop_and_delete: true }],
    ["Delete now", { how: "now" }],
    ["Delete", { how: "no" }],
    ["Archive", { how: "archive" }],
    ["Cancel subscription", { how: "cancel" }],
    ["Stop and delete", { how: "stop" }],
    ["Skip backup and wipe", { how: "skip" }],
    ["Skip backup", { how: "x" }],
    ["No backup, delete", { how: "y" }],
    ["No, delete it", { how: "z" }],
    ["Do not keep it", { how: "a" }],
    ["Don’t back up", { how: "b" }],
    ["Keep only the newest", { how: "c" }],
    ["Keep the last 3", { how: "d" }],
    ["Reject and archive", { how: "reject" }],
    ["None", { what_to_keep: "none" }],
    ["", {}],
    ["Deny access", { decision: "deny" }],
    ["Refuse access", { decision: "no" }],
    ["Refuse backup", { decision: "no" }],
    ["Decline backup", { decision: "decline" }],
    ["Decline to archive", { decision: "decline" }],
    ["Keep a backup", { decision: "keep" }],
    ["Yes", { keep_backup: true }],
    ["No", { dry_run: "no" }],
    ["No", { notify_owner: "no" }],
    ["Keep", { logs: "keep" }],
    ["Nein", { preview: "no" }],
  ];
  // “Delete 1,204 records. Dry run first?”: a no deletes for real.
  const saved = [
    "dry_run",
    "dryRun",
    "preview",
    "simulate",
    "simulation",
    "backup_first",
    "create_backup",
    "back_up",
    "archive",
    "soft_delete",
    "recoverable",
    "undoable",
    "delete_later",
    "approve_dry_run",
    "confirm_backup",
    "allow_backup",
    "allow_access",
    "grant_access",
    "notify_owner",
    "mark_for_deletion",
    "urgent",
    "go_to_trash",
    "remove_after_archiving",
    "confirm_first",
    "denied",
    "confirm_and_archive",
  ];
  test.each(harmless)("%s %o", (label, content) => expect(isHarmless({ label, content })).toBe(true));
  test.each(saved)("not No to %s", (name) =>
    expect(isHarmless({ label: "No", content: { [name]: false } })).toBe(false),
  );
  test("a no to keeping is none, whatever the field is called", () => {
    const no = { label: "No", content: { confirm: false } };
    expect(isHarmless(no, "Delete the customer’s records?")).toBe(true);
    expect(isHarmless(no, "Keep the customer’s records instead of deleting them?")).toBe(false);
    expect(isHarmless({ label: "No", content: { decision: "no" } }, "Shall we spare the records?")).toBe(
      false,
    );
    expect(isHarmless({ label: "Yes", content: { keep_the_file: true } }, "Keep the file?")).toBe(true);
    expect(isHarmless(no, "Back up the records before deleting them?")).toBe(false);
    expect(isHarmless(no, "Do a dry run first?")).toBe(false);
  });
  test.each(harmful)("not %s %o", (label, content) => expect(isHarmless({ label, content })).toBe(false));
});

test.each([
  ["Delete report.pdf? There is no backup.", false],
  ["Delete it without a backup?", false],
  ["Back up the records before they are deleted?", true],
  ["It is blocked. Keep it blocked?", true],
])("whether a no to “%s” may do something: %s", (message, expected) => {
  expect(noMayAct(questionIn(message))).toBe(expected);
});
