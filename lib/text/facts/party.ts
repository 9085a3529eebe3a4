/** Whom a call is about: the supplier, the customer, and other names that repeat. Pure. */
import { snake } from "../amount.ts";
import { fitsInRow } from "../foreign/names.ts";

const LONGEST_NAME = 60;
/** A party is shown, however long its name is: longer texts are no names. */
const LONGEST_PARTY = 1_000;

const PARTIES = "supplier vendor customer client payee merchant recipient beneficiary contractor employee";
const KINDS =
  "project account department team cost_center currency environment env region repository repo service branch category role";
const NAMING = new Set([...PARTIES.split(" "), ...KINDS.split(" ")]);
/** Names of who is paid or served. */
const PARTY = new Set(PARTIES.split(" "));

/** More parties of one call are not named: a row could not show them all. */
const MOST_PARTIES = 2;

/** The names in a call's arguments. */
export interface Names {
  /** Strings under a name that repeats across tasks, e.g. `{supplier: "acme corp"}`; lower case. */
  names: Record<string, string>;
  /** All parties of the call, lower case, each once and in order. */
  parties: string[];
  /** The party of the call, as sent, e.g. `ACME Corp`, or both of two: any of them may be paid. Null: there is none, or more, or one that a row can't show. */
  party: string | null;
  /** The key of the first party in `names`, e.g. `supplier`. */
  partyKind: string | null;
}

/**
 * Reads the names out of a call's arguments: top level and one level down. Ids, dates, numbers and the label
 * itself don't count, as they differ from task to task.
 */
export function namesIn(args: Record<string, unknown>, label: string | null): Names {
  const entries = Object.entries(args).flatMap(([key, value]) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? [[key, (value as Record<string, unknown>).name] as const, ...Object.entries(value)]
      : [[key, value] as const],
  );
  const names: Record<string, string> = {};
  const parties = new Map<string, { said: string; kind: string }>();
  for (const [key, value] of entries) {
    const name = namingWord(key);
    if (!name || typeof value !== "string" || value.trim() === label) continue;
    const said = value.trim().replace(/\s+/g, " ");
    const isParty = PARTY.has(name);
    if (said === "" || said.length > (isParty ? LONGEST_PARTY : LONGEST_NAME)) continue;
    const read = said.toLowerCase();
    if (!(name in names)) names[name] = read;
    if (isParty && !parties.has(read)) parties.set(read, { said, kind: name });
  }
  const [first] = parties.values();
  const isNamed =
    first !== undefined &&
    parties.size <= MOST_PARTIES &&
    [...parties.values()].every(({ said }) => fitsInRow(said));
  return {
    names,
    parties: [...parties.keys()].toSorted(),
    party: isNamed ? [...parties.values()].map(({ said }) => said).join(" · ") : null,
    partyKind: isNamed ? first.kind : null,
  };
}

const MAY_NAME = new RegExp([...NAMING].join("|").replaceAll("_", "[-_\\s]*"), "i");

/** `customerName` and `customer` name a customer; `customer_id` does not. */
function namingWord(key: string): string | null {
  if (!MAY_NAME.test(key)) return null;
  const word = snake(key).replace(/_?name$/, "");
  return NAMING.has(word) ? word : null;
}
