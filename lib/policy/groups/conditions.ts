/** Which groups of the organization conditions of a policy ask for, by the names that groups have at the moment. Pure. */
import { mayMeanGroups } from "../automatic/authors.ts";
import { policyLanguage } from "../facts.ts";
import type { Policy } from "../policy-schema.ts";

/** Returns a function that returns the rules whose conditions name a group. Each condition is read once, for all groups. */
export function askingRules({ rules, groups }: Policy): (name: string) => string[] {
  const asking = new Map<string, string[]>();
  for (const rule of rules)
    for (const name of soughtBy(rule.when) ?? []) asking.set(name, [...(asking.get(name) ?? []), rule.name]);
  return (name) => (Object.hasOwn(groups, name) ? [] : (asking.get(name) ?? []));
}

/**
 * Whether live automatic rules may answer more once a group of one of these names is another one: stages that a condition keeps from
 * them for who is in it would be there no more. Also by who joins it: the condition may leave them out.
 */
export function mayFree({ rules, groups, automatic = [] }: Policy, names: string[]): boolean {
  if (!automatic.some(({ mode }) => mode === "live")) return false;
  // A name of the policy's own means its own group.
  const meant = new Set(names.filter((name) => !Object.hasOwn(groups, name)));
  return rules.some(({ when }) => {
    const sought = soughtBy(when);
    return sought === null || sought.some((name) => meant.has(name));
  });
}

/** The names of groups that a condition asks for; null: it may ask for any. */
function soughtBy(when: string | null): string[] | null {
  if (when === null) return [];
  const read = policyLanguage.read(when);
  if ("problem" in read) return mayMeanGroups(when) ? null : [];
  return read.condition.sought("requester", "groups");
}
