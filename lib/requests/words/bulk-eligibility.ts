import { MESSAGE_IN_LISTS } from "../limits.ts";
import type { InputRequestSummary } from "../request-schema.ts";

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
