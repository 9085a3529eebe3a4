import { canonicalJson } from "../mcp/forms/jcs.ts";
import type { GroupIds, People } from "./problems.ts";
import type { Policy, PolicyRule } from "./schema.ts";

/** What a change of the policy was, for the history: names of rules and groups, and of changed ones what they were and are. */
export interface Difference {
  added: PolicyRule[];
  removed: PolicyRule[];
  changed: { name: string; from: Partial<PolicyRule>; to: Partial<PolicyRule> }[];
  /** Null: there was, or is, no such group. */
  groups: { name: string; from: string[] | null; to: string[] | null }[];
  /** The rules that stayed are in another order now: all names in it. */
  order?: string[];
  /** How many tests there were and are, where they are others now. */
  tests?: { from: number; to: number };
}

/** Rules are the same by their name. Pure. */
export function differenceOf(before: Policy, after: Policy): Difference {
  const was = new Map(before.rules.map((rule) => [rule.name, rule]));
  const is = new Map(after.rules.map((rule) => [rule.name, rule]));
  const stayed = ({ rules }: Policy) =>
    rules.map(({ name }) => name).filter((name) => was.has(name) && is.has(name));
  const isMoved = JSON.stringify(stayed(before)) !== JSON.stringify(stayed(after));
  const tests = [before.tests ?? [], after.tests ?? []] as const;
  const groups = [...new Set([...Object.keys(before.groups), ...Object.keys(after.groups)])];
  return {
    added: after.rules.filter(({ name }) => !was.has(name)),
    removed: before.rules.filter(({ name }) => !is.has(name)),
    changed: after.rules.flatMap((rule) => {
      const old = was.get(rule.name);
      const keys = old ? KEYS.filter((key) => JSON.stringify(old[key]) !== JSON.stringify(rule[key])) : [];
      const of = (from: PolicyRule | undefined) =>
        Object.fromEntries(keys.map((key) => [key, from?.[key]])) as Partial<PolicyRule>;
      return keys.length > 0 ? [{ name: rule.name, from: of(old), to: of(rule) }] : [];
    }),
    groups: groups.flatMap((name) => {
      const [from, to] = [before.groups[name] ?? null, after.groups[name] ?? null];
      return JSON.stringify(from) === JSON.stringify(to) ? [] : [{ name, from, to }];
    }),
    ...(isMoved && { order: after.rules.map(({ name }) => name) }),
    ...(canonicalJson(tests[0]) !== canonicalJson(tests[1]) && {
      tests: { from: tests[0].length, to: tests[1].length },
    }),
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
  const others = [...moved(before.people, after.people), ...moved(before.groups, after.groups)];
  return { ...differenceOf(before.policy, after.policy), ...(others.length > 0 && { others }) };
}

const KEYS = ["when", "stages", "requester", "due", "expire"] as const;
