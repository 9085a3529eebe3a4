import { isPasswordLinkInForce } from "../../members/set-password.ts";
import { database } from "../database.ts";
import { clientAddress, networkOf } from "../http/client-address.ts";
import { mayTry } from "../http/throttle.ts";
import { forPage } from "../pages/page-failure.ts";
import { PASSWORD_SET_PER_ADDRESS } from "../tunables.ts";

/** Whether the link behind a page still sets a password. Looks are counted by network, apart from uses. */
export function lookAtPasswordLink(
  token: string,
  forwardedFor: string | null,
): Promise<"in_force" | "over" | "throttled"> {
  const look = async () => {
    const key = `set-password look ${networkOf(clientAddress(forwardedFor))}`;
    if (!(await mayTry(key, PASSWORD_SET_PER_ADDRESS))) return "throttled";
    return (await isPasswordLinkInForce(await database(), token)) ? "in_force" : "over";
  };
  return forPage(look());
}
