/** Judges responses in a process of its own: any stranger may send one, and XML and its signatures may be made to cost much. */
import { aside } from "../../base/aside/aside.ts";
import type { checkEncoded, Judged, Parties } from "./response.ts";
import { RESPONSE_JUDGED_MS } from "./tunables.ts";

const judge = aside<typeof checkEncoded>("lib/people/saml/response.ts", "checkEncoded", RESPONSE_JUDGED_MS);

/** `encoded`: the form's `SAMLResponse`. Returns null where too many wait already. */
export async function judgeResponse(
  organizationId: string,
  parties: Parties,
  encoded: string,
): Promise<Judged | null> {
  const judged = await judge(organizationId, parties, encoded, new Date());
  if (judged.done) return judged.value;
  if (judged.why === "busy") return null;
  return { claimed: null, outcome: { fault: "malformed", why: "took too long" } };
}
