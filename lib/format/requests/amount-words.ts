import type { InputRequestSummary } from "../../input-requests/schema.ts";
import { formatMoney, sumAmounts } from "../../text/money.ts";

export type Amount = NonNullable<InputRequestSummary["amount"]>;

/** `1,000.00`, `$1,000.00`, `1,000.00 USD`: the number as it was sent, with separators. */
export function formatAmount({ value, currency }: Amount): string {
  const figure = formatMoney(Math.abs(value));
  const sign = value < 0 ? "-" : "";
  if (!currency) return sign + figure;
  return currency.length === 1 ? `${sign}${currency}${figure}` : `${sign}${figure} ${currency}`;
}

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
