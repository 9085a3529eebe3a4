import { z } from "zod";
import { amount, money, type OfficeTool, sum, text } from "../tool.ts";

const schema = z.object({
  run_id: text("Payment run", 60),
  account: text("From account"),
  release_by: z.iso
    .datetime({ offset: true })
    .meta({ title: "Release by", description: "The bank's cut-off: the task ends then." }),
  payments: z
    .array(
      z.object({
        payee: text("Payee"),
        reference: text("Reference", 100),
        amount: amount("Amount in US dollars"),
      }),
    )
    .min(1)
    .max(200)
    .meta({ title: "Payments" }),
});

/** A question with a deadline: payments not released by the bank's cut-off are not made. */
export const releasePaymentRun: OfficeTool<z.infer<typeof schema>> = {
  name: "release_payment_run",
  title: "Release a payment run",
  description:
    "Asks a person to release a payment run before the bank's cut-off. The task fails when nobody does, and nothing is paid.",
  arguments: schema,
  annotations: { destructiveHint: true, openWorldHint: true },
  saying: {
    before: "Checking the payments",
    asking: "Waiting for the release",
    after: "Sending the payments to the bank",
  },
  deadline: ({ release_by }) => new Date(release_by),
  question: {
    mode: "form",
    changes: 0,
    ask: ({ run_id, account, payments }) => ({
      message: `Release payment run ${run_id} (${money(sum(payments.map((each) => each.amount)))}, ${payments.length} payments) from ${account}?`,
      requestedSchema: {
        type: "object",
        properties: {
          decision: {
            type: "string",
            title: "Decision",
            oneOf: [
              { const: "release", title: "Release" },
              { const: "hold", title: "Hold" },
            ],
          },
        },
        required: ["decision"],
      },
    }),
    answer: ({ run_id, payments }) =>
      z
        .object({ decision: z.enum(["release", "hold"]) })
        .transform(({ decision }) =>
          decision === "release"
            ? { status: "Released", text: `${run_id}: ${payments.length} payments went to the bank.` }
            : { status: "Held back, not paid", text: `${run_id}: nothing was paid.` },
        ),
  },
};
