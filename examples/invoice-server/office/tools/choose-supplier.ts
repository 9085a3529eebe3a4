import { z } from "zod";
import { amount, day, money, type OfficeTool, sum, text } from "../tool.ts";

const schema = z.object({
  request_id: text("Purchase request", 60),
  item: text("Item"),
  needed_by: day("Needed by"),
  quotes: z
    .array(
      z.object({
        supplier: text("Supplier", 100),
        price: amount("Price in US dollars"),
        freight_cost: z.number().min(0).max(1_000_000).meta({ title: "Freight in US dollars" }),
        delivery_days: z.int().min(0).max(365).meta({ title: "Delivery in days" }),
      }),
    )
    .min(2)
    .max(10)
    .refine((quotes) => new Set(quotes.map((quote) => quote.supplier)).size === quotes.length, {
      error: "Each supplier may quote once",
    })
    .meta({ title: "Quotes" }),
});

/** A choice: one of several options. What is chosen names its price, so that nobody chooses another one. */
export const chooseSupplier: OfficeTool<z.infer<typeof schema>> = {
  name: "choose_supplier",
  title: "Choose a supplier",
  description: "Compares quotes, asks a person which supplier gets the order, and places it.",
  arguments: schema,
  annotations: { openWorldHint: true },
  saying: {
    before: "Comparing the quotes",
    asking: "Waiting for the choice of a supplier",
    after: "Placing the order",
  },
  question: {
    mode: "form",
    changes: 0,
    ask: ({ request_id, item, needed_by, quotes }) => ({
      message: `Which supplier gets the order for ${item} (${request_id})? It is needed by ${needed_by}.`,
      requestedSchema: {
        type: "object",
        properties: {
          supplier: {
            type: "string",
            title: "Supplier",
            enum: quotes.map(choiceOf),
          },
        },
        required: ["supplier"],
      },
    }),
    answer: ({ request_id, quotes }) =>
      z.object({ supplier: z.enum(quotes.map(choiceOf)) }).transform((answer) => {
        const quote = quotes.find((each) => choiceOf(each) === answer.supplier);
        const supplier = quote?.supplier;
        const total = sum([quote?.price ?? 0, quote?.freight_cost ?? 0]);
        return {
          status: "Ordered",
          text: `${request_id}: ordered from ${supplier} for ${money(total)}.`,
          details: { ...quote, total },
        };
      }),
  },
};

const choiceOf = ({
  supplier,
  price,
  freight_cost,
}: {
  supplier: string;
  price: number;
  freight_cost: number;
}) => `${supplier}, ${money(sum([price, freight_cost]))}`;
