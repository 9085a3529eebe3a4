/** Judges responses in a process of its own: any stranger may send one, and XML and its signatures may be made to cost much. */
import { aside } from "../base/aside/aside.ts";
import {
  type Asserted,
  checkResponse,
  claimedRequest,
  type Fault,
  type Parties,
  SamlFault,
} from "./response.ts";
import { RESPONSE_JUDGED_MS } from "./tunables.ts";

/** `claimed`: the request that the response says it answers, whether or not it is taken. */
export interface Judged {
  claimed: string | null;
  outcome: { asserted: Asserted } | { fault: Fault; why: string | undefined };
}

const judge = aside<typeof judgeHere>("lib/saml/judge-response.ts", "judgeHere", RESPONSE_JUDGED_MS);

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

/** What the child does. */
export async function judgeHere(parties: Parties, encoded: string, now: Date): Promise<Judged> {
  const claimed = claimedRequest(encoded);
  try {
    return { claimed, outcome: { asserted: await checkResponse(parties, encoded, now) } };
  } catch (error) {
    if (!(error instanceof SamlFault)) throw error;
    const why = error.cause instanceof Error ? error.cause.message.slice(0, 120) : undefined;
    return { claimed, outcome: { fault: error.fault, why } };
  }
}
