import { z } from "zod";
import { day, money, type OfficeTool, sum, text } from "../tool.ts";

const balance = (title: string) => z.number().min(-1e9).max(1e9).meta({ title });
const schema = z.object({
  statement_id: text("Statement", 60),
  account: text("Account"),
  opening_balance: balance("Opening balance in US dollars"),
  closing_balance: balance("Closing balance in US dollars"),
  movements: z
    .array(z.object({ date: day("Date"), text: text("Text"), amount: balance("Amount in US dollars") }))
    .max(500)
    .meta({ title: "Movements" }),
});

/** A tool without a question: completes in seconds, or fails. */
export const reconcileStatement: OfficeTool<z.infer<typeof schema>> = {
  name: "reconcile_statement",
  title: "Reconcile a bank statement",
  description:
    "Adds up the movements of a bank statement. Fails when they do not lead from the opening to the closing balance.",
  arguments: schema,
  annotations: { readOnlyHint: true, idempotentHint: true },
  saying: { before: "Adding up the movements", asking: "", after: "" },
  endsBy: ({ statement_id, opening_balance, closing_balance, movements }) => {
    const reached = sum([opening_balance, ...movements.map((each) => each.amount)]);
    const difference = sum([closing_balance, -reached]);
    if (difference === 0)
      return {
        status: "Reconciled",
        text: `${statement_id}: ${movements.length} movements lead to ${money(closing_balance)}.`,
        details: { difference },
      };
    return {
      status: "Does not add up",
      text: `${statement_id}: the movements lead to ${money(reached)}, the statement says ${money(closing_balance)}. The difference is ${money(difference)}.`,
      details: { reached, difference },
      isError: true,
    };
  },
};
