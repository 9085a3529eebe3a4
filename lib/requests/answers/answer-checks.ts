/** Refuses answers that are not allowed. Reads only; answer-writes.ts writes. */
import type { Actor } from "../../access/access-schema.ts";
import { actorWords } from "../../access/actor-words.ts";
import { allows } from "../../access/key-scope.ts";
import type { Principal } from "../../access/principal.ts";
import type { Content } from "../../base/content/content.ts";
import type { Tx } from "../../base/db/db.ts";
import { AppError } from "../../base/errors.ts";
import { choiceOf } from "../../servers/recipes/choices.ts";
import { questionAt } from "../../servers/recipes/judge.ts";
import { readVersion } from "../../servers/recipes/recipe-reads.ts";
import { type LockedRequest, questionChanged } from "../lock-request.ts";
import type { AnswerInput } from "../request-input-schema.ts";
import { isDeclinable } from "./answer-content.ts";

/**
 * Refuses an answer to a text other than the current one. Where the text changes again and again, an answer
 * to any text that this request has had is taken, if it carries `anyWording`.
 */
export function refuseOtherWording(
  content: Content,
  request: LockedRequest,
  input: Pick<AnswerInput, "questionHash" | "anyWording">,
): void {
  const { id, questionHash, rewordedAt, earlierHashes } = request;
  const isKnown =
    rewordedAt !== null && earlierHashes.some((earlier) => content.isSameHash(input.questionHash, earlier));
  if (!content.isSameHash(input.questionHash, questionHash) && !isKnown) throw questionChanged(id);
  if (rewordedAt === null || input.anyWording) return;
  throw new AppError(
    "question_changed",
    "The server changes this question again and again. Answer with `anyWording` to have the answer sent whatever it says by then.",
    { extra: { inputRequestId: id } },
  );
}

/**
 * Refuses an answer that may go to any wording where the organization has a policy: the next wording may be one on which several
 * people have to agree.
 */
export async function refuseAnyWording(
  tx: Tx,
  request: LockedRequest,
  { action }: Pick<AnswerInput, "action">,
): Promise<void> {
  if (request.rewordedAt === null || action !== "accept") return;
  const policy = await tx.policyVersion.findFirst({
    where: { organizationId: tx.organizationId },
    select: { version: true },
  });
  if (!policy) return;
  throw new AppError(
    "question_changed",
    "The server changes this question again and again, and the policy says who has to agree on which text: it can only be declined.",
    { extra: { inputRequestId: request.id, onlyDecline: true } },
  );
}

/** Refuses an acceptance by anyone but the person in whose name the server asked to visit a site. */
export function refuseForeignUrl(
  principal: Principal,
  request: LockedRequest,
  input: Pick<AnswerInput, "action">,
): void {
  if (request.mode !== "url" || input.action !== "accept") return;
  // An API key has no browser to visit the site. A connection without an owner is open to everybody who may
  // answer.
  const { userId } = principal;
  if (userId !== null && (request.urlOwner === null || request.urlOwner === userId)) return;
  throw new AppError("forbidden", "Only the owner of the connection may open this address and accept.");
}

/** Refuses acceptance by the task's requester where the organization requires a second person. */
export function refuseFourEyes(request: LockedRequest, input: Pick<AnswerInput, "action">): void {
  if (!request.fourEyes || input.action !== "accept") return;
  const words =
    "You asked for this task, or somebody who counts as one person with you did. Somebody else has to accept.";
  throw new AppError("four_eyes", isDeclinable(request) ? `${words} You can decline.` : words);
}

/** Refuses an answer that is none of the question's. */
export function refuseAction(
  request: Pick<LockedRequest, "isRecipes" | "origin">,
  { action }: Pick<AnswerInput, "action">,
): void {
  if (action === "accept" || isDeclinable(request)) return;
  const message = "This question can’t be declined. Choose one of its answers.";
  throw new AppError("invalid_content", message, { errors: [{ field: "action", message }] });
}

/**
 * Refuses to ask for another request where nobody would read how: a server is told of a decline and nothing else, and without a text
 * there is nothing to go by.
 */
export function refuseRevision(
  { origin }: Pick<LockedRequest, "origin">,
  { action, comment, revise }: Pick<AnswerInput, "action" | "comment" | "revise">,
): void {
  if (revise !== true) return;
  const refuse = (field: string, message: string) => {
    throw new AppError("invalid_content", message, { errors: [{ field, message }] });
  };
  if (origin !== "intray") refuse("revise", "A server’s question can’t be sent back for revision.");
  if (action !== "decline") refuse("action", "To ask for a revision, decline with `revise`.");
  if (!comment) refuse("comment", "Say what to change.");
}

/**
 * Refuses bounds for more calls beside anything but a plain yes, because calls are compared with the one that was asked about. Refuses
 * them beside each vote, because votes do not agree on bounds.
 */
export function refuseStanding(
  { approval }: Pick<LockedRequest, "approval">,
  { action, standing }: Pick<AnswerInput, "action" | "standing">,
  changes: boolean,
): void {
  if (!standing) return;
  const isPlainYes = action === "accept" && !changes;
  if (isPlainYes && approval === null) return;
  const message = isPlainYes
    ? "The policy says who decides on this call, so each one is decided by itself."
    : "Only a call that is approved as it was asked can be approved for a while.";
  throw new AppError("invalid_content", message, { errors: [{ field: "standing", message }] });
}

/** Refuses an answer to a recipe's question that can't be delivered: one that lacks what its choice needs. */
export async function refuseUnfitChoice(
  tx: Tx,
  { isRecipes, origin, recipeVersion, serverId, tool, key }: LockedRequest,
  answer: Pick<AnswerInput, "action" | "content">,
): Promise<void> {
  if (!isRecipes || origin !== "server" || recipeVersion === null) return;
  const recipe = await readVersion(tx, { serverId, name: tool, version: recipeVersion });
  const question = recipe && questionAt(recipe, key);
  const chosen = question && choiceOf(question, answer);
  if (!chosen || !("problem" in chosen)) return;
  const errors = chosen.missing ?? [{ field: "choice", message: chosen.problem }];
  throw new AppError("invalid_content", chosen.problem, { errors });
}

/**
 * Refuses to take back what another person has decided, but for operators. Not even as an operator does the task's
 * requester take back another's decision where the organization requires a second person.
 */
export function refuseOthersAnswer(
  principal: Principal,
  request: Pick<LockedRequest, "fourEyes">,
  by: Actor,
): void {
  if (by.kind === principal.actor.kind && by.id === principal.actor.id) return;
  // What a rule answered is nobody's: anybody who may answer can take it back.
  if (by.kind !== "rule" && !allows(principal, "requests:assign"))
    throw new AppError(
      "forbidden",
      `${actorWords(by, { begins: true })} decided this. Only ${actorWords(by)} or an operator can undo it.`,
    );
  if (request.fourEyes)
    throw new AppError(
      "four_eyes",
      `You asked for this task, or somebody who counts as one person with you did: you can’t undo what ${actorWords(by)} decided.`,
    );
}
