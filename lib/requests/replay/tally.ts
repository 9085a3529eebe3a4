/** Judges past requests by a policy, one after the other, and counts what it says. Pure. */
import { AppError } from "../../base/errors.ts";
import type { AutomaticRule } from "../../policy/automatic/automatic-schema.ts";
import { excludedBy } from "../../policy/automatic/eligible.ts";
import { judgeAutomatic, type Similar } from "../../policy/automatic/judge.ts";
import type { WithPeople } from "../../policy/difference.ts";
import type { AskedRequest } from "../../policy/facts.ts";
import { type Approval, judgePolicy } from "../../policy/judge.ts";
import { allGroupsOf, groupsOf } from "../../policy/problems.ts";
import { shorten } from "../../text/labels.ts";
import { checkedContent, contentDigest, decidedFieldOf } from "../answers/answer-content.ts";
import { saysNo } from "../answers/rejection.ts";
import { wordsOf } from "../request-row.ts";
import { warningsAt } from "../warnings.ts";
import type { PastRequest } from "./read.ts";
import {
  MOST_MOVED,
  type Moved,
  type Needed,
  type ReplayDisagreement,
  type ReplayExclusion,
  type ReplayedAutomatic,
  type ReplaySummary,
} from "./replay-schema.ts";

type Failed = ReplaySummary["failed"][number];
type Replayed = ReplaySummary["rules"][number];

export class ReplayTally {
  #policy: WithPeople;
  #rules = new Map<string, Replayed>();
  #failed = new Map<string, Failed>();
  #automatic: Map<string, ReplayedAutomatic>;
  /** The latest, oldest first: requests come in the order in which they were asked. */
  #moved: Moved[] = [];
  #movedInAll = 0;
  #requests = 0;

  constructor(policy: WithPeople) {
    this.#policy = policy;
    this.#automatic = new Map(
      (policy.policy.automatic ?? []).map(({ name, mode }) => [
        name,
        { rule: name, mode, answered: 0, agreed: 0, disagreed: 0, excluded: {} },
      ]),
    );
  }

  /** Returns the disagreement of an automatic rule with people; null: there is none. `similar` is asked only if rules may answer. */
  add(request: PastRequest, similar: () => Similar): ReplayDisagreement | null {
    this.#requests++;
    const asked = askedOf(request, this.#policy);
    const judged = { version: 0, ...this.#policy };
    const approval = judgePolicy(judged, asked);
    this.#count(approval);
    if (votersOf(request.approval) !== votersOf(approval)) this.#move(request, approval);
    const { automatic = [] } = this.#policy.policy;
    if (automatic.length === 0) return null;
    const counts = similar();
    // As they are judged live: the policy's own groups alone.
    const groups = groupsOf(this.#policy.policy, this.#policy.people, request.person);
    const known = { ...asked, requester: { ...asked.requester, groups } };
    // Of a request live rules are asked first, and others only if those say nothing.
    for (const mode of ["live", "shadow", "off"] as const) {
      const rules = automatic.filter((rule) => rule.mode === mode);
      const { rule, failed } = judgeAutomatic(rules, known, counts, ({ answer: { action, content = {} } }) =>
        saysNo(request.form, action, content),
      );
      for (const each of failed) this.#countFailed({ ...each, isAutomatic: true });
      if (rule) return this.#answer(request, rule, approval ?? judgePolicy(judged, known));
    }
    return null;
  }

  summary(): Pick<ReplaySummary, "requests" | "rules" | "moved" | "failed" | "automatic"> {
    return {
      requests: this.#requests,
      rules: [...this.#rules.values()].sort((a, b) => b.requests - a.requests),
      moved: { total: this.#movedInAll, items: this.#moved.toReversed() },
      failed: [...this.#failed.values()],
      automatic: [...this.#automatic.values()],
    };
  }

  #count(approval: Approval | null): void {
    const rule = approval?.rule ?? null;
    const stages = approval?.stages.map(({ name }) => name) ?? [];
    const key = JSON.stringify([rule, stages]);
    const counted = this.#rules.get(key) ?? { rule, stages, requests: 0 };
    counted.requests++;
    this.#rules.set(key, counted);
    for (const each of approval?.failed ?? []) this.#countFailed({ ...each, isAutomatic: false });
  }

  #move(request: PastRequest, approval: Approval | null): void {
    this.#movedInAll++;
    const { amount } = request;
    this.#moved.push({ ...shown(request), amount, from: neededBy(request.approval), to: neededBy(approval) });
    if (this.#moved.length > MOST_MOVED) this.#moved.shift();
  }

  #countFailed({ rule, why, isAutomatic }: Omit<Failed, "requests">): void {
    const key = `${isAutomatic} ${rule}`;
    const counted = this.#failed.get(key) ?? { rule, isAutomatic, requests: 0, why };
    counted.requests++;
    this.#failed.set(key, counted);
  }

  #answer(request: PastRequest, rule: AutomaticRule, approval: Approval | null): ReplayDisagreement | null {
    const figures = this.#automatic.get(rule.name)!;
    const given = answerOf(request, rule, approval !== null);
    if ("excluded" in given) {
      figures.excluded[given.excluded] = (figures.excluded[given.excluded] ?? 0) + 1;
      return null;
    }
    figures.answered++;
    const { action, content, by, at } = request.answer;
    if (contentDigest(action, content) === contentDigest(given.action, given.content)) {
      figures.agreed++;
      return null;
    }
    figures.disagreed++;
    const words = (action: string, content: Record<string, unknown> | null) =>
      wordsOf(action, content, decidedFieldOf(request, content), request);
    return {
      kind: "disagreement",
      rule: rule.name,
      request: shown(request),
      people: { action, words: words(action, content), by, at: at.toISOString() },
      automatic: { action: given.action, words: words(given.action, given.content) },
    };
  }
}

const MESSAGE_CHARACTERS = 200;

function shown({ id, label, message, askedAt }: PastRequest): ReplayDisagreement["request"] {
  return { id, label, message: shorten(message, MESSAGE_CHARACTERS), askedAt: askedAt.toISOString() };
}

function neededBy(approval: Approval | null): Needed {
  const stages = approval?.stages ?? [];
  return {
    people: approval === null ? 1 : stages.reduce((sum, { need }) => sum + need, 0),
    stages: stages.map(({ name }) => name),
  };
}

/** Who has to agree, to be compared: how many in each stage, and who may vote there. */
function votersOf(approval: Approval | null): string {
  if (approval === null) return "";
  const stages = approval.stages.map(({ name, need, roles, people, groups }) => [
    ...[name, need, roles, people],
    groups.map(({ id }) => id),
  ]);
  return JSON.stringify([approval.requester, stages]);
}

type Given =
  | { action: "accept" | "decline"; content: Record<string, unknown> | null }
  | { excluded: ReplayExclusion };

function answerOf(request: PastRequest, { answer }: AutomaticRule, hasApproval: boolean): Given {
  const warnings = warningsAt(request, request.askedAt.getTime());
  const excluded = excludedBy({ ...request, warnings, isPrivate: false, hasApproval });
  if (excluded !== null) return { excluded };
  try {
    return { action: answer.action, content: checkedContent(request, answer) };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { excluded: "does_not_fit" };
  }
}

function askedOf(request: PastRequest, { policy, people }: WithPeople): AskedRequest {
  const { amount, form } = request;
  return {
    server: request.server,
    tool: request.tool,
    task: { label: request.label, arguments: request.arguments, createdAt: request.taskCreatedAt },
    request: {
      message: request.message,
      amount: amount?.value ?? null,
      currency: amount?.currency ?? null,
      fields: form.kind === "supported" ? form.fields.map(({ name }) => name) : [],
      url: request.url,
      askedAgain: request.askedAgain,
    },
    requester: {
      actor: request.requestedBy,
      role: request.role,
      groups: allGroupsOf(policy, people, request.person, request.isIn),
    },
    now: request.askedAt,
  };
}
