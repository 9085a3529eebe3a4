/** Whether a call is like the one that was approved for a while. Pure. */
import { canonicalJson } from "../../mcp/forms/jcs.ts";
import { readLargest } from "../../text/amount.ts";
import { isRecord } from "../../text/json.ts";

type Json = Record<string, unknown>;

export interface Bounds {
  /** Arguments that may differ. */
  except: string[];
  mostAmount: number | null;
}

/**
 * In doubt, the call is not like the approved one. For example, a call whose amount can't be read, or has
 * another currency, is not within a bound.
 */
export function isLikeApproved(approved: Json, call: Json, { except, mostAmount }: Bounds): boolean {
  if (canonicalJson(without(approved, except)) !== canonicalJson(without(call, except))) return false;
  if (mostAmount === null) return true;
  return isWithin(call, mostAmount) && unitsOf(approved) === unitsOf(call);
}

/** Whether a call has an amount, and none above `mostAmount`. */
export function isWithin(call: Json, mostAmount: number): boolean {
  const read = readLargest(call);
  return !("unclear" in read) && read.largest !== null && Math.abs(read.largest) <= mostAmount;
}

const UNIT = /currency|unit|ccy/i;

/** What the amounts of a call are counted in, wherever it stands. */
function unitsOf(value: unknown, name = ""): string {
  if (Array.isArray(value)) return value.map((inner) => unitsOf(inner, name)).join("");
  if (isRecord(value))
    return Object.keys(value)
      .sort()
      .map((inner) => unitsOf(value[inner], inner))
      .join("");
  return UNIT.test(name) ? `${JSON.stringify(value)},` : "";
}

function without(args: Json, names: string[]): Json {
  return Object.fromEntries(Object.entries(args).filter(([name]) => !names.includes(name)));
}
