import { describe, expect, test } from "vitest";
import type { Field, Form } from "../../mcp/forms/form.ts";
import { normaliseForm } from "../../mcp/forms/read-form.ts";
import { harmlessOf, plainNosOf } from "./plain-no.ts";

const base = { title: "Decision", name: "decision", description: null, required: true, default: null };
const choice = (...options: [value: string, title?: string][]): Field => ({
  ...base,
  kind: "one_of",
  options: options.map(([value, title = value]) => ({ value, title })),
});
const yesNo = (name: string, title = name): Field => ({ ...base, name, title, kind: "boolean" });
const form = (...fields: Field[]): Form => ({ kind: "supported", fields });
/** A yes or no as a server sends it. Its name gets into the description. */
const read = (property: object) =>
  normaliseForm({ type: "object", properties: { confirm: { type: "boolean", ...property } } });

describe("a plain no refuses the request, and says nothing else", () => {
  test.each<[string, Field, unknown[]]>([
    ["reject beside approve", choice(["approve"], ["reject"]), ["reject"]],
    ["rejected beside accepted", choice(["accepted"], ["rejected", "Rejected"]), ["rejected"]],
    [
      "reject_invoice",
      choice(["approve_invoice", "Approve invoice"], ["reject_invoice", "Reject invoice"]),
      ["reject_invoice"],
    ],
    [
      "with a title that asks to approve",
      { ...choice(["approve"], ["deny"]), title: "Approve INV-7?" },
      ["deny"],
    ],
    [
      "with a title of the decision",
      { ...choice(["approve"], ["deny"]), title: "Invoice approval" },
      ["deny"],
    ],
    ["with a hidden letter", choice(["approve"], ["reject", "Re\u200bject"]), ["reject"]],
    ["approve: no", yesNo("approve"), [false]],
    ["approved: no, of a title that asks to approve", yesNo("approved", "Approve the payment?"), [false]],
  ])("%s", (_, field, expected) => {
    expect(plainNosOf(field)).toEqual(expected);
  });

  test.each<[string, Field]>([
    ["a bare no", choice(["yes"], ["no"])],
    ["a no to a confirmation", yesNo("confirm")],
    ["no consent beside it", choice(["later"], ["reject"])],
    ["it sends a yes", choice(["approve", "Reject"], ["x", "Approve"])],
    ["it sends a yes in other letters", choice(["approve"], ["ＡＰＰＲＯＶＥ", "Reject"])],
    ["it is called a yes", choice(["approve"], ["reject", "Execute (sends “reject”)"])],
    ["it is another language", choice(["approve"], ["reject", "Nein (sends “reject”)"])],
    ["it does more", choice(["approve"], ["reject_hold", "Reject"])],
    ["it says more", choice(["approve"], ["reject", "Reject and archive"])],
    ["a word that stops something", choice(["approve"], ["cancel", "Cancel"])],
    ["the title asks for a no", { ...choice(["approve"], ["reject"]), title: "Withhold your approval?" }],
    ["the title asks something else", { ...choice(["approve"], ["reject"]), title: "Is this a duplicate?" }],
    ["the title is two sentences", { ...choice(["approve"], ["reject"]), title: "Approve? No pays it." }],
    ["the name asks for a no", { ...choice(["approve"], ["reject"]), name: "withhold_approval" }],
    ["the name of a yes or no asks for a no", yesNo("withhold_approval")],
    ["the title of a yes or no asks for a no", yesNo("approve", "Keep the payment blocked?")],
  ])("not where %s", (_, field) => {
    expect(plainNosOf(field)).toEqual([]);
  });
});

describe("one press decides only what clearly does nothing", () => {
  test.each<[string, Form, string, unknown[]]>([
    ["a plain no, whatever is asked", form(choice(["approve"], ["reject"])), "INV-7 of ACME", ["reject"]],
    ["a bare no to a deletion", form(choice(["yes"], ["no"])), "Delete 14 files?", ["no"]],
    ["a no to its confirmation", form(yesNo("confirm")), "Delete 14 customer records permanently?", [false]],
    [
      "with a title that says it too",
      form(yesNo("confirm", "Delete the file")),
      "Delete report.pdf for good?",
      [false],
    ],
    ["as its form is read", read({ title: "Delete the file" }), "Delete report.pdf for good?", [false]],
    ["with its warning", form(yesNo("confirm")), "Delete “report”? This can’t be undone.", [false]],
    ["with its data", form(yesNo("confirm")), "Delete the environment preview-7 with its database?", [false]],
    [
      "what keeps it",
      form(choice(["delete"], ["keep", "Keep the files"])),
      "Shall we delete the files?",
      ["keep"],
    ],
    ["what waits", form(choice(["delete"], ["later", "Not now"])), "Delete the files?", ["later"]],
  ])("%s", (_, shape, message, expected) => {
    expect(harmlessOf(shape, message)).toEqual(expected);
  });

  test.each([
    "Delete 14 files, with a backup first?",
    "Delete the customer records: after a backup?",
    "Delete 14 files – softly, to the trash?",
    "Delete the account with a grace period of 30 days?",
    "Delete the files in 30 days?",
    "Delete the records in batches?",
    "Delete the payment?",
    "Delete the rule?",
    "Delete it?",
    "Remove the row?",
    "The payment to Mallory looks odd. Delete the file?",
    "Delete 14 files? No deletes 15.",
    "Delete or keep the records?",
    "Keep 14 files?",
    "Postpone the deletion?",
    "Stop the deletion?",
    "Is this a duplicate?",
    "Pay INV-7?",
    "",
    `Delete the files?${" This can’t be undone.".repeat(50)}`,
  ])("not a bare no to “%s”", (message) => {
    for (const field of [yesNo("confirm"), choice(["yes"], ["no"])])
      expect(harmlessOf(form(field), message)).toEqual([]);
  });

  test.each<[string, Form]>([
    ["a field that asks for a no", form(yesNo("keep_the_files"))],
    ["a title that asks for a no", form(yesNo("confirm", "Skip the backup?"))],
    ["a description that says more", form({ ...yesNo("confirm"), description: "No archives them." })],
    ["the same as its form is read", read({ title: "Delete the files", description: "No archives them." })],
    ["another field", form(yesNo("confirm"), yesNo("backup"))],
    ["a choice that does something", form(choice(["yes"], ["archive", "No"], ["no", "Archive"]))],
    ["a form that can't be shown", { kind: "unsupported", reason: "nested" }],
  ])("not of %s", (_, shape) => {
    expect(harmlessOf(shape, "Delete 14 files?")).toEqual([]);
  });
});
