/** What selected requests have in common. */
import { sumAmounts } from "../../text/money.ts";
import { MESSAGE_IN_LISTS } from "../limits.ts";
import type { Amount, InputRequestSummary } from "../request-schema.ts";

/** The most requests that one call takes. */
export const MOST_AT_ONCE = 200;

const APART = "Answer or decline them one by one.";

/** Returns why these requests can't be answered together, as a sentence, or null if they can. */
export function notAlike(
  requests: Pick<InputRequestSummary, "alike" | "message" | "mode" | "server" | "tool">[],
): string | null {
  const [first] = requests;
  if (!first) return "Select requests first.";
  if (requests.length > MOST_AT_ONCE) return `Select at most ${MOST_AT_ONCE} to answer them together.`;
  if (requests.some((request) => request.mode === "url")) return `One of these opens a site. ${APART}`;
  if (requests.some((request) => request.message.length >= MESSAGE_IN_LISTS))
    return `One of these has a message too long for a list. ${APART}`;
  if (requests.some((request) => request.server.id !== first.server.id))
    return `These come from different servers. ${APART}`;
  if (requests.some((request) => request.alike === null))
    return `One of these changed, asks for a secret, or can’t be displayed here. ${APART}`;
  if (requests.some((request) => request.alike !== first.alike))
    return `These ask for different answers. ${APART}`;
  return null;
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
