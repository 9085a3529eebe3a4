/** Judges responses in a process of its own: any stranger may send one, and XML and its signatures may be made to cost much. */
import { aside } from "../../base/aside/aside.ts";
import type { checkEncoded, Judged, Parties } from "./response.ts";
import { RESPONSE_JUDGED_MS } from "./tunables.ts";

const judge = aside<typeof checkEncoded>("lib/people/saml/response.ts", "checkEncoded", RESPONSE_JUDGED_MS);

/**
 * `isAsked`: the response claims to answer a request that is open. All others wait in a line of their own, so that they take
 * no place of a person who began a sign-in. `encoded`: the form's `SAMLResponse`. Returns null where too many wait already.
 */
export async function judgeResponse(
  organizationId: string,
  isAsked: boolean,
  parties: Parties,
  encoded: string,
): Promise<Judged | null> {
  const line = isAsked ? organizationId : `${organizationId} unasked`;
  const judged = await judge(line, parties, encoded, new Date());
  if (judged.done) return judged.value;
  if (judged.why === "busy") return null;
  return { fault: "malformed", why: "took too long" };
}
