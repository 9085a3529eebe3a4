import { describe, expect, test } from "vitest";
import { isHarmless, isPlainNo } from "./plain-no.ts";

const asks = (message: string, title = "", about = "") => ({ title, texts: ["", about, message] });
const no = { label: "No", content: { confirm: false } };
const reject = { label: "Reject", content: { decision: "reject" } };

describe("one press decides only what clearly does nothing", () => {
  const harmless: [string, Record<string, unknown>][] = [
    ["No", { confirm: false }],
    ["Reject", { approve: false }],
    ["Reject", { value: "reject" }],
    ["Reject invoice", { decision: "reject" }],
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
    ["Reject", { invoice_decision: "reject" }],
    ["Keep the file", { file: "keep" }],
    ["Later", { action: "later" }],
  ];
  const harmful: [string, Record<string, unknown>][] = [
    // A code may stand for anything.
    ["Keep the file", { how: "a" }],
    ["Nein", { decision: "no" }],
    ["Yes", { keep_the_file: true }],
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
    ["No ✅", { confirm: "false" }],
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
  const files = asks("Delete 14 files?");
  test.each(harmless)("%s %o", (label, content) => expect(isHarmless({ label, content }, files)).toBe(true));
  test.each(saved)("not No to %s", (name) => {
    for (const asked of [undefined, files])
      expect(isHarmless({ label: "No", content: { [name]: false } }, asked)).toBe(false);
  });
  test.each(harmful)("not %s %o", (label, content) => {
    for (const asked of [undefined, files]) expect(isHarmless({ label, content }, asked)).toBe(false);
  });
});

describe("a no is plain only where what is asked is known to go ahead", () => {
  test.each([
    "Approve invoice INV-100 of ACME Corp over EUR 5,000.00?",
    "INV-100 of ACME Corp, EUR 5,000.00: approve?",
    "Pay INV-100 to ACME?",
    "Please approve or reject invoice INV-100.",
    "Please review and approve invoice INV-100.",
    "Invoice INV-100 of ACME: pay it?",
    "Shall we delete the customer’s records?",
    "Delete report.pdf? There is no backup.",
    "Delete customer-exports-2025.parquet for good?",
    "Delete the environment preview-7 with its database? This can’t be undone.",
    "This will delete 14 files.",
    "Deploy api 1.4.2 to production?",
    "Merge customer C-7 into C-1?",
    "Shall we order PO-7?",
    "Really approve $2,000?",
    "Do you want to continue? See https://erp.example/r?id=7 for more.",
  ])("%s", (message) => {
    expect([isPlainNo(no, asks(message)), isPlainNo(reject, asks(message))]).toEqual([true, true]);
  });
  test.each([
    "",
    "Invoice INV-100 of ACME Corp over EUR 5,000.00.",
    "Invoice INV-100 is waiting for your approval.",
    "What should we do with invoice INV-100?",
  ])("“%s” does not say what a bare no is a no to", (message) => {
    expect([isPlainNo(no, asks(message)), isPlainNo(reject, asks(message))]).toEqual([false, true]);
  });
  test.each([
    "Any objections to paying EUR 50,000 to Mallory?",
    "The payment is blocked. Keep it blocked?",
    "Should we keep the customer records? They are purged tonight otherwise. Please confirm?",
    "Keep the payment blocked? It is paid out otherwise. OK?",
    "Any objections to the payment? Shall we go on as planned?",
    "Deletion of the customer records is blocked: keep it blocked?",
    "Deleted records: keep their backup?",
    "Terminated employees: retain their records?",
    "Delete nothing and keep all records?",
    "Wipe prevented, keep the files?",
    "Do you still need these records?",
    "Are these records still in use?",
    "Is anybody using this database?",
    "Freeze the payment?",
    "Dispute the payment?",
    "Is this invoice a fraud?",
    "Is a second approval needed?",
    "Does Cleo need to sign too?",
    "Escalate to the board?",
    "Send it back to the supplier?",
    "Postpone the deletion?",
    "Extend the retention?",
    "Exclude the customer records from the purge?",
    "Is anything missing?",
    "Stop the payment of EUR 70,000?",
    "Keep the customer records of 2025? Otherwise they are purged. See https://erp.example/r?id=7 for more.",
    "Confirm that the records are in use. They are deleted otherwise.",
    "Back up the records before they are deleted?",
    "Delete it without a backup?",
    // Questions about a state.
    "Is this invoice a duplicate?",
    "Is this invoice a duplicate",
    "Is this a duplicate: pay it?",
    "Is the invoice already paid?",
    "Is the payment over the limit?",
    "Is the payment to a new account?",
    "Is the deployment broken?",
    "Is it correct?",
    "Is this fine?",
    "Payment overdue?",
    "Payment sent?",
    "Approved?",
    "Release?",
    "Order PO-7 of ACME delivered?",
    "Transfer of EUR 7 done?",
    "Should the purchase bounce?",
    "Should order PO-7 of ACME bounce?",
    "Please confirm order PO-7 of ACME?",
    "Pay INV-7, and is the IBAN right?",
    "Pay INV-7 to ACME (is the IBAN right)?",
    "Pay INV-7 to ACME and is the IBAN right?",
    // Corrections and safeguards.
    "Correct the IBAN?",
    "Correct the IBAN.",
    "Update the amount to 100 EUR?",
    "Please change the recipient to ACME.",
    "Add Cleo as a reviewer?",
    "Approve the correction?",
    "Approve the invoice correction?",
    "Send to legal?",
    "Transfer INV-7 to compliance?",
    "Run a virus scan?",
    "Start a review?",
    "A virus scan comes next. Go on?",
    "Ben asks to skip the payment of INV-7. Approve?",
    "INV-7 is put aside. Approve it?",
    "Approve the request? It sends INV-7 to legal.",
    // What is deleted goes on after a no.
    "Delete the payment?",
    "The payment to Mallory looks odd. Delete it?",
    "Remove INV-7 from the payment run?",
    "Delete the records from the payment list?",
    // How, and which of two.
    "Pay INV-7 by card?",
    "Pay ACME or Mallory?",
    "Pay INV-7 to the new account?",
    "Pay INV-7 in full?",
    "Choose “No” to pay INV-7.",
    "Soll die Zahlung gesperrt bleiben?",
    `Keep it?${" It is explained below.".repeat(500)}`,
  ])("not to “%s”, wherever it stands", (message) => {
    for (const choice of [no, reject, { label: "No", content: { approve: false } }])
      for (const asked of [asks(message), asks("", message), asks("", "", message)])
        expect(isPlainNo(choice, asked)).toBe(false);
    expect(isHarmless(no, asks(message))).toBe(false);
  });
  test.each(["Records kept?", "Still needed", "Approved for retention", "Allow retention of the records?"])(
    "not where the field is called “%s”",
    (title) =>
      expect(isPlainNo({ label: "Reject", content: { approve: false } }, asks("", title))).toBe(false),
  );
});

test.each([
  ["Keep going", "keep_going", "14 of 200 customer records are deleted.", false],
  ["None", "none", "Which customer records shall be kept? The others are deleted.", false],
  ["Keep none", "keep_none", "Customer records of 2024: delete them?", false],
  ["Keep some", "keep_some", "Customer records of 2024: delete them?", false],
  ["Keep on", "keep_on", "Customer records of 2024: delete them?", false],
  ["Keep", "keep", "Keep deleting the records?", false],
  ["Skip", "skip", "Skip the backup?", false],
  ["Stop", "stop", "The retention job keeps the records: stop it?", false],
  ["Keep all", "keep_all", "Customer records of 2024: delete them?", true],
  ["Keep", "keep", "Delete or keep the records?", true],
  ["Cancel", "cancel", "Delete 14 files?", true],
  ["Cancel it", "cancel", "Delete 14 files?", true],
  [
    "Cancel it",
    "cancel",
    "What should happen to the contract of ACME? Its records are deleted at the end.",
    false,
  ],
  [
    "Leave",
    "leave",
    "What should we do with the subscription? Records are deleted for those that leave.",
    false,
  ],
  ["Skip", "skip", "What about the review of the records to be deleted?", false],
  ["Later", "later", "When shall the customer records be deleted?", false],
  [
    "None",
    "none",
    "Which records do you want to take over? Everything in the old system is deleted tonight.",
    false,
  ],
  ["Keep it", "keep", "The schedule that deletes the records: keep it?", false],
])("“%s” (%s), to “%s”, does nothing: %s", (label, value, message, expected) => {
  expect(isHarmless({ label, content: { decision: value } }, asks(message))).toBe(expected);
});

test.each(["approve_payment", "delete_records", "go_ahead", "allow", "approved"])(
  "a no to a field called %s says what it is a no to",
  (name) => {
    const choice = { label: "No", content: { [name]: false } };
    expect(isPlainNo(choice, asks("R-7 of ACME"))).toBe(true);
    expect(isPlainNo(choice, asks("Is this a duplicate?"))).toBe(false);
  },
);

test.each(["correct", "fine", "paid", "payment_sent", "duplicate", "update_iban", "payment_confirmed"])(
  "a no to a field called %s is no plain one",
  (name) => {
    for (const message of ["", "Pay INV-7?", "Approve invoice INV-7?"])
      expect(isPlainNo({ label: "No", content: { [name]: false } }, asks(message))).toBe(false);
  },
);

test("hundreds of choices under a long title are judged in a moment", () => {
  const asked = asks("Pay it? ".repeat(500), "x ".repeat(2_000));
  const before = process.threadCpuUsage();
  for (let at = 0; at < 500; at++)
    isPlainNo({ label: "Reject it", content: { decision: `reject_${at}` } }, asked);
  const { user, system } = process.threadCpuUsage(before);
  expect((user + system) / 1_000).toBeLessThan(250);
});
