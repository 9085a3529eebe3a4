/** What automatic rules can say something about: what rules of the policy can, and what people decided before. */
import { type AskedRequest, factsOf, languageOf } from "../facts.ts";

export const automaticLanguage = languageOf("automatic");

/** Decisions of people about requests like this one (lib/requests/similar). What rules answered never counts. */
export interface Similar {
  /** So many let the request through. */
  accepted: number;
  /** So many did not. */
  declined: number;
  /** A decided request may be the same one: the same number, or the same party and amount. */
  repeats: boolean;
}

export function automaticFactsOf(asked: AskedRequest, { accepted, declined, repeats }: Similar) {
  const similar = { accepted: BigInt(accepted), declined: BigInt(declined), repeats };
  return Object.assign(factsOf(asked), { similar });
}
