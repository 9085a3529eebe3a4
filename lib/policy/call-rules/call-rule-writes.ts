/** The only write to call rules: the whole list becomes a new version, which stays as it is. */
import type { Principal } from "../../access/principal.ts";
import { storable, type Tx } from "../../base/db/db.ts";
import { AppError, type FieldError } from "../../base/errors.ts";
import { appendEvents } from "../../history/events/event-writes.ts";
import { listedServers, readCallRules } from "./call-rule-reads.ts";
import type { CallRule, CallRulesInput } from "./call-rule-schema.ts";
import { callLanguage } from "./facts.ts";
import { type ListedServer, oddNames } from "./names.ts";

/** What a change of the rules was, for the history: names of rules, and of changed ones what they were and are. */
interface Difference {
  added: CallRule[];
  removed: CallRule[];
  changed: { name: string; from: Partial<CallRule>; to: Partial<CallRule> }[];
  /** The rules that stayed are in another order now: all names in it. */
  order?: string[];
}

/** Rules are the same by their name. Pure. */
function differenceOf(before: CallRule[], after: CallRule[]): Difference {
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

/**
 * Replaces the rules, if `version` is still the one in force. Changes nothing if they are the same. Throws `version_changed`,
 * and `invalid_input` with the place of each unreadable condition, unknown server, and name as agents see it.
 */
export async function saveCallRules(
  tx: Tx,
  { actor }: Principal,
  version: number,
  { rules }: CallRulesInput,
): Promise<void> {
  // One change at a time, since the difference is told against the version before.
  await tx.$queryRaw`SELECT FROM organization WHERE id = ${tx.organizationId}::uuid FOR NO KEY UPDATE`;
  const before = await readCallRules(tx);
  if (before.version !== version)
    throw new AppError("version_changed", "Somebody has changed these rules meanwhile. Look at them again.", {
      extra: { version: before.version },
    });
  const errors = problemsOf(rules, before.rules, await listedServers(tx));
  if (errors.length > 0) throw new AppError("invalid_input", "Some rules are not valid.", { errors });
  if (JSON.stringify(rules.map(inOrder)) === JSON.stringify(before.rules.map(inOrder))) return;
  await tx.callRuleVersion.create({
    data: {
      organizationId: tx.organizationId,
      version: version + 1,
      rules: storable(rules.map(inOrder)),
      madeBy: storable(actor),
    },
  });
  await appendEvents(tx, [
    {
      type: "call_rules.changed",
      actor,
      data: { version: version + 1, ...differenceOf(before.rules, rules) },
    },
  ]);
}

/**
 * Problems with what a schema can't see, by their place in the body. A rule may keep a server of one `before` that was removed
 * since: it says of what it was.
 */
export function problemsOf(rules: CallRule[], before: CallRule[], servers: ListedServer[]): FieldError[] {
  const known = new Set([...servers.map(({ id }) => id), ...before.flatMap((rule) => rule.servers)]);
  const problems = rules.flatMap(({ when, servers: named }, at) => {
    const errors = named.flatMap((id, place) =>
      known.has(id) ? [] : [{ field: `rules.${at}.servers.${place}`, message: "There is no such server" }],
    );
    const read = when === null ? null : callLanguage.read(when);
    if (read && "problem" in read) {
      const { message, at: place } = read.problem;
      const where = place === null ? "" : ` (character ${place + 1})`;
      errors.push({ field: `rules.${at}.when`, message: `${message}${where}` });
    }
    return errors;
  });
  return [...problems, ...oddNames(rules, servers).mistaken];
}

/** The properties in one order, so that the same rules are the same text. */
function inOrder({ name, when, servers, tools, before }: CallRule): CallRule {
  return { name, when, servers, tools, before };
}
