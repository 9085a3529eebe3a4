import type { Tx } from "../base/db/db.ts";
import type { FieldError } from "../base/errors.ts";
import type { Language } from "../text/rules/language.ts";
import { automaticLanguage } from "./automatic/judge.ts";
import { problemsOfCases } from "./cases.ts";
import { readDecidersOf } from "./deciders.ts";
import type { WithPeople } from "./difference.ts";
import { policyLanguage } from "./facts.ts";
import { groupsNamed } from "./groups/group-reads.ts";
import { membersByAddress, readPolicyWithPeople } from "./policy-reads.ts";
import {
  type Deciders,
  MOST_RULES,
  type Policy,
  type PolicyCheck,
  policyInputSchema,
} from "./policy-schema.ts";
import {
  allAddresses,
  allOrganizationsGroups,
  isTooLong,
  type MeantGroup,
  type Member,
  type People,
  problemOfCondition,
  problemsOf,
  TOO_LONG,
} from "./problems.ts";

/** What would keep a policy from being saved, each with its place; of one that can be saved, the stages that are short of people. */
export async function checkPolicy(tx: Tx, given: Record<string, unknown>): Promise<PolicyCheck> {
  if (isTooLong(given)) return { problems: [TOO_LONG], warnings: [] };
  const parsed = policyInputSchema.safeParse(given);
  if (!parsed.success) {
    const issues = parsed.error.issues.map(({ path, message }) => ({ field: path.join("."), message }));
    const told = new Set(issues.map(({ field }) => field));
    const others = conditionsOf(given).filter(({ field }) => !told.has(field));
    return { problems: [...issues, ...others], warnings: [] };
  }
  const { people, groups } = await readPolicyWithPeople(tx);
  const members = await membersByAddress(tx);
  const meant = await groupsNamed(tx, allOrganizationsGroups(parsed.data), groups);
  const problems = await allProblems(parsed.data, members, people, meant);
  if (problems.length > 0) return { problems, warnings: [] };
  const rules = await readDecidersOf(tx, withPeople(parsed.data, members, people, meant));
  return { problems, warnings: rules.flatMap(warningsOf) };
}

function warningsOf({ name, stages }: Deciders["rules"][number], at: number): PolicyCheck["warnings"] {
  return stages.flatMap(({ name: stage, people, warning }, index) =>
    warning === null
      ? []
      : [
          {
            field: `rules.${at}.stages.${index}`,
            rule: name,
            stage,
            warning,
            people: people.map((each) => each.name),
          },
        ],
  );
}

/** A policy with the people and groups that its names mean. `known`: whom an earlier version's addresses meant. */
export function withPeople(
  policy: Policy,
  members: Member[],
  known: People,
  meant: Record<string, MeantGroup>,
): WithPeople {
  const now = new Map(members.map(({ email, userId }) => [email, userId]));
  const people: People = Object.fromEntries(
    allAddresses(policy).flatMap((address) => {
      const id = now.get(address) ?? known[address];
      return id === undefined ? [] : [[address, id]];
    }),
  );
  return {
    policy,
    people,
    groups: Object.fromEntries(Object.entries(meant).map(([name, { id }]) => [name, id])),
  };
}

/** Problems of a policy whose form is right, as `problemsOf`. Its tests say nothing while there are others. */
export async function allProblems(
  policy: Policy,
  members: Member[],
  known: People,
  meant: Record<string, MeantGroup>,
): Promise<FieldError[]> {
  const problems = problemsOf(policy, members, known, meant);
  return problems.length > 0 ? problems : problemsOfCases(policy);
}

/** Those of conditions, also while something else is not filled in yet. */
function conditionsOf({ rules, automatic }: Record<string, unknown>): FieldError[] {
  const of = (list: unknown, place: string, language: Pick<Language, "read">) =>
    (Array.isArray(list) ? list.slice(0, MOST_RULES) : []).flatMap((rule: unknown, at) => {
      const when = (rule as { when?: unknown } | null)?.when;
      if (typeof when !== "string" || when.trim() === "") return [];
      const message = problemOfCondition(when, language);
      return message === null ? [] : [{ field: `${place}.${at}.when`, message }];
    });
  return [...of(rules, "rules", policyLanguage), ...of(automatic, "automatic", automaticLanguage)];
}
