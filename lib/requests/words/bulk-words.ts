/** What selected requests have in common. */
import { readAs } from "../../text/foreign/alike.ts";
import { visibleText } from "../../text/foreign/hidden.ts";
import { fitsInRow } from "../../text/foreign/names.ts";
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
  if (requests.some((request) => request.tool !== first.tool))
    return `These come from different tools. ${APART}`;
  if (requests.some((request) => request.alike === null))
    return `One of these changed, asks for a secret, or can’t be displayed here. ${APART}`;
  if (requests.some((request) => request.alike !== first.alike))
    return `These ask for different answers. ${APART}`;
  return null;
}

/**
 * Returns why these alike requests can't be accepted together, as a sentence, or null if they can. A person accepts what
 * the dialog shows of each, so that no two may read the same there: their arguments may differ.
 */
export function notTold(
  requests: Pick<InputRequestSummary, "message" | "label" | "party" | "amount">[],
): string | null {
  const told = requests.map(({ message, label, party, amount }) =>
    JSON.stringify([...[message, label ?? "", party ?? ""].map(readAs), amount]),
  );
  if (new Set(told).size === told.length) return null;
  return "Some of these read the same in this list, but may differ. Accept them one by one.";
}

/** The call that a request is about, in short. */
export function callParts({
  tool,
  label,
  party,
}: Pick<InputRequestSummary, "tool" | "label" | "party">): string[] {
  const shown = label !== null && fitsInRow(label) ? label : null;
  return [tool, shown, party].filter((part) => part !== null).map(visibleText);
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
