/** Who could vote now, by the policy in force or by a draft. */
import { z } from "zod";
import type { Tx } from "../base/db/db.ts";
import type { WithPeople } from "./difference.ts";
import { peopleIn } from "./groups/group-reads.ts";
import { readPolicyWithPeople } from "./policy-reads.ts";
import type { Decider, Deciders, PolicyRule, PolicyStage } from "./policy-schema.ts";
import { addressesOf, organizationsGroups } from "./problems.ts";

/** A member who may answer. */
export interface Approver {
  id: string;
  name: string;
  role: string;
}

/** A member who is away at the moment. */
export interface Absence {
  person: string;
  until: string;
  /** Of the absence. Null: every request. */
  scope: Scope | null;
  /** Who stands in now, be it over others, each with the scopes on the way. */
  standIns: { id: string; name: string; scopes: (Scope | null)[] }[];
}

const scopeSchema = z.object({
  servers: z.array(z.string()).nullish(),
  tools: z.array(z.string()).nullish(),
  rules: z.array(z.string()).nullish(),
});
type Scope = z.infer<typeof scopeSchema>;
const standInsSchema = z.array(
  z.object({ id: z.uuid(), name: z.string(), scopes: z.array(scopeSchema.nullable()) }),
);

export async function readDeciders(tx: Tx): Promise<Deciders> {
  const { version, ...read } = await readPolicyWithPeople(tx);
  return { version, rules: await readDecidersOf(tx, read) };
}

/** As `readDeciders`, of any policy. */
export async function readDecidersOf(tx: Tx, read: WithPeople): Promise<Deciders["rules"]> {
  const approvers = await tx.$queryRaw<Approver[]>`SELECT u.id, u.name, m.role
    FROM membership m JOIN "user" u ON u.id = m.user_id
    WHERE m.organization_id = ${tx.organizationId}::uuid AND m.role <> 'viewer' ORDER BY u.name, u.id`;
  const rows = await tx.$queryRaw<{ person: string; until: Date; scope: unknown; standIns: unknown }[]>`
    SELECT a.user_id AS person, a.ends_at AS until, a.scope,
      coalesce((SELECT json_agg(json_build_object('id', u.id, 'name', u.name, 'scopes', to_json(s.scopes)) ORDER BY u.name, u.id)
        FROM standing_in(${tx.organizationId}::uuid, NULL) s JOIN "user" u ON u.id = s.delegate
        WHERE s.person = a.user_id), '[]'::json) AS "standIns"
    FROM away a WHERE a.organization_id = ${tx.organizationId}::uuid AND a.starts_at <= now() AND a.ends_at > now()`;
  const absences = rows.map(({ person, until, scope, standIns }) => ({
    person,
    until: until.toISOString(),
    scope: scopeSchema.nullable().parse(scope),
    standIns: standInsSchema.parse(standIns),
  }));
  const inGroups = await peopleIn(tx, read.groups);
  return decidersOf(read, inGroups, approvers, absences);
}

/** Pure. `inGroups`: who is in the organization's groups that it names. `approvers` in the order in which they are shown. */
export function decidersOf(
  { policy, people }: Pick<WithPeople, "policy" | "people">,
  inGroups: Record<string, string[]>,
  approvers: Approver[],
  absences: Absence[],
): Deciders["rules"] {
  const away = new Map(absences.map((each) => [each.person, each]));
  // Made once: each of many stages may name the same large groups.
  const members = new Map(Object.entries(inGroups).map(([name, ids]) => [name, new Set(ids)]));
  const among = (named: PolicyStage["approvers"]) => {
    const groups = organizationsGroups(policy, named).flatMap((name) => members.get(name) ?? []);
    const ids = new Set(addressesOf(policy, named).flatMap((address) => people[address] ?? []));
    const roles = new Set<string>(named.roles);
    return approvers.filter(
      ({ id, role }) => ids.has(id) || roles.has(role) || groups.some((group) => group.has(id)),
    );
  };
  return policy.rules.map((rule) => ({
    name: rule.name,
    stages: rule.stages.map(({ name, need, approvers: named, escalate }) => {
      const voters = among(named);
      const shown = (found: Approver[]): Decider[] =>
        found.map((each) => ({ id: each.id, name: each.name, away: awayIn(rule, each.id, away) }));
      const present = new Set(voters);
      const later = escalate && among(escalate.to).filter((each) => !present.has(each));
      return {
        name,
        need,
        people: shown(voters),
        later: escalate && later ? { after: escalate.after, people: shown(later) } : null,
        warning: warningOf(rule, need, voters, away),
      };
    }),
  }));
}

/** By the person who is away. */
type Absences = ReadonlyMap<string, Absence>;

function warningOf(rule: PolicyRule, need: number, voters: Approver[], absences: Absences) {
  if (voters.length < need) return "too_few";
  const present = new Set<string>();
  for (const { id } of voters) {
    const absence = wholeAbsence(rule, id, absences);
    if (!absence) present.add(id);
    // Who votes in the stage anyway has one vote, also for somebody else.
    else for (const standIn of absence.standIns.slice(0, 1)) present.add(standIn.id);
  }
  if (present.size < need) return "too_few_now";
  return voters.length === need && rule.requester === "excluded" ? "no_spare" : null;
}

/** The person's absence, if requests of the rule are in its scope. */
function absenceIn({ name }: PolicyRule, person: string, absences: Absences): Absence | null {
  const found = absences.get(person);
  if (!found || !isOfRule(found.scope, name)) return null;
  return {
    ...found,
    standIns: found.standIns.filter(({ scopes }) => scopes.every((scope) => isOfRule(scope, name))),
  };
}

/** As `absenceIn`, of who is away for all of its requests. */
function wholeAbsence(rule: PolicyRule, person: string, absences: Absences): Absence | null {
  const absence = absenceIn(rule, person, absences);
  return absence && !isPartly(absence.scope) ? absence : null;
}

function awayIn(rule: PolicyRule, person: string, absences: Absences): Decider["away"] {
  const absence = absenceIn(rule, person, absences);
  return (
    absence && {
      until: absence.until,
      partly: isPartly(absence.scope),
      standIns: [...new Set(absence.standIns.map(({ name }) => name))],
    }
  );
}

const isOfRule = (scope: Scope | null, rule: string) => scope?.rules?.includes(rule) ?? true;
const isPartly = (scope: Scope | null) => Boolean(scope?.servers ?? scope?.tools);
