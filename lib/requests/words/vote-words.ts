/** Words for requests on which several people have to agree. */
import type { Actor } from "../../access/access-schema.ts";
import { actorWords } from "../../access/actor-words.ts";
import { VOTERS_COUNTED } from "../limits.ts";
import type { InputRequestDetail, InputRequestSummary } from "../request-schema.ts";

export type Approval = NonNullable<InputRequestSummary["approval"]>;
type Stage = Approval["stages"][number];

/** Who has to agree, and how many did: `2 approvers must agree · 0 so far`, `2 of Finance, then CFO must agree · 1 so far`. */
export function needsWords(stages: Pick<Stage, "name" | "need" | "missing">[]): string {
  const parts = stages.map(({ name, need }) => {
    if (name.toLowerCase() === "approvers") return need === 1 ? "1 approver" : `${need} approvers`;
    return need === 1 ? name : `${need} of ${name}`;
  });
  const agreed = stages.reduce((sum, { need, missing }) => sum + need - missing, 0);
  return `${parts.join(", then ")} must agree · ${agreed} so far`;
}

/**
 * How far a stage is: `1 more of Finance`, or null once it is done. Of the open stage also who could still agree, if that is known:
 * `2 more of Finance: you, Cleo, Dora +2 more`.
 */
export function missingWords(
  { name, state, missing }: Pick<Stage, "name" | "state" | "missing">,
  voters: InputRequestDetail["voters"] = null,
  me: string | null = null,
): string | null {
  if (state === "done") return null;
  const words = `${missing} more of ${name}`;
  if (state !== "open" || voters === null || voters.people.length === 0) return words;
  const names = voters.people.map((person) => (person.id === me ? "you" : person.name)).join(", ");
  const others = voters.count - voters.people.length;
  if (voters.count >= VOTERS_COUNTED) return `${words}: ${names} and many more`;
  return `${words}: ${names}${others > 0 ? ` +${others} more` : ""}`;
}

/** That people have left, so that the stage can't be filled; null: there are enough. */
export function tooFewWords({
  name,
  tooFew,
  missing,
}: Pick<Stage, "name" | "tooFew" | "missing">): string | null {
  if (tooFew === null) return null;
  const who = tooFew === 0 ? "Nobody" : `Only ${tooFew}`;
  return `${who} of ${name} can still vote, and ${missing} more ${missing === 1 ? "is" : "are"} needed. An admin can add people to that stage’s group, or change the policy and then choose More → Apply the current policy.`;
}

/** What the timeline of an open request ends with: `1 more of Finance has to agree`. Null: nothing is missing. */
export function nextVoteWords({ stages }: Pick<Approval, "stages">): string | null {
  const open = stages.find(({ state }) => state === "open");
  return open ? `${missingWords(open)} ${open.missing === 1 ? "has" : "have"} to agree` : null;
}

/** Whom it waits for. */
export function openStageOf({ stages }: Pick<Approval, "stages">): string {
  return stages.find(({ state }) => state === "open")?.name ?? "others";
}

/** Who asked, of a request that the reader may not decide on for that reason. */
export function askedWords(requestedBy: Actor, readerId: string): string {
  return requestedBy.kind === "member" && requestedBy.id === readerId
    ? "You asked for this."
    : `${actorWords(requestedBy, { begins: true })} asked for this, and counts as the same person as you.`;
}

/** What the reader has to do with it. */
export function whyWords(
  {
    approval,
    requestedBy,
  }: {
    approval: Pick<Approval, "why" | "mine" | "stages" | "requester" | "hasAsked">;
    requestedBy: Actor;
  },
  readerId: string,
): string | null {
  const open = openStageOf(approval);
  switch (approval.why) {
    case "approver":
      return `Your vote is needed: you are one of ${open}.`;
    case "already_voted":
      return `You ${approval.mine?.agrees === false ? "rejected it" : "agreed"}. It waits for ${open}.`;
    case "four_eyes":
      return approval.hasAsked && approval.requester === "excluded"
        ? `${askedWords(requestedBy, readerId)} Others decide.`
        : "Somebody who counts as the same person as you has voted. Others decide.";
    case "not_an_approver":
      return `Waiting for ${open}. You have no vote there.`;
    case "forbidden":
      return `Waiting for ${open}. You may not answer.`;
    // Keys alone are told so, which see no screens.
    case "step_up_required":
    case "not_open":
      return null;
  }
}

/** What agreeing does: `If you agree, it still needs CFO`. */
export function voteEffect(
  { stages, canVote }: Pick<Approval, "stages" | "canVote">,
  receiver: string,
): string | null {
  if (!canVote) return null;
  const open = stages.findIndex(({ state }) => state === "open");
  const left = stages.slice(open).flatMap(({ name, missing }, at) => {
    const others = missing - (at === 0 ? 1 : 0);
    return others > 0 ? [others === 1 && at > 0 ? name : `${others} more of ${name}`] : [];
  });
  return left.length === 0
    ? `If you agree, the answer goes to ${receiver}: yours is the last vote`
    : `If you agree, it still needs ${left.join(", then ")}`;
}

/** How many more rejections than the caller's it takes to end the request. */
export function rejectionsBesides({ stages }: Pick<Approval, "stages">): number {
  const open = stages.find(({ state }) => state === "open");
  return open ? Math.max(0, open.rejections - open.votes.filter(({ agrees }) => !agrees).length - 1) : 0;
}

/** Whether the open stage requires a comment of its voters: `optional`, `required to reject`, `required`. */
export function commentNeed(approval: Pick<Approval, "canVote" | "stages"> | null): string {
  const stage = approval?.canVote ? approval.stages.find(({ state }) => state === "open") : undefined;
  const needed = stage?.requireReason ?? [];
  if (needed.length === 0) return "optional";
  return needed.length > 1 ? "required" : `required to ${needed.join()}`;
}

/** What happens by itself next, before the time that is shown after it; null: nothing. The end of a task is always told. */
export function comingWords({ timers }: Pick<Approval, "timers">): { at: string; words: string }[] {
  return timers
    .filter(({ kind }, at) => at === 0 || kind === "cancel")
    .map(({ kind, at }) => ({ at, words: COMING[kind] }));
}

const COMING: Record<Approval["timers"][number]["kind"], string> = {
  remind: "Reminder in",
  escalate: "More people are asked in",
  leave: "Reminders stop in",
  cancel: "Unless decided, the task is cancelled in",
};

/** What timers did in a stage, the last of each: `Reminded Ben, Cleo`. */
export function doneWords({
  reminded,
  escalated,
}: Pick<Stage, "reminded" | "escalated">): { at: string; words: string }[] {
  const last = reminded.at(-1);
  const times = reminded.length > 1 ? ` (${reminded.length} times)` : "";
  return [
    ...escalated.map(({ at, to }) => ({ at, words: `Asked ${to.join(", ")} too` })),
    ...(last && last.of.length > 0 ? [{ at: last.at, words: `Reminded ${last.of.join(", ")}${times}` }] : []),
  ];
}
