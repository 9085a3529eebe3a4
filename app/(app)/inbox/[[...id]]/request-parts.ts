import { JsonTree } from "@/components/facts/facts.tsx";
import { part } from "@/components/ui/part.tsx";
import { decisionOf } from "@/lib/format/decision.ts";
import { describeFacts } from "@/lib/format/facts.ts";
import { isLive } from "@/lib/format/outcome.ts";
import type { InputRequestDetail } from "@/lib/input-requests/schema.ts";
import type { SimilarRequests } from "@/lib/input-requests/similar-schema.ts";

// What some requests show and the first one of a list mostly does not. All of it comes when the page is used.

const warm = { warm: true };

export const FormAnswerArea = part(
  () => import("./form-answer-area.tsx").then((file) => file.FormAnswerArea),
  warm,
);
export const UrlQuestion = part(() => import("./url-question.tsx").then((file) => file.UrlQuestion), warm);
export const RequestClosed = part(
  () => import("./request-closed.tsx").then((file) => file.RequestClosed),
  warm,
);
export const QuestionChanged = part(
  () => import("./question-change.tsx").then((file) => file.QuestionChanged),
  warm,
);
export const AskedBefore = part(() => import("./question-change.tsx").then((file) => file.AskedBefore), warm);
export const RepeatNotice = part(() => import("./repeat-notice.tsx").then((file) => file.RepeatNotice), warm);
export const DecidedBefore = part(
  () => import("./similar-requests.tsx").then((file) => file.DecidedBefore),
  warm,
);

export const Refused = part(() => import("./refused.tsx").then((file) => file.Refused), warm);
export const ClaimLine = part(() => import("./claim-line.tsx").then((file) => file.ClaimLine), warm);
export const TimeLimit = part(() => import("./time-limit.tsx").then((file) => file.TimeLimit), warm);
export const TaskNow = part(() => import("./task-now.tsx").then((file) => file.TaskNow), warm);
export const EndState = part(() => import("./end-state.tsx").then((file) => file.EndState), warm);
export const OtherQuestions = part(
  () => import("./other-questions.tsx").then((file) => file.OtherQuestions),
  warm,
);
export const NoForm = part(() => import("./no-form.tsx").then((file) => file.NoForm), warm);
/** Seen once one has scrolled. */
export const StickySummary = part(() => import("./sticky-summary.tsx").then((file) => file.StickySummary), {
  patient: true,
});

/** What a request needs to be shown as a whole: a part that came late would move what is about to be pressed. */
export function partsOf(request: InputRequestDetail, similar: SimilarRequests | null) {
  const open = request.state === "open";
  return [
    isForm(request) && FormAnswerArea,
    request.mode === "url" && UrlQuestion,
    !open && RequestClosed,
    !open && EndState,
    request.fields.kind !== "supported" && NoForm,
    open && request.claimedBy !== null && ClaimLine,
    open && request.expiresAt !== null && TimeLimit,
    saysMore(request) && TaskNow,
    describeFacts(request.arguments).some((block) => block.kind === "json") && JsonTree,
    open && wasAskedBefore(request) && AskedBefore,
    open && similar?.repeats && RepeatNotice,
    similar && similar.items.length > 0 && DecidedBefore,
  ].filter((each) => !!each);
}

export function isForm({ fields }: InputRequestDetail): boolean {
  return decisionOf(fields).kind === "form";
}

export function wasAskedBefore({ previous, askedAgain }: InputRequestDetail): boolean {
  return Boolean(previous || askedAgain);
}

/** The task tells how far it has come, or says something that the question does not. */
export function saysMore({ task, message }: InputRequestDetail): boolean {
  const { progress, state, statusMessage } = task;
  // Many servers repeat the question as the status of the task: that says nothing new.
  return isLive(state) && (progress !== null || (!!statusMessage && !message.includes(statusMessage)));
}
