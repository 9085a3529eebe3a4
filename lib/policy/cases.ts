/** Runs the tests that stand in a policy: addresses stand for their people, names for groups of the organization. */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Actor } from "../access/access-schema.ts";
import type { FieldError } from "../base/errors.ts";
import { type AutomaticVerdict, judgeAutomatic } from "./automatic/judge.ts";
import type { PolicyCase } from "./case-schema.ts";
import type { AskedRequest } from "./facts.ts";
import { judgePolicy } from "./judge.ts";
import type { Policy } from "./policy-schema.ts";
import { allAddresses, allOrganizationsGroups } from "./problems.ts";

/** What a request gets by a policy. */
export interface Outcome {
  rule: string | null;
  stages: string[];
  /** The automatic rule that answers it, whatever its mode; null: people do. */
  automatic: string | null;
  /** Rules that could not be applied to it. */
  failed: string[];
}

export interface CaseFailure {
  /** The place of the test in the list, from 0. */
  at: number;
  /** Null: it has none. */
  name: string | null;
  part: "rule" | "stages" | "automatic";
  expected: PolicyCase["expect"];
  got: Outcome;
}

/**
 * The tests that fail, in their order, each judged in a turn of its own: together they may take seconds. A time that is left
 * out is always the same one, so that a test is no matter of the day.
 */
export async function failedCases(policy: Policy): Promise<CaseFailure[]> {
  const asThemselves = (names: string[]) => Object.fromEntries(names.map((name) => [name, name]));
  const people = asThemselves(allAddresses(policy));
  const groups = asThemselves(allOrganizationsGroups(policy));
  const judge = (test: PolicyCase, at: number): CaseFailure[] => {
    const { request, expect: expected, name = null } = test;
    const asked = askedIn(policy, request);
    const approval = judgePolicy({ version: 1, policy, people, groups }, asked);
    const automatic = automaticIn(policy, request, asked, approval !== null);
    const got: Outcome = {
      rule: approval?.rule ?? null,
      stages: approval?.stages.map((stage) => stage.name) ?? [],
      automatic: automatic.rule?.name ?? null,
      failed: [...(approval?.failed ?? []), ...automatic.failed].map(({ rule }) => rule),
    };
    const failure = { at, name, expected, got };
    if (got.rule !== expected.rule) return [{ ...failure, part: "rule" }];
    const isOfStages = !expected.stages || JSON.stringify(expected.stages) === JSON.stringify(got.stages);
    if (!isOfStages) return [{ ...failure, part: "stages" }];
    const isAnswered = expected.automatic === undefined || expected.automatic === got.automatic;
    return isAnswered ? [] : [{ ...failure, part: "automatic" }];
  };
  const failed: CaseFailure[] = [];
  for (const [at, test] of (policy.tests ?? []).entries()) {
    await nextTurn();
    failed.push(...judge(test, at));
  }
  return failed;
}

/** Of what a case can say: a request that people have to agree on, to visit a site or asked again is never answered by a rule. */
function automaticIn(
  { automatic = [] }: Policy,
  { similar = {} }: PolicyCase["request"],
  asked: AskedRequest,
  hasApproval: boolean,
): AutomaticVerdict {
  const { url, askedAgain } = asked.request;
  if (hasApproval || url !== null || askedAgain) return { rule: null, failed: [] };
  const decided = { accepted: 0, declined: 0, repeats: false, ...similar };
  // A case has no form, whose own no could be known.
  return judgeAutomatic(automatic, asked, decided, ({ answer }) => answer.action === "decline");
}

/** The tests that fail, as problems of the policy that has them. */
export async function problemsOfCases(policy: Policy): Promise<FieldError[]> {
  return (await failedCases(policy)).map((failure) => ({
    field: `tests.${failure.at}.expect.${failure.part}`,
    message: failureWords(failure),
  }));
}

/** `Expected “Large”, got no rule`. */
export function failureWords({ part, expected, got }: CaseFailure): string {
  const failed = got.failed.length > 0 ? `. Could not be applied: ${got.failed.map(quoted).join(", ")}` : "";
  if (part === "rule") return `Expected ${ruleWords(expected.rule)}, got ${ruleWords(got.rule)}${failed}`;
  if (part === "automatic")
    return `Expected an answer by ${ruleWords(expected.automatic ?? null)}, got ${ruleWords(got.automatic)}${failed}`;
  return `Expected the stages ${listed(expected.stages ?? [])}, got ${listed(got.stages)}${failed}`;
}

const quoted = (name: string) => `“${name}”`;
const ruleWords = (rule: string | null) => (rule === null ? "no rule" : quoted(rule));
const listed = (names: string[]) => (names.length > 0 ? names.map(quoted).join(", ") : "none");

/** A Monday, at noon. */
const ALWAYS = "2026-01-05T12:00:00Z";
const NOBODY = "00000000-0000-0000-0000-000000000000";

function askedIn({ groups }: Policy, request: PolicyCase["request"]): AskedRequest {
  const { requester = {} } = request;
  const now = new Date(request.now ?? ALWAYS);
  const address = requester.address?.trim().toLowerCase();
  const actor: Actor = {
    kind: requester.kind ?? "member",
    id: NOBODY,
    name: requester.name ?? requester.address ?? "Somebody",
  };
  return {
    server: { id: NOBODY, name: request.server ?? "Server" },
    tool: request.tool ?? "tool",
    task: { label: request.label ?? null, arguments: request.arguments ?? {}, createdAt: now },
    request: {
      message: request.message ?? "",
      amount: request.amount ?? null,
      currency: request.currency ?? null,
      fields: request.fields ?? [],
      url: request.url ?? null,
      askedAgain: request.askedAgain ?? false,
    },
    requester: {
      actor,
      role: requester.role === undefined ? "operator" : requester.role,
      groups: [
        ...Object.keys(groups).filter((name) => address && groups[name]?.includes(address)),
        ...(requester.groups ?? []),
      ],
    },
    now,
  };
}
