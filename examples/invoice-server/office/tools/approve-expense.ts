import { z } from "zod";
import { amount, day, money, type OfficeTool, sum, text } from "../tool.ts";

const CATEGORIES = { travel: "Travel", meals: "Meals", equipment: "Equipment", training: "Training" };

const schema = z.object({
  report_id: text("Report number", 60),
  employee: text("Employee"),
  purpose: text("Purpose"),
  items: z
    .array(
      z.object({
        description: text("Description"),
        date: day("Date"),
        amount: amount("Amount in US dollars"),
      }),
    )
    .min(1)
    .max(100)
    .meta({ title: "Items" }),
  documents: z.array(text("Address", 500)).max(100).optional().meta({
    title: "Documents",
    description: "Addresses of resources, such as expense://EXP-1/receipt-1.png",
  }),
});

/** A small form: several fields, some of them required. */
export const approveExpense: OfficeTool<z.infer<typeof schema>> = {
  name: "approve_expense",
  title: "Approve an expense report",
  description:
    "Asks a person how much of an expense report is reimbursed, and how it is booked. Declining rejects it.",
  arguments: schema,
  saying: {
    before: "Checking the receipts",
    asking: "Waiting for the approval",
    after: "Booking the reimbursement",
  },
  question: {
    mode: "form",
    changes: 0,
    ask: ({ report_id, employee, purpose, items }) => {
      const total = sum(items.map((item) => item.amount));
      return {
        message: `Expense report ${report_id} of ${employee} (${money(total)}), ${purpose}: approve an amount, and say how to book it.`,
        requestedSchema: {
          type: "object",
          properties: {
            approved_amount: {
              type: "number",
              title: "Amount to reimburse",
              description: "In US dollars, at most what was claimed",
              minimum: 0.01,
              maximum: total,
              default: total,
            },
            category: {
              type: "string",
              title: "Category",
              oneOf: Object.entries(CATEGORIES).map(([value, title]) => ({ const: value, title })),
            },
            pay_on: { type: "string", title: "Pay on", format: "date", description: "Empty: next payroll" },
            receipts_complete: { type: "boolean", title: "All receipts are there" },
            note: { type: "string", title: "Note to the employee", maxLength: 500 },
          },
          required: ["approved_amount", "category", "receipts_complete"],
        },
      };
    },
    answer: ({ report_id, employee, items }) =>
      z
        .object({
          approved_amount: z
            .number()
            .min(0.01)
            .max(sum(items.map((item) => item.amount))),
          category: z.enum(Object.keys(CATEGORIES) as (keyof typeof CATEGORIES)[]),
          pay_on: z.iso.date().optional(),
          receipts_complete: z.boolean(),
          note: z.string().max(500).optional(),
        })
        .transform((booked) => ({
          status: "Approved",
          text: `${report_id}: ${money(booked.approved_amount)} is paid to ${employee} ${booked.pay_on ? `on ${booked.pay_on}` : "with the next payroll"}.`,
          details: booked,
        })),
  },
};
