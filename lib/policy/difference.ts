import { canonicalJson } from "../mcp/forms/jcs.ts";
import type { AutomaticRule } from "./automatic/automatic-schema.ts";
import type { Policy, PolicyRule } from "./policy-schema.ts";
import type { GroupIds, People } from "./problems.ts";

/** What a change of the policy was, for the history: names of rules and groups, and of changed ones what they were and are. */
export interface Difference {
  added: PolicyRule[];
  removed: PolicyRule[];
  changed: { name: string; from: Partial<PolicyRule>; to: Partial<PolicyRule> }[];
  /** Null: there was, or is, no such group. */
  groups: { name: string; from: string[] | null; to: string[] | null }[];
  /** All names, in their order, where one came or the others are in another order now: the first rule that matches decides. */
  order?: string[];
  /** The rules that answer without a person, where one of them is another now. */
  automatic?: {
    added: AutomaticRule[];
    removed: AutomaticRule[];
    changed: { name: string; from: Partial<AutomaticRule>; to: Partial<AutomaticRule> }[];
    order?: string[];
  };
  /** How many tests there were and are, where they are others now. */
  tests?: { from: number; to: number };
}

/** Rules are the same by their name. Pure. */
export function differenceOf(before: Policy, after: Policy): Difference {
  const automatic = rulesThatDiffer(before.automatic ?? [], after.automatic ?? [], AUTOMATIC_KEYS);
  const isAutomatic = Object.values(automatic).some((names) => names.length > 0);
  const tests = [before.tests ?? [], after.tests ?? []] as const;
  const groups = [...new Set([...Object.keys(before.groups), ...Object.keys(after.groups)])];
  return {
    ...rulesThatDiffer(before.rules, after.rules, KEYS),
    groups: groups.flatMap((name) => {
      const [from, to] = [groupIn(before, name), groupIn(after, name)];
      return JSON.stringify(from) === JSON.stringify(to) ? [] : [{ name, from, to }];
    }),
    ...(isAutomatic && { automatic }),
    ...(canonicalJson(tests[0]) !== canonicalJson(tests[1]) && {
      tests: { from: tests[0].length, to: tests[1].length },
    }),
  };
}

/** Null: there is none, also where every object has something of this name. */
function groupIn({ groups }: Policy, name: string): string[] | null {
  return Object.hasOwn(groups, name) ? (groups[name] ?? null) : null;
}

function rulesThatDiffer<R extends { name: string }>(before: R[], after: R[], keys: readonly (keyof R)[]) {
  const was = new Map(before.map((rule) => [rule.name, rule]));
  const is = new Map(after.map((rule) => [rule.name, rule]));
  const stayed = (rules: R[]) =>
    rules.map(({ name }) => name).filter((name) => was.has(name) && is.has(name));
  const isMoved = JSON.stringify(stayed(before)) !== JSON.stringify(stayed(after));
  const added = after.filter(({ name }) => !was.has(name));
  return {
    added,
    removed: before.filter(({ name }) => !is.has(name)),
    changed: after.flatMap((rule) => {
      const old = was.get(rule.name);
      const others = old ? keys.filter((key) => canonicalJson(old[key]) !== canonicalJson(rule[key])) : [];
      const of = (from: R | undefined) =>
        Object.fromEntries(others.map((key) => [key, from?.[key]])) as Partial<R>;
      return others.length > 0 ? [{ name: rule.name, from: of(old), to: of(rule) }] : [];
    }),
    ...((isMoved || (added.length > 0 && after.length > 1)) && { order: after.map(({ name }) => name) }),
  };
}

export interface WithPeople {
  policy: Policy;
  /** Whom its addresses mean. */
  people: People;
  /** Which group of the organization each name means that is none of its own. */
  groups: GroupIds;
}

/** As `differenceOf`, and the addresses and names of groups that mean somebody else now (`others`). */
export function changesOf(before: WithPeople, after: WithPeople): Difference & { others?: string[] } {
  const moved = (was: Record<string, string>, is: Record<string, string>) =>
    Object.keys(is).filter((name) => Object.hasOwn(was, name) && was[name] !== is[name]);
  const others = [
    ...moved(before.people, after.people),
    ...moved(before.groups, after.groups),
    ...namesTakenOver(before, after),
    ...namesTakenOver(after, before),
  ];
  return { ...differenceOf(before.policy, after.policy), ...(others.length > 0 && { others }) };
}

/** Names of the first policy's own groups that mean a group of the organization in the second. */
function namesTakenOver(own: WithPeople, organizations: WithPeople): string[] {
  return Object.keys(organizations.groups).filter(
    (name) => Object.hasOwn(own.policy.groups, name) && !Object.hasOwn(organizations.policy.groups, name),
  );
}

const KEYS = ["when", "stages", "requester", "due", "expire"] as const;
const AUTOMATIC_KEYS = ["when", "answer", "mode", "dailyCap", "sample"] as const;
