import { type FoundInvitation, findInvitation } from "../../invitations/queries.ts";
import { database } from "../database.ts";
import { clientAddress, networkOf } from "../http/client-address.ts";
import { mayTry } from "../http/throttle.ts";
import { forPage } from "../pages/page-failure.ts";
import { JOIN_PER_ADDRESS } from "../tunables.ts";

/** Returns the invitation behind a link, or null if none is in force. Tries are counted by network. */
export function lookAtInvitation(
  token: string | string[] | undefined,
  forwardedFor: string | null,
): Promise<FoundInvitation | "throttled" | null> {
  const look = async () => {
    if (!(await mayTry(`join ${networkOf(clientAddress(forwardedFor))}`, JOIN_PER_ADDRESS)))
      return "throttled";
    return typeof token === "string" ? findInvitation(await database(), token) : null;
  };
  return forPage(look());
}
