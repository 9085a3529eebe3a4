/** Which changes of a policy let rules answer more than before: those are an owner's. Pure, but for the records. */

import type { Tx } from "../../base/db/db.ts";
import type { FieldError } from "../../base/errors.ts";
import { canonicalJson } from "../../mcp/forms/jcs.ts";
import type { WithPeople } from "../difference.ts";
import { fingerprintOf, groupsAsTold, mayMeanGroups } from "./authors.ts";
import { FEWEST_SHADOWED, isProven, type ShadowRecord } from "./automatic-status.ts";

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
 * Whether rules that stay live may answer what something kept from them before: a condition by which people had to agree, a live
 * rule that declines, or one that stood before them, whose answer may be a no in the form's own words, or nothing by its share for
 * people. So without it only the last of live rules that say the same can be taken away, or all of them.
 */
export function frees(before: WithPeople, after: WithPeople): boolean {
  const live = ({ policy }: WithPeople) => (policy.automatic ?? []).filter(({ mode }) => mode === "live");
  const stays = live(after);
  if (stays.length === 0) return false;
  const conditions = new Set(after.policy.rules.map(({ when }) => when));
  if (before.policy.rules.some(({ when }) => !conditions.has(when))) return true;
  const areGroupsMeant = before.policy.rules.some(({ when }) => mayMeanGroups(when));
  if (areGroupsMeant && !groupsAsTold(before).equals(groupsAsTold(after))) return true;
  const was = live(before).map((rule) => ({ ...rule, fingerprint: fingerprintOf(rule, before) }));
  const is = stays.map((rule) => ({ ...rule, fingerprint: fingerprintOf(rule, after) }));
  const goesFurther = is.some((rule, at) => {
    const old = was[at];
    const { fingerprint, dailyCap, sample } = rule;
    return fingerprint !== old?.fingerprint || dailyCap > old.dailyCap || sample < old.sample;
  });
  const isGone = (old: (typeof was)[number]) =>
    !is.some(({ fingerprint }) => fingerprint === old.fingerprint);
  // What says the same as all that stay can't have been a no to them.
  const isOther = ({ answer }: (typeof was)[number]) =>
    answer.action === "decline" || is.some((each) => canonicalJson(each.answer) !== canonicalJson(answer));
  return goesFurther || was.some((old) => isGone(old) && isOther(old));
}

/** Refuses rules whose record does not speak for them, unless somebody typed their names. */
export function problemsOfRecords(
  raised: Raised[],
  recordOf: (fingerprint: string) => ShadowRecord,
  acknowledged: string[],
): FieldError[] {
  return raised.flatMap(({ at, name, fingerprint }) => {
    const record = recordOf(fingerprint);
    if (acknowledged.includes(name) || isProven(record)) return [];
    const { agreed, disagreed } = record;
    const message = `Before a rule goes live, people should have decided ${FEWEST_SHADOWED} requests while it was in shadow, all as it would have. So far they decided ${agreed + disagreed}, ${disagreed} of them otherwise. To go live anyway, acknowledge the rule by its name`;
    return [{ field: `automatic.${at}.mode`, message }];
  });
}

/** Reads how people decided beside rules, by fingerprint. Live rules' decisions that went to people count as those in shadow. */
export async function readRecords(
  tx: Tx,
  fingerprints: string[],
): Promise<(fingerprint: string) => ShadowRecord> {
  const rows = await tx.$queryRaw<(ShadowRecord & { fingerprint: string })[]>`
    SELECT d.fingerprint, count(*) FILTER (WHERE d.agreed)::integer AS agreed,
      count(*) FILTER (WHERE NOT d.agreed)::integer AS disagreed
    FROM automatic_decision d WHERE d.organization_id = ${tx.organizationId}::uuid
      AND d.fingerprint = ANY (${fingerprints}) AND d.agreed IS NOT NULL
    GROUP BY d.fingerprint`;
  const known = new Map(rows.map((row) => [row.fingerprint, row]));
  return (fingerprint) => known.get(fingerprint) ?? { agreed: 0, disagreed: 0 };
}
