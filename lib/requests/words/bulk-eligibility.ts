import { MESSAGE_IN_LISTS } from "../limits.ts";
import type { InputRequestSummary } from "../request-schema.ts";

/** The most requests that one call takes. */
export const MOST_AT_ONCE = 200;

/** Returns why these requests can't be answered together, as a sentence, or null if they can. */
export function notAlike(
  requests: Pick<InputRequestSummary, "alike" | "message" | "mode" | "server" | "tool">[],
): string | null {
  const [first] = requests;
  if (!first) return "Select requests first.";
  if (requests.length > MOST_AT_ONCE) return `Select at most ${MOST_AT_ONCE} to answer them together.`;
  if (requests.some((request) => request.mode === "url"))
    return "A request that opens a site is answered on its own.";
  if (requests.some((request) => request.message.length >= MESSAGE_IN_LISTS))
    return "A request with a message this long is read and answered on its own.";
  if (requests.some((request) => request.server.id !== first.server.id))
    return "These come from different servers, so they cannot be answered together.";
  if (requests.some((request) => request.alike === null))
    return "A question that changed, asks for a secret, or cannot be shown here is dealt with on its own.";
  if (requests.some((request) => request.alike !== first.alike))
    return "These ask for different answers, so they cannot be answered together.";
  return null;
}
