import type { CallRule } from "./schema.ts";

/** What a change of the rules was, for the history: names of rules, and of changed ones what they were and are. */
export interface Difference {
  added: CallRule[];
  removed: CallRule[];
  changed: { name: string; from: Partial<CallRule>; to: Partial<CallRule> }[];
  /** The rules that stayed are in another order now: all names in it. */
  order?: string[];
}

/** Rules are the same by their name. Pure. */
export function differenceOf(before: CallRule[], after: CallRule[]): Difference {
  const was = new Map(before.map((rule) => [rule.name, rule]));
  const is = new Map(after.map((rule) => [rule.name, rule]));
  const stayed = (rules: CallRule[]) =>
    rules.map(({ name }) => name).filter((name) => was.has(name) && is.has(name));
  const isMoved = JSON.stringify(stayed(before)) !== JSON.stringify(stayed(after));
  return {
    added: after.filter(({ name }) => !was.has(name)),
    removed: before.filter(({ name }) => !is.has(name)),
    changed: after.flatMap((rule) => {
      const old = was.get(rule.name);
      const keys = old ? KEYS.filter((key) => JSON.stringify(old[key]) !== JSON.stringify(rule[key])) : [];
      const of = (from: CallRule | undefined) =>
        Object.fromEntries(keys.map((key) => [key, from?.[key]])) as Partial<CallRule>;
      return keys.length > 0 ? [{ name: rule.name, from: of(old), to: of(rule) }] : [];
    }),
    ...(isMoved && { order: after.map(({ name }) => name) }),
  };
}

const KEYS = ["when", "servers", "tools", "before"] as const;
