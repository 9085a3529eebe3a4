/** What a schema can't see of a policy: conditions, names, and whether there are enough people. Pure. */
import type { FieldError } from "../base/errors.ts";
import type { Language } from "../text/rules/language.ts";
import { automaticLanguage } from "./automatic/judge.ts";
import { policyLanguage } from "./facts.ts";
import type { Policy, PolicyStage } from "./policy-schema.ts";

/** Most characters of a policy, as JSON: every version is kept. */
const MOST_CHARACTERS = 128 * 1024;

export interface Member {
  userId: string;
  /** In lower case. */
  email: string;
  role: string;
}

/** Whom the addresses of a policy mean, by address. */
export type People = Record<string, string>;

/** Names of groups in a policy that are none of its own, and the id of the organization's group that each means. */
export type GroupIds = Record<string, string>;

/** A group of the organization that a policy names. */
export interface MeantGroup {
  id: string;
  /** The users in it. */
  people: string[];
}

/**
 * Problems by their place in the body. `known`: whom an earlier version's addresses meant; a policy may keep those who left, who
 * count for nobody. `meant`: the organization's groups that it names.
 */
export function problemsOf(
  policy: Policy,
  members: Member[],
  known: People,
  meant: Record<string, MeantGroup>,
): FieldError[] {
  const byAddress = new Map(members.map(({ email, userId }) => [email, userId]));
  const isKnown = (address: string) => byAddress.has(address) || Object.hasOwn(known, address);
  const strangers = (addresses: string[], field: string): FieldError[] =>
    addresses.flatMap((address, at) =>
      isKnown(address)
        ? []
        : [{ field: `${field}.${at}`, message: "Nobody here has this address. Use a member’s" }],
    );
  const unknown = (names: string[], field: string): FieldError[] =>
    names.flatMap((name, at) =>
      Object.hasOwn(policy.groups, name) || Object.hasOwn(meant, name)
        ? []
        : [{ field: `${field}.${at}`, message: "There is no such group" }],
    );
  const inGroups = new Map(Object.entries(meant).map(([name, { people }]) => [name, new Set(people)]));
  const voters = (approvers: PolicyStage["approvers"]) => votersAmong(policy, approvers, members, inGroups);
  // Nothing else of it is looked at: the rest would take as long as it is.
  if (isTooLong(policy)) return [TOO_LONG];
  const excess = tooMuch(policy);
  if (excess) return [excess];
  const errors: FieldError[] = [];
  for (const [group, addresses] of Object.entries(policy.groups))
    errors.push(...strangers(addresses, `groups.${group}`));
  for (const [at, rule] of policy.rules.entries()) {
    const place = `rules.${at}`;
    if (policy.rules.findIndex(({ name }) => name === rule.name) !== at)
      errors.push({ field: `${place}.name`, message: "Another rule has this name" });
    const problem = problemOfCondition(rule.when);
    if (problem) errors.push({ field: `${place}.when`, message: problem });
    for (const [index, stage] of rule.stages.entries()) {
      const path = `${place}.stages.${index}`;
      if (rule.stages.findIndex(({ name }) => name === stage.name) !== index)
        errors.push({ field: `${path}.name`, message: "Another stage of this rule has this name" });
      errors.push(...unknown(stage.approvers.groups, `${path}.approvers.groups`));
      errors.push(...strangers(stage.approvers.people, `${path}.approvers.people`));
      errors.push(...tooFew(stage, voters(stage.approvers), path));
      const to = stage.escalate?.to;
      if (!to) continue;
      errors.push(...unknown(to.groups, `${path}.escalate.to.groups`));
      errors.push(...strangers(to.people, `${path}.escalate.to.people`));
      if (voters(to) === 0)
        errors.push({
          field: `${path}.escalate.to`,
          message: "Nobody can vote then. Name the people who are also asked",
        });
    }
  }
  for (const [at, rule] of (policy.automatic ?? []).entries())
    if (policy.automatic?.findIndex(({ name }) => name === rule.name) !== at)
      errors.push({ field: `automatic.${at}.name`, message: "Another rule has this name" });
  errors.push(...problemsOfAutomatic(policy));
  return errors;
}

/** Most stages of a policy. Where no rule can be applied, a request has all of them. */
const MOST_STAGES = 100;
/** Most people that all stages of a policy name, each stage by itself: a request keeps them. */
const MOST_NAMED = 5_000;
/** Most groups of the organization that all stages name, each stage by itself. */
const MOST_GROUPS_NAMED = 1_000;

/** What bounds the work that a policy makes for each request; null: it is within the bounds. */
function tooMuch(policy: Policy): FieldError | null {
  const stages = policy.rules.flatMap((rule) => rule.stages);
  if (stages.length > MOST_STAGES)
    return { field: "rules", message: `At most ${MOST_STAGES} stages in all rules` };
  const lists = stages.flatMap(({ approvers, escalate }) => [approvers, ...(escalate ? [escalate.to] : [])]);
  const count = (named: typeof addressesOf) =>
    lists.reduce((sum, list) => sum + named(policy, list).length, 0);
  if (count(addressesOf) > MOST_NAMED) {
    const message = `The stages name more than ${MOST_NAMED} people in all. Name groups of the organization, or roles`;
    return { field: "rules", message };
  }
  if (count(organizationsGroups) <= MOST_GROUPS_NAMED) return null;
  const message = `The stages name groups of the organization more than ${MOST_GROUPS_NAMED} times in all. Name larger groups, or roles`;
  return { field: "rules", message };
}

export const isTooLong = (policy: object) => JSON.stringify(policy).length > MOST_CHARACTERS;
export const TOO_LONG: FieldError = { field: "rules", message: "The policy is too long" };

/** The problems of conditions alone, which need no members. */
export function problemsOfConditions(policy: Policy): FieldError[] {
  const ofRules = policy.rules.flatMap(({ when }, at) => {
    const message = problemOfCondition(when);
    return message === null ? [] : [{ field: `rules.${at}.when`, message }];
  });
  return [...ofRules, ...problemsOfAutomatic(policy)];
}

/** The problems of the conditions of automatic rules. */
function problemsOfAutomatic({ automatic = [] }: Policy): FieldError[] {
  return automatic.flatMap(({ when }, at) => {
    const message = problemOfCondition(when, automaticLanguage);
    return message === null ? [] : [{ field: `automatic.${at}.when`, message }];
  });
}

/** What keeps a condition from being read; null: nothing. */
export function problemOfCondition(
  when: string | null,
  language: Pick<Language, "read"> = policyLanguage,
): string | null {
  const read = when === null ? null : language.read(when);
  if (!read || "condition" in read) return null;
  const { message, at } = read.problem;
  return at === null ? message : `${message} (character ${at + 1})`;
}

/** Refuses what nobody could ever fill: the requests of such a stage would wait for ever. */
function tooFew(stage: PolicyStage, people: number, place: string): FieldError[] {
  const words = people === 0 ? "Nobody" : people === 1 ? "Only 1 person" : `Only ${people} people`;
  return (["need", "rejections"] as const).flatMap((field) =>
    stage[field] > people ? [{ field: `${place}.${field}`, message: `${words} can vote here` }] : [],
  );
}

function votersAmong(
  policy: Policy,
  approvers: PolicyStage["approvers"],
  members: Member[],
  inGroups: ReadonlyMap<string, ReadonlySet<string>>,
): number {
  const addresses = new Set(addressesOf(policy, approvers));
  const roles = new Set<string>(approvers.roles);
  const groups = organizationsGroups(policy, approvers).flatMap((name) => inGroups.get(name) ?? []);
  return members.filter(
    ({ userId, email, role }) =>
      role !== "viewer" &&
      (addresses.has(email) || roles.has(role) || groups.some((people) => people.has(userId))),
  ).length;
}

/** The names of groups that are none of the policy's own. */
export function organizationsGroups(
  { groups }: Pick<Policy, "groups">,
  approvers: PolicyStage["approvers"],
): string[] {
  return approvers.groups.filter((name) => !Object.hasOwn(groups, name));
}

/** All names in a policy of groups that are none of its own, each once. */
export function allOrganizationsGroups(policy: Policy): string[] {
  return [...new Set(allApprovers(policy).flatMap((each) => organizationsGroups(policy, each)))].sort();
}

/** The addresses of approvers, those of the policy's own groups included. */
export function addressesOf(
  { groups }: Pick<Policy, "groups">,
  approvers: PolicyStage["approvers"],
): string[] {
  return [
    ...approvers.people,
    ...approvers.groups.flatMap((name) => (Object.hasOwn(groups, name) ? groups[name]! : [])),
  ];
}

/** The policy's groups that a person is in. */
export function groupsOf({ groups }: Policy, people: People, person: string | null): string[] {
  if (person === null) return [];
  return Object.keys(groups).filter((name) => groups[name]?.some((address) => people[address] === person));
}

/** All names of groups that a person is in: the policy's own, and those of the organization that it has no other group for. */
export function allGroupsOf(policy: Policy, people: People, person: string | null, isIn: string[]): string[] {
  return [...groupsOf(policy, people, person), ...isIn.filter((name) => !Object.hasOwn(policy.groups, name))];
}

/** All addresses of a policy, each once: those to whom it escalates, and groups that no stage names, among them. */
export function allAddresses(policy: Policy): string[] {
  const named = allApprovers(policy).flatMap((each) => addressesOf(policy, each));
  return [...new Set([...named, ...Object.values(policy.groups).flat()])].sort();
}

function allApprovers({ rules }: Policy): PolicyStage["approvers"][] {
  return rules.flatMap(({ stages }) =>
    stages.flatMap(({ approvers, escalate }) => [approvers, ...(escalate ? [escalate.to] : [])]),
  );
}
