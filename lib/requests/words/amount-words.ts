import { sumAmounts } from "../../text/money.ts";
import type { InputRequestSummary } from "../request-schema.ts";

export type Amount = NonNullable<InputRequestSummary["amount"]>;

/** The sums of the amounts, one for each currency; amounts of different currencies are never added. */
export function totals(amounts: (Amount | null)[]): Amount[] {
  const values = Map.groupBy(
    amounts.filter((amount) => amount !== null),
    (amount) => amount.currency,
  );
  return [...values].map(([currency, each]) => ({
    currency,
    value: sumAmounts(each.map((amount) => amount.value)),
  }));
}
