/** The largest amount of money in the arguments of a call, for rules. Pure. */
import { readLargest } from "../../text/amount.ts";
import { RuleFailure } from "../../text/rules/language.ts";

/** Null: there is none. Throws RuleFailure where it is unclear, so that a person is asked. */
export function largestAmount(args: Record<string, unknown>): number | null {
  const read = readLargest(args);
  if ("unclear" in read) throw new RuleFailure(read.unclear);
  return read.largest;
}
