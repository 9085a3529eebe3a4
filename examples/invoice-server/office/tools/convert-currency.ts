import { z } from "zod";
import { money, type OfficeTool, text } from "../tool.ts";

/** Sample exchange rates of one US dollar. */
const INDICATIVE = { EUR: 0.9187, GBP: 0.7812, CHF: 0.8846 };
/** The firm rate is slightly worse than the indicative one. */
const SPREAD = 0.0038;

const schema = z.object({
  order_id: text("Order number", 60),
  purpose: text("Purpose"),
  amount_usd: z.number().min(1).max(10_000_000).meta({ title: "Amount in US dollars" }),
  to: z.enum(["EUR", "GBP", "CHF"]).meta({ title: "Into" }),
});
type Order = z.infer<typeof schema>;

/** The question changes while open: first the bank's indicative rate, then its firm one. */
export const convertCurrency: OfficeTool<Order> = {
  name: "convert_currency",
  title: "Convert currency",
  description:
    "Asks a person to convert at the bank's indicative rate, and asks anew as soon as the bank has given its firm rate.",
  arguments: schema,
  annotations: { destructiveHint: true, openWorldHint: true },
  saying: {
    before: "Asking the bank for its rate",
    asking: "Waiting for the rate to be accepted",
    after: "Converting",
  },
  question: {
    mode: "form",
    changes: 1,
    ask: (order, round) => {
      const { rate, bought } = quoteFor(order, round);
      const kind = round === 0 ? "indicative" : "firm";
      return {
        message: `${order.order_id}: convert ${money(order.amount_usd)} at the bank's ${kind} rate of ${rate}, for ${money(bought, order.to)}?`,
        requestedSchema: {
          type: "object",
          properties: {
            decision: {
              type: "string",
              title: "Decision",
              oneOf: [
                { const: acceptanceOf(rate), title: `Accept ${rate}` },
                { const: "reject", title: "Reject" },
              ],
            },
          },
          required: ["decision"],
        },
      };
    },
    // The answer names its rate, so an answer to another rate is invalid.
    answer: (order, round) => {
      const { rate, bought } = quoteFor(order, round);
      return z.object({ decision: z.enum([acceptanceOf(rate), "reject"]) }).transform(({ decision }) =>
        decision === "reject"
          ? { status: "Rejected", text: `${order.order_id}: nothing was converted.` }
          : {
              status: "Converted",
              text: `${order.order_id}: converted ${money(order.amount_usd)} into ${money(bought, order.to)} at ${rate}.`,
              details: { rate, bought, currency: order.to },
            },
      );
    },
  },
};

const acceptanceOf = (rate: number) => `accept ${rate}`;

function quoteFor({ amount_usd, to }: Order, round: number): { rate: number; bought: number } {
  const rate = Number((INDICATIVE[to] * (1 - SPREAD * round)).toFixed(4));
  return { rate, bought: Math.round(amount_usd * rate * 100) / 100 };
}
