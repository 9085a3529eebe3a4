/** Which changes of a policy let rules answer more than before: those are an owner's. Pure. */
import type { FieldError } from "../../base/errors.ts";
import type { WithPeople } from "../difference.ts";
import { fingerprintOf } from "./authors.ts";
import type { AutomaticRule } from "./schema.ts";
import { FEWEST_SHADOWED } from "./status.ts";

export interface Raised {
  /** Where it stands in the new policy. */
  at: number;
  name: string;
  fingerprint: string;
}

/**
 * The rules that are live from now on, or say something else, or go further: by a higher cap, or a smaller share that goes to
 * people.
 */
export function raisedIn(before: WithPeople, after: WithPeople): Raised[] {
  const was = new Map((before.policy.automatic ?? []).map((rule) => [rule.name, rule]));
  return (after.policy.automatic ?? []).flatMap((rule, at): Raised[] => {
    if (rule.mode !== "live") return [];
    const fingerprint = fingerprintOf(rule, after);
    const old = was.get(rule.name);
    const isAsBefore =
      old?.mode === "live" &&
      fingerprintOf(old, before) === fingerprint &&
      rule.dailyCap <= old.dailyCap &&
      rule.sample >= old.sample;
    return isAsBefore ? [] : [{ at, name: rule.name, fingerprint }];
  });
}

/**
 * Whether a live rule that declines is none any more, or is another one, where one that accepts stays live: the latter then
 * accepts what the former kept it from.
 */
export function frees(before: WithPeople, after: WithPeople): boolean {
  const live = ({ policy }: WithPeople, action: AutomaticRule["answer"]["action"]) =>
    (policy.automatic ?? []).filter((rule) => rule.mode === "live" && rule.answer.action === action);
  if (live(after, "accept").length === 0) return false;
  const kept = new Set(live(after, "decline").map((rule) => fingerprintOf(rule, after)));
  return live(before, "decline").some((rule) => !kept.has(fingerprintOf(rule, before)));
}

/** How often people decided what a rule would have, and how often otherwise. */
export interface ShadowRecord {
  agreed: number;
  disagreed: number;
}

/** Refuses rules whose record does not speak for them, unless somebody typed their names. */
export function problemsOfRecords(
  raised: Raised[],
  recordOf: (fingerprint: string) => ShadowRecord,
  acknowledged: string[],
): FieldError[] {
  return raised.flatMap(({ at, name, fingerprint }) => {
    const { agreed, disagreed } = recordOf(fingerprint);
    if (acknowledged.includes(name) || (disagreed === 0 && agreed >= FEWEST_SHADOWED)) return [];
    const message = `Live needs ${FEWEST_SHADOWED} decisions of people beside what exactly this rule would have said, and none that differs. There are ${agreed + disagreed}, of which ${disagreed} differ. To go live all the same, name the rule in acknowledge`;
    return [{ field: `automatic.${at}.mode`, message }];
  });
}
