/** What a person reads before deciding: the question, its figures, what was decided before, and what became of it. */
import { createHash } from "node:crypto";
import type { Tx } from "../lib/base/db/db.ts";
import { uuidv7 } from "../lib/base/ids.ts";
import { amountOf } from "../lib/text/amount.ts";
import { checkAppearance } from "./fixtures/appearance.ts";
import { expect, requestPane, test } from "./fixtures/test.ts";
import { openTestRows, type TestRows } from "./fixtures/test-rows.ts";

let testRows: TestRows;
let server: { id: string; connectionId: string };

test.beforeAll(async () => {
  testRows = await openTestRows();
  server = await testRows.serverNamed("Finance ERP");
});
test.afterAll(() => testRows.close());

interface Question {
  message: string;
  arguments?: Record<string, unknown>;
  label?: string;
  taskId?: string;
  replaces?: string;
  askedAgain?: boolean;
  state?: "open" | "settled" | "withdrawn" | "expired";
  endedReason?: string;
  /** Who decided what, and how many days ago. */
  answer?: { value: string; by: string; days?: number; comment?: string };
}

/** A question of a task that has ended, so that nobody else touches it. */
async function ask(question: Question): Promise<{ id: string; taskId: string }> {
  const { message, label = null, answer, state = answer ? "settled" : "open" } = question;
  const args = question.arguments ?? {};
  const taskId =
    question.taskId ??
    (await testRows.insertTask(server, {
      state: "completed",
      arguments: args,
      label,
      tool: "approve_bill",
    }));
  const id = uuidv7();
  const questionHash = createHash("sha256").update(message).digest("hex");
  await testRows.within(async (tx) => {
    const amount = amountOf(args, message);
    await tx.inputRequest.create({
      data: {
        organizationId: tx.organizationId,
        id,
        taskId,
        connectionId: server.connectionId,
        key: id,
        state,
        mode: "form",
        message,
        requestedSchema: {
          type: "object",
          properties: { value: { type: "string", enum: ["approve", "reject"] } },
        },
        form: FORM,
        questionHash,
        amount: amount?.value ?? null,
        currency: amount?.currency ?? null,
        replaces: question.replaces ?? null,
        askedAgain: question.askedAgain ?? false,
        endedReason: question.endedReason ?? null,
        ...(state !== "open" && { endedAt: new Date() }),
      } as Parameters<Tx["inputRequest"]["create"]>[0]["data"],
    });
    if (answer) {
      const at = new Date(Date.now() - (answer.days ?? 0) * 86_400_000);
      await tx.answer.create({
        data: {
          organizationId: tx.organizationId,
          id: uuidv7(),
          inputRequestId: id,
          questionHash,
          action: "accept",
          content: { value: answer.value },
          comment: answer.comment ?? null,
          answeredBy: { kind: "member", id: null, name: answer.by },
          createdAt: at,
        },
      });
    }
  });
  return { id, taskId };
}

const FORM = {
  kind: "supported",
  fields: [
    {
      kind: "one_of",
      name: "value",
      title: "Decision",
      description: null,
      required: true,
      default: null,
      options: [
        { value: "approve", title: "approve" },
        { value: "reject", title: "reject" },
      ],
    },
  ],
};

const day = (offset: number) => new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10);

test("figures that do not fit, and a bill that was decided before, are said before the decision", async ({
  ben,
}) => {
  const supplier = `Globex ${Date.now()}`;
  for (const [n, value] of ["approve", "reject", "approve"].entries())
    await ask({
      message: `Bill B-${n} of ${supplier} ($${950 + n}.00)`,
      label: `B-${n}-${supplier}`,
      arguments: { bill: { id: `B-${n}`, supplier, total: 950 + n, currency: "USD" } },
      answer: {
        value,
        by: "Cleo",
        days: 20 - n,
        ...(n === 2 && { comment: "As agreed in the budget meeting" }),
      },
    });
  const label = `INV-${Date.now()}`;
  const invoice = {
    supplier,
    due_date: day(-5),
    currency: "USD",
    lines: [
      { description: "Widget A", quantity: 2, unit_price: 50, amount: 100, due_date: day(90) },
      { description: "Widget B", quantity: 3, unit_price: 300, amount: 1000, due_date: day(-5) },
    ],
    total: 1000,
  };
  await ask({
    message: `Invoice ${label}`,
    label,
    arguments: { invoice: { invoice_id: label, ...invoice } },
    answer: { value: "approve", by: "Cleo", days: 9 },
  });
  const { id } = await ask({
    message: `Invoice ${label} of ${supplier} ($1,000.00) requires approval by ${day(7)}.`,
    label,
    arguments: { invoice: { invoice_id: label, ...invoice } },
  });
  await ben.goto(`/inbox/${id}?tab=all`);
  const pane = requestPane(ben);
  await expect(pane.getByText(new RegExp(`^${label} was already approved by Cleo`))).toBeVisible();
  await expect(pane.locator("tfoot").getByText("Total says 1,000.00")).toBeVisible();
  await expect(pane.locator("td").getByText("3 × 300.00 is 900.00")).toBeVisible();
  await expect(pane.getByText("Matches message")).toBeVisible();
  await expect(pane.getByText(/^[56] days overdue/).first()).toBeVisible();
  await expect(pane.getByText("Approved 3 of 4")).toBeVisible();
  await expect(pane.getByRole("region", { name: `About ${supplier}` })).toContainText(`from ${supplier}`);
  await checkAppearance(ben, "request with figures");

  // Approving waits until the difference was seen, or is explained; rejecting does not.
  const approve = pane.getByRole("button", { name: "Approve" });
  await expect(pane.getByText("The amounts differ", { exact: true })).toBeVisible();
  await expect(approve).toBeDisabled();
  await expect(pane.getByRole("button", { name: "Reject" })).toBeEnabled();
  await pane.getByLabel("Your comment").fill("Rounded by the supplier");
  await expect(approve).toBeEnabled();
  await pane.getByLabel("Your comment").fill("");
  await expect(approve).toBeDisabled();
  await ben.evaluate(() => (document.activeElement as HTMLElement).blur());
  await ben.keyboard.press("a");
  const tick = pane.getByRole("checkbox", { name: "I’ve seen that the amounts differ" });
  await expect(tick).toBeFocused();
  await ben.keyboard.press(" ");
  await expect(approve).toBeEnabled();

  const copied = await ben.evaluate(() => {
    const figure = document.querySelector<HTMLElement>('td [data-sent="1000"]');
    if (!figure) return "no figure";
    getSelection()?.selectAllChildren(figure);
    const event = new ClipboardEvent("copy", {
      clipboardData: new DataTransfer(),
      bubbles: true,
      cancelable: true,
    });
    figure.dispatchEvent(event);
    return event.clipboardData?.getData("text/plain");
  });
  expect(copied).toBe("1000");
  await pane.getByRole("link", { name: label, exact: false }).filter({ hasText: "·" }).first().click();
  await expect(ben).toHaveURL(/tab=done/);
});

test("a long message that tries to deceive is text, folded, with what is hidden shown", async ({ ben }) => {
  const message = [
    "Pay \u202e00.001$\u202c to ACME\u200b\u200bCorp by 2027-02-28?",
    "",
    "- <b>not bold</b> [not a link](https://example.com)",
    "- שלום $250.00 עולם",
    ...Array.from({ length: 200 }, (_, n) => `${n + 1}. A line of a long message, with PO-2026-${n} in it`),
  ].join("\n");
  const { id } = await ask({ message, arguments: { note: "x ".repeat(5_000) } });
  await ben.goto(`/inbox/${id}?tab=all`);
  const pane = requestPane(ben);
  await expect(pane.getByText("U+202E")).toBeVisible();
  await expect(pane.getByText("U+200B ×2")).toBeVisible();
  await expect(pane.getByRole("link", { name: "not a link" })).toHaveCount(0);
  await checkAppearance(ben, "request with a long message");
  const unfold = pane.getByRole("button", { name: /^Show all .* characters$/ }).first();
  await unfold.click();
  await expect(pane.getByRole("button", { name: "Show less" }).first()).toHaveAttribute(
    "aria-expanded",
    "true",
  );
});

test("arguments of every shape are readable, on a phone too", async ({ ben }) => {
  const lines = Array.from({ length: 300 }, (_, n) => ({
    sku: `SKU-${n}`,
    name: `Part ${n}`,
    amount_cents: "150",
  }));
  const { id } = await ask({
    message: "Order PO-7 of 300 parts, $450.00 in all?",
    arguments: {
      order: {
        order_id: "PO-7",
        total: "450.00",
        note: "All work and no play makes Jack a dull boy. ".repeat(20),
        options: {},
        tags: ["a", "b"],
        lines,
        fees: [{ name: "Handling", amount: -5.5 }],
        routing: { legs: { first: { from: "GVA", to: ["ZRH", "BSL"] } } },
      },
    },
  });
  await ben.goto(`/inbox/${id}?tab=all`);
  const pane = requestPane(ben);
  await expect(pane.getByText("288 more lines.")).toBeVisible();
  await expect(pane.getByText("Sum of 300 lines")).toBeVisible();
  await checkAppearance(ben, "request with many arguments");
  await pane.getByRole("button", { name: "Show all 300", exact: true }).click();
  await expect(pane.getByText("SKU-299")).toBeVisible();
});

test("a question that was asked before says what changed, and what was answered then", async ({ ben }) => {
  const first = await ask({
    message: "Pay $1,000.00 to ACME?",
    answer: { value: "approve", by: "Cleo", days: 1, comment: "As agreed" },
    arguments: { supplier: "ACME" },
  });
  const changed = await ask({
    message: "Pay $1,100.00 to ACME Ltd?",
    taskId: first.taskId,
    replaces: first.id,
  });
  await ben.goto(`/inbox/${changed.id}?tab=all`);
  const pane = requestPane(ben);
  await expect(pane.getByText("This request changed. Review it again")).toBeVisible();
  await expect(pane.locator("dl").getByText("$1,000.00 → $1,100.00")).toBeVisible();
  await expect(pane.getByText(/^Approved by Cleo yesterday: “As agreed”/)).toBeVisible();
  await expect(pane.getByText("Also asked by this task").first()).toBeVisible();
  await checkAppearance(ben, "request asked differently");
  const approve = pane.getByRole("button", { name: "Approve" });
  await expect(approve).toBeDisabled();
  await ben.keyboard.press("a");
  const tick = pane.getByRole("checkbox", { name: "I’ve seen what changed" });
  await expect(tick).toBeFocused();
  await expect(approve).toBeDisabled();
  await ben.keyboard.press(" ");
  await expect(approve).toBeEnabled();

  const again = await ask({ message: "Pay $1,000.00 to ACME?", taskId: first.taskId, askedAgain: true });
  await ben.goto(`/inbox/${again.id}?tab=all`);
  await expect(pane.getByText("Already answered, and asked again")).toBeVisible();
  await expect(pane.getByText(/^Approved by Cleo yesterday: “As agreed”/)).toBeVisible();
  await checkAppearance(ben, "request asked again");
});

test("a request that is over says why, and leads to the task or to the new question", async ({ ben }) => {
  const pane = requestPane(ben);
  const task = pane.getByRole("link", { name: "View task" }).first();
  for (const [state, endedReason] of [
    ["withdrawn", "task_cancelled"],
    ["expired", "question_lifetime"],
  ] as const) {
    const over = await ask({ message: "Pay $7.00?", state, endedReason, arguments: { invoice_id: "INV-7" } });
    await ben.goto(`/inbox/${over.id}?tab=done`);
    await expect(task).toBeVisible();
    await checkAppearance(ben, `request ${state} ${endedReason}`);
  }
  const replaced = await ask({ message: "Pay $7.00?", state: "withdrawn", endedReason: "replaced" });
  await ask({ message: "Pay $8.00?", taskId: replaced.taskId, replaces: replaced.id });
  await ben.goto(`/inbox/${replaced.id}?tab=done`);
  await expect(task).toBeVisible();
  await pane.getByRole("link", { name: "Go to the new question" }).click();
  await expect(pane.getByRole("heading", { level: 2 })).toContainText("$8.00");
});

test("on a phone the question stays in view as a line, and the background is folded below", async ({
  ben,
}) => {
  const { id } = await ask({
    message: "Bill PH-1, $12.50?",
    label: "PH-1",
    arguments: {
      bill_id: "PH-1",
      total: 12.5,
      ...Object.fromEntries(Array.from({ length: 24 }, (_, n) => [`detail_${n}`, `Value ${n}`])),
    },
  });
  await ben.setViewportSize({ width: 390, height: 844 });
  await ben.goto(`/inbox/${id}?tab=all`);
  const pane = requestPane(ben);
  await expect(pane.getByRole("heading", { level: 2 })).toBeVisible();
  const activity = pane.getByRole("button", { name: "Activity" });
  await expect(activity).toHaveAttribute("aria-expanded", "false");
  await activity.scrollIntoViewIfNeeded();
  await activity.click();
  await expect(pane.getByRole("link", { name: "View task" })).toBeVisible();
  if (process.env.E2E_PICTURES)
    await ben.screenshot({ path: `${process.env.E2E_PICTURES}/request-phone-scrolled.png` });
});
